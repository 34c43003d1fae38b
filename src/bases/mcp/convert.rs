//! Definitions, results and pages as the protocol writes them.

use std::{collections::BTreeMap, sync::Arc};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use rmcp::{
    ErrorData,
    model::{
        CallToolResult, ContentBlock, GetPromptResult, JsonObject, LoggingLevel, MetaObject,
        Prompt as McpPrompt, PromptArgument, PromptMessage, ReadResourceResult,
        Resource as McpResource, ResourceContents, ResourceTemplate, Role, Tool, ToolAnnotations,
    },
};
use svc_api::mcp::{Content, Definition, Output, Prompt, Resource, ResourceText, Template};
use svc_contract::value::Value;
use svc_service::{Args, tools::Hints};

/// A tool.
pub(super) fn tool(it: &Definition) -> Tool {
    let annotations = annotations(it.hints);
    let mut tool =
        Tool::new(it.name.clone(), it.description.clone(), Arc::new(json_object(&it.input_schema)))
            .with_raw_output_schema(Arc::new(json_object(&it.output_schema)))
            .with_annotations(annotations);
    let meta = json_object(&it.meta);
    if !meta.is_empty() {
        tool = tool.with_meta(MetaObject::from(meta));
    }
    tool
}

/// The hints of a tool. What the protocol assumes anyway is left out.
fn annotations(hints: Hints) -> ToolAnnotations {
    let mut all = ToolAnnotations::new().read_only(hints.read_only);
    if !hints.read_only && !hints.destructive {
        all = all.destructive(false);
    }
    if !hints.read_only && hints.idempotent {
        all = all.idempotent(true);
    }
    if hints.open_world { all } else { all.open_world(false) }
}

/// A value as the JSON of the protocol.
pub(super) fn json(value: &Value) -> serde_json::Value {
    // A value has only names as keys, so this cannot fail.
    serde_json::to_value(value).unwrap_or_default()
}

/// A record as an object; empty for anything else.
pub(super) fn json_object(value: &Value) -> JsonObject {
    match json(value) {
        serde_json::Value::Object(it) => it,
        _ => JsonObject::new(),
    }
}

/// The arguments of a call.
pub(super) fn args(given: Option<JsonObject>) -> Result<Args, ErrorData> {
    let given = given.unwrap_or_default().into_iter();
    let read = |(name, it): (String, serde_json::Value)| match serde_json::from_value::<Value>(it) {
        Ok(value) => Ok((name, value)),
        Err(err) => Err(ErrorData::invalid_params(format!("{name}: {err}"), None)),
    };
    given.map(read).collect()
}

/// The values of a prompt, which are texts.
pub(super) fn texts(given: Option<JsonObject>) -> Result<BTreeMap<String, String>, ErrorData> {
    let given = given.unwrap_or_default().into_iter();
    let read = |(name, it): (String, serde_json::Value)| match it {
        serde_json::Value::String(text) => Ok((name, text)),
        other => {
            let message = format!("{name}: expected a string, found {other}");
            Err(ErrorData::invalid_params(message, None))
        }
    };
    given.map(read).collect()
}

/// The result of a call.
pub(super) fn result(output: Output) -> CallToolResult {
    let Output { text, data, file, is_error } = output;
    let blocks = [ContentBlock::text(text)].into_iter().chain(file.map(block)).collect();
    let mut result =
        if is_error { CallToolResult::error(blocks) } else { CallToolResult::success(blocks) };
    result.structured_content = data.as_ref().map(json);
    result
}

fn block(file: Content) -> ContentBlock {
    let data = BASE64_STANDARD.encode(&file.bytes);
    match file.media_type.split('/').next() {
        Some("image") => ContentBlock::image(data, file.media_type),
        Some("audio") => ContentBlock::audio(data, file.media_type),
        _ => {
            let uri = format!("svc://result/{}", file.name);
            ContentBlock::resource(
                ResourceContents::blob(data, uri).with_mime_type(file.media_type),
            )
        }
    }
}

/// A prompt of the list.
pub(super) fn prompt(it: &Prompt) -> McpPrompt {
    let param = |it: &svc_api::mcp::PromptParam| {
        PromptArgument::new(it.name).with_description(it.description).with_required(it.is_required)
    };
    let params = it.params.iter().map(param).collect();
    McpPrompt::new(it.name, Some(it.description), Some(params)).with_title(it.title)
}

/// The text of a prompt, as what the person says.
pub(super) fn prompt_text(text: String) -> GetPromptResult {
    GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)])
}

/// A resource of the list.
pub(super) fn resource(it: &Resource) -> McpResource {
    McpResource::new(it.uri.clone(), it.name.clone())
        .with_description(it.description.clone())
        .with_mime_type(it.media_type)
}

/// A pattern of addresses.
pub(super) fn template(it: &Template) -> ResourceTemplate {
    ResourceTemplate::new(it.uri, it.name)
        .with_description(it.description)
        .with_mime_type(it.media_type)
}

/// The text of a resource.
pub(super) fn page(page: ResourceText, uri: &str) -> ReadResourceResult {
    let contents = ResourceContents::text(page.text, uri).with_mime_type(page.media_type);
    ReadResourceResult::new(vec![contents])
}

/// How important a message is, from 0.
pub(super) fn rank(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}

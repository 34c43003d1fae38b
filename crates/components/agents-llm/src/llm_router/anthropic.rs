//! Anthropic's Messages API.

use serde::Serialize;
use serde_json::{Value as Json, json};
use svc_contract::{
    host::http::Request,
    registry::{OpError, conversation::Message},
    value::{self, Value, schema::Ranges},
};

use super::{
    answer::{Answer, End, Requested, Tokens},
    model::Model,
    question::{self, Question, body},
    talk::Flow,
    turn::Chat,
};

/// The supported version of the protocol.
const VERSION: &str = "2023-06-01";

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u64,
    messages: [question::Message<'a>; 1],
    stream: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    system: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig>,
}

#[derive(Serialize)]
struct OutputConfig {
    format: Format,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Format {
    JsonSchema { schema: Value },
}

pub(super) fn request(model: &Model, question: &Question<'_>) -> Result<Request, OpError> {
    // A schema with ranges is rejected, so ranges are described in words.
    let schema = question.schema(Ranges::Described)?;
    let body = body(&Body {
        model: &model.name,
        max_tokens: question.max_tokens,
        messages: [question::Message::user(question.prompt)],
        stream: true,
        system: question.system,
        temperature: question.temperature,
        output_config: schema.map(|schema| OutputConfig { format: Format::JsonSchema { schema } }),
    });
    Ok(post(model, body))
}

fn post(model: &Model, body: Vec<u8>) -> Request {
    let url = format!("{}/v1/messages", model.base);
    let request = Request::post_json(url, body).configured().header("anthropic-version", VERSION);
    match &model.key {
        Some(key) => request.header("x-api-key", key.reveal()),
        None => request,
    }
}

/// A turn of a conversation.
pub(super) fn turn(model: &Model, chat: &Chat<'_>) -> Request {
    let mut messages: Vec<Json> = Vec::new();
    for it in chat.messages {
        let (role, content) = content(it);
        // All results of the calls of a message are in one message.
        match messages.last_mut().filter(|last| last["role"] == role) {
            Some(last) => {
                if let Some(so_far) = last["content"].as_array_mut() {
                    so_far.extend(content);
                }
            }
            None => messages.push(json!({ "role": role, "content": content })),
        }
    }
    let tools = chat
        .tools
        .iter()
        .map(|it| json!({ "name": it.name, "description": it.doc, "input_schema": it.params }));
    let tools: Vec<Json> = tools.collect();
    let mut body = json!({
        "model": model.name,
        "max_tokens": chat.max_tokens,
        "messages": messages,
        "stream": true,
    });
    if !chat.system.is_empty() {
        body["system"] = chat.system.into();
    }
    if !tools.is_empty() {
        body["tools"] = tools.into();
    }
    post(model, question::body(&body))
}

/// Who says a message, and its blocks.
fn content(it: &Message) -> (&str, Vec<Json>) {
    if let Some(id) = &it.id {
        let result = json!({ "type": "tool_result", "tool_use_id": id, "content": it.text });
        return ("user", vec![result]);
    }
    // An empty text is refused.
    let text = (!it.text.trim().is_empty()).then(|| json!({ "type": "text", "text": it.text }));
    let calls = it.calls.iter().map(|call| {
        let no_object = || value::json::write(&call.args);
        let input = match &call.args {
            Value::Record(_) => json!(call.args),
            _ => json!({ "arguments": no_object() }),
        };
        json!({ "type": "tool_use", "id": call.id, "name": call.tool, "input": input })
    });
    (&it.role, text.into_iter().chain(calls).collect())
}

pub(super) fn read(event: &Json, answer: &mut Answer) -> Flow {
    match event["type"].as_str() {
        Some("message_start") => count_input(&event["message"]["usage"], answer),
        Some("content_block_start") if event["content_block"]["type"] == "tool_use" => {
            let text = |it: &Json| it.as_str().unwrap_or_default().to_owned();
            let block = &event["content_block"];
            let (id, name) = (text(&block["id"]), text(&block["name"]));
            answer.calls.push(Requested { id, name, args: String::new() });
        }
        Some("content_block_delta") => {
            if let Some(text) = event["delta"]["text"].as_str() {
                answer.text.push_str(text);
            }
            // The blocks of an answer come one after another.
            if let Some(piece) = event["delta"]["partial_json"].as_str()
                && let Some(call) = answer.calls.last_mut()
            {
                call.args.push_str(piece);
            }
        }
        Some("message_delta") => {
            count_output(&event["usage"], answer);
            answer.end = end(&event["delta"]).or(answer.end.take());
        }
        Some("message_stop") => return Flow::Break(()),
        _ => {}
    }
    Flow::Continue(())
}

/// Reads the token counts of the prompt, which are in the first event.
fn count_input(usage: &Json, answer: &mut Answer) {
    let counts = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    // One invalid count makes the sum invalid; a cache that is not mentioned was not used.
    let counts = counts.iter().map(|it| &usage[it]).filter(|it| !it.is_null());
    let input = counts.map(Json::as_u64).try_fold(0_u64, |sum, it| Some(sum.saturating_add(it?)));
    answer.tokens = input.map(|input| Tokens { input, output: 0 });
}

/// Reads the token count of the answer. The last event but one has the final count; earlier ones
/// count a part of the answer.
fn count_output(usage: &Json, answer: &mut Answer) {
    let counts = answer.tokens.zip(usage["output_tokens"].as_u64());
    answer.tokens = counts.map(|(tokens, output)| Tokens { output, ..tokens });
}

fn end(delta: &Json) -> Option<End> {
    Some(match delta["stop_reason"].as_str()? {
        "max_tokens" | "model_context_window_exceeded" => End::Cut,
        "refusal" => {
            let explanation = delta["stop_details"]["explanation"].as_str();
            End::Refused(
                explanation.unwrap_or("the provider's safeguards ended the answer").to_owned(),
            )
        }
        _ => End::Finished,
    })
}

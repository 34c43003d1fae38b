//! Ollama's chat API.

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
    openai,
    question::{self, Question, body},
    talk::Flow,
    turn::Chat,
};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<question::Message<'a>>,
    stream: bool,
    options: Options,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'a Value>,
}

#[derive(Serialize)]
struct Options {
    num_predict: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
}

pub(super) fn request(model: &Model, question: &Question<'_>) -> Result<Request, OpError> {
    let schema = question.schema(Ranges::Asserted)?;
    let system = system(question.system, schema.as_ref());
    let first = (!system.is_empty()).then(|| question::Message::system(&system));
    let body = body(&Body {
        model: &model.name,
        messages: first.into_iter().chain([question::Message::user(question.prompt)]).collect(),
        stream: true,
        options: Options { num_predict: question.max_tokens, temperature: question.temperature },
        format: schema.as_ref(),
    });
    let url = format!("{}/api/chat", model.base);
    Ok(Request::post_json(url, body).configured())
}

/// A turn of a conversation.
pub(super) fn turn(model: &Model, chat: &Chat<'_>) -> Request {
    let system =
        (!chat.system.is_empty()).then(|| json!({ "role": "system", "content": chat.system }));
    let messages: Vec<Json> = system.into_iter().chain(chat.messages.iter().map(message)).collect();
    let tools: Vec<Json> = chat.tools.iter().map(openai::function).collect();
    let body = question::body(&json!({
        "model": model.name,
        "messages": messages,
        "tools": tools,
        "stream": true,
        "options": { "num_predict": chat.max_tokens },
    }));
    Request::post_json(format!("{}/api/chat", model.base), body).configured()
}

/// Results follow in the order of the calls: this API has no ids.
fn message(it: &Message) -> Json {
    let mut message = json!({ "role": it.role, "content": it.text });
    if !it.calls.is_empty() {
        let calls = it
            .calls
            .iter()
            .map(|call| json!({ "function": { "name": call.tool, "arguments": call.args } }));
        message["tool_calls"] = calls.collect();
    }
    message
}

/// Adds the schema to the system text. The schema sent as a parameter enforces the form, but the
/// model does not see it.
fn system(system: &str, schema: Option<&Value>) -> String {
    match schema {
        None => system.to_owned(),
        Some(schema) => {
            let schema = value::json::write(schema);
            format!("{system}\n\nAnswer in JSON of this schema: {schema}").trim_start().to_owned()
        }
    }
}

pub(super) fn read(event: &Json, answer: &mut Answer) -> Flow {
    if let Some(text) = event["message"]["content"].as_str() {
        answer.text.push_str(text);
    }
    for call in event["message"]["tool_calls"].as_array().into_iter().flatten() {
        let function = &call["function"];
        let name = function["name"].as_str().unwrap_or_default().to_owned();
        let args = match &function["arguments"] {
            Json::Null => String::new(),
            Json::String(text) => text.clone(),
            args => args.to_string(),
        };
        answer.calls.push(Requested { id: String::new(), name, args });
    }
    if event["done"] != true {
        return Flow::Continue(());
    }
    answer.end = Some(match event["done_reason"].as_str() {
        Some("length") => End::Cut,
        _ => End::Finished,
    });
    let counts = event["prompt_eval_count"].as_u64().zip(event["eval_count"].as_u64());
    answer.tokens = counts.map(|(input, output)| Tokens { input, output });
    Flow::Break(())
}

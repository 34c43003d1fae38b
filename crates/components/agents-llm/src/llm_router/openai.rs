//! OpenAI's chat completions API, which many other servers support too.

use serde::Serialize;
use serde_json::{Value as Json, json};
use svc_contract::{
    host::http::Request,
    registry::{
        OpError,
        conversation::{Function, Message},
    },
    value::{self, Value, schema::Ranges},
};

use super::{
    answer::{Answer, End, Requested, Tokens},
    model::Model,
    question::{self, Question, body},
    talk::Flow,
    turn::Chat,
};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<question::Message<'a>>,
    stream: bool,
    stream_options: StreamOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    /// OpenAI renamed the limit; other servers know this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Format>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Format {
    JsonSchema { json_schema: Wanted },
}

#[derive(Serialize)]
struct Wanted {
    name: &'static str,
    strict: bool,
    schema: Value,
}

pub(super) fn request(model: &Model, question: &Question<'_>) -> Result<Request, OpError> {
    let system = (!question.system.is_empty()).then(|| question::Message::system(question.system));
    let (cap, is_official) = (Some(question.max_tokens), model.is_official());
    let schema = question.schema(Ranges::Asserted)?;
    let schema =
        schema.map(|schema| Wanted { name: "answer", strict: question.is_strict(), schema });
    let body = body(&Body {
        model: &model.name,
        messages: system.into_iter().chain([question::Message::user(question.prompt)]).collect(),
        stream: true,
        stream_options: StreamOptions { include_usage: true },
        max_completion_tokens: cap.filter(|_| is_official),
        max_tokens: cap.filter(|_| !is_official),
        temperature: question.temperature,
        response_format: schema.map(|json_schema| Format::JsonSchema { json_schema }),
    });
    Ok(post(model, "chat/completions", body))
}

/// A turn of a conversation.
pub(super) fn turn(model: &Model, chat: &Chat<'_>) -> Request {
    let system =
        (!chat.system.is_empty()).then(|| json!({ "role": "system", "content": chat.system }));
    let messages: Vec<Json> = system.into_iter().chain(chat.messages.iter().map(message)).collect();
    let tools: Vec<Json> = chat.tools.iter().map(function).collect();
    let cap = if model.is_official() { "max_completion_tokens" } else { "max_tokens" };
    let mut body = json!({
        "model": model.name,
        "messages": messages,
        "stream": true,
        "stream_options": { "include_usage": true },
        cap: chat.max_tokens,
    });
    // An empty list is refused.
    if !tools.is_empty() {
        body["tools"] = tools.into();
    }
    post(model, "chat/completions", question::body(&body))
}

fn message(it: &Message) -> Json {
    match (&it.id, it.calls.is_empty()) {
        (Some(id), _) => json!({ "role": "tool", "tool_call_id": id, "content": it.text }),
        (None, true) => json!({ "role": it.role, "content": it.text }),
        (None, false) => {
            let calls = it.calls.iter().map(|call| {
                let args = value::json::write(&call.args);
                let function = json!({ "name": call.tool, "arguments": args });
                json!({ "id": call.id, "type": "function", "function": function })
            });
            let calls: Vec<Json> = calls.collect();
            json!({ "role": it.role, "content": it.text, "tool_calls": calls })
        }
    }
}

/// A tool, as Ollama has it, too.
pub(super) fn function(it: &Function) -> Json {
    let function = json!({ "name": it.name, "description": it.doc, "parameters": it.params });
    json!({ "type": "function", "function": function })
}

/// A request to a path of the API.
pub(super) fn post(model: &Model, path: &str, body: Vec<u8>) -> Request {
    let request = Request::post_json(format!("{}/{path}", model.base), body).configured();
    match &model.key {
        Some(key) => request.header("authorization", format!("Bearer {}", key.reveal())),
        None => request,
    }
}

pub(super) fn read(event: &Json, answer: &mut Answer) -> Flow {
    let choice = &event["choices"][0];
    if let Some(text) = choice["delta"]["content"].as_str() {
        answer.text.push_str(text);
    }
    if let Some(text) = choice["delta"]["refusal"].as_str() {
        refuse(answer, text);
    }
    for call in choice["delta"]["tool_calls"].as_array().into_iter().flatten() {
        add_call(call, answer);
    }
    match choice["finish_reason"].as_str() {
        Some("content_filter") => refuse(answer, "the provider's content filter ended the answer"),
        Some(_) if matches!(answer.end, Some(End::Refused(_))) => {}
        Some("length") => answer.end = Some(End::Cut),
        Some(_) => answer.end = Some(End::Finished),
        None => {}
    }
    let usage = &event["usage"];
    let counts = usage["prompt_tokens"].as_u64().zip(usage["completion_tokens"].as_u64());
    if let Some((input, output)) = counts {
        answer.tokens = Some(Tokens { input, output });
    }
    Flow::Continue(())
}

/// The most calls that a server may begin in one answer.
const MOST_CALLS: usize = 1_024;

/// Adds a piece of a call. Servers that send whole calls may leave out the index.
fn add_call(piece: &Json, answer: &mut Answer) {
    let idx = piece["index"]
        .as_u64()
        .map_or(answer.calls.len(), |it| usize::try_from(it).unwrap_or(MOST_CALLS));
    if idx >= MOST_CALLS {
        return;
    }
    while answer.calls.len() <= idx {
        answer.calls.push(Requested::default());
    }
    let call = &mut answer.calls[idx];
    let text = |it: &Json| it.as_str().unwrap_or_default().to_owned();
    call.id += &text(&piece["id"]);
    call.name += &text(&piece["function"]["name"]);
    call.args += &text(&piece["function"]["arguments"]);
}

/// Adds words of a refusal, which arrive in pieces like an answer.
fn refuse(answer: &mut Answer, words: &str) {
    match &mut answer.end {
        Some(End::Refused(why)) => why.push_str(words),
        other => *other = Some(End::Refused(words.to_owned())),
    }
}

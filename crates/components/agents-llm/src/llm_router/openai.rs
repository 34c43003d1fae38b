//! OpenAI's chat completions API, which many other servers support too.

use serde::Serialize;
use serde_json::Value as Json;
use svc_contract::{
    host::http::Request,
    registry::OpError,
    value::{Value, schema::Ranges},
};

use super::{
    answer::{Answer, End, Tokens},
    model::Model,
    question::{Message, Question, body},
    talk::Flow,
};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
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
    let system = (!question.system.is_empty()).then(|| Message::system(question.system));
    let (cap, is_official) = (Some(question.max_tokens), model.is_official());
    let schema = question.schema(Ranges::Asserted)?;
    let schema =
        schema.map(|schema| Wanted { name: "answer", strict: question.is_strict(), schema });
    let body = body(&Body {
        model: &model.name,
        messages: system.into_iter().chain([Message::user(question.prompt)]).collect(),
        stream: true,
        stream_options: StreamOptions { include_usage: true },
        max_completion_tokens: cap.filter(|_| is_official),
        max_tokens: cap.filter(|_| !is_official),
        temperature: question.temperature,
        response_format: schema.map(|json_schema| Format::JsonSchema { json_schema }),
    });
    Ok(post(model, "chat/completions", body))
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

/// Adds words of a refusal, which arrive in pieces like an answer.
fn refuse(answer: &mut Answer, words: &str) {
    match &mut answer.end {
        Some(End::Refused(why)) => why.push_str(words),
        other => *other = Some(End::Refused(words.to_owned())),
    }
}

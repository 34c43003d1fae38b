//! OpenAI's chat completions API, which many other servers support too.

use serde_json::{Value as Json, json};
use svc_contract::{host::http::Request, registry::OpError, value::schema::Ranges};

use super::{
    answer::{Answer, End, Tokens},
    model::Model,
    question::Question,
    talk::Flow,
};

pub(super) fn request(model: &Model, question: &Question<'_>) -> Result<Request, OpError> {
    let mut messages = Vec::new();
    if !question.system.is_empty() {
        messages.push(json!({ "role": "system", "content": question.system }));
    }
    messages.push(json!({ "role": "user", "content": question.prompt }));
    let mut body = json!({
        "model": model.name,
        "messages": messages,
        "stream": true,
        "stream_options": { "include_usage": true },
    });
    body[cap(model)] = question.max_tokens.into();
    if let Some(temperature) = question.temperature {
        body["temperature"] = temperature.into();
    }
    if let Some(schema) = question.schema(Ranges::Asserted)? {
        body["response_format"] = json!({
            "type": "json_schema",
            "json_schema": { "name": "answer", "strict": question.is_strict(), "schema": schema },
        });
    }
    let url = format!("{}/chat/completions", model.base);
    let request = Request::post_json(url, body.to_string().into_bytes()).configured();
    Ok(match &model.key {
        Some(key) => request.header("authorization", format!("Bearer {}", key.reveal())),
        None => request,
    })
}

/// The name of the token limit. OpenAI renamed it; other servers know the first name.
fn cap(model: &Model) -> &'static str {
    if model.is_official() { "max_completion_tokens" } else { "max_tokens" }
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

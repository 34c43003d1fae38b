//! Anthropic's Messages API.

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

/// The supported version of the protocol.
const VERSION: &str = "2023-06-01";

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u64,
    messages: [Message<'a>; 1],
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
        messages: [Message::user(question.prompt)],
        stream: true,
        system: question.system,
        temperature: question.temperature,
        output_config: schema.map(|schema| OutputConfig { format: Format::JsonSchema { schema } }),
    });
    let url = format!("{}/v1/messages", model.base);
    let request = Request::post_json(url, body).configured().header("anthropic-version", VERSION);
    Ok(match &model.key {
        Some(key) => request.header("x-api-key", key.reveal()),
        None => request,
    })
}

pub(super) fn read(event: &Json, answer: &mut Answer) -> Flow {
    match event["type"].as_str() {
        Some("message_start") => count_input(&event["message"]["usage"], answer),
        Some("content_block_delta") => {
            if let Some(text) = event["delta"]["text"].as_str() {
                answer.text.push_str(text);
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

//! Ollama's chat API.

use serde::Serialize;
use serde_json::Value as Json;
use svc_contract::{
    host::http::Request,
    registry::OpError,
    value::{Value, json, schema::Ranges},
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
    let first = (!system.is_empty()).then(|| Message::system(&system));
    let body = body(&Body {
        model: &model.name,
        messages: first.into_iter().chain([Message::user(question.prompt)]).collect(),
        stream: true,
        options: Options { num_predict: question.max_tokens, temperature: question.temperature },
        format: schema.as_ref(),
    });
    let url = format!("{}/api/chat", model.base);
    Ok(Request::post_json(url, body).configured())
}

/// Adds the schema to the system text. The schema sent as a parameter enforces the form, but the
/// model does not see it.
fn system(system: &str, schema: Option<&Value>) -> String {
    match schema {
        None => system.to_owned(),
        Some(schema) => {
            let schema = json::write(schema);
            format!("{system}\n\nAnswer in JSON of this schema: {schema}").trim_start().to_owned()
        }
    }
}

pub(super) fn read(event: &Json, answer: &mut Answer) -> Flow {
    if let Some(text) = event["message"]["content"].as_str() {
        answer.text.push_str(text);
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

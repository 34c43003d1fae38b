//! Ollama's chat API.

use serde_json::{Value as Json, json};
use svc_contract::{host::http::Request, registry::OpError, value::schema::Ranges};

use super::{
    answer::{Answer, End, Tokens},
    model::Model,
    question::Question,
    talk::Flow,
};

pub(super) fn request(model: &Model, question: &Question<'_>) -> Result<Request, OpError> {
    let schema = question.schema(Ranges::Asserted)?;
    let mut messages = Vec::new();
    let system = system(question.system, schema.as_ref());
    if !system.is_empty() {
        messages.push(json!({ "role": "system", "content": system }));
    }
    messages.push(json!({ "role": "user", "content": question.prompt }));
    let mut body = json!({
        "model": model.name,
        "messages": messages,
        "stream": true,
        "options": { "num_predict": question.max_tokens },
    });
    if let Some(temperature) = question.temperature {
        body["options"]["temperature"] = temperature.into();
    }
    if let Some(schema) = schema {
        body["format"] = schema;
    }
    let url = format!("{}/api/chat", model.base);
    Ok(Request::post_json(url, body.to_string().into_bytes()).configured())
}

/// Adds the schema to the system text. The schema sent as a parameter enforces the form, but the
/// model does not see it.
fn system(system: &str, schema: Option<&Json>) -> String {
    match schema {
        None => system.to_owned(),
        Some(schema) => {
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

//! The streams of the providers, as they document them.

use serde_json::{Value as Json, json};

use super::server::Reply;

/// The providers, as `SVC_MODEL` names them.
pub(super) const PROVIDERS: [&str; 3] = ["openai", "anthropic", "ollama"];

/// A model answers `text` and stops for that reason. It counts 100 input and 20 output tokens.
pub(super) fn says(provider: &str, text: &str, stop: &str) -> Reply {
    let halves = text.split_at(text.floor_char_boundary(text.len() / 2));
    let body = match provider {
        "openai" => openai(halves, stop),
        "anthropic" => anthropic(halves, stop),
        _ => ollama(halves, stop),
    };
    Reply::new(200, &body)
}

/// The same, ended as each provider ends a complete answer.
pub(crate) fn finishes(provider: &str, text: &str) -> Reply {
    says(provider, text, if provider == "anthropic" { "end_turn" } else { "stop" })
}

/// Chunks of OpenAI's chat completions.
pub(super) fn chunk(delta: &Json, stop: Option<&str>) -> String {
    let choices = json!([{ "index": 0, "delta": delta, "finish_reason": stop }]);
    let chunk = json!({ "object": "chat.completion.chunk", "choices": choices, "usage": null });
    format!("data: {chunk}\n\n")
}

fn openai((one, two): (&str, &str), stop: &str) -> String {
    let usage = json!({ "prompt_tokens": 100, "completion_tokens": 20 });
    [
        chunk(&json!({ "role": "assistant", "content": "" }), None),
        chunk(&json!({ "content": one }), None),
        chunk(&json!({ "content": two }), None),
        chunk(&json!({}), Some(stop)),
        format!("data: {}\n\n", json!({ "choices": [], "usage": usage })),
        "data: [DONE]\n\n".to_owned(),
    ]
    .concat()
}

fn anthropic((one, two): (&str, &str), stop: &str) -> String {
    let event = |it: Json| format!("event: {}\ndata: {it}\n\n", it["type"].as_str().unwrap());
    let delta = |text: &str| {
        let delta = json!({ "type": "text_delta", "text": text });
        event(json!({ "type": "content_block_delta", "index": 0, "delta": delta }))
    };
    let usage = json!({ "input_tokens": 90, "cache_read_input_tokens": 10, "output_tokens": 1 });
    let block = json!({ "type": "text", "text": "" });
    [
        event(json!({ "type": "message_start", "message": { "usage": usage } })),
        event(json!({ "type": "content_block_start", "index": 0, "content_block": block })),
        event(json!({ "type": "ping" })),
        delta(one),
        delta(two),
        event(json!({ "type": "content_block_stop", "index": 0 })),
        event(json!({
            "type": "message_delta",
            "delta": { "stop_reason": stop },
            "usage": { "output_tokens": 20 },
        })),
        event(json!({ "type": "message_stop" })),
    ]
    .concat()
}

fn ollama((one, two): (&str, &str), stop: &str) -> String {
    let line = |text: &str| json!({ "message": { "content": text }, "done": false });
    let end = json!({
        "message": { "content": "" },
        "done": true,
        "done_reason": stop,
        "prompt_eval_count": 100,
        "eval_count": 20,
    });
    format!("{}\n{}\n{end}\n", line(one), line(two))
}

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

/// A model asks for calls of tools, in pieces as each provider documents them.
pub(crate) fn calls(provider: &str, calls: &[(&str, Json)]) -> Reply {
    let body = match provider {
        "openai" => openai_calls(calls),
        "anthropic" => anthropic_calls(calls),
        _ => ollama_calls(calls),
    };
    Reply::new(200, &body)
}

fn openai_calls(calls: &[(&str, Json)]) -> String {
    let mut body = chunk(&json!({ "role": "assistant", "content": null }), None);
    for (idx, (name, args)) in calls.iter().enumerate() {
        let begin = json!({
            "index": idx,
            "id": format!("call_x{idx}"),
            "type": "function",
            "function": { "name": name, "arguments": "" },
        });
        body += &chunk(&json!({ "tool_calls": [begin] }), None);
        let text = args.to_string();
        let (one, two) = text.split_at(text.floor_char_boundary(text.len() / 2));
        for piece in [one, two] {
            let more = json!({ "index": idx, "function": { "arguments": piece } });
            body += &chunk(&json!({ "tool_calls": [more] }), None);
        }
    }
    body += &chunk(&json!({}), Some("tool_calls"));
    let usage = json!({ "prompt_tokens": 100, "completion_tokens": 20 });
    body += &format!("data: {}\n\ndata: [DONE]\n\n", json!({ "choices": [], "usage": usage }));
    body
}

fn anthropic_calls(calls: &[(&str, Json)]) -> String {
    let event = |it: Json| format!("event: {}\ndata: {it}\n\n", it["type"].as_str().unwrap());
    let usage = json!({ "input_tokens": 100, "output_tokens": 1 });
    let mut body = event(json!({ "type": "message_start", "message": { "usage": usage } }));
    for (idx, (name, args)) in calls.iter().enumerate() {
        let id = format!("toolu_{idx}");
        let block = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
        body +=
            &event(json!({ "type": "content_block_start", "index": idx, "content_block": block }));
        let text = args.to_string();
        let (one, two) = text.split_at(text.floor_char_boundary(text.len() / 2));
        for piece in ["", one, two] {
            let delta = json!({ "type": "input_json_delta", "partial_json": piece });
            body += &event(json!({ "type": "content_block_delta", "index": idx, "delta": delta }));
        }
        body += &event(json!({ "type": "content_block_stop", "index": idx }));
    }
    let end = json!({
        "type": "message_delta",
        "delta": { "stop_reason": "tool_use" },
        "usage": { "output_tokens": 20 },
    });
    body += &event(end);
    body += &event(json!({ "type": "message_stop" }));
    body
}

fn ollama_calls(calls: &[(&str, Json)]) -> String {
    let function =
        |(name, args): &(&str, Json)| json!({ "function": { "name": name, "arguments": args } });
    let calls: Vec<Json> = calls.iter().map(function).collect();
    let line = json!({ "message": { "content": "", "tool_calls": calls }, "done": false });
    let end = json!({
        "message": { "content": "" },
        "done": true,
        "done_reason": "stop",
        "prompt_eval_count": 100,
        "eval_count": 20,
    });
    format!("{line}\n{end}\n")
}

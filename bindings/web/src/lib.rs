//! The checker in a browser: problems, completions, plans and drawings of scripts, without a server
//! and without running anything.
//!
//! A request and its answer are JSON texts, as those of the endpoints `/editor/…` of the desktop.

pub mod memory;

use std::cell::OnceCell;

use serde_json::json;
use svc::{
    Engine,
    value::{Value, json::write},
};
use svc_assist::editor::{self, LONGEST};
use svc_contract::registry::Field as _;

/// The answer to a request: `{"ask": "check", "text": ".."}`. It has `error` if there is none.
#[must_use]
pub fn answer(request: &str) -> String {
    thread_local!(static ENGINE: OnceCell<Engine> = const { OnceCell::new() });
    match ENGINE.with(|it| asked(it.get_or_init(svc::engine), request)) {
        Ok(value) => write(&value),
        Err(error) => json!({ "error": error }).to_string(),
    }
}

fn asked(engine: &Engine, request: &str) -> Result<Value, String> {
    let request: serde_json::Value =
        serde_json::from_str(request).map_err(|err| format!("the request is not JSON: {err}"))?;
    let (Some(ask), Some(text)) = (request["ask"].as_str(), request["text"].as_str()) else {
        return Err("expected the fields `ask` and `text`, which are texts".to_owned());
    };
    if text.len() > LONGEST {
        return Err(format!("the script is longer than {} KiB", LONGEST >> 10));
    }
    Ok(match ask {
        "check" => editor::check(engine, text).encode(),
        "plan" => editor::plan(engine, text).encode(),
        "draw" => editor::draw(engine, text).encode(),
        "format" => editor::format(text).encode(),
        "complete" => {
            let at = request["at"].as_u64();
            let at = at.ok_or("expected the field `at`, which is a whole number of at least 0")?;
            editor::completions(engine, text, at).encode()
        }
        other => return Err(format!("unknown request `{other}`")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_answered() {
        let found = answer(r#"{"ask": "check", "text": "svc 1\n\"a\" >> uper"}"#);
        assert!(found.contains("`upper`"), "{found}");
        let found = answer(r#"{"ask": "complete", "text": "\"a\" >> upp", "at": 10}"#);
        assert!(found.contains("upper"), "{found}");
        let found = answer(r#"{"ask": "draw", "text": "\"a\" >> search(source: \"docs\")"}"#);
        assert!(found.contains("<svg"), "{found}");
    }

    #[test]
    fn wrong_requests_say_why() {
        for (request, why) in [
            ("{", "not JSON"),
            (r#"{"ask": "check"}"#, "expected the fields"),
            (r#"{"ask": "run", "text": ""}"#, "unknown request `run`"),
            (r#"{"ask": "complete", "text": ""}"#, "`at`"),
        ] {
            let found = answer(request);
            assert!(found.contains("\"error\"") && found.contains(why), "{found}");
        }
    }
}

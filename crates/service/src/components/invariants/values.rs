//! Results: those that are shown, and the same ones again.

use svc_contract::{
    registry::OpError,
    value::{Value, json},
};

use super::{
    effects::pure_examples,
    language::subject,
    system::{Depth, System},
    table::Looked,
};

/// The examples of pure ops give the results that the documentation shows.
pub(super) fn examples(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    let mut looked = Looked::new("examples");
    for it in pure_examples(system, depth)? {
        (depth.look)()?;
        let Ok(shown) = it.example.yields else { continue };
        let ran = system.run(&system.engine, it.example.script);
        if ran.is_beyond {
            continue;
        }
        let found = match ran.result {
            Ok(value) if is_shown(&value, shown) => None,
            Ok(value) => Some(format!("expected {shown}, found {}", brief(&value))),
            Err(message) => Some(format!("expected {shown}, found an error: {message}")),
        };
        looked.case(subject(it), found);
    }
    Ok(looked)
}

fn is_shown(value: &Value, shown: &str) -> bool {
    // Through JSON, because the example is written in JSON.
    let both = (json::read(shown), json::read(&json::write(value)));
    matches!(both, (Ok(one), Ok(two)) if one == two)
}

fn brief(value: &Value) -> String {
    const LONGEST: usize = 200;
    let text = json::write(value);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} ..", &text[..end]),
        None => text,
    }
}

/// A pure script gives the same result every time.
pub(super) fn repeat(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    let mut looked = Looked::new("pure scripts");
    for it in pure_examples(system, depth)? {
        (depth.look)()?;
        let once = || system.run(&system.engine, it.example.script).result;
        let (one, two) = (once(), once());
        let found = match (&one, &two) {
            (Ok(one), Ok(two)) if json::write(one) == json::write(two) => None,
            (Err(one), Err(two)) if one == two => None,
            (Ok(one), Ok(two)) => {
                Some(format!("expected {} again, found {}", brief(one), brief(two)))
            }
            _ => Some("expected the same outcome again, found another one".to_owned()),
        };
        looked.case(subject(it), found);
    }
    Ok(looked)
}

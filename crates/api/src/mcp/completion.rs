//! Completion of the values of prompts and of addresses.

use super::{prompts, templates};
use crate::rest::Rest;

/// The most values of an answer.
const MOST: usize = 100;

/// The most runs that are looked at.
const RUNS: usize = 100;

/// What is completed.
#[derive(Clone, Copy, Debug)]
pub enum Asked<'a> {
    Prompt(&'a str),
    /// The pattern of an address.
    Template(&'a str),
}

/// The values of a param that begin with a text, and how many there are.
pub fn completions(rest: &Rest, of: Asked<'_>, param: &str, begun: &str) -> (Vec<String>, usize) {
    let kind = match of {
        Asked::Prompt(name) => {
            let prompt = prompts().iter().find(|it| it.name == name);
            let is_known = prompt.is_some_and(|it| it.params.iter().any(|p| p.name == param));
            if is_known { param } else { "" }
        }
        Asked::Template(uri) => {
            let known = templates().iter().find(|it| it.uri == uri);
            known.map_or("", |it| it.name)
        }
    };
    let mut all: Vec<String> = match kind {
        "docs" => svc_guide::pages().map(|it| it.name.to_owned()).collect(),
        "component" => {
            let all = rest.service.engine().registry().components();
            all.iter().map(|it| it.name.to_owned()).collect()
        }
        "script" => rest.service.scripts().iter().map(|it| it.name.clone()).collect(),
        "run" | "run_id" => runs(rest),
        _ => Vec::new(),
    };
    all.retain(|it| it.starts_with(begun));
    let total = all.len();
    all.truncate(MOST);
    (all, total)
}

/// The names of the latest runs of the caller.
fn runs(rest: &Rest) -> Vec<String> {
    let Some(store) = rest.store() else { return Vec::new() };
    let latest = store.latest(RUNS).unwrap_or_default();
    latest.into_iter().map(|it| it.id.to_string()).collect()
}

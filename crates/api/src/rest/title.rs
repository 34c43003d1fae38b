//! What a run is about, in a line.

use std::path::Path;

use svc_contract::value::{Text, Value, json};
use svc_text::cut;

use crate::store::{Run, RunStore};

/// The longest title in characters.
const LONGEST: usize = 120;

/// The name of the script; of one that was sent as a text, the question that it answers, or the first
/// line of its comments.
pub(super) fn title(store: &RunStore, run: &Run) -> Text {
    let is_file = Path::new(&run.script).extension().is_some_and(|it| it == "svc");
    let said = if is_file { None } else { question(run).or_else(|| comment(store, run)) };
    cut::line(said.as_deref().unwrap_or(&run.script), LONGEST).into()
}

/// The argument of its param `question`.
fn question(run: &Run) -> Option<String> {
    let params = json::read(&run.params).ok()?;
    let question = params.as_record()?.get("question").and_then(Value::as_str)?;
    Some(question.to_owned()).filter(|it| !it.trim().is_empty())
}

fn comment(store: &RunStore, run: &Run) -> Option<String> {
    let script = store.text(run.text).ok()??;
    let line = script.lines().map(str::trim).find(|it| !it.is_empty())?;
    let said = line.strip_prefix('#')?.trim_start_matches('#').trim();
    let said = said.strip_prefix("Goal:").unwrap_or(said).trim();
    (!said.is_empty()).then(|| said.to_owned())
}

//! A replay as JSON and as text: `svc replay`.

use schemars::JsonSchema;
use serde::Serialize;
use svc_contract::{store::RunState, value::Value};
use svc_engine::{DryRunResult, Fate, history::cause::Cause};

/// The comparison of a run with its replay.
#[derive(JsonSchema, Serialize)]
pub struct ReplayJson<'a> {
    run: String,
    /// Whether nothing differs.
    same: bool,
    #[schemars(with = "Option<serde_json::Value>")]
    result: Option<Value>,
    error: Option<String>,
    calls: Vec<CallJson<'a>>,
    /// The recorded calls that the script no longer reaches.
    gone: Vec<&'a str>,
    /// The nodes that depend on a call that was never recorded.
    not_reached: Vec<&'a str>,
}

#[derive(JsonSchema, Serialize)]
struct CallJson<'a> {
    path: &'a str,
    fate: &'static str,
    cause: Option<&'a Cause>,
}

impl<'a> ReplayJson<'a> {
    pub fn new(dry_run: &'a DryRunResult, same: bool) -> Self {
        let (result, error) = match &dry_run.ended {
            Some(Ok(value)) => (Some(value.clone()), None),
            Some(Err(err)) => (None, Some(err.to_string())),
            None => (None, None),
        };
        Self {
            run: dry_run.run.id.to_string(),
            same,
            result,
            error,
            calls: dry_run.calls.iter().map(|(path, fate)| CallJson::new(path, fate)).collect(),
            gone: dry_run.gone().collect(),
            not_reached: dry_run.not_reached(),
        }
    }
}

impl<'a> CallJson<'a> {
    fn new(path: &'a str, fate: &'a Fate) -> Self {
        let (fate, cause) = match fate {
            Fate::Same => ("same", None),
            Fate::Rerun(cause) => ("not recorded", Some(cause)),
            Fate::Stale(cause) => ("differs", Some(cause)),
            Fate::Computed { cause, is_same: true } => ("computed the same", cause.as_ref()),
            Fate::Computed { cause, is_same: false } => ("computed another", cause.as_ref()),
        };
        Self { path, fate, cause }
    }
}

/// Every difference, followed by the outcome. `shown` renders a result.
pub fn text(dry_run: &DryRunResult, same: bool, shown: impl Fn(&Value) -> String) -> String {
    differences(dry_run) + outcome(dry_run, same, shown).as_str()
}

/// The calls that differ, each on two lines.
fn differences(dry_run: &DryRunResult) -> String {
    let mut text = String::new();
    for (path, fate) in &dry_run.calls {
        let line = match fate {
            Fate::Same | Fate::Computed { is_same: true, .. } => continue,
            Fate::Rerun(cause) => format!("not recorded: {cause}"),
            Fate::Stale(cause) => format!("differs: {cause}; the recorded result is used"),
            Fate::Computed { cause: Some(cause), .. } => format!("returns another result: {cause}"),
            Fate::Computed { cause: None, .. } => "new; computed".to_owned(),
        };
        text.push_str(&format!("{path}\n  {line}\n"));
    }
    for path in dry_run.gone() {
        text.push_str(&format!("{path}\n  no longer reached\n"));
    }
    for path in dry_run.not_reached() {
        text.push_str(&format!("{path}\n  depends on a call that is not recorded\n"));
    }
    text
}

fn outcome(dry_run: &DryRunResult, same: bool, shown: impl Fn(&Value) -> String) -> String {
    let count = dry_run.calls.len();
    let calls = if count == 1 { "1 call".to_owned() } else { format!("{count} calls") };
    match (same, &dry_run.ended) {
        (true, _) => format!("the same: {calls}, and the result\n"),
        (false, Some(Ok(value))) => {
            let (same, shown) = (dry_run.same(), shown(value));
            format!("{same} of {calls} are the same; the new result is\n{shown}")
        }
        (false, Some(Err(err))) => format!("the run fails now: {err}\n"),
        (false, None) => {
            let same = dry_run.same();
            let end = match dry_run.run.state {
                RunState::Died => format!("; `svc resume {}` finishes the run", dry_run.run.id),
                _ => "; the rest needs a run".to_owned(),
            };
            format!("{same} of {calls} are the same{end}\n")
        }
    }
}

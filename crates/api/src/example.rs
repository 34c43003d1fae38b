//! Examples of what a script gives: the part of it that only reads runs within small bounds.
//!
//! That part ends before the first stage that writes, runs a program, spends or asks, and before
//! the first that reads something other than files.

use std::{path::Path, time::Duration};

use svc_contract::{
    registry::{ErrorKind, Field as _, record},
    value::{Text, Value},
};
use svc_engine::{Engine, Error, run::RunError};
use svc_lang::{
    diag::{Source, Span},
    plan::{EffectUse, Place, Plan, Verb},
    syntax::{
        self,
        ast::{ItemKind, Pipeline, Program},
    },
};

/// The bounds of a dry run.
const LONGEST: Duration = Duration::from_secs(10);
const MOST_MEMORY: u64 = 512 << 20;

/// The maximum number of parts of a script that are tried.
const MOST_PARTS: usize = 40;

/// What is shown of a result: so many items of a list, fields of a record and lines of a text.
const MOST_ITEMS: usize = 10;
const LONGEST_TEXT: usize = 2_000;
const DEEPEST: usize = 8;

/// The longest piece of a script that names a failure.
const LONGEST_PIECE: usize = 200;

const NAME: &str = "goal.svc";

record! {
    /// The result of the part of a script that only reads.
    struct Shown {
        /// The result, cut to its beginning; null without one.
        output: Option<Value>,
        /// Whether a part of the result is left out.
        cut: bool,
        /// Whether the result is that of the whole script.
        whole: bool,
        /// The first stage that was not run; null if all were.
        before: Option<Text>,
        /// Why nothing was run; null if something was.
        skipped: Option<Text>,
        /// Why the run failed; null if it did not.
        error: Option<Text>,
    }
}

/// What became of a dry run.
pub(crate) struct Example {
    shown: Shown,
    /// What is wrong with the script, without any value of its data; only if the script is at
    /// fault.
    pub(crate) fault: Option<String>,
}

/// The beginning of a script.
struct Part {
    script: String,
    /// The stage behind it.
    before: Option<String>,
}

impl Example {
    /// Runs the part of a script that only reads files that are there.
    pub(crate) async fn of(engine: &Engine, script: &str) -> Self {
        let mut parts = parts(script).into_iter().take(MOST_PARTS);
        let reading = parts.find_map(|part| {
            let source = Source::new(NAME, part.script.as_str()).in_folder(".");
            let plan = engine.plan_before_inputs(source).ok()?;
            plan.effects().iter().all(only_reads).then_some((part, plan))
        });
        let Some((part, plan)) = reading else {
            return Self::skipped("its first stage does more than to read files");
        };
        if let Some(path) = missing(engine, &plan) {
            return Self::skipped(&format!("`{path}` is not there"));
        }
        let run = engine.run_plan(plan).timeout(LONGEST).max_memory(MOST_MEMORY);
        let done = run.await;
        let (whole, before) = (part.before.is_none(), part.before.clone().map(Into::into));
        let shown = Shown { output: None, cut: false, whole, before, skipped: None, error: None };
        match done {
            Ok(response) => {
                let output = beginning(&response.value, 0);
                let cut = output != response.value;
                Self { shown: Shown { output: Some(output), cut, ..shown }, fault: None }
            }
            Err(Error::Run { error, .. }) => {
                let fault = fault(&error, &part.script);
                let error = Some(error.error.message.as_str().into());
                Self { shown: Shown { error, ..shown }, fault }
            }
            Err(other) => Self::skipped(&other.to_string()),
        }
    }

    pub(crate) fn encode(self) -> Value {
        self.shown.encode()
    }

    fn skipped(why: &str) -> Self {
        let skipped = Some(why.into());
        let (output, before, error) = (None, None, None);
        let shown = Shown { output, cut: false, whole: false, before, skipped, error };
        Self { shown, fault: None }
    }
}

/// Whether an effect stays on this machine and changes nothing.
fn only_reads(effect: &EffectUse) -> bool {
    let is_elsewhere = matches!(effect.place, Some(Place::Web(_) | Place::Named("llm")));
    effect.verb == Verb::Reads && !is_elsewhere
}

/// The first file that a plan reads and that does not exist.
fn missing(engine: &Engine, plan: &Plan) -> Option<Text> {
    let paths = plan.effects().iter().filter_map(|it| match &it.place {
        Some(Place::Path(path)) => Some(path.clone()),
        _ => None,
    });
    paths.into_iter().find(|it| engine.host().stat(Path::new(it.as_ref())).is_err())
}

/// The beginnings of a script, the longest first: each ends behind a stage of the main pipeline,
/// or else of a `let`.
fn parts(script: &str) -> Vec<Part> {
    let syntax::Parsed { program, problems } = syntax::parse(script);
    let Some(main) = program.main.as_ref().filter(|_| problems.is_empty()) else {
        return Vec::new();
    };
    let lets = program.items.iter().enumerate().filter_map(|(at, it)| match &it.kind {
        ItemKind::Let(it) => Some((at, &it.value)),
        _ => None,
    });
    let mut pipelines: Vec<(usize, &Pipeline)> = lets.collect();
    pipelines.push((program.items.len(), main));
    let mut all = Vec::new();
    let mut next = None;
    for (at, pipeline) in pipelines.into_iter().rev() {
        let head = head(script, &program, at);
        let start = pipeline.span.start;
        for stage in pipeline.stages.iter().rev() {
            let text = &script[start..stage.span.end];
            let before = next.map(|it| piece(script, it));
            all.push(Part { script: format!("{head}{text}\n"), before });
            next = Some(stage.span);
        }
    }
    all
}

/// What stands before a pipeline: everything but tests, and the `let`s before the item `end`.
fn head(script: &str, program: &Program, end: usize) -> String {
    let edition = program.edition.iter().map(|it| it.span);
    let items = program.items.iter().enumerate().filter(|(at, it)| match it.kind {
        ItemKind::Let(_) => *at < end,
        ItemKind::Mock(_) | ItemKind::Test(_) => false,
        _ => true,
    });
    let spans = edition.chain(items.map(|(_, it)| it.span));
    spans.flat_map(|it| [&script[it.start..it.end], "\n"]).collect()
}

/// A piece of a script on one line.
fn piece(script: &str, span: Span) -> String {
    let text = script.get(span.start..span.end).unwrap_or_default();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = text.floor_char_boundary(LONGEST_PIECE);
    if end < text.len() { format!("{}..", &text[..end]) } else { text }
}

/// What is wrong with a script that fails. The message may contain values of the data, so it is
/// not a part of this.
fn fault(error: &RunError, script: &str) -> Option<String> {
    use ErrorKind as Kind;
    let kind = error.kind();
    // A bound of the dry run, or the machine, is not a fault of the script.
    if matches!(kind, Kind::Timeout | Kind::Denied | Kind::Budget | Kind::Cancelled) {
        return None;
    }
    let place = match error.source {
        None => piece(script, error.span),
        Some(_) => error.component.clone().unwrap_or_default(),
    };
    Some(format!("`{place}` fails with the kind `{}`", kind.name()))
}

/// The beginning of a value.
fn beginning(value: &Value, depth: usize) -> Value {
    match value {
        Value::Text(text) => beginning_of(text).into(),
        Value::List(_) | Value::Record(_) if depth == DEEPEST => Value::Null,
        Value::List(items) => {
            let items = items.iter().take(MOST_ITEMS).map(|it| beginning(it, depth + 1));
            Value::List(items.collect())
        }
        Value::Record(record) => {
            let fields = record.iter().map(|(name, it)| (name.clone(), beginning(it, depth + 1)));
            Value::Record(fields.collect())
        }
        other => other.clone(),
    }
}

fn beginning_of(text: &str) -> String {
    let cut = &text[..text.floor_char_boundary(LONGEST_TEXT)];
    let lines: Vec<&str> = cut.lines().take(MOST_ITEMS).collect();
    if lines.len() == text.lines().count() && cut.len() == text.len() {
        return text.to_owned();
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(script: &str) -> Vec<(String, Option<String>)> {
        let flat = |it: String| it.split_whitespace().collect::<Vec<_>>().join(" ");
        parts(script).into_iter().map(|it| (flat(it.script), it.before)).collect()
    }

    #[test]
    fn a_script_begins_behind_each_of_its_stages() {
        let script = "svc 1\nlet a = 1 >> show\nflow f() -> int { 2 }\na >> save(to: \"x\")\n\
            test \"t\" { expect true }";
        let found = of(script);
        let scripts: Vec<&str> = found.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(
            scripts,
            [
                "svc 1 let a = 1 >> show flow f() -> int { 2 } a >> save(to: \"x\")",
                "svc 1 let a = 1 >> show flow f() -> int { 2 } a",
                "svc 1 flow f() -> int { 2 } 1 >> show",
                "svc 1 flow f() -> int { 2 } 1",
            ]
        );
        let before: Vec<Option<&str>> = found.iter().map(|it| it.1.as_deref()).collect();
        assert_eq!(before, [None, Some("save(to: \"x\")"), Some("a"), Some("show")]);
        assert!(of("1 >> >>").is_empty());
    }

    #[test]
    fn only_the_beginning_of_a_value_is_shown() {
        let many: Value = Value::List((0..30).map(Value::Int).collect());
        assert_eq!(beginning(&many, 0).as_list().map(svc_contract::value::List::len), Some(10));
        let text = "a\n".repeat(30);
        assert_eq!(beginning_of(&text), "a\n".repeat(10).trim_end());
        assert_eq!(beginning_of("a\nb\n"), "a\nb\n");
    }
}

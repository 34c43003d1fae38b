//! What an editor in a browser shows of a script: problems, completions and the plan. Places are
//! counted in UTF-16 code units, as JavaScript does.

use svc_contract::{
    registry::record,
    value::{Text, Value, to_value},
};
use svc_engine::{Engine, output::planned::Planned};
use svc_lang::{
    diag::{Problem, Report, Severity, Source},
    plan::Plan,
    syntax::format as format_script,
};

use crate::{Choice, Edit as _, Sort};

/// The longest script of an editor in bytes.
pub const LONGEST: usize = 512 << 10;

record! {
    /// A replacement of a part of a script.
    pub struct Replacement {
        /// Where it begins.
        start: u64,
        /// Where it ends.
        end: u64,
        /// What is written there.
        text: Text,
    }
}

record! {
    /// Edits that fix a problem.
    pub struct FixView {
        /// What they do.
        title: Text,
        /// The edits, to be made together.
        edits: Vec<Replacement>,
    }
}

record! {
    /// A problem of a script.
    pub struct Diagnostic {
        /// `E101`.
        code: Text,
        /// `error` or `warning`.
        severity: Text,
        /// What is wrong.
        message: Text,
        /// Where it begins.
        start: u64,
        /// Where it ends.
        end: u64,
        /// What to do.
        help: Option<Text>,
        /// How it is fixed.
        fix: Option<FixView>,
    }
}

record! {
    /// The problems of a script.
    pub struct Checked {
        /// The problems, in the order of the script.
        diagnostics: Vec<Diagnostic>,
        /// How many of them are errors.
        problems: i64,
    }
}

record! {
    /// What can be written at a place.
    pub struct Item {
        /// What is shown.
        label: Text,
        /// `function`, `variable`, `keyword` and so on.
        kind: Text,
        /// Its type or signature.
        detail: Option<Text>,
        /// What it is, in Markdown.
        doc: Option<Text>,
        /// What is written.
        insert: Text,
        /// Where what it replaces begins.
        start: u64,
        /// Where that ends.
        end: u64,
    }
}

record! {
    /// What can be written at a place.
    pub struct Completed {
        /// The best first.
        items: Vec<Item>,
    }
}

record! {
    /// The plan of a script.
    pub struct PlanReply {
        /// As `svc plan --json` prints it; null if the script does not check.
        plan: Value,
        /// The problems of the script.
        diagnostics: Vec<Diagnostic>,
    }
}

record! {
    /// A script in its standard form.
    pub struct Formatted {
        /// The script.
        text: Text,
    }
}

record! {
    /// The plan of a script as a picture.
    pub struct Drawing {
        /// SVG; null if the script does not check.
        pub svg: Option<Text>,
    }
}

/// The problems of a script.
pub fn check(engine: &Engine, script: &str) -> Checked {
    checked(script, engine.edit(source(script)).problems())
}

fn checked(text: &str, problems: &[Problem]) -> Checked {
    let errors = problems.iter().filter(|it| it.severity == Severity::Error).count();
    let diagnostics = problems.iter().map(|it| diagnostic(text, it)).collect();
    Checked { diagnostics, problems: i64::try_from(errors).unwrap_or(i64::MAX) }
}

fn diagnostic(text: &str, it: &Problem) -> Diagnostic {
    let span = it.span();
    let edits: Vec<Replacement> = it
        .fixes
        .iter()
        .map(|fix| Replacement {
            start: units(text, fix.span.start),
            end: units(text, fix.span.end),
            text: fix.text.as_str().into(),
        })
        .collect();
    let title = it.help.clone().unwrap_or_else(|| "fix it".to_owned());
    Diagnostic {
        code: it.code.as_str().into(),
        severity: match it.severity {
            Severity::Error => "error".into(),
            Severity::Warning => "warning".into(),
        },
        message: it.message.as_str().into(),
        start: units(text, span.start),
        end: units(text, span.end),
        help: it.help.as_deref().map(Text::from),
        fix: (!edits.is_empty()).then(|| FixView { title: title.into(), edits }),
    }
}

/// What can be written at a place of a script.
pub fn completions(engine: &Engine, script: &str, at: u64) -> Completed {
    let at = usize::try_from(at).unwrap_or(usize::MAX);
    let Some(choices) = engine.edit(source(script)).complete(bytes(script, at)) else {
        return Completed { items: Vec::new() };
    };
    let (start, end) = (units(script, choices.span.start), units(script, choices.span.end));
    Completed { items: choices.all.into_iter().map(|it| item(it, start, end)).collect() }
}

fn item(choice: Choice, start: u64, end: u64) -> Item {
    let Choice { label, sort, detail, doc, snippet } = choice;
    Item {
        kind: match sort {
            Sort::Keyword => "keyword",
            Sort::Variable => "variable",
            Sort::Field | Sort::Argument => "property",
            Sort::Literal => "enum",
            Sort::Type => "type",
            Sort::File | Sort::Folder => "text",
            Sort::Call | Sort::Chain => "function",
        }
        .into(),
        // The places of a snippet are for editors that fill them in.
        insert: if snippet.contains('$') { label.as_str() } else { snippet.as_str() }.into(),
        label: label.as_str().into(),
        detail: detail.map(Text::from),
        doc: (!doc.is_empty()).then(|| doc.as_str().into()),
        start,
        end,
    }
}

/// What a script may cost, take and do.
pub fn plan(engine: &Engine, script: &str) -> PlanReply {
    match engine.plan_before_inputs(source(script)) {
        Ok(plan) => PlanReply { plan: planned(&plan), diagnostics: Vec::new() },
        Err(report) => {
            let diagnostics = checked(script, &report.problems).diagnostics;
            PlanReply { plan: Value::Null, diagnostics }
        }
    }
}

fn planned(plan: &Plan) -> Value {
    let none = Report::new("".into(), Vec::new());
    to_value(&Planned::of(plan, &none)).unwrap_or_default()
}

/// The drawing of the plan of a script; null if it does not check.
pub fn draw(engine: &Engine, script: &str) -> Drawing {
    let plan = engine.plan_before_inputs(source(script));
    Drawing { svg: plan.ok().map(|it| it.svg().into()) }
}

/// A script in its standard form. Statements with errors are left as they are.
pub fn format(script: &str) -> Formatted {
    Formatted { text: format_script(script).text.into() }
}

fn source(script: &str) -> Source {
    Source::new("script", script)
}

/// A place in UTF-16 code units.
fn units(text: &str, at: usize) -> u64 {
    let at = text.floor_char_boundary(at.min(text.len()));
    text[..at].encode_utf16().count() as u64
}

/// A place in bytes: that of the character around a place in UTF-16 code units.
fn bytes(text: &str, units: usize) -> usize {
    let mut seen = 0;
    for (at, it) in text.char_indices() {
        if seen >= units {
            return at;
        }
        seen += it.len_utf16();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::{bytes, units};

    #[test]
    fn places_are_counted_in_code_units() {
        let text = "aé😀b";
        for (at, unit) in [(0, 0), (1, 1), (3, 2), (7, 4), (8, 5)] {
            assert_eq!((units(text, at), bytes(text, usize::try_from(unit).unwrap())), (unit, at));
        }
        assert_eq!((units(text, 99), bytes(text, 99)), (5, 8));
    }
}

//! Scripts in the editor: problems, completions, plans, and runs. Places are counted in UTF-16 code
//! units, as JavaScript does.

use svc_assist::{Choice, Document, Edit as _, Sort};
use svc_contract::{
    registry::{Field as _, Params as _, params, record},
    value::{Text, Value},
};
use svc_engine::output::planned::Planned;
use svc_lang::{
    diag::{Problem, Report, Severity, Source},
    syntax::format as format_script,
};
use svc_service::{
    Fault, Service,
    desk::{EditorRun, EditorStarted},
    tools,
};

use super::{
    super::{Input, Reply, Rest, value_of},
    get, ok, post,
};
use crate::rest::route::{Handle, Method, Route};

/// The longest script of an editor in bytes.
const LONGEST: usize = 512 << 10;

params! {
    struct Draft {
        /// The script.
        text: Text,
        /// The project whose files it names.
        project_id: Option<Text> = None,
    }
}

params! {
    struct Place {
        /// The script.
        text: Text,
        /// The place in it.
        at: u64,
        /// The project whose files it names.
        project_id: Option<Text> = None,
    }
}

record! {
    /// A replacement of a part of a script.
    struct Replacement {
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
    struct FixView {
        /// What they do.
        title: Text,
        /// The edits, to be made together.
        edits: Vec<Replacement>,
    }
}

record! {
    /// A problem of a script.
    struct Diagnostic {
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
    struct Checked {
        /// The problems, in the order of the script.
        diagnostics: Vec<Diagnostic>,
        /// How many of them are errors.
        problems: i64,
    }
}

record! {
    /// What can be written at a place.
    struct Item {
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
    struct Completed {
        /// The best first.
        items: Vec<Item>,
    }
}

record! {
    /// The plan of a script.
    struct PlanReply {
        /// As `svc plan --json` prints it; null if the script does not check.
        plan: Value,
        /// The problems of the script.
        diagnostics: Vec<Diagnostic>,
    }
}

record! {
    /// A script in its standard form.
    struct Formatted {
        /// The script.
        text: Text,
    }
}

pub(super) fn routes() -> Vec<Route> {
    let of = |path, summary, params, reply, handle| Route {
        method: Method::Post,
        body: Some(crate::rest::Body::Fields(params)),
        ..get(path, summary, reply, handle)
    };
    vec![
        of(
            "/editor/check",
            "The problems of a script.",
            Draft::PARAMS,
            || tools::output_schema(Checked::SCHEME),
            Handle::Blocking(check),
        ),
        of(
            "/editor/complete",
            "What can be written at a place of a script.",
            Place::PARAMS,
            || tools::output_schema(Completed::SCHEME),
            Handle::Blocking(complete),
        ),
        of(
            "/editor/plan",
            "What a script may cost, take and do.",
            Draft::PARAMS,
            || tools::output_schema(PlanReply::SCHEME),
            Handle::Blocking(plan),
        ),
        of(
            "/editor/format",
            "A script in its standard form.",
            Draft::PARAMS,
            || tools::output_schema(Formatted::SCHEME),
            Handle::Blocking(format),
        ),
        post(
            "/editor/run",
            "Queues a script as a run of a project.",
            EditorRun::PARAMS,
            || tools::output_schema(EditorStarted::SCHEME),
            Handle::Io(|rest, input| {
                Box::pin(async move { ok(rest.desk()?.run_script(input.read()?).await?) })
            }),
        ),
    ]
}

/// The engine of a draft: that of its project, if it names one.
fn service(rest: &Rest, project: Option<&Text>) -> Result<Service, Fault> {
    let desk = rest.desk()?;
    project.map_or_else(|| Ok(desk.service().clone()), |it| desk.of_project(it))
}

fn source(text: &Text) -> Result<Source, Fault> {
    if text.len() > LONGEST {
        let message = format!("the script is longer than {} KiB", LONGEST >> 10);
        return Err(Fault::field("text", message));
    }
    Ok(Source::new("script", text.as_ref()))
}

fn opened(rest: &Rest, text: &Text, project: Option<&Text>) -> Result<Document, Fault> {
    Ok(service(rest, project)?.engine().edit(source(text)?))
}

fn check(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let asked: Draft = input.read()?;
    let document = opened(rest, &asked.text, asked.project_id.as_ref())?;
    ok(checked(&asked.text, document.problems()))
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

fn complete(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let asked: Place = input.read()?;
    let document = opened(rest, &asked.text, asked.project_id.as_ref())?;
    let at = usize::try_from(asked.at).unwrap_or(usize::MAX);
    let Some(choices) = document.complete(bytes(&asked.text, at)) else {
        return ok(Completed { items: Vec::new() });
    };
    let (start, end) =
        (units(&asked.text, choices.span.start), units(&asked.text, choices.span.end));
    let items = choices.all.into_iter().map(|it| item(it, start, end)).collect();
    ok(Completed { items })
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

fn plan(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let asked: Draft = input.read()?;
    let service = service(rest, asked.project_id.as_ref())?;
    let engine = service.engine();
    let planned = engine.plan_before_inputs(source(&asked.text)?);
    let (plan, report) = match planned {
        Ok(plan) => {
            let none = Report::new("".into(), Vec::new());
            (value_of(&Planned::of(&plan, &none))?, None)
        }
        Err(report) => (Value::Null, Some(report)),
    };
    let problems = report.map(|it| it.problems).unwrap_or_default();
    let diagnostics = checked(&asked.text, &problems).diagnostics;
    ok(PlanReply { plan, diagnostics })
}

fn format(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let asked: Draft = input.read()?;
    rest.desk()?;
    // Statements with errors are left as they are.
    ok(Formatted { text: format_script(source(&asked.text)?.text()).text.into() })
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

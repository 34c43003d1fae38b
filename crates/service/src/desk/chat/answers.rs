//! Results of runs as answers.

use svc_contract::{
    registry::{ErrorKind, Field},
    value::{Record, Text, Value, json},
};
use svc_lang::plan::Plan;
use svc_store::book::{JobRow, JobState};

use super::{MessageBody, SourceView};
use crate::{Fault, Why, jobs};

/// The most rows of a table in an answer.
const MOST_ROWS: usize = 50;

/// The longest answer in bytes; the run has the whole result.
const LONGEST: usize = 64 << 10;

fn field<T: Field>(of: &Value, name: &str) -> Option<T> {
    T::decode(of.as_record()?.get(name)?.clone())
}

/// The answer from the files of a project.
pub(super) fn of_files(mut said: MessageBody, result: &Value) -> MessageBody {
    said.text = field::<Text>(result, "text").unwrap_or_default();
    said.found = field(result, "found");
    let sources: Option<Vec<SourceView>> = field(result, "sources");
    said.sources = sources.filter(|it| !it.is_empty());
    said
}

/// The answer from a project without files.
pub(super) fn without_files(mut said: MessageBody) -> MessageBody {
    if said.found == Some(false) {
        said.text = "This project has no files yet. Upload some, and ask again.".into();
    }
    said
}

/// The answer to a greeting: what can be asked.
pub(super) fn of_courtesy(mut said: MessageBody, can: &[String]) -> MessageBody {
    let can = lines(can.iter().map(|it| format!("- {it}")));
    said.text = format!("You can ask, for example:\n{can}").into();
    said
}

/// The answer from the documentation of svc.
pub(super) fn of_manual(mut said: MessageBody, result: &Value) -> MessageBody {
    if field(result, "ok") != Some(true) {
        return said;
    }
    said.text = field::<Text>(result, "answer").unwrap_or_default();
    said.found = Some(true);
    let names: Vec<Text> = field(result, "sources").unwrap_or_default();
    let sources = names.into_iter().zip(1..).map(|(it, number)| SourceView {
        number,
        title: it.clone(),
        path: it,
        text: Text::default(),
    });
    said.sources = Some(sources.collect());
    said
}

/// The question that the guide has about a goal, as an answer.
pub(super) fn of_question(found: &Value, mut said: MessageBody) -> Option<MessageBody> {
    said.text = field::<Text>(found, "question")?;
    Some(said)
}

/// What a script for a goal needs, as an answer.
pub(super) fn of_lacking(plan: &Plan) -> Text {
    let inputs = plan.program().inputs.iter().filter(|it| it.is_required());
    let names: Vec<String> = inputs.map(|it| format!("`{}` ({})", it.name, it.ty)).collect();
    format!("A script for this needs {}. Say which, in the same message.", names.join(", ")).into()
}

/// The answer to a goal that has no script and that no file answers: what is missing, and what
/// could be asked instead.
pub(super) fn with_missing(
    mut said: MessageBody,
    found: &Value,
    instead: &[String],
) -> MessageBody {
    if said.found != Some(false) {
        return said;
    }
    let missing: Vec<Value> = field(found, "missing").unwrap_or_default();
    let parts = missing.iter().filter_map(|it| field::<Text>(it, "part"));
    let parts: Vec<String> = parts.take(3).map(|it| format!("“{it}”")).collect();
    let lacking = match parts.as_slice() {
        [] => "No script was found for it.".to_owned(),
        all => format!("Nothing here does {}.", all.join(" or ")),
    };
    let instead = lines(instead.iter().map(|it| format!("- {it}")));
    said.text = format!("{}\n\n{lacking} You can ask, for example:\n{instead}", said.text).into();
    said
}

/// The result of a script, as text.
pub(super) fn of_script(mut said: MessageBody, result: &Value) -> MessageBody {
    let mut shown = shown(result);
    if shown.len() > LONGEST {
        let end = shown.floor_char_boundary(LONGEST);
        shown.truncate(end);
        shown.push_str("\n\nThe run has the whole result.");
    }
    said.text = shown.into();
    said
}

fn shown(result: &Value) -> String {
    match result {
        Value::Text(it) => it.to_string(),
        Value::List(items) => {
            let rows: Vec<Value> = items.iter().take(MOST_ROWS).cloned().collect();
            let records: Option<Vec<&Record>> = rows.iter().map(Value::as_record).collect();
            let mut shown = match records.filter(|it| !it.is_empty()) {
                Some(records) => table(&records),
                None => lines(rows.iter().map(|it| format!("- {}", cell(it)))),
            };
            if items.len() > rows.len() {
                shown = format!("{}\n\n{} of {} rows.", shown.trim_end(), rows.len(), items.len());
            }
            shown
        }
        Value::Record(of) => {
            let texts = ["answer", "text", "content"];
            let main = texts.iter().find_map(|it| of.get(it)?.as_str());
            match main {
                Some(it) => it.to_owned(),
                None => lines(of.iter().map(|(name, it)| format!("- {name}: {}", cell(it)))),
            }
        }
        other => cell(other),
    }
}

fn lines(all: impl Iterator<Item = String>) -> String {
    all.collect::<Vec<_>>().join("\n")
}

/// Records as a table in Markdown.
fn table(records: &[&Record]) -> String {
    let names: Vec<&Text> = records[0].iter().map(|it| it.0).collect();
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let head = line(names.iter().map(ToString::to_string).collect());
    let rule = line(names.iter().map(|_| "---".to_owned()).collect());
    let rows = records.iter().map(|it| {
        line(names.iter().map(|name| it.get(name).map_or_else(String::new, cell)).collect())
    });
    [head, rule].into_iter().chain(rows).collect()
}

fn cell(it: &Value) -> String {
    let text = match it {
        Value::Text(it) => it.to_string(),
        Value::Null => String::new(),
        other => json::write(other),
    };
    text.replace('\n', " ").replace('|', "\\|")
}

/// Why a job has no result.
pub(super) fn of_failure(job: &JobRow) -> Fault {
    let error = job.error.as_deref().and_then(|it| jobs::read(it).ok()).unwrap_or_default();
    let kind = field::<Text>(&error, "kind").and_then(|it| ErrorKind::parse(&it));
    let kind = match job.state {
        JobState::Cancelled => ErrorKind::Cancelled,
        _ => kind.unwrap_or(ErrorKind::Failed),
    };
    let message = field::<Text>(&error, "message");
    let message = message.unwrap_or_else(|| format!("the run is {}", job.state.name()).into());
    let fault = Fault::new(Why::Op(kind), message.to_string());
    match field::<Text>(&error, "help") {
        Some(help) => fault.help(help.to_string()),
        None => fault,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shows(text: &str) -> String {
        shown(&json::read(text).unwrap())
    }

    #[test]
    fn results_are_shown_as_text() {
        assert_eq!(shows(r#""hello""#), "hello");
        assert_eq!(shows(r#"{"text": "t", "n": 1}"#), "t");
        assert_eq!(shows(r#"{"n": 1, "s": "a|b"}"#), "- n: 1\n- s: a\\|b");
        assert_eq!(shows("[1, 2]"), "- 1\n- 2");
        assert_eq!(
            shows(r#"[{"a": 1, "b": null}, {"a": 2, "b": "x\ny"}]"#),
            "| a | b |\n| --- | --- |\n| 1 |  |\n| 2 | x y |\n"
        );
        assert_eq!(shows("[]"), "");
        assert_eq!(shows("3.5"), "3.5");
    }
}

//! What a run is about, in a line.

use std::path::Path;

use svc_contract::value::{Record, Text, Value, json};
use svc_service::jobs::JobRow;
use svc_text::cut;

use crate::store::{Run, RunStore};

/// The longest title in characters.
const LONGEST: usize = 120;

/// The name of a script that was sent as a text.
const SENT: &str = "script";

/// The name of the script; of one that was sent as a text, the question that it answers, the first
/// line of its comments, or else of its code.
pub(super) fn title(store: &RunStore, run: &Run) -> Text {
    let params = json::read(&run.params).ok();
    let question = params.as_ref().and_then(Value::as_record).and_then(question);
    of(&run.script, question, || store.text(run.text).ok()?)
}

/// The title of the run of a job that has not begun: the one that it will have.
pub(super) fn title_of_job(job: &JobRow) -> Text {
    let input = json::read(&job.input).ok();
    let input = input.as_ref().and_then(Value::as_record);
    let text = |it: &Record| it.get("script").and_then(Value::as_str).map(str::to_owned);
    match input.and_then(|it| Some((it, text(it)?))) {
        Some((input, script)) => {
            let params = input.get("initial").and_then(Value::as_record);
            of(SENT, params.and_then(question), || Some(script))
        }
        None => of(&job.name, input.and_then(question), || None),
    }
}

fn of(name: &str, question: Option<String>, script: impl FnOnce() -> Option<String>) -> Text {
    let is_file = Path::new(name).extension().is_some_and(|it| it == "svc");
    let about = if is_file { None } else { question.or_else(|| about(name, &script()?)) };
    cut::line(about.as_deref().unwrap_or(name), LONGEST).into()
}

/// The argument of its param `question`.
fn question(params: &Record) -> Option<String> {
    let question = params.get("question").and_then(Value::as_str)?;
    Some(question.to_owned()).filter(|it| !it.trim().is_empty())
}

fn about(name: &str, script: &str) -> Option<String> {
    let code = || script.lines().find(|it| is_code(it));
    comment(script).or_else(|| code().filter(|_| name == SENT)).map(|it| it.trim().to_owned())
}

/// The comment that a script begins with. One of a param is about that only.
fn comment(script: &str) -> Option<&str> {
    let mut lines = script.lines().map(str::trim).skip_while(|it| it.is_empty() || is_version(it));
    let first = lines.next()?.strip_prefix('#')?;
    let next = lines.find(|it| !it.starts_with('#')).unwrap_or_default();
    if first.starts_with('#') && next.starts_with("param ") {
        return None;
    }
    let said = first.trim_start_matches('#').trim();
    let said = said.strip_prefix("Goal:").unwrap_or(said).trim();
    Some(said).filter(|it| !it.is_empty())
}

fn is_version(line: &str) -> bool {
    line.starts_with("svc ")
}

/// Whether a line begins the pipeline, and not an item.
fn is_code(line: &str) -> bool {
    const ITEMS: &[&str] =
        &["svc", "param", "flow", "use", "type", "test", "mock", "secret", "let"];
    let word = line.split_whitespace().next().unwrap_or_default();
    line.starts_with(|it: char| !it.is_whitespace() && !"#>|}])".contains(it))
        && !ITEMS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_that_was_sent_is_called_after_what_it_says_of_itself() {
        let title = |script: &str| of(SENT, None, || Some(script.to_owned())).to_string();
        assert_eq!(title("svc 1\n\n## Totals by customer.\n\"a\" >> upper"), "Totals by customer.");
        assert_eq!(title("# Goal: count the words\n\"a\" >> words"), "count the words");
        // The comment of a param is not about the script.
        let of_param = "svc 1 within { timeout: 1m }\n\n## The file.\nparam file: path\n\nfile\n  >> read_text\n";
        assert_eq!(title(of_param), "file");
        assert_eq!(title("svc 1\ntype T = {\n  a: int,\n}\n\n[] >> len\n"), "[] >> len");
        assert_eq!(title(""), SENT);
    }

    #[test]
    fn a_served_script_has_its_name_and_a_question_comes_first() {
        let of = |name: &str, question: Option<&str>, script: &str| {
            of(name, question.map(str::to_owned), || Some(script.to_owned())).to_string()
        };
        assert_eq!(of("outline", None, "\"a\" >> upper"), "outline");
        assert_eq!(of("outline", Some("Who?"), "# Words.\n1"), "Who?");
        assert_eq!(of("a/b.svc", Some("Who?"), "# Words.\n1"), "a/b.svc");
    }
}

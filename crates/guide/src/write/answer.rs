//! The answer of a writer: a record as JSON, or a script in a block of code.

use svc_contract::{
    registry::{Field as _, record},
    value::{Text, Value, json},
};

use crate::Part;

/// The form of an answer, for the prompt.
pub(super) const FORM: &str = r#"{ "verdict": "script", "parts": [{ "phrase": "..", "stage": ".." }], "script": "..", "missing": "", "ops": [] }"#;

/// The maximum number of braces at which the JSON of an answer may begin.
const MOST_BEGINNINGS: usize = 50;

record! {
    /// An answer as it is written: a model may leave out every field.
    struct Written {
        /// `script`, `question`, `impossible` or `ops`.
        verdict: Option<Text>,
        /// The parts of the goal.
        parts: Option<Vec<Part>>,
        /// The script.
        script: Option<Text>,
        /// The question, or what is missing.
        missing: Option<Text>,
        /// The names of further ops.
        ops: Option<Vec<Text>>,
    }
}

/// What a writer answers.
#[derive(Debug)]
pub(super) enum Answer {
    Script {
        script: String,
        parts: Vec<Part>,
    },
    /// The user must decide something first.
    Question(Text),
    /// No script can reach the goal, for this reason.
    Impossible(Text),
    /// The writer wants to see these ops.
    Ops(Vec<Text>),
    /// Neither JSON of the form nor a script.
    Unreadable,
}

impl Answer {
    /// Reads an answer, which may have prose around it, or a block of code that is not closed.
    pub(super) fn read(text: &str) -> Self {
        match written(text) {
            Some(written) => Self::of(written),
            None => match block(text) {
                Some(script) => Self::Script { script: script.to_owned(), parts: Vec::new() },
                None => Self::Unreadable,
            },
        }
    }

    fn of(written: Written) -> Self {
        let script = written.script.unwrap_or_default();
        let missing = written.missing.unwrap_or_default();
        let parts = written.parts.unwrap_or_default();
        let ops = written.ops.unwrap_or_default();
        let verdict = written.verdict.unwrap_or_default();
        let has_script = !script.trim().is_empty();
        match &*verdict {
            "question" if !missing.trim().is_empty() => Self::Question(missing),
            "impossible" => Self::Impossible(missing),
            "ops" if !ops.is_empty() => Self::Ops(ops),
            _ if has_script => {
                let script = block(&script).unwrap_or(&script).to_owned();
                Self::Script { script, parts }
            }
            _ => Self::Unreadable,
        }
    }
}

/// The first JSON object of an answer that has a field of [`Written`].
fn written(text: &str) -> Option<Written> {
    let end = text.rfind('}')? + 1;
    let beginnings = text[..end].match_indices('{').take(MOST_BEGINNINGS);
    let read = |(start, _)| json::read(&text[start..end]).ok().filter(is_answer);
    beginnings.filter_map(read).find_map(Written::decode)
}

fn is_answer(value: &Value) -> bool {
    value.as_record().is_some_and(|it| it.has("verdict") || it.has("script"))
}

/// The content of the first block of code, which ends with the text if it is not closed.
fn block(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("```")?;
    let (_, body) = rest.split_once('\n')?;
    Some(body.split_once("```").map_or(body, |(script, _)| script))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(text: &str) -> Option<String> {
        match Answer::read(text) {
            Answer::Script { script, .. } => Some(script),
            _ => None,
        }
    }

    #[test]
    fn json_may_have_prose_around_it() {
        let json = r#"{"verdict": "script", "script": "1 >> show", "parts": []}"#;
        for text in [
            json.to_owned(),
            format!("Here, with each {{ .x }}: {json} Done."),
            format!("```json\n{json}\n```"),
            format!("```json\n{json}"),
        ] {
            assert_eq!(script(&text).as_deref(), Some("1 >> show"), "{text}");
        }
    }

    #[test]
    fn a_script_may_be_in_a_block_of_code() {
        assert_eq!(script("Here:\n```svc\n1\n```\nDone.").as_deref(), Some("1\n"));
        assert_eq!(
            script("Here:\n```svc\n1 >> each { it }\n").as_deref(),
            Some("1 >> each { it }\n")
        );
        let inside = r#"{"verdict": "script", "script": "```svc\n1\n```"}"#;
        assert_eq!(script(inside).as_deref(), Some("1\n"));
        assert_eq!(script("no script"), None);
    }

    #[test]
    fn verdicts_are_read() {
        let question = r#"{"verdict": "question", "missing": "Which file?", "script": ""}"#;
        assert!(matches!(Answer::read(question), Answer::Question(it) if &*it == "Which file?"));
        let never = r#"{"verdict": "impossible", "missing": "sends no e-mail"}"#;
        assert!(matches!(Answer::read(never), Answer::Impossible(_)));
        let more = r#"{"verdict": "ops", "ops": ["sort"]}"#;
        assert!(matches!(Answer::read(more), Answer::Ops(it) if &*it[0] == "sort"));
        assert!(matches!(Answer::read(r#"{"verdict": "script"}"#), Answer::Unreadable));
    }
}

//! What a message asks for.

/// What a message asks for, by its words alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Intent {
    /// A script of the served folder, with the words after its name.
    Script { name: String, rest: String },
    /// Something to be done.
    Goal,
    /// Something to be said.
    Question,
    /// Nothing: a greeting, or thanks.
    Courtesy,
}

/// The verbs with which something to be done begins.
const VERBS: [&str; 62] = [
    "add",
    "analyse",
    "analyze",
    "average",
    "calculate",
    "chart",
    "classify",
    "clean",
    "combine",
    "compute",
    "convert",
    "copy",
    "count",
    "create",
    "dedupe",
    "delete",
    "describe",
    "detect",
    "download",
    "draw",
    "drop",
    "export",
    "extract",
    "fetch",
    "filter",
    "format",
    "generate",
    "group",
    "highlight",
    "import",
    "index",
    "join",
    "keep",
    "list",
    "make",
    "merge",
    "normalise",
    "normalize",
    "parse",
    "plot",
    "put",
    "rank",
    "read",
    "remove",
    "rename",
    "replace",
    "rewrite",
    "run",
    "save",
    "select",
    "sort",
    "split",
    "store",
    "sum",
    "summarise",
    "summarize",
    "total",
    "transform",
    "translate",
    "turn",
    "validate",
    "write",
];

/// Words of courtesy before the verb.
const POLITE: [&str; 9] =
    ["please", "can", "could", "you", "would", "kindly", "now", "then", "and"];

/// Words of messages that ask for nothing.
const COURTESY: [&str; 22] = [
    "afternoon",
    "all",
    "bye",
    "day",
    "evening",
    "fine",
    "good",
    "goodbye",
    "great",
    "hello",
    "hey",
    "hi",
    "lot",
    "morning",
    "much",
    "nice",
    "ok",
    "okay",
    "so",
    "thank",
    "thanks",
    "there",
];

/// Words that show that svc itself is meant.
const OURS: [&str; 2] = ["svc", "rhai"];

/// What a message asks for. `scripts` are the names of served scripts.
pub fn decided(said: &str, scripts: &[String]) -> Intent {
    let said = said.trim();
    if let Some(found) = named(said, scripts) {
        return found;
    }
    let first = said.split_whitespace().map(|it| it.trim_matches(|it: char| !it.is_alphanumeric()));
    let verb = first.map(str::to_lowercase).find(|it| !POLITE.contains(&it.as_str()));
    let is_verb = verb.is_some_and(|it| VERBS.contains(&it.as_str()));
    // `Can you read this file?` asks for it; `count` begins no question otherwise.
    let is_polite = said
        .split_whitespace()
        .next()
        .is_some_and(|it| ["can", "could", "would"].contains(&it.to_lowercase().as_str()));
    if is_courtesy(said) {
        return Intent::Courtesy;
    }
    if is_verb && (!said.ends_with('?') || is_polite) { Intent::Goal } else { Intent::Question }
}

/// Whether a message asks for nothing: `Good morning!`, `Thanks a lot`.
pub(super) fn is_courtesy(said: &str) -> bool {
    let words = said.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
    let mut words =
        words.map(str::to_lowercase).filter(|it| !matches!(&**it, "a" | "you" | "very"));
    let is_courteous = |it: String| COURTESY.contains(&it.as_str());
    !said.ends_with('?') && words.next().is_some_and(is_courteous) && words.all(is_courteous)
}

/// A served script that is named: `/word_count folder=docs`, `run word_count`, or its name alone.
fn named(said: &str, scripts: &[String]) -> Option<Intent> {
    let (told, is_told) = match said.strip_prefix('/') {
        Some(rest) => (rest, true),
        None => match said.get(..4).filter(|it| it.eq_ignore_ascii_case("run ")) {
            Some(_) => (said[4..].trim_start(), false),
            None => (said, false),
        },
    };
    let (name, rest) = told.split_once(char::is_whitespace).unwrap_or((told, ""));
    let known = scripts.iter().any(|it| it == name);
    let is_alone = rest.is_empty() || rest.contains('=') || rest.trim_start().starts_with('{');
    (is_told || (known && is_alone))
        .then(|| Intent::Script { name: name.to_owned(), rest: rest.trim().to_owned() })
}

/// Whether a question is about svc.
pub(super) fn is_about_svc(said: &str) -> bool {
    let mut words = said.split(|it: char| !it.is_alphanumeric());
    words.any(|it| OURS.contains(&it.to_lowercase().as_str()))
}

/// The words after the name of a script as its params: `a=1 b="two words"`, or an object as JSON.
pub(super) fn given(rest: &str) -> Result<Vec<(String, String)>, String> {
    let mut given = Vec::new();
    let mut left = rest.trim();
    while !left.is_empty() {
        let Some((name, after)) = left.split_once('=') else {
            return Err(format!("expected `name=value`, found `{left}`"));
        };
        let name = name.trim();
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(format!("expected `name=value`, found `{left}`"));
        }
        let (value, rest) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or("a quote is not closed")?,
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        given.push((name.to_owned(), value.to_owned()));
        left = rest.trim_start();
    }
    Ok(given)
}

/// The script that answers a question from the files of a project.
pub(super) const FILES: &str = "# Answers a question from the files of the project.\n\
    use \"std:chat\" as chat\n\
    param question: string\n\
    param source: path\n\
    param history: [string; max 8]\n\
    question >> chat.answer(source: source, history: history)\n";

/// The same by a language model.
pub(super) const FILES_BY_MODEL: &str = "# Answers a question from the files of the project by a language model.\n\
    use \"std:chat\" as chat\n\
    param question: string\n\
    param source: path\n\
    param history: [string; max 8]\n\
    param model: string\n\
    question >> chat.with_model(source: source, history: history, model: model)\n";

/// The script that answers a question about svc.
pub(super) const MANUAL: &str = "# Answers a question about svc from its documentation.\n\
    param question: string\n\
    question >> guide_ask\n";

#[cfg(test)]
mod tests {
    use super::*;

    fn scripts() -> Vec<String> {
        vec!["word_count".to_owned(), "report".to_owned()]
    }

    #[test]
    fn greetings_ask_for_nothing() {
        for said in ["Hello", "hi there!", "Good morning.", "Thank you very much", "thanks a lot"] {
            assert_eq!(decided(said, &scripts()), Intent::Courtesy, "{said}");
        }
        for said in ["Hello, who wrote the report?", "good hotels", "ok?", "the day", "you"] {
            assert_eq!(decided(said, &scripts()), Intent::Question, "{said}");
        }
    }

    #[test]
    fn goals_and_questions_are_told_apart() {
        for goal in [
            "Summarise report.pdf",
            "please count the words of essay.txt",
            "Could you extract all dates from the letters?",
            "write the totals to out.csv",
        ] {
            assert_eq!(decided(goal, &scripts()), Intent::Goal, "{goal}");
        }
        for question in [
            "Who wrote the report?",
            "How do I count words?",
            "what is the sum of all invoices",
            "When was the company founded",
            "list?",
            "can it run at night?",
            "",
        ] {
            assert_eq!(decided(question, &scripts()), Intent::Question, "{question}");
        }
    }

    #[test]
    fn scripts_are_named_with_their_params() {
        let script = |name: &str, rest: &str| Intent::Script {
            name: name.to_owned(),
            rest: rest.to_owned(),
        };
        for (said, expected) in [
            ("/word_count folder=docs", script("word_count", "folder=docs")),
            ("/unknown", script("unknown", "")),
            ("run word_count most=2", script("word_count", "most=2")),
            ("report", script("report", "")),
            ("report {\"a\": 1}", script("report", "{\"a\": 1}")),
            ("report on the harvest", Intent::Question),
            ("Run the numbers", Intent::Goal),
        ] {
            assert_eq!(decided(said, &scripts()), expected, "{said}");
        }
    }

    #[test]
    fn params_are_pairs() {
        let pairs = |rest: &str| {
            let all = given(rest).unwrap();
            all.iter().map(|(name, it)| format!("{name}:{it}")).collect::<Vec<_>>().join("|")
        };
        assert_eq!(pairs(r#"a=1  b="two words" c="#), "a:1|b:two words|c:");
        for wrong in ["a", "a=\"b", "a b=1", "=1"] {
            assert!(given(wrong).is_err(), "{wrong}");
        }
    }
}

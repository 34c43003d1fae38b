//! Finds what matches a question: ops, words of the language, flows, codes; and explains why.

use svc_contract::{
    registry::{
        Compute, Cx, Effect, Example, Field, Max, Op, OpError, Ranked, Scheme, Subject, Tool,
        choices, params, record,
    },
    value::{Text, Value},
};

use super::EFFECTS;

choices! {
    /// What a finding is.
    enum Kind {
        Op = "op",
        Construct = "construct",
        Flow = "flow",
        Code = "code",
    }
}

record! {
    /// An op, or another thing, that matches a question.
    struct Match {
        /// The shortest name for it in a script.
        name: Text,
        /// Its full name.
        op: Text,
        /// A word of the language is a construct, and the code of a problem a code.
        kind: Kind,
        /// The group of its component.
        cluster: Text,
        /// What it does.
        summary: Text,
        /// The matching words of the question, and where they were found.
        why: Text,
        /// How well it matches the question; comparable within one question.
        score: f64,
    }
}

params! {
    /// Searches all ops, the words of the language, the flows of the standard library and the codes
    /// of problems, and explains why each was found.
    pub(super) struct Search {
        /// The question, in plain words.
        query: Text,
        /// The maximum number of findings.
        #[range(1..=1000)]
        limit: usize = 10,
    }
}

impl Op for Search {
    const NAME: &'static str = "search";
    const YIELDS: Scheme = Scheme::List(&Match::SCHEME, Max::Arg("limit"));
    const EFFECTS: &'static [Effect] = EFFECTS;
    const SAYS: &'static [&'static str] = &[
        "search the reference of all ops",
        "look up an op by keyword",
        "why does an op match my query",
        "hits among the operations, with the reason for each",
        "operations that mention a term",
        "grep the api reference",
        "find functions whose documentation uses a word",
        "explain the ranking of matches",
    ];
    const TOOL: Option<Tool> = Some(Tool::researcher("nav_search"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A match by what users call it",
            r#""dedupe" >> nav_search(limit: 1) >> each { { name: .name, op: .op, why: .why } }"#,
            r#"[{"name":"unique","op":"list.unique","why":"`dedupe` in what users call it"}]"#,
        ),
        Example::ok(
            "A word of the language",
            r#""sort by date" >> nav_search(limit: 1) >> each { { name: .name, kind: .kind } }"#,
            r#"[{"name":"sort","kind":"construct"}]"#,
        ),
    ];
}

impl Compute for Search {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let catalog = cx.catalog()?;
        let found = catalog.topics().find(&self.query).into_iter().take(self.limit);
        Ok(found.map(|it| finding(&self.query, &it)).collect::<Vec<_>>().encode())
    }
}

fn finding(query: &str, found: &Ranked<'_>) -> Match {
    let topic = found.topic;
    let (op, kind, cluster) = match topic.subject {
        Subject::Op(op) => (op.to_string(), Kind::Op, op.component.cluster),
        Subject::Construct => (topic.name.clone(), Kind::Construct, "language"),
        Subject::Flow(_) => (format!("std:{}", topic.name), Kind::Flow, "standard-library"),
        Subject::Code => (topic.name.clone(), Kind::Code, "errors"),
    };
    Match {
        name: topic.name.as_str().into(),
        op: op.into(),
        kind,
        cluster: cluster.into(),
        summary: topic.summary.as_str().into(),
        why: found.why(query).into(),
        score: (found.score * 100.0).round() / 100.0,
    }
}

//! Finds ops that match a question, and explains why.

use svc_contract::{
    registry::{
        Compute, Cx, Effect, Example, Field, Index, Match, Max, Op, OpError, Scheme, Tool, params,
        record,
    },
    value::{Text, Value},
};

use super::EFFECTS;

record! {
    /// An op that matches a question.
    struct Finding {
        /// The shortest name for it in a script.
        name: Text,
        /// Its full name.
        op: Text,
        /// The group of its component.
        cluster: Text,
        /// What the op does.
        summary: Text,
        /// The matching words of the question, and where they were found.
        why: Text,
        /// How well it matches the question; comparable within one question.
        score: f64,
    }
}

params! {
    /// Searches the documentation of all ops, and explains why each was found.
    pub(super) struct Search {
        /// The question, in plain words.
        query: Text,
        /// The maximum number of ops.
        #[range(1..=1000)]
        limit: usize = 10,
    }
}

impl Op for Search {
    const NAME: &'static str = "search";
    const YIELDS: Scheme = Scheme::List(&Finding::SCHEME, Max::Arg("limit"));
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
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "A match by synonym",
        r#""uppercase" >> nav_search(limit: 1) >> each { { name: .name, op: .op, why: .why } }"#,
        r#"[{"name":"upper","op":"text.upper","why":"`uppercase` is a synonym of its name"}]"#,
    )];
}

impl Compute for Search {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let catalog = cx.catalog()?;
        let found = Index::of(catalog.registry()).find(&self.query);
        Ok(found.iter().take(self.limit).map(finding).collect::<Vec<_>>().encode())
    }
}

fn finding(found: &Match) -> Finding {
    let op = found.op;
    Finding {
        name: op.script_name().into(),
        op: op.to_string().into(),
        cluster: op.component.cluster.into(),
        summary: op.op.summary().replace('\n', " ").into(),
        why: found.why().into(),
        score: (found.score * 100.0).round() / 100.0,
    }
}

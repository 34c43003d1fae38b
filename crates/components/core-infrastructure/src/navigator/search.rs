//! The ops that have to do with a question, and why.

use svc_contract::{
    registry::{
        Compute, Cx, Effect, Example, Field, Index, Match, Max, Op, OpError, Scheme, params, record,
    },
    value::{Text, Value},
};

use super::EFFECTS;

record! {
    /// An op that has to do with a question.
    struct Finding {
        /// The shortest name that a script can use for it.
        name: Text,
        /// Its full name.
        op: Text,
        /// The group that its component is listed in.
        cluster: Text,
        /// What it does.
        summary: Text,
        /// The words of the question that it has, and where.
        why: Text,
        /// How much it has to do with the question; comparable within one question.
        score: f64,
    }
}

params! {
    /// Searches the documentation of all ops, and says why each was found.
    pub(super) struct Search {
        /// What to look for, in plain words.
        query: Text,
        /// The most ops.
        #[range(1..=1000)]
        limit: usize = 10,
    }
}

impl Op for Search {
    const NAME: &'static str = "search";
    const YIELDS: Scheme = Scheme::List(&Finding::SCHEME, Max::Arg("limit"));
    const EFFECTS: &'static [Effect] = EFFECTS;
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "By a word that means the same",
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

//! Conditional steps: `if a.txt contains "x", fail with "y"`.

use svc_contract::value::Type;

use super::{
    draft::{Draft, Stage, joined},
    literals::Literal,
    route::{MOST_DRAFTS, Route, best},
};

/// The name that a condition is bound to.
const HOLDS: &str = "holds";

impl Route<'_> {
    /// Makes the step before `then` the condition of `then`; the step after it runs if the
    /// condition does not hold.
    pub(super) fn decided(&self, drafts: &[Draft], then: usize, has_else: bool) -> Vec<Draft> {
        let conditions = self.step(drafts, then - 1).into_iter();
        let conditions = conditions.filter(|it| it.ty == Some(Type::Bool) && it.lets.is_empty());
        let mut all = Vec::new();
        for condition in conditions {
            for arm in self.arm(then) {
                let others = if has_else { self.arm(then + 1) } else { vec![nothing()] };
                let decided = others.iter().map(|other| decision(&condition, &arm, other));
                all.extend(decided.filter_map(|it| self.tried(it)));
            }
        }
        best(all, MOST_DRAFTS)
    }

    /// The pipelines of a step that starts a new one, or its text if that is all it has.
    fn arm(&self, step: usize) -> Vec<Draft> {
        let literals = self.clauses[step].literals.as_slice();
        if let ([only], true) = (literals, self.mentions[step].is_empty())
            && matches!(only.literal, Literal::Quoted(_))
        {
            let stages = vec![Stage::value(only.literal.written())];
            return vec![Draft { stages, used: vec![(step, 0)], ..Draft::default() }];
        }
        self.step(&[Draft::default()], step).into_iter().filter(|it| !it.is_empty()).collect()
    }
}

/// The arm without an action.
fn nothing() -> Draft {
    Draft { stages: vec![Stage::value("null")], ..Draft::default() }
}

fn decision(condition: &Draft, then: &Draft, other: &Draft) -> Draft {
    let one_line = |it: &Draft| joined(&it.stages, false).replace("\n ", "");
    let text = format!("if {HOLDS} {{ {} }} else {{ {} }}", one_line(then), one_line(other));
    let mut draft = Draft {
        lets: vec![(HOLDS, joined(&condition.stages, false))],
        params: condition.params.clone(),
        stages: vec![Stage { note: "only if it holds".into(), ..Stage::value(text) }],
        score: condition.score + then.score + other.score,
        ..Draft::default()
    };
    for it in [condition, then, other] {
        draft.used.extend(&it.used);
    }
    for asked in then.params.iter().chain(&other.params) {
        draft.ask(asked.clone());
    }
    draft
}

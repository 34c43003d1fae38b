//! Parallel pipelines: two steps on one value, and steps that start again.

use svc_contract::value::Type;

use super::{
    draft::{Draft, Stage, joined},
    route::{ASKED, MOST_DRAFTS, Route, best},
};

impl Route<'_> {
    /// Two steps on the same value: `parallel { a: .., b: .. }`.
    pub(super) fn both(&self, drafts: &[Draft], step: usize) -> Vec<Draft> {
        let mut all = Vec::new();
        for base in drafts.iter().filter(|it| !it.is_empty()) {
            let branch = |step| {
                let stages = vec![Stage::value("it")];
                let branch = Draft { stages, entered: base.ty.clone(), ..base.clone() };
                self.step(&[branch], step).into_iter().next()
            };
            let (Some(one), Some(two)) = (branch(step), branch(step + 1)) else { continue };
            let names = (named(&one, "first"), named(&two, "second"));
            let names = if names.0 == names.1 { ("first".into(), "second".into()) } else { names };
            let inner = |it: &Draft| joined(&it.stages[1..], false).replace('\n', " ");
            let text = format!(
                "parallel {{ {}: {}, {}: {} }}",
                names.0,
                inner(&one),
                names.1,
                inner(&two)
            );
            let mut draft = base.clone();
            draft
                .stages
                .push(Stage { note: "both on the same value".into(), ..Stage::value(text) });
            draft.used.extend(one.used.iter().chain(&two.used));
            draft.score += one.score + two.score - 2.0 * base.score;
            all.extend(self.tried(draft));
        }
        best(all, MOST_DRAFTS)
    }

    /// A step that starts a new pipeline next to the previous one, or continues it if it cannot.
    pub(super) fn parallel_drafts(&self, drafts: &[Draft], step: usize) -> Vec<Draft> {
        let mut all = Vec::new();
        let is_said = self.clauses[step].is_beside;
        for mut other in self.step(&[Draft::default()], step) {
            other.score -= if is_said { 0.0 } else { ASKED / 2.0 };
            for draft in drafts.iter().filter(|it| it.lets.is_empty()) {
                all.extend(self.side_by_side(draft, &other));
            }
        }
        all.extend(self.step(drafts, step));
        best(all, MOST_DRAFTS)
    }

    fn side_by_side(&self, one: &Draft, two: &Draft) -> Option<Draft> {
        // A pipeline that begins with a param does not count as a pipeline of the goal.
        if one.begins_asked() || two.begins_asked() {
            return None;
        }
        let pipeline = |it: &Draft| joined(&it.stages, false);
        let is_same = matches!((&one.ty, &two.ty), (Some(Type::List(a, _)), Some(Type::List(b, _))) if a == b);
        let (text, note) = if is_same {
            ("first + second", "both lists, one after the other")
        } else {
            ("{ first: first, second: second }", "both results")
        };
        let mut draft = Draft {
            lets: vec![("first", pipeline(one)), ("second", pipeline(two))],
            params: one.params.clone(),
            stages: vec![Stage { note: note.into(), ..Stage::value(text) }],
            score: one.score + two.score,
            used: one.used.iter().chain(&two.used).copied().collect(),
            ..Draft::default()
        };
        for asked in &two.params {
            draft.ask(asked.clone());
        }
        self.tried(draft)
    }
}

/// The name of a branch: the op that it ends with.
fn named(draft: &Draft, other: &str) -> String {
    let last = draft.stages.iter().rev().find_map(|it| it.op);
    last.map_or_else(|| other.to_owned(), |it| it.script_name().replace('.', "_"))
}

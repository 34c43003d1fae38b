//! Actions that a goal forbids: `without a model`, `don't write it`.

use svc_contract::registry::{Effect, Index, OpRef, Tried};

use super::{
    goal::{Clause, Goal},
    mention::{What, spoken},
};

/// The steps that must not be in a script.
pub(super) struct Forbidden {
    clauses: Vec<Clause>,
    ops: Vec<OpRef>,
}

impl Forbidden {
    /// Removes the forbidden steps from a goal.
    pub(super) fn taken(goal: &mut Goal, index: &mut Index) -> Self {
        let clauses = std::mem::take(&mut goal.forbidden);
        let mentions = clauses.iter().flat_map(|it| spoken(it, index).mentions);
        let ops = mentions.flat_map(|it| it.what).filter_map(|it| match it {
            What::Op(op) => Some(op),
            _ => None,
        });
        Self { ops: ops.collect(), clauses }
    }

    /// The forbidden steps, in the words of the goal.
    pub(super) fn part(&self) -> Option<String> {
        let texts: Vec<&str> = self.clauses.iter().map(|it| it.text.as_str()).collect();
        (!texts.is_empty()).then(|| format!("not {}", texts.join(", ")))
    }

    /// Whether a script avoids all forbidden steps.
    pub(super) fn allows(&self, tried: &Tried) -> bool {
        let says =
            |word: &str| self.clauses.iter().any(|it| it.words.iter().any(|said| said == word));
        let no_model = ["model", "models", "llm", "ai", "gpt"].into_iter().any(says);
        let is_meant = |op: &OpRef| {
            (no_model && op.op.effects.contains(&Effect::Spends))
                || self.ops.iter().any(|it| it.to_string() == op.to_string())
        };
        !tried.ops.iter().any(is_meant)
    }
}

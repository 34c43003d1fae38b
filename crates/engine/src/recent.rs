//! The plans of the scripts that were run last: a program that runs the same rule for each of its
//! customers need not keep plans itself.

use std::sync::{Arc, Mutex, PoisonError};

use svc_lang::{
    diag::{Report, Source},
    plan::{Plan, Planner},
};

/// The number of plans that are kept.
const PLANS: usize = 32;

/// The longest text whose plan is kept, in bytes. Longer scripts do more than their check.
const LONGEST: usize = 4 << 10;

/// Recently used plans, the last one at the end. Only plans that depend on nothing but their text
/// and the engine are kept: they use no files, and no input changes their estimate.
#[derive(Default)]
pub(super) struct Recent(Mutex<Vec<Arc<Plan>>>);

impl Recent {
    /// The plan of a script, made by `plan` unless it is known.
    pub(super) fn plan(
        &self,
        source: Source,
        planner: Planner,
        plan: impl FnOnce(Source) -> Result<Plan, Report>,
    ) -> Result<Arc<Plan>, Report> {
        if source.text().len() > LONGEST {
            return plan(source).map(Arc::new);
        }
        if let Some(known) = self.known(&source, planner) {
            return Ok(known);
        }
        let made = Arc::new(plan(source)?);
        if !made.varies() && made.program().used.is_empty() {
            let mut plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if plans.len() == PLANS {
                plans.remove(0);
            }
            plans.push(made.clone());
        }
        Ok(made)
    }

    fn known(&self, source: &Source, planner: Planner) -> Option<Arc<Plan>> {
        let mut plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |it: &Arc<Plan>| it.planner() == planner && it.program().source == *source;
        let idx = plans.iter().rposition(is_same)?;
        let plan = plans.remove(idx);
        plans.push(plan.clone());
        Some(plan)
    }
}

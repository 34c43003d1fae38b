//! Caps on an `each?` itself: items that they cannot fund become null.
//!
//! The numbers of those items are recorded, so that a resumed run leaves out the same ones.

use std::collections::BTreeSet;

use svc_contract::value::{List, Text, Value, json};
use svc_lang::diag::Span;

use super::{
    Run,
    blocks::Each,
    decision::Decision,
    error::{Result, RunError},
    eval_async::Place,
    events::Event,
    join::Ended,
};

/// The items that the caps on an `each?` did not fund.
pub(super) struct Met {
    /// Its record, unless there was one before, or nothing is recorded.
    decision: Option<Decision>,
    unfunded: BTreeSet<usize>,
    /// The number of bounds around those that it meets.
    outer: usize,
}

impl Met {
    pub(super) fn funds(&self, idx: usize) -> bool {
        !self.unfunded.contains(&idx)
    }
}

impl Run {
    /// What an earlier run left out.
    pub(super) fn met_before(
        &self,
        each: Each<'_>,
        items: &List,
        place: Place<'_>,
        span: Span,
    ) -> Result<Met> {
        let outer = place.scope.depth.saturating_sub(each.meets);
        let mut met = Met { decision: None, unfunded: BTreeSet::new(), outer };
        let Some(records) = self.records.as_deref() else { return Ok(met) };
        // With other items, another body or another cap, the caps decide again.
        let caps = format!("{:?}", place.scope.account.caps_inside(outer));
        let about = [json::write(&Value::List(items.clone())), caps];
        let parts = about.map(Text::from).into_iter().chain(self.parts_of(each.body));
        let decision = Decision::new("each", "unfunded", &place.path.name(each.segment), parts);
        match decision.before(records).map_err(|it| RunError::new(it, span))? {
            Some(Value::List(them)) => met.unfunded = them.iter().filter_map(number).collect(),
            _ => met.decision = Some(decision),
        }
        Ok(met)
    }

    /// Makes the items null that a cap on the `each?` cannot fund.
    pub(super) async fn meet(
        &self,
        met: Met,
        ended: &mut Ended,
        count: usize,
        place: Place<'_>,
        span: Span,
    ) -> Result<()> {
        let mut unfunded = Vec::new();
        if let Some(declined) = ended.declined_inside(met.outer).cloned() {
            unfunded = ended.forgive(count);
            self.emit(place.path, &Event::swallowed(&declined, unfunded.len() as u64));
        }
        let (Some(records), Some(decision)) = (self.records.as_deref(), met.decision) else {
            return Ok(());
        };
        let number = |it: usize| Value::Int(i64::try_from(it).unwrap_or(i64::MAX));
        let unfunded: Vec<Value> = unfunded.into_iter().map(number).collect();
        let kept = decision.record(records, &Value::from(unfunded)).await;
        kept.map_err(|it| RunError::new(it, span))
    }
}

fn number(of: &Value) -> Option<usize> {
    match of {
        Value::Int(it) => usize::try_from(*it).ok(),
        _ => None,
    }
}

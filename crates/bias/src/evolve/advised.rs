//! The language model as a proposer, which is asked by the evolution itself because its answers take time.

use super::{Changes, Proposer, Run};
use crate::{advice::Shown, cases::Case};

/// The cases that a language model is shown.
const WORST: usize = 3;

impl Run<'_> {
    /// The proposers that may be asked.
    pub(super) fn speakers(&self) -> impl Iterator<Item = &Proposer> {
        let is_over = self.given.adviser.as_ref().is_none_or(|it| it.is_over(&self.spent));
        self.proposers.iter().filter(move |it| !(it.is_model() && is_over))
    }

    /// Candidates of the language model. One that fails is a warning: the others go on.
    pub(super) async fn advised(&mut self, count: usize) -> Vec<Changes> {
        let adviser = self.given.adviser.as_ref().filter(|it| !it.is_over(&self.spent));
        let Some(adviser) = adviser else { return Vec::new() };
        let shown = Shown {
            knobs: &self.given.evaluator.knobs,
            active: self.given.active,
            results: &self.results,
            worst: self.worst(),
        };
        let time = self.given.config.max_time.saturating_sub(self.begun.elapsed());
        let mut spent = self.spent;
        let found = adviser.candidates(&shown, (count, time), &mut spent).await;
        self.spent = spent;
        match found {
            Ok(found) => found,
            Err(why) => {
                self.warnings.push(format!("the model proposes nothing: {why}"));
                Vec::new()
            }
        }
    }

    /// The training cases that the best candidate does worst, with their scores.
    fn worst(&self) -> Vec<(f64, &Case)> {
        let best = self.whole.iter().max_by(|a, b| a.0.gain.total_cmp(&b.0.gain));
        let Some((_, scores)) = best else { return Vec::new() };
        let mut all: Vec<(f64, &Case)> =
            scores.quality.iter().copied().zip(self.train.iter().copied()).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        all.truncate(WORST);
        all
    }
}

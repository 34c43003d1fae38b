//! What is proposed in the end: the simplest of the candidates that are about as good as the best one.

use svc_contract::{registry::OpError, value::json};

use super::{
    Evolved, FEWEST, FINALISTS, Heard, Measured, Progress, Run, Weights, mean_of, score_of,
    weighted,
};
use crate::{
    cases::{Case, balance},
    evaluate::Scores,
    knobs::{Changes, record},
    stats::Paired,
};

/// Who proposes a candidate with fewer changes.
const SIMPLER: &str = "simpler";

/// A candidate that is better than what is active, on training and validation cases.
struct Finalist {
    measured: Measured,
    scores: Scores,
    worth: f64,
}

/// The one with the fewest changes of those that are not worse than the best one by more than one
/// standard error.
fn simplest(mut eligible: Vec<Finalist>, counts: &[f64], weights: Weights) -> Option<Finalist> {
    eligible.sort_by(|a, b| b.worth.total_cmp(&a.worth));
    let best = eligible.first()?;
    let is_as_good = |it: &Finalist| {
        let paired = Paired::of_all(&weighted(&best.scores.quality, &it.scores.quality, counts));
        best.worth - it.worth <= paired.error * weights.quality
    };
    // The first of equally simple ones is the best of them.
    let simple = (0..eligible.len())
        .filter(|it| is_as_good(&eligible[*it]))
        .min_by_key(|it| eligible[*it].measured.changes.len())?;
    Some(eligible.swap_remove(simple))
}

impl Run<'_> {
    /// Puts params of the best candidate back where that costs less than chance does, those that are
    /// nearest to what is active first: what is simpler generalises better, and is easier to understand.
    ///
    /// All of them together may cost one standard error (Breiman et al. 1984).
    pub(super) async fn simplify(&mut self, progress: Progress<'_>) -> Result<(), OpError> {
        let (mut best, scores) = {
            let best = self.whole.iter().max_by(|a, b| a.0.gain.total_cmp(&b.0.gain));
            let Some((best, scores)) = best else { return Ok(()) };
            (best.clone(), scores.clone())
        };
        if best.gain <= 0.0 {
            return Ok(());
        }
        for name in self.nearest_first(&best.changes) {
            if best.changes.len() <= 1 || self.begun.elapsed() >= self.given.config.max_time {
                break;
            }
            #[expect(clippy::cast_precision_loss, reason = "a budget")]
            if self.evaluations + 1.0 > self.given.config.max_evaluations as f64 {
                break;
            }
            let mut simpler = best.changes.clone();
            simpler.remove(&name);
            if let Some(own) = self.given.active.get(&name) {
                simpler.insert(name.clone(), own.clone());
            }
            if simpler == best.changes
                || !self.known.insert((json::write(&record(&simpler)), self.train.len()))
            {
                continue;
            }
            let tried = self.given.evaluator.scores(&simpler, &self.train).await?;
            self.evaluations += 1.0;
            let paired = Paired::of_all(&weighted(&scores.quality, &tried.quality, &self.counts));
            let heard =
                Heard { by: SIMPLER.to_owned(), changes: simpler, share: 1.0, scores: tried };
            let measured = self.measured(&heard, self.given.config.max_iterations);
            self.report(&heard, self.given.config.max_iterations, progress);
            self.whole.push((measured.clone(), heard.scores.clone()));
            if paired.mean >= -paired.error {
                best = measured;
            }
        }
        Ok(())
    }

    /// The names of changed params, those that are nearest to what is active first.
    fn nearest_first(&self, changes: &Changes) -> Vec<String> {
        let knobs = &self.given.evaluator.knobs;
        let unit = |it: &Changes| knobs.space.to_unit(&knobs.point(it));
        let (new, old) = (unit(changes), unit(self.given.active));
        let far = |name: &String| {
            let at = knobs.all.iter().position(|it| it.name == *name);
            at.map_or(0.0, |it| (new[it] - old[it]).abs())
        };
        let mut names: Vec<String> = changes.keys().cloned().collect();
        names.sort_by(|a, b| far(a).total_cmp(&far(b)));
        names
    }

    /// Chooses among the best on cases that the search has not seen.
    pub(super) async fn choose(
        mut self,
        validation: &[&Case],
        rounds: u64,
    ) -> Result<Evolved, OpError> {
        if validation.len() < FEWEST {
            self.warnings.push(format!(
                "only {} cases validate the choice: it may not hold elsewhere",
                validation.len()
            ));
        }
        let active = self.given.evaluator.scores(self.given.active, validation).await?;
        let all: Vec<&Case> = self.train.iter().chain(validation).copied().collect();
        let counts = balance(&all);
        self.whole.sort_by(|a, b| b.0.gain.total_cmp(&a.0.gain));
        let front = self.front();
        let weights = self.given.weights.unwrap_or(Weights::QUALITY);
        let is_final = |(idx, it): &(usize, &(Measured, Scores))| {
            *idx < FINALISTS || front.contains(idx) || it.0.by == SIMPLER
        };
        let finalists: Vec<(Measured, Scores)> =
            self.whole.iter().enumerate().filter(is_final).map(|it| it.1.clone()).collect();
        let old = self.active.clone().and(active);
        let before = mean_of(&old.quality, &counts);
        let mut eligible: Vec<Finalist> = Vec::new();
        for (measured, scores) in finalists {
            if measured.changes == *self.given.active {
                continue;
            }
            let on_validation = self.given.evaluator.scores(&measured.changes, validation).await?;
            let scores = scores.and(on_validation);
            let paired = Paired::of_all(&weighted(&old.quality, &scores.quality, &counts));
            // A change must be better by more than chance; one that is only quicker must not be worse.
            let is_eligible = if self.given.weights.is_some() {
                paired.lower(0.2) > 0.0
                    || (measured.speed > 1.1 && paired.lower(0.05) > -self.given.cases.margin)
            } else {
                paired.lower(0.2) > 0.0
            };
            let worth =
                score_of(weights, mean_of(&scores.quality, &counts), measured.speed, measured.cost)
                    - 0.25 * paired.error * weights.quality;
            if is_eligible {
                eligible.push(Finalist { measured, scores, worth });
            }
        }
        let chosen = simplest(eligible, &counts, weights);
        let frontier = front.iter().map(|it| {
            let own = self.whole[*it].0.clone();
            let score = score_of(weights, own.quality, own.speed, own.cost);
            (own, score)
        });
        let mut frontier: Vec<(Measured, f64)> = frontier.collect();
        frontier.sort_by(|a, b| b.1.total_cmp(&a.1));
        let is_better = chosen.is_some();
        if !is_better {
            self.warnings.push(
                "no candidate was better than the active version by more than chance".to_owned(),
            );
        }
        let (proposal, speed, cost, after) = match chosen {
            Some(Finalist { measured: it, scores, .. }) => {
                (it.changes, it.speed, it.cost, mean_of(&scores.quality, &counts))
            }
            None => (self.given.active.clone(), 1.0, self.active.cost, before),
        };
        Ok(Evolved {
            proposal,
            is_better,
            best_score: score_of(weights, after, speed, cost),
            frontier,
            before,
            after,
            rounds,
            evaluations: self.evaluations,
            cost: self.spent.cost,
            warnings: self.warnings,
        })
    }
}

//! What is proposed in the end: the simplest of the candidates that are about as good as the best one.

use svc_contract::registry::OpError;

use super::{
    Evolved, FEWEST, FINALISTS, Heard, Measured, Progress, Run, Weights, mean_of, score_of,
    weighted,
};
use crate::{
    cases::{Case, balance, kinds},
    evaluate::{SLOWEST, Scores},
    knobs::{Changes, Kind},
    stats::Paired,
};

/// What fewer changes may cost, in standard errors of the difference. A whole one, as in the rule of
/// Breiman et al. (1984), gives up more on unseen cases of the same kind than simplicity is worth.
const SLACK: f64 = 0.25;

/// The same if the cases are of several kinds: then more kinds are to be expected, on which only what is
/// sure on these is a gain.
const SLACK_OF_KINDS: f64 = 1.0;

/// How far a param that matters is put back: to this part of the way from what is active.
const HALFWAY: f64 = 0.5;

/// Who proposes a candidate with fewer changes.
const SIMPLER: &str = "simpler";

/// A candidate that is better than what is active, on training and validation cases.
struct Finalist {
    measured: Measured,
    scores: Scores,
    worth: f64,
}

/// All cases that an evolution sees, and how much each counts.
struct Seen<'a> {
    cases: Vec<&'a Case>,
    counts: Vec<f64>,
    weights: Weights,
    /// What fewer changes may cost, in standard errors.
    slack: f64,
    /// The scores of the active version.
    active: Scores,
}

impl Seen<'_> {
    /// A candidate with what it is worth: its score, less a part of the doubt about its gain.
    fn finalist(&self, measured: Measured, scores: Scores) -> Finalist {
        let paired = self.paired(&self.active, &scores);
        let quality = mean_of(&scores.quality, &self.counts);
        let worth = score_of(self.weights, quality, measured.speed, measured.cost)
            - 0.25 * paired.error * self.weights.quality;
        Finalist { measured, scores, worth }
    }

    fn paired(&self, old: &Scores, new: &Scores) -> Paired {
        Paired::of_all(&weighted(&old.quality, &new.quality, &self.counts))
    }

    /// Whether one is about as good as a better one.
    fn is_as_good(&self, best: &Finalist, it: &Finalist) -> bool {
        let paired = self.paired(&best.scores, &it.scores);
        best.worth - it.worth <= self.slack * paired.error * self.weights.quality
    }

    /// The one with the fewest changes of those that are about as good as the best one.
    fn simplest(&self, mut eligible: Vec<Finalist>) -> Option<Finalist> {
        eligible.sort_by(|a, b| b.worth.total_cmp(&a.worth));
        let best = eligible.first()?;
        // The first of equally simple ones is the best of them.
        let simple = (0..eligible.len())
            .filter(|it| self.is_as_good(best, &eligible[*it]))
            .min_by_key(|it| eligible[*it].measured.changes.len())?;
        Some(eligible.swap_remove(simple))
    }
}

impl Run<'_> {
    /// Puts params of a candidate back where all of them together cost next to nothing, or else half of the
    /// way, those that are nearest to what is active first: what is simpler is easier to understand, and
    /// what was found to be the best of many is partly so by chance.
    async fn simplified(
        &mut self,
        chosen: Finalist,
        seen: &Seen<'_>,
        progress: Progress<'_>,
    ) -> Result<Finalist, OpError> {
        let mut changes = chosen.measured.changes.clone();
        let mut simple = None;
        for name in self.nearest_first(&changes) {
            if changes.len() <= 1 {
                break;
            }
            for share in [0.0, HALFWAY] {
                let simpler = self.nearer(&changes, &name, share);
                if simpler == changes || simpler == *self.given.active {
                    continue;
                }
                let Some(tried) = self.simpler(&simpler, seen, progress).await? else {
                    return Ok(simple.unwrap_or(chosen));
                };
                if seen.is_as_good(&chosen, &tried) {
                    changes = simpler;
                    simple = Some(tried);
                    break;
                }
            }
        }
        Ok(simple.unwrap_or(chosen))
    }

    /// Tries simpler changes on all cases, unless the budget is used up.
    async fn simpler(
        &mut self,
        changes: &Changes,
        seen: &Seen<'_>,
        progress: Progress<'_>,
    ) -> Result<Option<Finalist>, OpError> {
        let config = self.given.config;
        #[expect(clippy::cast_precision_loss, reason = "a budget")]
        let most = config.max_evaluations as f64;
        if self.evaluations + self.price > most || self.begun.elapsed() >= config.max_time {
            return Ok(None);
        }
        let all = self.given.evaluator.scores(changes, &seen.cases).await?;
        self.evaluations += self.price;
        let scores = all.first(self.train.len());
        let heard = Heard { by: SIMPLER.to_owned(), changes: changes.clone(), share: 1.0, scores };
        let measured = self.measured(&heard, config.max_iterations);
        self.report(&heard, config.max_iterations, progress);
        self.whole.push((measured.clone(), heard.scores));
        Ok(Some(seen.finalist(measured, all)))
    }

    /// Changes with one param at a share of its distance from what is active. A choice has no such place,
    /// and stays unless the share is 0.
    fn nearer(&self, changes: &Changes, name: &str, share: f64) -> Changes {
        let knobs = &self.given.evaluator.knobs;
        let (mut point, active) = (knobs.point(changes), knobs.point(self.given.active));
        let Some(at) = knobs.all.iter().position(|it| it.name == name) else {
            return changes.clone();
        };
        if share == 0.0 {
            point[at] = active[at];
        } else if !matches!(knobs.all[at].kind, Kind::Choice(_)) {
            let mut unit = knobs.space.to_unit(&point);
            let old = knobs.space.to_unit(&active)[at];
            unit[at] = old + (unit[at] - old) * share;
            point[at] = knobs.space.from_unit(&unit)[at];
        }
        knobs.changes(&point)
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
        progress: Progress<'_>,
    ) -> Result<Evolved, OpError> {
        if validation.len() < FEWEST {
            self.warnings.push(format!(
                "only {} cases validate the choice: it may not hold elsewhere",
                validation.len()
            ));
        }
        let active = self.given.evaluator.scores(self.given.active, validation).await?;
        let cases: Vec<&Case> = self.train.iter().chain(validation).copied().collect();
        let weights = self.given.weights.unwrap_or(Weights::QUALITY);
        let (counts, active) = (balance(&cases), self.active.clone().and(active));
        let slack = if kinds(&cases) > 1 { SLACK_OF_KINDS } else { SLACK };
        let seen = Seen { cases, counts, weights, slack, active };
        let eligible = self.eligible(validation, &seen).await?;
        let mut chosen = seen.simplest(eligible);
        if let Some(it) = chosen {
            chosen = Some(self.simplified(it, &seen, progress).await?);
        }
        let scored = |it: usize| {
            let own = self.whole[it].0.clone();
            let score = score_of(weights, own.quality, own.speed, own.cost);
            (own, score)
        };
        let mut frontier: Vec<(Measured, f64)> = self.front().into_iter().map(scored).collect();
        frontier.sort_by(|a, b| b.1.total_cmp(&a.1));
        let is_better = chosen.is_some();
        if !is_better {
            self.warnings.push(
                "no candidate was better than the active version by more than chance".to_owned(),
            );
        }
        let before = mean_of(&seen.active.quality, &seen.counts);
        let (proposal, speed, cost, after) = match chosen {
            Some(Finalist { measured: it, scores, .. }) => {
                (it.changes, it.speed, it.cost, mean_of(&scores.quality, &seen.counts))
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

    /// The best on the training cases, and those of the front, that are better than what is active on all
    /// cases by more than chance.
    async fn eligible(
        &mut self,
        validation: &[&Case],
        seen: &Seen<'_>,
    ) -> Result<Vec<Finalist>, OpError> {
        self.whole.sort_by(|a, b| b.0.gain.total_cmp(&a.0.gain));
        let front = self.front();
        // What takes much longer would be refused when it is applied.
        let all = self.whole.iter().enumerate();
        let (slow, quick): (Vec<_>, Vec<_>) =
            all.partition(|(_, it)| it.1.is_too_slow_after(&seen.active));
        if !slow.is_empty() {
            self.warnings.push(format!(
                "left out, as they took more than {SLOWEST:.0} times as long as the active version: {} candidates",
                slow.len()
            ));
        }
        let is_final = |place: usize, idx: usize| place < FINALISTS || front.contains(&idx);
        let finalists = quick.into_iter().enumerate();
        let finalists = finalists.filter(|(place, it)| is_final(*place, it.0)).map(|it| it.1.1);
        let mut eligible: Vec<Finalist> = Vec::new();
        for (measured, scores) in finalists {
            if measured.changes == *self.given.active {
                continue;
            }
            let on_validation = self.given.evaluator.scores(&measured.changes, validation).await?;
            let scores = scores.clone().and(on_validation);
            let paired = seen.paired(&seen.active, &scores);
            // One that is only quicker must not be worse.
            let is_quicker = self.given.weights.is_some()
                && measured.speed > 1.1
                && paired.lower(0.05) > -self.given.cases.margin;
            if paired.lower(0.2) > 0.0 || is_quicker {
                eligible.push(seen.finalist(measured.clone(), scores));
            }
        }
        Ok(eligible)
    }
}

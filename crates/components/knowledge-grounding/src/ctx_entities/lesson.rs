//! The training of a tagger, and its cross-validation.

use svc_contract::{
    registry::{Cx, OpError},
    value::Metric,
};

use super::tagger::Tags;

/// The parts of the cross-validation.
const FOLDS: usize = 3;

/// Words with their features and tags.
pub(super) struct Sequence {
    /// The text that it is a part of.
    pub text: usize,
    /// The features of each word.
    pub features: Vec<Vec<u32>>,
    pub tags: Vec<usize>,
}

/// What is learnt from.
pub(super) struct Lesson<'a> {
    pub sequences: &'a [Sequence],
    pub features: usize,
    pub tags: Tags,
    pub epochs: usize,
}

/// Weights, and the sum of their changes, each times the number of the step in which it was made.
struct Averaged {
    now: Vec<f32>,
    changes: Vec<f64>,
}

impl Averaged {
    fn new(len: usize) -> Self {
        Self { now: vec![0.0; len], changes: vec![0.0; len] }
    }

    fn add(&mut self, place: usize, by: f32, step: f64) {
        self.now[place] += by;
        self.changes[place] += f64::from(by) * step;
    }

    /// The mean of the weights over all steps.
    #[expect(clippy::cast_possible_truncation, reason = "weights are small")]
    fn mean(self, steps: f64) -> Vec<f32> {
        let all = self.now.into_iter().zip(self.changes);
        all.map(|(now, changes)| (f64::from(now) - changes / steps) as f32).collect()
    }
}

impl Lesson<'_> {
    /// The weights and transitions that are learnt from the texts that are taken.
    pub(super) fn learn(
        &self,
        is_taken: impl Fn(usize) -> bool,
        seed: u64,
        cx: &Cx,
    ) -> Result<(Vec<f32>, Vec<f32>), OpError> {
        let tags = self.tags.0;
        let mut own = Averaged::new(self.features * tags);
        let mut between = Averaged::new(tags * tags);
        let mut order: Vec<&Sequence> =
            self.sequences.iter().filter(|it| is_taken(it.text)).collect();
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut step = 1.0;
        for epoch in 0..self.epochs {
            rng.shuffle(&mut order);
            for it in &order {
                cx.check()?;
                let best = self.tags.best(&self.scores(it, &own.now), &between.now);
                step += 1.0;
                if best == it.tags {
                    continue;
                }
                for (at, (found, right)) in best.iter().zip(&it.tags).enumerate() {
                    if found != right {
                        for feature in &it.features[at] {
                            let place = *feature as usize * tags;
                            own.add(place + right, 1.0, step);
                            own.add(place + found, -1.0, step);
                        }
                    }
                    if let Some(before) = at.checked_sub(1) {
                        between.add(it.tags[before] * tags + right, 1.0, step);
                        between.add(best[before] * tags + found, -1.0, step);
                    }
                }
            }
            cx.progress("epochs", epoch as u64 + 1, Some(self.epochs as u64));
        }
        Ok((own.mean(step), between.mean(step)))
    }

    fn scores(&self, sequence: &Sequence, weights: &[f32]) -> Vec<f32> {
        let tags = self.tags.0;
        let mut scores = vec![0.0; sequence.features.len() * tags];
        for (own, scores) in sequence.features.iter().zip(scores.chunks_exact_mut(tags)) {
            for feature in own {
                let place = *feature as usize * tags;
                scores
                    .iter_mut()
                    .zip(&weights[place..place + tags])
                    .for_each(|(sum, it)| *sum += it);
            }
        }
        scores
    }

    /// How well entities of a third of the texts are found by what is learnt from the others.
    #[expect(clippy::cast_precision_loss, reason = "there are few entities")]
    pub(super) fn metrics(&self, seed: u64, cx: &Cx) -> Result<Vec<Metric>, OpError> {
        let (mut right, mut found, mut wanted) = (0, 0, 0);
        for fold in 0..FOLDS {
            let is_held = |text: usize| text % FOLDS == fold;
            let (weights, transitions) = self.learn(|it| !is_held(it), seed, cx)?;
            for it in self.sequences.iter().filter(|it| is_held(it.text)) {
                cx.check()?;
                let best = self.tags.best(&self.scores(it, &weights), &transitions);
                let (spans, gold) = (Tags::spans(&best), Tags::spans(&it.tags));
                right += spans.iter().filter(|it| gold.contains(it)).count();
                found += spans.len();
                wanted += gold.len();
            }
        }
        let share = |part: usize, all: usize| part as f64 / all.max(1) as f64;
        let metric = |name: &str, value: f64, n: usize| Metric {
            name: name.into(),
            value,
            low: None,
            high: None,
            n: n as u64,
        };
        Ok(vec![
            metric("precision, cross-validated", share(right, found), found),
            metric("recall, cross-validated", share(right, wanted), wanted),
            metric("f1, cross-validated", share(2 * right, found + wanted), wanted),
        ])
    }
}

//! Tries algorithms by cross-validation until the time is up, and learns the best one from all rows.
//!
//! The best of many scores is better by luck, too. What to expect of new rows is therefore estimated by the
//! bootstrap bias correction (Tsamardinos, Greasidou & Borboudakis 2018): the choice is repeated on
//! resampled predictions, and judged by the rows that were not drawn. It costs no further learning.

use std::time::Duration;

use svc_contract::registry::{Cx, OpError};

use super::{
    algorithms::{Algorithm, Clock, Unfit, candidates},
    encode::{encode, plan},
    predict::highest,
    state::Predictor,
    table::{Goal, Table},
};

/// How often the choice is repeated.
const RESAMPLED: usize = 200;
/// With more than twice so many rows, the time of an algorithm is estimated on so many before it is tried.
const PART: usize = 500;
/// So many numbers, times the classes, count as many rows.
const MANY: usize = 500_000;
/// The most numbers of all rows.
const MOST_CELLS: usize = 12_000_000;

/// An algorithm that was tried in all parts.
pub(super) struct Tried {
    pub algorithm: Algorithm,
    /// The share of right classes, or R².
    pub score: f64,
    /// The standard deviation of the score over the parts.
    pub sd: f64,
    /// For each row 1 if its class was right, or the squared error.
    marks: Vec<f64>,
}

/// One that was not tried, and why.
pub(super) struct Skipped {
    pub algorithm: Algorithm,
    pub why: String,
}

pub(super) struct Found {
    pub predictor: Predictor,
    pub best: Algorithm,
    /// Best first.
    pub tried: Vec<Tried>,
    pub skipped: Vec<Skipped>,
    /// The score to expect of new rows, and its interval.
    pub expected: [f64; 3],
}

pub(super) struct Search<'a> {
    pub table: &'a Table,
    pub target: &'a str,
    pub folds: usize,
    pub budget: Duration,
    pub most_models: usize,
    pub seed: u64,
    pub cx: &'a Cx,
}

/// What a trial says instead of a score.
enum Missed {
    Ended(OpError),
    Skip(String),
}

impl From<Unfit> for Missed {
    fn from(it: Unfit) -> Self {
        match it {
            Unfit::Ended(err) => Self::Ended(err),
            Unfit::Failed(why) => Self::Skip(why),
        }
    }
}

impl From<OpError> for Missed {
    fn from(it: OpError) -> Self {
        Self::Ended(it)
    }
}

impl Search<'_> {
    pub(super) fn run(&self) -> Result<Found, OpError> {
        let width = super::encode::width(&plan(
            &self.table.columns,
            &(0..self.table.rows).collect::<Vec<_>>(),
        ));
        if self.table.rows.saturating_mul(width) > MOST_CELLS {
            let message =
                format!("the table is too large: {} rows of {width} numbers", self.table.rows);
            let help = format!("leave out rows or columns (limit {MOST_CELLS} numbers)");
            return Err(OpError::invalid_input(message).help(help));
        }
        let end = self.now() + i64::try_from(self.budget.as_millis()).unwrap_or(i64::MAX / 2);
        let of = self.parts();
        let is_class = matches!(self.table.goal, Goal::Classes { .. });
        let all: Vec<Algorithm> = candidates(is_class).into_iter().take(self.most_models).collect();
        let (mut tried, mut skipped): (Vec<Tried>, Vec<Skipped>) = (Vec::new(), Vec::new());
        // How long the best one learns, which happens once more at the end.
        let mut slowest = 0.0_f64;
        for (done, algorithm) in all.iter().enumerate() {
            self.cx.progress("algorithms", done as u64, Some(all.len() as u64));
            match self.trial(*algorithm, &of, end, slowest, width) {
                Ok((it, millis)) => {
                    if tried.iter().all(|other| it.score > other.score) {
                        slowest = millis;
                    }
                    tried.push(it);
                }
                Err(Missed::Ended(err)) => return Err(err),
                Err(Missed::Skip(why)) => skipped.push(Skipped { algorithm: *algorithm, why }),
            }
        }
        // The sort is stable: of equal scores the first, simpler one wins.
        tried.sort_by(|a, b| b.score.total_cmp(&a.score));
        let expected = self.expected(&tried)?;
        for it in &tried {
            match self.final_fit(it.algorithm) {
                Ok(predictor) => {
                    let best = it.algorithm;
                    return Ok(Found { predictor, best, tried, skipped, expected });
                }
                Err(Unfit::Ended(err)) => return Err(err),
                Err(Unfit::Failed(_)) => {}
            }
        }
        Err(OpError::bug("no algorithm learns from these rows"))
    }

    /// In milliseconds.
    fn now(&self) -> i64 {
        self.cx.host().now()
    }

    /// The part of each row: classes are spread evenly over all parts.
    fn parts(&self) -> Vec<usize> {
        let mut rng = fastrand::Rng::with_seed(self.seed);
        let mut order: Vec<usize> = (0..self.table.rows).collect();
        rng.shuffle(&mut order);
        if let Goal::Classes { of, .. } = &self.table.goal {
            order.sort_by_key(|it| of[*it]);
        }
        let mut parts = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, row)| parts[*row] = at % self.folds);
        parts
    }

    /// On how many rows the time of an algorithm is estimated, if it may be long.
    fn part(&self, width: usize) -> Option<usize> {
        let rows = self.table.rows;
        if rows > 2 * PART {
            return Some(PART);
        }
        let work = rows * width * self.table.goal.outputs();
        (work > MANY).then_some(rows.div_ceil(8).max(20))
    }

    /// The cross-validation of an algorithm, and the milliseconds of one part.
    #[expect(clippy::cast_precision_loss, reason = "there are at most 50,000 rows")]
    fn trial(
        &self,
        algorithm: Algorithm,
        of: &[usize],
        end: i64,
        slowest: f64,
        width: usize,
    ) -> Result<(Tried, f64), Missed> {
        let rows = |is_in: &dyn Fn(usize) -> bool| -> Vec<usize> {
            of.iter().enumerate().filter(|it| is_in(*it.1)).map(|it| it.0).collect()
        };
        let left = || (end - self.now()) as f64;
        // The baseline is always there.
        let is_free = algorithm == Algorithm::Baseline;
        let mut usual = 0.0;
        if let Some(count) = self.part(width).filter(|_| !is_free) {
            if left() <= slowest {
                return Err(Missed::Skip("no time was left".to_owned()));
            }
            let (learn, test) = (rows(&|it| it != 0), rows(&|it| it == 0));
            let some = |all: &[usize], count: usize| -> Vec<usize> {
                let step = all.len().div_ceil(count).max(1);
                all.iter().step_by(step).copied().collect()
            };
            let start = self.now();
            // What fails on a part, which may lack a class, may succeed on the whole.
            if let Err(Missed::Ended(err)) =
                self.marks(algorithm, &some(&learn, count), &some(&test, count), end)
            {
                return Err(Missed::Ended(err));
            }
            let grown = self.table.rows as f64 / count as f64;
            usual = (self.now() - start) as f64 * grown.powf(algorithm.growth());
        }
        let mut marks = vec![0.0; self.table.rows];
        for part in 0..self.folds {
            self.cx.check()?;
            // The parts to come, and learning the best one from all rows.
            let needed = usual * (self.folds - part) as f64 + 1.3 * slowest.max(usual);
            if !is_free && (left() <= needed || left() <= 0.0) {
                let seconds = (needed / 1_000.0).ceil();
                return Err(Missed::Skip(format!(
                    "the time was up: it needs about {seconds} s more"
                )));
            }
            let start = self.now();
            let test = rows(&|it| it == part);
            let own = self.marks(algorithm, &rows(&|it| it != part), &test, end)?;
            test.iter().zip(own).for_each(|(row, it)| marks[*row] = it);
            usual = usual.max((self.now() - start) as f64);
        }
        let score = self.score(&marks, 0..self.table.rows);
        let parts: Vec<f64> =
            (0..self.folds).map(|part| self.score(&marks, rows(&|it| it == part))).collect();
        let mean = parts.iter().sum::<f64>() / parts.len() as f64;
        let squares: f64 = parts.iter().map(|it| (it - mean) * (it - mean)).sum();
        let sd = (squares / parts.len() as f64).sqrt();
        Ok((Tried { algorithm, score, sd, marks }, usual))
    }

    /// Learns from some rows, and marks the predictions of others.
    fn marks(
        &self,
        algorithm: Algorithm,
        learn: &[usize],
        test: &[usize],
        end: i64,
    ) -> Result<Vec<f64>, Missed> {
        let plan = plan(&self.table.columns, learn);
        let x = encode(&self.table.columns, &plan, learn);
        let scales = x.scales();
        let clock = Clock { cx: self.cx, end };
        let fitted = algorithm.learn(&x, &scales, &self.table.goal.of(learn), self.seed, &clock)?;
        let x = encode(&self.table.columns, &plan, test);
        let scores = fitted.scores(&x, &scales, self.table.goal.outputs(), self.cx)?;
        let marks: Vec<f64> = match &self.table.goal {
            Goal::Classes { of, .. } => {
                let is_right = |(row, it): (&usize, &Vec<f64>)| highest(it) == of[*row];
                test.iter().zip(&scores).map(|it| f64::from(u8::from(is_right(it)))).collect()
            }
            Goal::Numbers(y) => {
                let error = |(row, it): (&usize, &Vec<f64>)| y[*row] - it[0];
                test.iter().zip(&scores).map(|it| error(it) * error(it)).collect()
            }
        };
        if marks.iter().all(|it| it.is_finite()) {
            return Ok(marks);
        }
        Err(Missed::Skip("its predictions are not finite".to_owned()))
    }

    /// The share of right classes among some rows, or R².
    #[expect(clippy::cast_precision_loss, reason = "there are at most 50,000 rows")]
    fn score(&self, marks: &[f64], rows: impl IntoIterator<Item = usize> + Clone) -> f64 {
        let count = rows.clone().into_iter().count().max(1) as f64;
        let sum: f64 = rows.clone().into_iter().map(|it| marks[it]).sum();
        let Goal::Numbers(y) = &self.table.goal else { return sum / count };
        let mean = rows.clone().into_iter().map(|it| y[it]).sum::<f64>() / count;
        let total: f64 = rows.into_iter().map(|it| (y[it] - mean) * (y[it] - mean)).sum();
        if total > 0.0 { 1.0 - sum / total } else { 0.0 }
    }

    /// The score of the choice on rows by which nothing was chosen: its mean, and 95 % of it.
    fn expected(&self, tried: &[Tried]) -> Result<[f64; 3], OpError> {
        let n = self.table.rows;
        let mut rng = fastrand::Rng::with_seed(self.seed ^ 0x9e37_79b9);
        let mut scores = Vec::with_capacity(RESAMPLED);
        for _ in 0..RESAMPLED {
            self.cx.check()?;
            let drawn: Vec<usize> = (0..n).map(|_| rng.usize(0..n)).collect();
            let mut is_drawn = vec![false; n];
            for it in &drawn {
                is_drawn[*it] = true;
            }
            let out: Vec<usize> = (0..n).filter(|it| !is_drawn[*it]).collect();
            let own: Vec<f64> =
                tried.iter().map(|it| self.score(&it.marks, drawn.iter().copied())).collect();
            if !out.is_empty() {
                scores.push(self.score(&tried[highest(&own)].marks, out.iter().copied()));
            }
        }
        scores.sort_by(f64::total_cmp);
        #[expect(clippy::cast_precision_loss, reason = "there are 200 scores")]
        let mean = scores.iter().sum::<f64>() / scores.len().max(1) as f64;
        let at = |share: usize| scores.get(scores.len() * share / 1_000).copied().unwrap_or(mean);
        Ok([mean, at(25), at(975)])
    }

    fn final_fit(&self, algorithm: Algorithm) -> Result<Predictor, Unfit> {
        let rows: Vec<usize> = (0..self.table.rows).collect();
        let columns = plan(&self.table.columns, &rows);
        let x = encode(&self.table.columns, &columns, &rows);
        let scales = x.scales();
        // Its time was set aside.
        let clock = Clock { cx: self.cx, end: i64::MAX };
        let fitted = algorithm.learn(&x, &scales, &self.table.goal, self.seed, &clock)?;
        let labels = match &self.table.goal {
            Goal::Classes { labels, .. } => labels.clone(),
            Goal::Numbers(_) => Vec::new(),
        };
        let (target, algorithm) = (self.target.to_owned(), algorithm.name().to_owned());
        Ok(Predictor { target, labels, columns, scales, algorithm, fitted })
    }
}

//! Tests of hypotheses.

mod counts;
mod means;
mod ranks;
mod shape;

pub use counts::{chi2_of_fit, chi2_of_table, fisher};
pub use means::{anova, one_sample, paired, student, welch};
pub use ranks::{correlation, kruskal, ks, mann_whitney, spearman, wilcoxon};
pub use shape::shapiro;

use crate::{Trouble, dist};

/// What is asked of the difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alternative {
    TwoSided,
    Less,
    Greater,
}

/// What a test found.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The name of the test, and how its p-value was computed.
    pub method: String,
    pub statistic: f64,
    pub df: Option<f64>,
    pub df2: Option<f64>,
    pub p: f64,
    /// What the test is about, such as the difference of the means.
    pub estimate: Option<f64>,
    /// Its interval of 95 %, on both sides.
    pub interval: Option<(f64, f64)>,
    /// The size of the effect, and its name.
    pub effect: Option<(&'static str, f64)>,
}

impl Alternative {
    /// The p-value of a statistic with a symmetric distribution.
    fn of_symmetric(self, above: f64, below: f64) -> f64 {
        match self {
            Self::TwoSided => (2.0 * above.min(below)).min(1.0),
            Self::Less => below,
            Self::Greater => above,
        }
    }

    fn of_t(self, t: f64, df: f64) -> f64 {
        self.of_symmetric(dist::t_above(t, df), dist::t_above(-t, df))
    }
}

fn needs(name: &str, all: &[f64], least: usize) -> Result<(), Trouble> {
    if all.len() >= least {
        return Ok(());
    }
    let found = all.len();
    Err(Trouble::new(format!("expected at least {least} numbers in {name}, found {found}"))
        .help("add rows, or leave this test out"))
}

fn constant() -> Trouble {
    untestable("all numbers are equal")
}

fn untestable(why: &str) -> Trouble {
    Trouble::new(format!("{why}, so that nothing can be tested")).help("check the columns")
}

/// Samples each of which has a single number.
fn constants(samples: &[&[f64]]) -> Trouble {
    let mut all = samples.iter().copied().flatten();
    let first = all.next();
    if all.all(|it| Some(it) == first) {
        return constant();
    }
    untestable("the numbers do not vary within the samples")
}

/// Whether samples vary only by the rounding of their numbers: `spread` is a sum of squares or a variance
/// within them, and `mean` the size of the numbers. Whole numbers are exact.
fn is_rounding(samples: &[&[f64]], spread: f64, mean: f64) -> bool {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let is_constant = |all: &[f64]| all.iter().all(|it| *it == all[0]);
    let is_whole = |it: &f64| it.fract() == 0.0 && it.abs() <= EXACT;
    if samples.iter().all(|it| is_constant(it)) {
        return true;
    }
    let is_exact = samples.iter().copied().flatten().all(is_whole);
    !is_exact && spread <= 1e-28 * mean * mean
}

/// The ranks of numbers from 1, ties by their mean, and the sum of t³ - t over the ties.
fn ranks(all: &[f64]) -> (Vec<f64>, f64) {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|a, b| all[*a].total_cmp(&all[*b]));
    let mut ranks = vec![0.0; all.len()];
    let mut ties = 0.0;
    let mut from = 0;
    while from < order.len() {
        let same = |it: &&usize| all[**it] == all[order[from]];
        let count = order[from..].iter().take_while(same).count();
        let t = crate::float(count);
        let rank = crate::float(from) + f64::midpoint(t, 1.0);
        order[from..from + count].iter().for_each(|it| ranks[*it] = rank);
        ties += t * t * t - t;
        from += count;
    }
    (ranks, ties)
}

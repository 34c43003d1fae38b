//! The algorithms that are tried, and how each learns.

use svc_contract::{
    registry::{Cx, OpError},
    value::{Record, Text, Value},
};

use super::{
    encode::Matrix,
    linear::{bayes, logistic, ridge},
    predict::softmax,
    state::Fitted,
    table::Goal,
    trees::{Bins, Grower, Shape, Slopes},
};

const TREES: usize = 200;
/// The most bytes that the leaves of a forest take.
const LARGEST_FOREST: usize = 40 << 20;

/// An algorithm with its params.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Algorithm {
    Baseline,
    /// Ridge regression.
    Ridge {
        alpha: f64,
    },
    /// Logistic regression.
    Logistic {
        alpha: f64,
    },
    NaiveBayes,
    Neighbours {
        k: usize,
        is_scaled: bool,
    },
    Forest {
        least_in_leaf: usize,
    },
    ExtraTrees {
        all_columns: bool,
    },
    Boosting {
        depth: usize,
        rounds: usize,
    },
}

/// Why something was not learnt: the call ends, or this algorithm does not fit these data.
pub(super) enum Unfit {
    Ended(OpError),
    Failed(String),
}

impl From<OpError> for Unfit {
    fn from(it: OpError) -> Self {
        Self::Ended(it)
    }
}

/// Until when something may learn.
pub(super) struct Clock<'a> {
    pub cx: &'a Cx,
    /// In milliseconds since 1970.
    pub end: i64,
}

impl Clock<'_> {
    /// Asked between two trees.
    fn test(&self) -> Result<(), Unfit> {
        if self.cx.host().now() <= self.end {
            return Ok(());
        }
        Err(Unfit::Failed("the time was up while it learnt".to_owned()))
    }
}

/// What is tried, in this order: cheap and common ones first.
pub(super) fn candidates(is_class: bool) -> Vec<Algorithm> {
    use Algorithm::{
        Baseline, Boosting, ExtraTrees, Forest, Logistic, NaiveBayes, Neighbours, Ridge,
    };
    let neighbours = |k, is_scaled| Neighbours { k, is_scaled };
    let trees = [
        Forest { least_in_leaf: 1 },
        ExtraTrees { all_columns: false },
        Boosting { depth: 3, rounds: 100 },
        Forest { least_in_leaf: 5 },
        ExtraTrees { all_columns: true },
        Boosting { depth: 5, rounds: 200 },
    ];
    let others: Vec<Algorithm> = if is_class {
        vec![
            NaiveBayes,
            Logistic { alpha: 1.0 },
            neighbours(5, true),
            neighbours(3, false),
            Logistic { alpha: 10.0 },
            Logistic { alpha: 0.1 },
            neighbours(11, true),
            neighbours(1, false),
        ]
    } else {
        let ridge = |alpha| Ridge { alpha };
        vec![
            ridge(1.0),
            ridge(0.01),
            ridge(10.0),
            ridge(100.0),
            neighbours(5, true),
            neighbours(15, true),
            neighbours(5, false),
            ridge(1_000.0),
        ]
    };
    let (first, rest) = others.split_at(4);
    [&[Baseline], first, &trees[..3], rest, &trees[3..]].concat()
}

impl Algorithm {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Ridge { .. } => "ridge_regression",
            Self::Logistic { .. } => "logistic_regression",
            Self::NaiveBayes => "naive_bayes",
            Self::Neighbours { .. } => "nearest_neighbours",
            Self::Forest { .. } => "random_forest",
            Self::ExtraTrees { .. } => "extra_trees",
            Self::Boosting { .. } => "gradient_boosting",
        }
    }

    pub(super) fn params(self) -> Value {
        let int = |it: usize| Value::Int(i64::try_from(it).unwrap_or(i64::MAX));
        let pairs: Vec<(&str, Value)> = match self {
            Self::Baseline | Self::NaiveBayes => Vec::new(),
            Self::Ridge { alpha } | Self::Logistic { alpha } => vec![("alpha", alpha.into())],
            Self::Neighbours { k, is_scaled } => vec![("k", int(k)), ("scaled", is_scaled.into())],
            Self::Forest { least_in_leaf } => {
                vec![("trees", int(TREES)), ("least_in_leaf", int(least_in_leaf))]
            }
            Self::ExtraTrees { all_columns } => {
                vec![("trees", int(TREES)), ("all_columns", all_columns.into())]
            }
            Self::Boosting { depth, rounds } => {
                vec![("depth", int(depth)), ("rounds", int(rounds))]
            }
        };
        let pairs = pairs.into_iter().map(|(name, it)| (Text::from(name), it));
        Value::Record(pairs.collect::<Record>())
    }

    /// How the time grows with the rows: the exponent.
    pub(super) fn growth(self) -> f64 {
        match self {
            Self::Baseline | Self::Ridge { .. } | Self::NaiveBayes => 1.0,
            Self::Neighbours { .. } => 2.0,
            Self::Logistic { .. } | Self::Forest { .. } => 1.2,
            Self::ExtraTrees { .. } | Self::Boosting { .. } => 1.1,
        }
    }

    pub(super) fn learn(
        self,
        x: &Matrix,
        scales: &[(f64, f64)],
        goal: &Goal,
        seed: u64,
        clock: &Clock<'_>,
    ) -> Result<Fitted, Unfit> {
        clock.cx.check()?;
        match (self, goal) {
            (Self::Baseline, _) => Ok(Fitted::Constant { scores: shares(goal) }),
            (Self::Ridge { alpha }, Goal::Numbers(y)) => ridge(&x.scaled(scales), y, alpha),
            (Self::Logistic { alpha }, Goal::Classes { of, .. }) => {
                logistic(&x.scaled(scales), of, goal.outputs(), alpha)
            }
            (Self::NaiveBayes, Goal::Classes { of, .. }) => {
                bayes(&x.scaled(scales), of, goal.outputs())
            }
            (Self::Neighbours { k, is_scaled }, _) => Ok(neighbours(x, scales, goal, k, is_scaled)),
            (Self::Forest { least_in_leaf }, _) => {
                let shape = forest_shape(x, goal, least_in_leaf, false);
                Ok(forest(x, goal, shape, true, seed, clock)?)
            }
            (Self::ExtraTrees { all_columns }, _) => {
                let mut shape = forest_shape(x, goal, 1, true);
                shape.columns = if all_columns { x.width } else { shape.columns };
                Ok(forest(x, goal, shape, false, seed, clock)?)
            }
            (Self::Boosting { depth, rounds }, _) => {
                Ok(boosting(x, goal, depth, rounds, seed, clock)?)
            }
            (Self::Ridge { .. } | Self::Logistic { .. } | Self::NaiveBayes, _) => {
                Err(Unfit::Failed("it does not fit this task".to_owned()))
            }
        }
    }
}

/// The share of each class, or the mean.
#[expect(clippy::cast_precision_loss, reason = "there are at most 50,000 rows")]
fn shares(goal: &Goal) -> Vec<f64> {
    let n = goal.len().max(1) as f64;
    match goal {
        Goal::Numbers(all) => vec![all.iter().sum::<f64>() / n],
        Goal::Classes { labels, of } => {
            let mut shares = vec![0.0; labels.len()];
            for it in of {
                shares[*it] += 1.0 / n;
            }
            shares
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "distances need no more digits, and there are at most 100 classes"
)]
fn neighbours(x: &Matrix, scales: &[(f64, f64)], goal: &Goal, k: usize, is_scaled: bool) -> Fitted {
    let x = if is_scaled { x.scaled(scales) } else { x.clone() };
    let rows = x.cells.iter().map(|it| it.clamp(-1e18, 1e18) as f32).collect();
    let targets = match goal {
        Goal::Classes { of, .. } => of.iter().map(|it| *it as f32).collect(),
        Goal::Numbers(all) => all.iter().map(|it| it.clamp(-1e38, 1e38) as f32).collect(),
    };
    Fitted::Neighbours { k, is_scaled, rows, targets, outputs: goal.outputs() }
}

/// Trees as deep as they need to be, with leaves that are large enough for all trees to fit.
fn forest_shape(x: &Matrix, goal: &Goal, least_in_leaf: usize, is_drawn: bool) -> Shape {
    let most_leaves = LARGEST_FOREST / TREES / (5 * goal.outputs() + 40);
    let least_in_leaf = least_in_leaf.max(x.len().div_ceil(most_leaves.max(2)));
    let columns = match goal {
        Goal::Classes { .. } => x.width.isqrt(),
        Goal::Numbers(_) => x.width.div_ceil(3),
    };
    Shape { depth: 64, least_in_leaf, columns: columns.max(1), is_drawn, l2: 0.0 }
}

fn forest(
    x: &Matrix,
    goal: &Goal,
    shape: Shape,
    is_drawn_again: bool,
    seed: u64,
    clock: &Clock<'_>,
) -> Result<Fitted, Unfit> {
    let bins = Bins::new(x, clock.cx)?;
    let ones = vec![1.0; x.len()];
    let slopes = match goal {
        Goal::Classes { labels, of } => Slopes::Classes { of, count: labels.len() },
        Goal::Numbers(all) => Slopes::Numbers { slopes: all, weights: &ones },
    };
    let grower = Grower { bins: &bins, slopes, shape };
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut leaf = vec![0; x.len()];
    let mut trees = Vec::with_capacity(TREES);
    for _ in 0..TREES {
        clock.test()?;
        let mut times = ones.clone();
        if is_drawn_again {
            times.fill(0.0);
            (0..x.len()).for_each(|_| times[rng.usize(0..x.len())] += 1.0);
        }
        trees.push(grower.grow(&times, &mut leaf, &mut rng, clock.cx)?);
    }
    Ok(Fitted::Forest { trees, outputs: goal.outputs() })
}

/// Gradient boosting: the second derivative is the weight of a row.
fn boosting(
    x: &Matrix,
    goal: &Goal,
    depth: usize,
    rounds: usize,
    seed: u64,
    clock: &Clock<'_>,
) -> Result<Fitted, Unfit> {
    const RATE: f64 = 0.1;
    let bins = Bins::new(x, clock.cx)?;
    let n = x.len();
    let least_in_leaf = if n < 1_000 { 5 } else { 20 };
    let shape = Shape { depth, least_in_leaf, columns: x.width, is_drawn: false, l2: 1.0 };
    let start: Vec<f64> = match goal {
        Goal::Numbers(_) => shares(goal),
        Goal::Classes { labels, .. } if labels.len() == 2 => {
            let share = shares(goal);
            vec![(share[1].max(1e-9) / share[0].max(1e-9)).ln()]
        }
        Goal::Classes { .. } => shares(goal).iter().map(|it| it.max(1e-9).ln()).collect(),
    };
    let outputs = start.len();
    let mut scores: Vec<Vec<f64>> = vec![start.clone(); n];
    let mut rng = fastrand::Rng::with_seed(seed);
    let (mut leaf, times) = (vec![0_u32; n], vec![1.0; n]);
    let mut trees = Vec::with_capacity(rounds * outputs);
    for _ in 0..rounds {
        let wanted: Vec<Vec<f64>> = match goal {
            Goal::Numbers(_) => scores.clone(),
            Goal::Classes { .. } => scores.iter().map(|it| softmax(it.clone())).collect(),
        };
        for output in 0..outputs {
            clock.test()?;
            let (slopes, weights): (Vec<f64>, Vec<f64>) = match goal {
                Goal::Numbers(y) => y.iter().zip(&wanted).map(|(y, it)| (y - it[0], 1.0)).unzip(),
                Goal::Classes { of, .. } => {
                    // One score is that of the second class.
                    let class = if outputs == 1 { 1 } else { output };
                    let slope = |(own, it): (&usize, &Vec<f64>)| {
                        let p = it[class];
                        (f64::from(u8::from(*own == class)) - p, (p * (1.0 - p)).max(1e-12))
                    };
                    of.iter().zip(&wanted).map(slope).unzip()
                }
            };
            let slopes = Slopes::Numbers { slopes: &slopes, weights: &weights };
            let grower = Grower { bins: &bins, slopes, shape };
            let tree = grower.grow(&times, &mut leaf, &mut rng, clock.cx)?;
            for (score, leaf) in scores.iter_mut().zip(&leaf) {
                let value = tree.values.get(*leaf as usize).copied().unwrap_or(0.0);
                score[output] += RATE * f64::from(value);
            }
            trees.push(tree);
        }
    }
    Ok(Fitted::Boosted { start, rate: RATE, trees })
}

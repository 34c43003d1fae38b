//! Finds the algorithm that predicts a column of a table best, within a time budget.
//!
//! [`table`] reads the rows, [`encode`] turns them into numbers inside each part of the
//! cross-validation, [`search`] tries the [`algorithms`], and [`predict`] uses what was learnt.

#[cfg(feature = "learn")]
mod algorithms;
#[cfg(feature = "learn")]
mod encode;
#[cfg(feature = "learn")]
mod infer;
#[cfg(feature = "learn")]
mod linear;
#[cfg(feature = "learn")]
mod predict;
#[cfg(feature = "learn")]
mod search;
mod state;
#[cfg(feature = "learn")]
mod table;
#[cfg(all(test, feature = "learn"))]
mod tests;
#[cfg(feature = "learn")]
mod trees;

use std::time::Duration;

#[cfg(feature = "learn")]
use svc_contract::registry::{Compute, Cx, OpError};
use svc_contract::{
    registry::{
        AnyRows, Bias, Cases, CheckCall, Component, Example, Field, Limits, Max, Op, Scheme,
        State as _, Takes, Tool, Trained, check_columns, choices, load, needs, params, record,
        save,
    },
    value::{Text, Value},
};

use state::Predictor;

const NAME: &str = "adapt_automl";
const VERSION: u32 = 1;

pub(super) const COMPONENT: Component = Component {
    name: NAME,
    cluster: "ml-optimisation",
    summary: "Finds the algorithm that predicts a column of a table best, within a time budget, and predicts with it.",
    version: VERSION,
    bias: Bias::new(
        "cross-validation of usual algorithms, cheap ones first",
        &[
            "rows are independent, and new rows are like these",
            "all classes are equally important",
            "no column reveals the target afterwards",
        ],
    )
    .judged_by(CASES),
    aliases: &[("predict", "infer")],
    ops: &[
        needs!("learn", compute::<Infer>()),
        needs!("learn", compute::<Compare>()),
        needs!("learn", compute::<Learn>()),
        save::<Predictor>(),
        load::<Predictor>(),
    ],
};

const CASES: Cases = Cases::new(include_str!("../../cases/adapt_automl.jsonl"), &[]);

choices! {
    /// What the target is.
    enum Task {
        Auto = "auto",
        Classification = "classification",
        Regression = "regression",
    }
}

record! {
    /// An algorithm, and how good it is.
    struct Ranked {
        /// The algorithm.
        algo: Text,
        /// Its params.
        params: Value,
        /// Its score in the cross-validation.
        score: f64,
        /// The standard deviation of the score over the parts.
        sd: f64,
    }
}

record! {
    /// An algorithm that was not tried.
    struct NotTried {
        /// The algorithm.
        algo: Text,
        /// Its params.
        params: Value,
        /// Why.
        why: Text,
    }
}

record! {
    /// The score to expect.
    struct Expected {
        /// The score.
        score: f64,
        /// It is below this with a probability of 2.5 %.
        low: f64,
        /// It is above this with a probability of 2.5 %.
        high: f64,
    }
}

record! {
    /// What was found.
    struct Comparison {
        /// `classification` or `regression`.
        task: Text,
        /// `accuracy`, or `r2`.
        metric: Text,
        /// The best algorithm.
        best: Ranked,
        /// The score to expect of new rows: that of `best`, less an estimate of the luck of being chosen.
        expected: Expected,
        /// All that were tried, best first.
        leaderboard: Vec<Ranked>,
        /// Those that were not.
        skipped: Vec<NotTried>,
        /// The number of parts of the cross-validation.
        folds: i64,
        /// The number of rows that were learnt from.
        rows: i64,
        /// The model, learnt from all rows; JSON contains its id.
        model_id: Trained<Predictor>,
    }
}

params! {
    /// Tries algorithms on a table, and returns which one predicts a column best, with a leaderboard and a model.
    ///
    /// A table is a list of records. Numbers, booleans, durations, times, sizes and money are numbers; texts are categories, of which
    /// those that occur once are ignored. Missing numbers become the median, with a column that says so. All of
    /// this is learnt inside each part of the cross-validation, from the rows to learn from alone. Rows without a target are left out.
    ///
    /// Classification: `naive_bayes`, `logistic_regression`, `nearest_neighbours`, `random_forest`,
    /// `extra_trees`, `gradient_boosting`; the score is the share of right classes, and parts have equal shares of
    /// each class. Regression: `ridge_regression`, and the last four; the score is R² of all
    /// predictions. `baseline`, the most frequent class or the mean, is always on the leaderboard. `auto` means classes for texts, booleans, and at
    /// most 10 different whole numbers; numbers otherwise.
    ///
    /// The score of the best one is too good by the luck of being chosen; `expected` is corrected
    /// for it, by the bootstrap of Tsamardinos et al. (2018).
    ///
    /// An algorithm that would not end within `budget`, as estimated on a part of the rows, is skipped, and
    /// `skipped` says so; with a budget that suffices, equal arguments give equal results. The model goes to `predict` as `model`.
    ///
    /// At most 50,000 rows, 200 columns, 100 classes; at least 10 rows. A cancelled call ends at the next tree, or after the linear
    /// model that is being learnt.
    struct Compare {
        /// The table: a list of records.
        data: AnyRows,
        /// The column to predict.
        target: Text,
        /// Whether the target is a class or a number.
        task: Task = Task::Auto,
        /// The time to spend, from 1 s to 50 s.
        budget: Duration = Duration::from_secs(20),
        /// The number of parts of the cross-validation.
        #[range(3..=10)]
        folds: i64 = 5,
        /// The parts, and what is drawn, follow from it.
        seed: i64 = 1,
        /// How many algorithms are tried at most, each with its params.
        #[tune]
        #[range(4..=128)]
        max_models: i64 = 24,
    }
}

impl Op for Compare {
    const NAME: &'static str = "compare";
    const YIELDS: Scheme = Comparison::SCHEME;
    const CHECK: Option<CheckCall> = Some(|call| check_columns(call, "data", &["target"]));
    const LIMITS: Limits = Limits::UNTIMED;
    const TAKES: Takes = Takes::Usually(Duration::from_secs(5));
    const TOOL: Option<Tool> = Some(Tool::free("run_automl"));
    const SAYS: &'static [&'static str] = &[
        "find the best model for a table",
        "automatic machine learning",
        "train a classifier on a csv",
        "compare algorithms by cross-validation",
        "predict a column from the others",
        "which algorithm is best for my data",
        "leaderboard of models",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "What separates two kinds",
            r#"let rows = range(1, 41) >> each { { size: it, kind: if it > 20 { "large" } else { "small" } } }
let found = rows >> adapt_automl.compare(target: "kind", max_models: 4)
{ task: found.task, folds: found.folds, is_better: found.best.score > 0.9, tried: len(found.leaderboard) }"#,
            r#"{"task":"classification","folds":5,"is_better":true,"tried":4}"#,
        ),
        Example::err(
            "A column that is not there",
            r#"[{ size: 1 }] >> adapt_automl.compare(target: "kind")"#,
            "missing column `kind`",
        ),
        Example::err(
            "Too few rows",
            r#"[{ size: 1, kind: "a" }] >> adapt_automl.compare(target: "kind")"#,
            "expected at least 10 rows with a `kind`, found 1",
        ),
    ];
}

params! {
    /// Learns to predict a column of a table with the best algorithm that is found within a time budget.
    ///
    /// This is `adapt_automl.compare`, which describes the algorithms and returns a leaderboard as well. The metrics of the
    /// model are the score in the cross-validation, and the one to expect of new rows.
    struct Learn {
        /// The table: a list of records.
        data: AnyRows,
        /// The column to predict.
        target: Text,
        /// Whether the target is a class or a number.
        task: Task = Task::Auto,
        /// The time to spend, from 1 s to 50 s.
        budget: Duration = Duration::from_secs(20),
        /// The number of parts of the cross-validation.
        #[range(3..=10)]
        folds: i64 = 5,
        /// The parts, and what is drawn, follow from it.
        seed: i64 = 1,
        /// How many algorithms are tried at most, each with its params.
        #[tune]
        #[range(4..=128)]
        max_models: i64 = 24,
    }
}

impl Op for Learn {
    const NAME: &'static str = "learn";
    const YIELDS: Scheme = Trained::<Predictor>::SCHEME;
    const CHECK: Option<CheckCall> = Some(|call| check_columns(call, "data", &["target"]));
    const LIMITS: Limits = Limits::UNTIMED;
    const TAKES: Takes = Takes::Usually(Duration::from_secs(5));
    const SAYS: &'static [&'static str] = &[
        "train a model on a table",
        "learn to predict a column",
        "fit a classifier or a regression",
        "teach it from labelled rows",
        "train on a spreadsheet",
    ];
    const EXAMPLES: &'static [Example] = &[
        Predictor::EXAMPLE,
        Example::err(
            "Nothing to learn",
            r#"range(0, 12) >> each { { size: it, kind: "a" } } >> adapt_automl.learn(target: "kind")"#,
            "all rows have the same `kind`",
        ),
    ];
}

record! {
    /// The prediction for a row.
    struct Prediction {
        /// The predicted value of the target.
        prediction: Value,
        /// The probability of a class; null for a number.
        probability: Option<f64>,
    }
}

params! {
    /// Predicts a column for each row of a table, with a model that `adapt_automl.learn` or `adapt_automl.compare` returned.
    ///
    /// The rows need the columns that the model was learnt from; others are ignored. Categories that the model does not know
    /// are treated as missing, with a notice.
    struct Infer {
        /// The table: a list of records.
        data: AnyRows,
        /// What `adapt_automl.learn` returned, or `model_id` of `adapt_automl.compare`.
        model: Trained<Predictor>,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::List(&Prediction::SCHEME, Max::Input);
    const TOOL: Option<Tool> = Some(Tool::builder("predict_table"));
    const SAYS: &'static [&'static str] = &[
        "predict with a trained model",
        "classify the rows of a table",
        "score new rows",
        "estimate a missing column",
        "apply a machine learning model to records",
    ];
    const EXAMPLES: &'static [Example] = &[
        Predictor::EXAMPLE,
        Example::err(
            "A missing column",
            r#"let rows = range(1, 41) >> each { { size: it, kind: if it > 20 { "large" } else { "small" } } }
let model = rows >> adapt_automl.learn(target: "kind", max_models: 4)
[{ weight: 3 }] >> predict(model: model)"#,
            "missing column `size`, which the model needs",
        ),
    ];
}

#[cfg(feature = "learn")]
impl Learn {
    fn compared(self, cx: &Cx) -> Result<(search::Found, table::Table), OpError> {
        let second = Duration::from_secs(1);
        if !(second..=50 * second).contains(&self.budget) {
            let given = Value::Duration(self.budget);
            let message = format!("expected 1s to 50s for `budget`, found {given}");
            return Err(OpError::invalid_input(message));
        }
        let wanted = match self.task {
            Task::Auto => table::Wanted::Auto,
            Task::Classification => table::Wanted::Classes,
            Task::Regression => table::Wanted::Numbers,
        };
        let folds = usize::try_from(self.folds).unwrap_or(5);
        let table = table::Table::read(&self.data.0, &self.target, wanted, folds, cx)?;
        if table.left_out > 0 {
            cx.notice(format!("{} rows without a target were left out", table.left_out));
        }
        let search = search::Search {
            table: &table,
            target: &self.target,
            folds,
            budget: self.budget,
            most_models: usize::try_from(self.max_models).unwrap_or(1),
            seed: self.seed.cast_unsigned(),
            cx,
        };
        let found = search.run()?;
        Ok((found, table))
    }
}

#[cfg(feature = "learn")]
fn trained(found: &search::Found, table: &table::Table) -> Result<Trained<Predictor>, OpError> {
    use svc_contract::value::Metric;
    let name = metric(table);
    let [mean, low, high] = found.expected;
    let best = found.tried.iter().find(|it| it.algorithm == found.best).map_or(0.0, |it| it.score);
    let of = |name: String, value, low, high| Metric {
        name: name.into(),
        value,
        low,
        high,
        n: table.rows as u64,
    };
    let metrics = vec![
        of(format!("{name}, cross-validated"), best, None, None),
        of(format!("{name}, expected"), mean, Some(low), Some(high)),
    ];
    Trained::learn(&found.predictor, table.rows, metrics)
}

#[cfg(feature = "learn")]
fn metric(table: &table::Table) -> &'static str {
    match table.goal {
        table::Goal::Classes { .. } => "accuracy",
        table::Goal::Numbers(_) => "r2",
    }
}

#[cfg(feature = "learn")]
impl Compute for Compare {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let Self { data, target, task, budget, folds, seed, max_models } = self;
        let learn = Learn { data, target, task, budget, folds, seed, max_models };
        let (found, table) = learn.compared(cx)?;
        let ranked = |it: &search::Tried| Ranked {
            algo: it.algorithm.name().into(),
            params: it.algorithm.params(),
            score: it.score,
            sd: it.sd,
        };
        let best = found.tried.iter().find(|it| it.algorithm == found.best);
        let best = best.map(ranked).ok_or_else(|| OpError::bug("the best one was not tried"))?;
        let skipped = found.skipped.iter().map(|it| NotTried {
            algo: it.algorithm.name().into(),
            params: it.algorithm.params(),
            why: it.why.as_str().into(),
        });
        let is_class = matches!(table.goal, table::Goal::Classes { .. });
        let [score, low, high] = found.expected;
        Ok(Comparison {
            task: if is_class { "classification" } else { "regression" }.into(),
            metric: metric(&table).into(),
            best,
            expected: Expected { score, low, high },
            leaderboard: found.tried.iter().map(ranked).collect(),
            skipped: skipped.collect(),
            folds,
            rows: i64::try_from(table.rows).unwrap_or(i64::MAX),
            model_id: trained(&found, &table)?,
        }
        .encode())
    }
}

#[cfg(feature = "learn")]
impl Compute for Learn {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let (found, table) = self.compared(cx)?;
        Ok(trained(&found, &table)?.encode())
    }
}

#[cfg(feature = "learn")]
impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let predictor = self.model.state()?;
        Ok(Value::List(infer::predictions(&self.data.0, &predictor, cx)?.into()))
    }
}

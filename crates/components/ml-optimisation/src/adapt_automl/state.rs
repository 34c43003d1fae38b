//! What is learnt from a table.

use serde::{Deserialize, Serialize};
use svc_contract::registry::{Example, State};

/// How to encode a row, and what predicts from it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Predictor {
    pub target: String,
    /// The classes; none for numbers.
    pub labels: Vec<Label>,
    pub columns: Vec<Column>,
    /// The mean and the standard deviation of each encoded column.
    pub scales: Vec<(f64, f64)>,
    pub algorithm: String,
    pub fitted: Fitted,
}

/// A value of the target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Label {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
}

/// How a column is encoded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Column {
    pub name: String,
    pub kind: ColumnKind,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum ColumnKind {
    /// One column, in which the median stands for what is missing; a second one says where it is
    /// missing.
    Number { median: f64, has_missing: bool },
    /// One column for each of these.
    Category { values: Vec<String> },
}

/// What an algorithm has learnt.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Fitted {
    /// The same for every row.
    Constant { scores: Vec<f64> },
    /// For each output a weight of each scaled column, and a number to add.
    Linear { weights: Vec<f64>, biases: Vec<f64> },
    /// The rows, and for each its class or number.
    Neighbours { k: usize, is_scaled: bool, rows: Vec<f32>, targets: Vec<f32>, outputs: usize },
    /// Per class: the logarithm of its share, and the mean and the variance of each scaled column.
    Bayes { priors: Vec<f64>, means: Vec<f64>, variances: Vec<f64> },
    /// The mean of the trees.
    Forest { trees: Vec<Tree>, outputs: usize },
    /// The sum of the trees, of which one after the other is for the next output.
    Boosted { start: Vec<f64>, rate: f64, trees: Vec<Tree> },
}

/// A tree in preorder: the left child of a node is the next one.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Tree {
    /// The column that a node compares; the largest number for leaves.
    pub features: Vec<u16>,
    /// Up to this, a row goes to the left.
    pub thresholds: Vec<f64>,
    /// The right child of a node, or the place of a leaf in `values`.
    pub links: Vec<u32>,
    pub values: Vec<f32>,
}

#[cfg(feature = "learn")]
pub(super) const LEAF: u16 = u16::MAX;

impl State for Predictor {
    const COMPONENT: &'static str = super::NAME;
    const VERSION: u32 = super::VERSION;
    const LAYOUT: u32 = 1;
    const EXAMPLE: Example = Example::ok(
        "Learn, save, load, predict",
        r#"let rows = range(1, 41) >> each { { size: it, kind: if it > 20 { "large" } else { "small" } } }
let model = rows >> adapt_automl.learn(target: "kind") >> adapt_automl.save(path: "kinds.svcm") >> adapt_automl.load
[{ size: 3 }, { size: 38 }] >> predict(model: model) >> each { .prediction }"#,
        r#"["small","large"]"#,
    );
}

//! Learns from pairs of records how much agreement in each field weighs.

use serde::{Deserialize, Serialize};
use svc_contract::{
    registry::{
        Compute, Cx, ErrorKind, Example, Field, Items, Op, OpError, Scheme, State, Trained, params,
        record,
    },
    value::{Metric, Record, Text, Value},
};

use super::{
    compare::{LEVELS, MISSING, level, normal},
    linkage::{Chances, probability, shares},
};

/// What was learnt of each column.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Weights {
    pub columns: Vec<String>,
    /// How often each level of agreement is there in pairs of the same thing.
    same: Vec<[f64; LEVELS]>,
    /// And in other pairs.
    other: Vec<[f64; LEVELS]>,
}

impl State for Weights {
    const COMPONENT: &'static str = super::NAME;
    const VERSION: u32 = super::VERSION;
    const LAYOUT: u32 = 1;
    const EXAMPLE: Example = Example::ok(
        "Learn, save, load, find",
        r#"let pairs = [
    { a: { name: "Ann Lee", zip: "10115" }, b: { name: "Anne Lee", zip: "10115" }, same: true },
    { a: { name: "Bo Berg", zip: "20095" }, b: { name: "Bo Berg", zip: "20099" }, same: true },
    { a: { name: "Ann Lee", zip: "10115" }, b: { name: "Tom Ray", zip: "10115" }, same: false },
    { a: { name: "Ann Lee", zip: "10115" }, b: { name: "Bo Berg", zip: "20095" }, same: false },
]
let model = pairs >> adapt_quality.learn >> adapt_quality.save(path: "people.svcm") >> adapt_quality.load
[{ name: "Ida Holm", zip: "80331" }, { name: "Ida Holme", zip: "80331" }, { name: "Udo Kern", zip: "80331" }]
    >> profile.dedupe(model: model, threshold: 0.5)
    >> each { .rows }"#,
        "[[0,1]]",
    );
}

impl Weights {
    pub(super) fn chances(&self) -> Result<Vec<Chances>, OpError> {
        if self.same.len() != self.columns.len() || self.other.len() != self.columns.len() {
            let message = "the model is damaged: its parts do not fit each other";
            return Err(OpError::invalid_input(message).help("learn it again"));
        }
        let pairs = self.same.iter().zip(&self.other);
        Ok(pairs.map(|(same, other)| Chances { same: *same, other: *other }).collect())
    }

    /// Counts the levels of these pairs.
    fn count<'a>(columns: &[Text], pairs: impl Iterator<Item = &'a Pair>) -> Self {
        // As if one pair more had been seen.
        let start = vec![[1.0 / 4.0; LEVELS]; columns.len()];
        let mut counts = [start.clone(), start];
        for pair in pairs {
            for (counts, it) in counts[usize::from(pair.is_same)].iter_mut().zip(&pair.levels) {
                if *it != MISSING {
                    counts[usize::from(*it)] += 1.0;
                }
            }
        }
        let [other, same] = counts.map(|it| it.into_iter().map(shares).collect());
        Self { columns: columns.iter().map(ToString::to_string).collect(), same, other }
    }

    fn score(&self, pair: &Pair, prior: f64) -> f64 {
        let columns = pair.levels.iter().zip(self.same.iter().zip(&self.other));
        let weight = columns
            .filter(|(it, _)| **it != MISSING)
            .map(|(it, (same, other))| (same[usize::from(*it)] / other[usize::from(*it)]).ln());
        probability(weight.sum(), prior)
    }
}

struct Pair {
    levels: Vec<u8>,
    is_same: bool,
}

record! {
    /// A pair of records, and whether they mean the same thing.
    struct LabelledPair {
        /// One record.
        a: Value,
        /// The other one.
        b: Value,
        /// Whether they mean the same thing.
        same: bool,
    }
}

params! {
    /// Learns how much agreement in each field weighs, from pairs of records that mean the same thing or do not.
    ///
    /// The fields are those of the first `a`. The other pairs should be ones that are easily mistaken, since pairs at
    /// random are seldom mistaken. The metric is F1 in a cross-validation of five parts. At least two pairs of each
    /// kind are needed.
    pub(super) struct Learn {
        /// The pairs.
        pairs: Items<LabelledPair>,
    }
}

impl Op for Learn {
    const NAME: &'static str = "learn";
    const YIELDS: Scheme = Trained::<Weights>::SCHEME;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "learn which records are duplicates",
        "train record linkage",
        "teach the comparison from labelled pairs",
        "fit the weights of a deduplication",
    ];
    const EXAMPLES: &'static [Example] = &[
        Weights::EXAMPLE,
        Example::err(
            "Too few pairs",
            r#"[{ a: { n: "x" }, b: { n: "x" }, same: true }] >> adapt_quality.learn"#,
            "expected at least 2 pairs of each kind, found 1 that are the same and 0 that are not",
        ),
    ];
}

impl Compute for Learn {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let mut columns: Vec<Text> = Vec::new();
        let mut pairs = Vec::with_capacity(self.pairs.0.len());
        for (idx, it) in self.pairs.0.iter().enumerate() {
            cx.check()?;
            let field = |name: &str| -> Result<&Record, OpError> {
                let it = it.as_record().and_then(|it| it.get(name)?.as_record());
                it.ok_or_else(|| {
                    let message = format!("expected a record as `{name}` of pair {}", idx + 1);
                    OpError::invalid_input(message)
                })
            };
            let (a, b) = (field("a")?, field("b")?);
            if columns.is_empty() {
                columns = a.names().to_vec();
            }
            let cell = |it: &Record, name: &Text| it.get(name).and_then(normal);
            let level = |name: &Text| level(cell(a, name).as_ref(), cell(b, name).as_ref());
            let is_same = it.as_record().and_then(|it| it.get("same"));
            pairs.push(Pair {
                levels: columns.iter().map(level).collect(),
                is_same: matches!(is_same, Some(Value::Bool(true))),
            });
        }
        let same = pairs.iter().filter(|it| it.is_same).count();
        let other = pairs.len() - same;
        if same < 2 || other < 2 {
            let message = format!(
                "expected at least 2 pairs of each kind, found {same} that are the same and {other} that are not"
            );
            return Err(OpError::invalid_input(message));
        }
        let state = Weights::count(&columns, pairs.iter());
        let f1 = cross_validated(&columns, &pairs);
        let metric = Metric {
            name: "f1, cross-validated".into(),
            value: f1,
            low: None,
            high: None,
            n: pairs.len() as u64,
        };
        Ok(Trained::learn(&state, pairs.len(), vec![metric])?.encode())
    }
}

/// F1 of pairs that were not learnt from, in five parts.
fn cross_validated(columns: &[Text], pairs: &[Pair]) -> f64 {
    const PARTS: usize = 5;
    let (mut right, mut found, mut wanted) = (0.0, 0.0, 0.0);
    for part in 0..PARTS.min(pairs.len()) {
        let is_held = |at: usize| at % PARTS == part;
        let rest = || pairs.iter().enumerate().filter(|(at, _)| !is_held(*at)).map(|it| it.1);
        let weights = Weights::count(columns, rest());
        #[expect(clippy::cast_precision_loss, reason = "there are at most 10^7 pairs")]
        let prior =
            (rest().filter(|it| it.is_same).count() as f64 + 0.5) / (rest().count() as f64 + 1.0);
        for (_, pair) in pairs.iter().enumerate().filter(|(at, _)| is_held(*at)) {
            let is_found = weights.score(pair, prior) >= 0.5;
            found += f64::from(u8::from(is_found));
            wanted += f64::from(u8::from(pair.is_same));
            right += f64::from(u8::from(is_found && pair.is_same));
        }
    }
    if found + wanted > 0.0 { 2.0 * right / (found + wanted) } else { 0.0 }
}

//! What is in each column, with intervals.

use svc_contract::{
    registry::{AnyRows, Example, Field, Max, Op, Scheme, params, record},
    value::Text,
};
#[cfg(feature = "learn")]
use svc_contract::{
    registry::{Compute, Cx, OpError},
    value::Value,
};

record! {
    /// A column, and what can be said about where it comes from.
    struct ColumnStats {
        /// Its name.
        column: Text,
        /// `number` or `category`.
        kind: Text,
        /// The number of values.
        n: i64,
        /// The number of rows without a value.
        missing: i64,
        /// The mean.
        mean: Option<f64>,
        /// The standard deviation of a sample.
        sd: Option<f64>,
        /// The lower end of the interval of the mean.
        low: Option<f64>,
        /// The upper end of the interval of the mean.
        high: Option<f64>,
        /// The least number.
        min: Option<f64>,
        /// The first quartile.
        q1: Option<f64>,
        /// The median.
        median: Option<f64>,
        /// The third quartile.
        q3: Option<f64>,
        /// The greatest number.
        max: Option<f64>,
        /// The skewness; null if all numbers are equal.
        skewness: Option<f64>,
        /// The excess kurtosis; null if all numbers are equal.
        kurtosis: Option<f64>,
        /// The number of different values.
        distinct: i64,
        /// The most frequent value of a category.
        top: Option<Text>,
        /// How often it occurs.
        top_count: Option<i64>,
    }
}

params! {
    /// Describes the columns of a table as samples: mean and deviation with an interval, quartiles, skewness, kurtosis.
    ///
    /// A column of numbers has the interval in which the mean of the population lies, by the t distribution. Booleans count
    /// as 1 and 0, durations in seconds, money in its unit. A column of texts has its most frequent value. Rows without a value, and
    /// numbers that are not finite, are `missing`.
    pub(super) struct Infer {
        /// The table: a list of records.
        rows: AnyRows,
        /// The confidence of the intervals.
        #[range(0.5..=0.999)]
        confidence: f64 = 0.95,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::List(&ColumnStats::SCHEME, Max::Unknown);
    const SAYS: &'static [&'static str] = &[
        "confidence interval of the mean of each column",
        "descriptive statistics with quartiles and skewness",
        "standard error and confidence of averages",
        "is a distribution skewed",
        "statistical summary of a sample",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A mean with its interval",
            "[{ n: 4.1 }, { n: 5.0 }, { n: 4.6 }, { n: null }] >> describe >> each { [it.n, it.missing, round(it.low ?? 0.0, digits: 3), round(it.high ?? 0.0, digits: 3)] }",
            "[[3.0,1.0,3.447,5.687]]",
        ),
        Example::ok(
            "A category",
            r#"[{ s: "a" }, { s: "b" }, { s: "a" }] >> describe >> each { { top: .top, count: .top_count } }"#,
            r#"[{"top":"a","count":2}]"#,
        ),
        Example::err("No rows", "[] >> describe", "expected a table with rows, found an empty one"),
    ];
}

#[cfg(feature = "learn")]
impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let input = super::input::Input::read(&self.rows, cx)?;
        let names: Vec<String> = input.names().map(str::to_owned).collect();
        let mut all = Vec::with_capacity(names.len());
        for name in names {
            let cells = input.cells(&name, false)?;
            all.push(of_column(&name, &cells, self.confidence));
        }
        Ok(all.encode())
    }
}

#[cfg(feature = "learn")]
fn of_column(name: &str, cells: &super::input::Cells, confidence: f64) -> ColumnStats {
    use super::input::Cells;
    use svc_learn::describe::describe;

    let int = |it: usize| i64::try_from(it).unwrap_or(i64::MAX);
    let mut column = ColumnStats {
        column: name.into(),
        kind: "number".into(),
        n: 0,
        missing: 0,
        mean: None,
        sd: None,
        low: None,
        high: None,
        min: None,
        q1: None,
        median: None,
        q3: None,
        max: None,
        skewness: None,
        kurtosis: None,
        distinct: 0,
        top: None,
        top_count: None,
    };
    match cells {
        Cells::Numbers(all) => {
            let mut known: Vec<f64> = all.iter().flatten().copied().collect();
            (column.n, column.missing) = (int(known.len()), int(all.len() - known.len()));
            if let Ok(it) = describe(&known, confidence) {
                column.mean = Some(it.mean);
                column.sd = it.sd;
                (column.low, column.high) = it.interval.unzip();
                let [min, q1, median, q3, max] = it.quartiles.map(Some);
                (column.min, column.q1, column.median) = (min, q1, median);
                (column.q3, column.max) = (q3, max);
                (column.skewness, column.kurtosis) = (it.skewness, it.kurtosis);
            }
            known.sort_by(f64::total_cmp);
            known.dedup();
            column.distinct = int(known.len());
        }
        Cells::Texts(all) => {
            let known: Vec<&str> = all.iter().flatten().map(String::as_str).collect();
            (column.n, column.missing) = (int(known.len()), int(all.len() - known.len()));
            column.kind = "category".into();
            let mut counts = std::collections::BTreeMap::<&str, usize>::new();
            for it in &known {
                *counts.entry(it).or_default() += 1;
            }
            column.distinct = int(counts.len());
            // The first one in order, if several are as frequent.
            let most = counts.iter().rev().max_by_key(|it| *it.1);
            (column.top, column.top_count) = most.map(|it| ((*it.0).into(), int(*it.1))).unzip();
        }
    }
    column
}

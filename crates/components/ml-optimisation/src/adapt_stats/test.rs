//! Tests of hypotheses.

use svc_contract::{
    registry::{
        AnyRows, CheckCall, Example, Field as _, Op, Scheme, Tool, check_columns, choices, params,
        record,
    },
    value::Text,
};
#[cfg(feature = "learn")]
use svc_contract::{
    registry::{Compute, Cx, OpError},
    value::Value,
};
#[cfg(feature = "learn")]
use svc_learn::{
    Trouble,
    hypothesis::{self, Outcome},
};

#[cfg(feature = "learn")]
use super::input::{Cells, Input, computed};

choices! {
    /// A test.
    enum Kind {
        T = "t",
        Welch = "welch",
        Paired = "paired",
        MannWhitney = "mann_whitney",
        Wilcoxon = "wilcoxon",
        Chi2 = "chi2",
        Fisher = "fisher",
        Ks = "ks",
        Anova = "anova",
        Kruskal = "kruskal",
        Shapiro = "shapiro",
        Correlation = "correlation",
        Spearman = "spearman",
    }
}

choices! {
    /// What is asked.
    enum Side {
        TwoSided = "two_sided",
        Less = "less",
        Greater = "greater",
    }
}

record! {
    /// A sample of a test.
    struct Sample {
        /// The column, or the value of the column of groups.
        name: Text,
        /// The number of its values.
        n: i64,
        /// Their mean; null for categories.
        mean: Option<f64>,
        /// Their standard deviation.
        sd: Option<f64>,
    }
}

record! {
    /// What a test found.
    struct TestResult {
        /// The name of the test, and how the p-value was computed.
        method: Text,
        /// The statistic; null where it is not finite.
        statistic: Option<f64>,
        /// The degrees of freedom.
        df: Option<f64>,
        /// Those of the residuals, for an analysis of variance.
        df2: Option<f64>,
        /// The probability of data that are at least so far from the null hypothesis, if it holds.
        p: f64,
        /// What is estimated: a difference of means, a correlation, an odds ratio, a share of pairs.
        estimate: Option<f64>,
        /// The lower end of its interval of 95 %.
        low: Option<f64>,
        /// The upper end of its interval of 95 %.
        high: Option<f64>,
        /// The size of the effect.
        effect: Option<f64>,
        /// The name of that measure, such as `cohen_d`.
        effect_name: Option<Text>,
        /// The samples that were compared, in order.
        samples: Vec<Sample>,
    }
}

params! {
    /// Tests a hypothesis about columns of a table.
    ///
    /// `t`, `welch`, `mann_whitney` and `ks` compare two samples, `anova` and `kruskal` two or more: either every
    /// column is a sample, or the second one has the groups of the first one (`columns: ["price", "region"]`): texts or booleans. The first sample is
    /// that of the first group in order. `t` with a single column compares its mean with `mean`.
    ///
    /// `paired` and `wilcoxon` compare two columns row by row; `correlation` (of Pearson) and `spearman` relate them. `shapiro` tests whether a
    /// column has a normal distribution. `chi2` tests whether two columns of categories are independent, or whether the values of
    /// a single one are equally frequent; `fisher` is the exact test of two columns with two values each.
    ///
    /// `alternative: "greater"` asks whether the first sample is greater. Intervals are two-sided. Small samples without ties
    /// have exact p-values (`mann_whitney` up to 8, `wilcoxon` up to 50, `ks` always). Rows without a value are left out, with a notice.
    pub(super) struct Test {
        /// The table: a list of records.
        rows: AnyRows,
        /// The test.
        kind: Kind,
        /// The columns.
        #[filled]
        columns: Vec<Text>,
        /// What is asked of the difference.
        alternative: Side = Side::TwoSided,
        /// The mean with which `t` compares a single column.
        mean: f64 = 0.0,
    }
}

impl Op for Test {
    const NAME: &'static str = "test";
    const YIELDS: Scheme = TestResult::SCHEME;
    const CHECK: Option<CheckCall> = Some(|call| check_columns(call, "rows", &["columns"]));
    const TOOL: Option<Tool> = Some(Tool::builder("run_hypothesis_test"));
    const SAYS: &'static [&'static str] = &[
        "hypothesis test with a p value",
        "t test of two samples",
        "is the difference between two groups significant",
        "chi squared test of independence",
        "analysis of variance over groups",
        "test whether numbers have a normal distribution",
        "significance of a correlation between two columns",
        "nonparametric test of ranks",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Two groups of a column",
            r#"let rows = range(0, 12) >> each { { n: it * it % 7, kind: if it % 2 == 0 { "a" } else { "b" } } }
let found = rows >> adapt_stats.test(kind: "welch", columns: ["n", "kind"])
{ p: round(found.p, digits: 4), samples: found.samples >> each { .name } }"#,
            r#"{"p":0.574,"samples":["a","b"]}"#,
        ),
        Example::ok(
            "Two columns, row by row",
            r#"let found = [{ a: 1, b: 2 }, { a: 4, b: 6 }, { a: 3, b: 6 }] >> adapt_stats.test(kind: "paired", columns: ["a", "b"])
[round(found.statistic ?? 0.0, digits: 4), round(found.p, digits: 4)]"#,
            "[-3.4641,0.0742]",
        ),
        Example::err(
            "A column that is not there",
            r#"[{ price: 1 }] >> adapt_stats.test(kind: "shapiro", columns: ["prize"])"#,
            "missing column `prize`",
        ),
        Example::err(
            "Numbers that are all equal",
            r#"[{ n: 2 }, { n: 2 }, { n: 2 }] >> adapt_stats.test(kind: "shapiro", columns: ["n"])"#,
            "all numbers are equal, so that nothing can be tested",
        ),
    ];
}

#[cfg(feature = "learn")]
impl Compute for Test {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let input = Input::read(&self.rows, cx)?;
        let columns: Vec<&str> = self.columns.iter().map(AsRef::as_ref).collect();
        let side = match self.alternative {
            Side::TwoSided => hypothesis::Alternative::TwoSided,
            Side::Less => hypothesis::Alternative::Less,
            Side::Greater => hypothesis::Alternative::Greater,
        };
        let is_one_sided = side != hypothesis::Alternative::TwoSided;
        let has_no_side =
            matches!(self.kind, Kind::Anova | Kind::Kruskal | Kind::Chi2 | Kind::Shapiro);
        if is_one_sided && has_no_side {
            let message = "this test has no direction: leave `alternative` out";
            return Err(OpError::invalid_input(message));
        }
        let (outcome, samples) = match self.kind {
            Kind::Chi2 | Kind::Fisher => self.of_counts(&input, &columns, side, cx)?,
            Kind::T if columns.len() == 1 => {
                let sample = one(&input, columns[0])?;
                (
                    computed(cx, |_| hypothesis::one_sample(&sample.1, self.mean, side))?,
                    vec![sample],
                )
            }
            Kind::Shapiro => {
                test_count(&columns, 1..=1)?;
                let sample = one(&input, columns[0])?;
                (computed(cx, |_| hypothesis::shapiro(&sample.1))?, vec![sample])
            }
            Kind::Paired | Kind::Wilcoxon | Kind::Correlation | Kind::Spearman => {
                test_count(&columns, 2..=2)?;
                let pairs = input.complete_numbers(&columns)?;
                let test = match self.kind {
                    Kind::Paired => hypothesis::paired,
                    Kind::Wilcoxon => hypothesis::wilcoxon,
                    Kind::Correlation => hypothesis::correlation,
                    _ => hypothesis::spearman,
                };
                let found = computed(cx, |_| test(&pairs[0], &pairs[1], side))?;
                (found, columns.iter().map(|it| (*it).to_owned()).zip(pairs).collect())
            }
            _ => self.of_samples(&input, &columns, side, cx)?,
        };
        Ok(result(outcome, &samples).encode())
    }
}

/// A test of two samples.
#[cfg(feature = "learn")]
type OfTwo = fn(&[f64], &[f64], hypothesis::Alternative) -> Result<Outcome, Trouble>;

/// Samples with their names.
#[cfg(feature = "learn")]
type Samples = Vec<(String, Vec<f64>)>;

#[cfg(feature = "learn")]
fn test_count(columns: &[&str], wanted: std::ops::RangeInclusive<usize>) -> Result<(), OpError> {
    if wanted.contains(&columns.len()) {
        return Ok(());
    }
    let count = match wanted.into_inner() {
        (1, 1) => "one column".to_owned(),
        (2, 2) => "two columns".to_owned(),
        (low, high) => format!("{low} to {high} columns"),
    };
    let found = columns.len();
    Err(OpError::invalid_input(format!("expected {count} for this test, found {found}")))
}

#[cfg(feature = "learn")]
fn one(input: &Input<'_>, name: &str) -> Result<(String, Vec<f64>), OpError> {
    let all = input.complete_numbers(&[name])?.swap_remove(0);
    Ok((name.to_owned(), all))
}

/// The samples: the groups of a column, or the columns.
#[cfg(feature = "learn")]
fn samples(input: &Input<'_>, columns: &[&str]) -> Result<Samples, OpError> {
    let is_grouped =
        columns.len() == 2 && matches!(input.cells(columns[1], true)?, Cells::Texts(_));
    if !is_grouped {
        // Samples need not be equally long.
        let known = |name: &&str| {
            let all: Vec<f64> = input.numbers(name)?.into_iter().flatten().collect();
            Ok(((*name).to_owned(), all))
        };
        return columns.iter().map(known).collect();
    }
    let (numbers, groups) = (input.numbers(columns[0])?, input.cells(columns[1], true)?);
    let mut found = std::collections::BTreeMap::<String, Vec<f64>>::new();
    let mut left_out = 0;
    if let Cells::Texts(groups) = groups {
        for (number, group) in numbers.into_iter().zip(groups) {
            match (number, group) {
                (Some(number), Some(group)) => found.entry(group).or_default().push(number),
                _ => left_out += 1,
            }
        }
    }
    input.left_out(left_out, columns);
    Ok(found.into_iter().collect())
}

#[cfg(feature = "learn")]
impl Test {
    fn of_samples(
        &self,
        input: &Input<'_>,
        columns: &[&str],
        side: hypothesis::Alternative,
        cx: &Cx,
    ) -> Result<(Outcome, Samples), OpError> {
        test_count(columns, 2..=100)?;
        let samples = samples(input, columns)?;
        let groups: Vec<Vec<f64>> = samples.iter().map(|it| it.1.clone()).collect();
        let of_two = |test: OfTwo| {
            let [a, b] = &groups[..] else {
                let names: Vec<&str> = samples.iter().take(10).map(|it| it.0.as_str()).collect();
                let message =
                    format!("expected two samples, found {}: {}", groups.len(), names.join(", "));
                return Err(OpError::invalid_input(message)
                    .help("filter two groups, or use `kind: \"anova\"` or `\"kruskal\"`"));
            };
            computed(cx, |_| test(a, b, side))
        };
        let found = match self.kind {
            Kind::Welch => of_two(hypothesis::welch),
            Kind::MannWhitney => of_two(hypothesis::mann_whitney),
            Kind::Ks => of_two(hypothesis::ks),
            Kind::Anova => computed(cx, |_| hypothesis::anova(&groups)),
            Kind::Kruskal => computed(cx, |_| hypothesis::kruskal(&groups)),
            _ => of_two(hypothesis::student),
        };
        Ok((found?, samples))
    }

    fn of_counts(
        &self,
        input: &Input<'_>,
        columns: &[&str],
        side: hypothesis::Alternative,
        cx: &Cx,
    ) -> Result<(Outcome, Samples), OpError> {
        let is_fisher = matches!(self.kind, Kind::Fisher);
        test_count(columns, if is_fisher { 2..=2 } else { 1..=2 })?;
        let mut all = Vec::new();
        for name in columns {
            all.push(match input.cells(name, true)? {
                Cells::Texts(it) => it,
                Cells::Numbers(it) => {
                    it.into_iter().map(|it| it.map(|it| it.to_string())).collect()
                }
            });
        }
        let rows: Vec<usize> =
            (0..input.rows()).filter(|row| all.iter().all(|it| it[*row].is_some())).collect();
        input.left_out(input.rows() - rows.len(), columns);
        let values: Vec<Vec<&str>> = all
            .iter()
            .map(|it| rows.iter().filter_map(|row| it[*row].as_deref()).collect())
            .collect();
        let distinct = |at: usize| -> Result<Vec<&str>, OpError> {
            let found: std::collections::BTreeSet<&str> = values[at].iter().copied().collect();
            if found.len() > 1_000 {
                let (name, found) = (columns[at], found.len());
                let message =
                    format!("column `{name}` has too many different values: {found} (limit 1000)");
                return Err(OpError::invalid_input(message).help("join rare values"));
            }
            Ok(found.into_iter().collect())
        };
        let firsts = distinct(0)?;
        let place = |all: &[&str], it: &str| all.binary_search(&it).unwrap_or(0);
        if columns.len() == 1 {
            let mut counts = vec![0.0; firsts.len()];
            values[0].iter().for_each(|it| counts[place(&firsts, it)] += 1.0);
            return Ok((computed(cx, |_| hypothesis::chi2_of_fit(&counts))?, Vec::new()));
        }
        let seconds = distinct(1)?;
        let mut counts = vec![vec![0.0; seconds.len()]; firsts.len()];
        for (a, b) in values[0].iter().zip(&values[1]) {
            counts[place(&firsts, a)][place(&seconds, b)] += 1.0;
        }
        if !is_fisher {
            return Ok((computed(cx, |_| hypothesis::chi2_of_table(&counts))?, Vec::new()));
        }
        let ([a, b], true) = (&counts[..], seconds.len() == 2) else {
            let (n, m) = (firsts.len(), seconds.len());
            let message =
                format!("expected two different values in each column, found {n} and {m}");
            return Err(OpError::invalid_input(message).help("use `kind: \"chi2\"`"));
        };
        Ok((hypothesis::fisher([[a[0], a[1]], [b[0], b[1]]], side), Vec::new()))
    }
}

#[cfg(feature = "learn")]
fn result(outcome: Outcome, samples: &Samples) -> TestResult {
    use svc_learn::describe::{mean, variance};
    let finite = |it: Option<f64>| it.filter(|it| it.is_finite());
    let sample = |(name, all): &(String, Vec<f64>)| Sample {
        name: name.as_str().into(),
        n: i64::try_from(all.len()).unwrap_or(i64::MAX),
        mean: (!all.is_empty()).then(|| mean(all)),
        sd: (all.len() > 1).then(|| variance(all).sqrt()),
    };
    let (low, high) = outcome.interval.unzip();
    TestResult {
        method: outcome.method.into(),
        statistic: finite(Some(outcome.statistic)),
        df: outcome.df,
        df2: outcome.df2,
        p: outcome.p,
        estimate: finite(outcome.estimate),
        low: finite(low),
        high: finite(high),
        effect: finite(outcome.effect.map(|it| it.1)),
        effect_name: outcome.effect.map(|it| it.0.into()),
        samples: samples.iter().map(sample).collect(),
    }
}

//! Times until an event.

use svc_contract::{
    registry::{
        AnyRows, CheckCall, Example, Field as _, Op, Scheme, check_columns, params, record,
    },
    value::Text,
};
#[cfg(feature = "learn")]
use svc_contract::{
    registry::{Compute, Cx, OpError},
    value::Value,
};
#[cfg(feature = "learn")]
use svc_learn::survival::{self, Observed};

#[cfg(feature = "learn")]
use super::input::{Cells, Input, computed};

record! {
    /// A step of a survival curve.
    struct SurvivalStep {
        /// The time.
        time: f64,
        /// The number of those without an event before it.
        at_risk: i64,
        /// The number of events at this time.
        events: i64,
        /// The number of observations that ended at this time without an event.
        censored: i64,
        /// The share of those without an event after it.
        survival: f64,
        /// The lower end of its interval of 95 %.
        low: f64,
        /// The upper end of its interval of 95 %.
        high: f64,
    }
}

record! {
    /// The survival curve of a group.
    struct SurvivalCurve {
        /// The group; null without groups.
        group: Option<Text>,
        /// The number of rows.
        n: i64,
        /// The number of events.
        events: i64,
        /// The time at which half had the event; null if fewer had.
        median: Option<f64>,
        /// The lower end of the interval of the median.
        median_low: Option<f64>,
        /// The upper end of the interval of the median.
        median_high: Option<f64>,
        /// The curve of Kaplan and Meier.
        steps: Vec<SurvivalStep>,
    }
}

record! {
    /// A comparison of survival curves.
    struct LogRank {
        /// The statistic of the log-rank test.
        statistic: f64,
        /// Its degrees of freedom.
        df: f64,
        /// Its p-value.
        p: f64,
    }
}

record! {
    /// A coefficient of Cox's regression.
    struct Hazard {
        /// The covariate.
        term: Text,
        /// The coefficient: the logarithm of the hazard ratio.
        estimate: f64,
        /// Its standard error.
        error: f64,
        /// The hazard ratio of one unit more.
        ratio: f64,
        /// The lower end of the interval of the ratio.
        low: f64,
        /// The upper end of the interval of the ratio.
        high: f64,
        /// The p-value of the coefficient being 0.
        p: f64,
    }
}

record! {
    /// Cox's regression.
    struct CoxFit {
        /// The covariates.
        terms: Vec<Hazard>,
        /// The logarithm of the partial likelihood.
        log_likelihood: f64,
        /// The p-value of all coefficients being 0, by the ratio of the likelihoods.
        p: f64,
        /// The share of comparable pairs in which the one with the higher risk had the event first; null above 20,000 rows.
        concordance: Option<f64>,
    }
}

record! {
    /// What is known about times until an event.
    struct Survival {
        /// A curve for each group, or one.
        curves: Vec<SurvivalCurve>,
        /// The log-rank test of the groups; null without two groups.
        log_rank: Option<LogRank>,
        /// Cox's regression; null without covariates.
        cox: Option<CoxFit>,
    }
}

params! {
    /// Analyses times until an event: survival curves, the comparison of groups, and the influence of covariates.
    ///
    /// `time` is how long each row was observed; `event` says whether it ended by the event (true or 1), or without it (false or 0). Curves are
    /// those of Kaplan and Meier, with intervals by log(-log). Groups are compared by the log-rank test. `covariates` are columns of numbers or booleans for Cox's
    /// regression, with Efron's treatment of equal times. A covariate that separates those with an event is an error.
    ///
    /// Rows without a value are left out, with a notice. At most 100,000 rows, 50 groups and 50 covariates.
    pub(super) struct Survive {
        /// The table: a list of records.
        rows: AnyRows,
        /// The column of the times.
        time: Text,
        /// The column that says whether the event happened.
        event: Text,
        /// The column of the groups.
        group: Option<Text> = None,
        /// The columns of the covariates.
        covariates: Vec<Text> = Vec::new(),
    }
}

impl Op for Survive {
    const NAME: &'static str = "survival";
    const YIELDS: Scheme = Survival::SCHEME;
    const CHECK: Option<CheckCall> =
        Some(|call| check_columns(call, "rows", &["time", "event", "group", "covariates"]));
    const SAYS: &'static [&'static str] = &[
        "survival curve of patients",
        "kaplan meier",
        "how long until customers leave",
        "log rank test of two treatments",
        "cox regression with hazard ratios",
        "time to failure with censored observations",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Two treatments",
            r#"let rows = [
  { days: 3, died: true, arm: "a" }, { days: 5, died: true, arm: "a" }, { days: 8, died: false, arm: "a" },
  { days: 9, died: true, arm: "b" }, { days: 12, died: false, arm: "b" }, { days: 15, died: true, arm: "b" },
]
let found = rows >> adapt_stats.survival(time: "days", event: "died", group: "arm")
found.curves >> each { { group: .group, median: .median } }"#,
            r#"[{"group":"a","median":5.0},{"group":"b","median":15.0}]"#,
        ),
        Example::err(
            "A negative time",
            r#"[{ days: -3, died: true }] >> adapt_stats.survival(time: "days", event: "died")"#,
            "expected a time from 0, found -3 in row 1",
        ),
    ];
}

#[cfg(feature = "learn")]
impl Compute for Survive {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let input = Input::read(&self.rows, cx)?;
        if input.rows() > 100_000 || self.covariates.len() > 50 {
            let message = "too many rows or covariates (limit 100000 rows, 50 covariates)";
            return Err(OpError::invalid_input(message).help("take a sample: `table.sample`"));
        }
        let names: Vec<&str> = [&self.time, &self.event]
            .into_iter()
            .chain(&self.covariates)
            .map(AsRef::as_ref)
            .collect();
        let numbers: Vec<Vec<Option<f64>>> =
            names.iter().map(|it| input.numbers(it)).collect::<Result<_, _>>()?;
        let groups = self.group.as_ref().map(|it| labels(&input, it)).transpose()?;
        let has = |row: &usize| {
            numbers.iter().all(|it| it[*row].is_some())
                && groups.as_ref().is_none_or(|it| it[*row].is_some())
        };
        let rows: Vec<usize> = (0..input.rows()).filter(has).collect();
        input.left_out(input.rows() - rows.len(), &names);
        let all: Vec<Observed> =
            rows.iter().map(|row| self.observed(&numbers, *row)).collect::<Result<_, _>>()?;
        if all.is_empty() {
            return Err(OpError::invalid_input("every row lacks a time or an event"));
        }
        let mut of_groups = std::collections::BTreeMap::<Option<&str>, Vec<Observed>>::new();
        for (row, it) in rows.iter().zip(&all) {
            let group = groups.as_ref().and_then(|it| it[*row].as_deref());
            of_groups.entry(group).or_default().push(*it);
        }
        if of_groups.len() > 50 {
            let message = format!("too many groups: {} (limit 50)", of_groups.len());
            return Err(OpError::invalid_input(message));
        }
        let curves = of_groups.iter().map(|(group, it)| curve(*group, it)).collect();
        let log_rank = if of_groups.len() > 1 {
            let groups: Vec<Vec<Observed>> = of_groups.into_values().collect();
            let (statistic, df, p) = computed(cx, |_| survival::log_rank(&groups))?;
            Some(LogRank { statistic, df, p })
        } else {
            None
        };
        let columns: Vec<Vec<f64>> = numbers[2..]
            .iter()
            .map(|it| rows.iter().filter_map(|row| it[*row]).collect())
            .collect();
        let cox = if columns.is_empty() { None } else { Some(self.cox(&all, &columns, cx)?) };
        Ok(Survival { curves, log_rank, cox }.encode())
    }
}

#[cfg(feature = "learn")]
fn labels(input: &Input<'_>, name: &str) -> Result<Vec<Option<String>>, OpError> {
    Ok(match input.cells(name, true)? {
        Cells::Texts(it) => it,
        Cells::Numbers(it) => it.into_iter().map(|it| it.map(|it| it.to_string())).collect(),
    })
}

#[cfg(feature = "learn")]
fn curve(group: Option<&str>, all: &[Observed]) -> SurvivalCurve {
    let int = |it: usize| i64::try_from(it).unwrap_or(i64::MAX);
    let steps = survival::kaplan_meier(all);
    let (median_low, median_high) = survival::median_interval(&steps);
    SurvivalCurve {
        group: group.map(Into::into),
        n: int(all.len()),
        events: int(all.iter().filter(|it| it.is_event).count()),
        median: survival::median(&steps),
        median_low,
        median_high,
        steps: steps
            .iter()
            .map(|it| SurvivalStep {
                time: it.time,
                at_risk: int(it.at_risk),
                events: int(it.events),
                censored: int(it.censored),
                survival: it.survival,
                low: it.interval.0,
                high: it.interval.1,
            })
            .collect(),
    }
}

#[cfg(feature = "learn")]
impl Survive {
    fn observed(&self, numbers: &[Vec<Option<f64>>], row: usize) -> Result<Observed, OpError> {
        let time = numbers[0][row].unwrap_or(0.0);
        let event = numbers[1][row].unwrap_or(0.0);
        if time < 0.0 {
            let message = format!("expected a time from 0, found {time} in row {}", row + 1);
            return Err(
                OpError::invalid_input(message).help(format!("check the column `{}`", self.time))
            );
        }
        if ![0.0, 1.0].contains(&event) {
            let message = format!(
                "expected true, false, 1 or 0 for `{}`, found {event} in row {}",
                self.event,
                row + 1
            );
            return Err(OpError::invalid_input(message));
        }
        Ok(Observed { time, is_event: event > 0.0 })
    }

    fn cox(&self, all: &[Observed], columns: &[Vec<f64>], cx: &Cx) -> Result<CoxFit, OpError> {
        use svc_learn::dist;
        let names: Vec<String> = self.covariates.iter().map(ToString::to_string).collect();
        let found = computed(cx, |stop| survival::cox(all, columns, &names, stop))?;
        let z = dist::normal_quantile(0.975);
        let hazard = |at: usize| {
            let (estimate, error) = (found.estimates[at], found.errors[at]);
            Hazard {
                term: names[at].as_str().into(),
                estimate,
                error,
                ratio: estimate.exp(),
                low: (estimate - z * error).exp(),
                high: (estimate + z * error).exp(),
                p: 2.0 * dist::normal_above((estimate / error).abs()),
            }
        };
        #[expect(clippy::cast_precision_loss, reason = "at most 50 covariates")]
        let df = names.len() as f64;
        Ok(CoxFit {
            terms: (0..names.len()).map(hazard).collect(),
            log_likelihood: found.log_likelihood,
            p: dist::chi2_above(2.0 * (found.log_likelihood - found.null_log_likelihood), df),
            concordance: found.concordance,
        })
    }
}

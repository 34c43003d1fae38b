//! Regressions by a formula.

use svc_contract::{
    registry::{AnyRows, Example, Field as _, Op, Scheme, Tool, choices, params, record},
    value::Text,
};
#[cfg(feature = "learn")]
use svc_contract::{
    registry::{CheckCall, Compute, Cx, Foreseen, KnownCall, Misuse, OpError, Part, check_column},
    value::Value,
};

choices! {
    /// The distribution of the response.
    enum Family {
        Gaussian = "gaussian",
        Binomial = "binomial",
        Poisson = "poisson",
    }
}

record! {
    /// A coefficient of a regression.
    struct Coefficient {
        /// The term: `(intercept)`, a column, `column[value]` of a category, or a product of them.
        term: Text,
        /// The coefficient.
        estimate: f64,
        /// Its standard error.
        error: f64,
        /// `estimate / error`: t of the Gaussian family, z of the others.
        statistic: Option<f64>,
        /// The p-value of the coefficient being 0.
        p: f64,
        /// The lower end of its interval of 95 %.
        low: f64,
        /// The upper end of its interval of 95 %.
        high: f64,
    }
}

record! {
    /// A fitted regression.
    struct Regression {
        /// The formula.
        formula: Text,
        /// The family.
        family: Family,
        /// The coefficients.
        terms: Vec<Coefficient>,
        /// The number of rows.
        n: i64,
        /// The degrees of freedom of the residuals.
        df: f64,
        /// R²; for other families the share of the deviance that is explained.
        r2: f64,
        /// R², corrected for the number of terms; Gaussian family only.
        adjusted_r2: Option<f64>,
        /// The F statistic of all terms but the intercept; Gaussian family only.
        f: Option<f64>,
        /// Its p-value.
        f_p: Option<f64>,
        /// The standard deviation of the residuals; Gaussian family only.
        sigma: Option<f64>,
        /// The deviance: the sum of squares of the residuals for the Gaussian family.
        deviance: f64,
        /// The deviance of a model with the intercept alone.
        null_deviance: f64,
        /// The logarithm of the likelihood.
        log_likelihood: Option<f64>,
        /// Akaike's criterion.
        aic: Option<f64>,
        /// The Bayesian criterion.
        bic: Option<f64>,
        /// The number of iterations.
        iterations: i64,
    }
}

params! {
    /// Fits a linear, logistic or Poisson regression by a formula.
    ///
    /// `formula: "price ~ size + log(age) + city"`: on the left the response, on the right terms: columns, `log(x)` and other
    /// functions, powers (`x^2`), expressions in `I(..)`, interactions (`a:b`, and `a*b` for `a + b + a:b`). Columns of texts, and
    /// those in `C(..)`, are categories; the first value in order is the one that others are compared with. `- 1` leaves the intercept out. A name
    /// with spaces stands in backticks.
    ///
    /// `gaussian` is ordinary least squares by QR. `binomial` is logistic regression (the response is 0 or 1, a boolean or a share), `poisson` a
    /// log-linear model of counts; both by reweighted least squares. AIC and BIC count the coefficients. Rows without a value in a column of the formula are left
    /// out, with a notice. Terms that are combinations of others, and responses that a term separates perfectly, are errors that name the term.
    ///
    /// At most a million rows, and 20 million cells of terms.
    pub(super) struct Regress {
        /// The table: a list of records.
        rows: AnyRows,
        /// The formula.
        #[filled]
        formula: Text,
        /// The distribution of the response.
        family: Family = Family::Gaussian,
    }
}

impl Op for Regress {
    const NAME: &'static str = "regress";
    const YIELDS: Scheme = Regression::SCHEME;
    #[cfg(feature = "learn")]
    const CHECK: Option<CheckCall> = Some(check);
    const TOOL: Option<Tool> = Some(Tool::builder("fit_regression"));
    const SAYS: &'static [&'static str] = &[
        "linear regression with standard errors",
        "logistic regression with coefficients and p values",
        "ordinary least squares by a formula",
        "poisson regression of counts",
        "effect of several variables on an outcome",
        "generalized linear model",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A line",
            r#"let rows = [[1, 3.1], [2, 4.9], [3, 7.2], [4, 8.8]] >> each { { x: it[0] ?? 0.0, y: it[1] ?? 0.0 } }
let found = rows >> adapt_stats.regress(formula: "y ~ x")
found.terms >> each { "${.term}: ${round(.estimate, digits: 3)} ± ${round(.error, digits: 3)}" }"#,
            r#"["(intercept): 1.15 ± 0.248","x: 1.94 ± 0.091"]"#,
        ),
        Example::err(
            "A mistake in the formula",
            r#"[{ x: 1, y: 2 }] >> adapt_stats.regress(formula: "y ~ x + ")"#,
            "`formula`: expected a number or a name, found the end at letter 9",
        ),
        Example::err(
            "A column twice",
            r#"range(0, 9) >> each { { x: it, z: 2 * it, y: it * it } } >> adapt_stats.regress(formula: "y ~ x + z")"#,
            "`z` is a combination of the terms before it",
        ),
    ];
}

/// Reads the formula, and looks for its columns.
#[cfg(feature = "learn")]
fn check(call: &KnownCall<'_>) -> Foreseen {
    let Some(text) = call.value("formula").and_then(Value::as_str) else { return Ok(None) };
    let formula = formula(text).map_err(|why| Misuse::of("formula", why))?;
    for name in formula.columns() {
        check_column(call, "rows", "formula", Part::Whole, &name.into())?;
    }
    Ok(None)
}

#[cfg(feature = "learn")]
fn formula(text: &str) -> Result<svc_learn::formula::Formula, OpError> {
    svc_learn::formula::Formula::parse(text).map_err(|it| super::input::in_param("formula", it))
}

#[cfg(feature = "learn")]
impl Compute for Regress {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        use super::input::{Input, computed, wrong};
        use svc_learn::glm;

        let formula = formula(&self.formula)?;
        let input = Input::read(&self.rows, cx)?;
        let columns = formula.columns();
        if input.rows() * (columns.len() + formula.terms.len()) > 20_000_000 {
            let message = "the regression is too large (limit 20 million cells)";
            return Err(OpError::invalid_input(message).help("take a sample: `table.sample`"));
        }
        let (rows, data) = input.data(&columns)?;
        let column = |name: &str| data.iter().find(|it| it.0 == name).map(|it| it.1.clone());
        let design = formula.design(rows, &column).map_err(|it| wrong(it, cx))?;
        if rows * design.x.width() > 20_000_000 {
            let message = format!(
                "{rows} rows with {} terms are too many (limit 20 million cells)",
                design.x.width()
            );
            return Err(OpError::invalid_input(message).help("take a sample: `table.sample`"));
        }
        let family = match self.family {
            Family::Gaussian => glm::Family::Gaussian,
            Family::Binomial => glm::Family::Binomial,
            Family::Poisson => glm::Family::Poisson,
        };
        let fit = computed(cx, |stop| glm::fit(&design, family, formula.has_intercept, stop))?;
        let int = |it: usize| i64::try_from(it).unwrap_or(i64::MAX);
        let finite = |it: f64| it.is_finite().then_some(it);
        let terms = fit.coefficients.iter().map(|it| Coefficient {
            term: it.name.as_str().into(),
            estimate: it.estimate,
            error: it.error,
            statistic: finite(it.statistic),
            p: if it.p.is_nan() { 1.0 } else { it.p },
            low: it.interval.0,
            high: it.interval.1,
        });
        let (f, f_p) = fit.f.filter(|it| it.0.is_finite()).unzip();
        Ok(Regression {
            formula: self.formula.clone(),
            family: self.family,
            terms: terms.collect(),
            n: int(fit.n),
            df: fit.df,
            r2: fit.r2,
            adjusted_r2: fit.adjusted_r2,
            f,
            f_p,
            sigma: fit.sigma,
            deviance: fit.deviance,
            null_deviance: fit.null_deviance,
            log_likelihood: finite(fit.log_likelihood),
            aic: finite(fit.aic),
            bic: finite(fit.bic),
            iterations: int(fit.iterations),
        }
        .encode())
    }
}

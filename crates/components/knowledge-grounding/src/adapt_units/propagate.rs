//! Uncertainty through a formula.

#[cfg(feature = "learn")]
use svc_contract::registry::{Compute, Cx, OpError};
use svc_contract::{
    registry::{Example, Field as _, Op, Scheme, params, record},
    value::{Text, Value},
};

record! {
    /// A formula with its quantities.
    struct Measured {
        /// The formula.
        expression: Text,
        /// Each name with its number, or `{ value: .., uncertainty: .. }`.
        values: Value,
    }
}

record! {
    /// What a quantity adds to the uncertainty.
    struct Contribution {
        /// The quantity.
        name: Text,
        /// Its value.
        value: f64,
        /// Its standard uncertainty.
        uncertainty: f64,
        /// The derivative of the result by it.
        slope: f64,
        /// Its share of the variance, from 0 to 1.
        share: f64,
    }
}

record! {
    /// A result with its uncertainty.
    struct Propagated {
        /// The value of the formula.
        value: f64,
        /// Its standard uncertainty: of first order, or of the samples.
        uncertainty: f64,
        /// 2.5 % of the samples are below; null without samples.
        low: Option<f64>,
        /// 2.5 % of the samples are above; null without samples.
        high: Option<f64>,
        /// What each quantity adds, largest first.
        budget: Vec<Contribution>,
    }
}

params! {
    /// Computes a formula of uncertain quantities, and how uncertain the result is.
    ///
    /// `{ expression: "m * g * h", values: { m: { value: 2.0, uncertainty: 0.1 }, g: 9.81, h: { value: 3.0, uncertainty: 0.05 } } }`. Uncertainties are standard deviations
    /// of independent quantities; a name that occurs twice is one quantity. The uncertainty is that of first order with exact derivatives; with `samples`, it is the standard
    /// deviation of that many draws from normal distributions, and `low` and `high` hold 95 % of them: for formulas that are curved within the
    /// uncertainties. There are `+ - * / ^`, `pi`, and functions such as `sqrt`, `exp`, `log` and `sin`.
    pub(super) struct Propagate {
        /// The formula and its quantities.
        input: Measured,
        /// How many samples are drawn; 0 for first order alone.
        #[range(0..=1_000_000)]
        samples: i64 = 0,
        /// What is drawn follows from it.
        seed: i64 = 1,
    }
}

impl Op for Propagate {
    const NAME: &'static str = "propagate";
    const YIELDS: Scheme = Propagated::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "error propagation through a formula",
        "uncertainty of a computed quantity",
        "combine the errors of measurements",
        "monte carlo of measurement uncertainty",
        "which measurement adds most to the uncertainty",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "An area",
            r#"let found = { expression: "a * b", values: { a: { value: 3.0, uncertainty: 0.1 }, b: { value: 4.0, uncertainty: 0.1 } } } >> adapt_units.propagate
[found.value, round(found.uncertainty, digits: 6)]"#,
            "[12.0,0.5]",
        ),
        Example::err(
            "A quantity without a value",
            r#"{ expression: "a * b", values: { a: 3 } } >> adapt_units.propagate"#,
            "missing value of `b`",
        ),
        Example::err(
            "A mistake in the formula",
            r#"{ expression: "a * ", values: { a: 3 } } >> adapt_units.propagate"#,
            "expected a number or a name, found the end at letter 5",
        ),
    ];
}

#[cfg(feature = "learn")]
fn number(value: &Value, place: &str) -> Result<f64, OpError> {
    #[expect(clippy::cast_precision_loss, reason = "an int is a float in the language")]
    let found = match value {
        Value::Float(it) => *it,
        Value::Int(it) => *it as f64,
        other => {
            let message = format!("expected a number for `{place}`, found {}", other.kind());
            return Err(OpError::invalid_input(message));
        }
    };
    if found.is_finite() {
        return Ok(found);
    }
    Err(OpError::invalid_input(format!("expected a finite number for `{place}`, found {found}")))
}

/// The value and the uncertainty of a name.
#[cfg(feature = "learn")]
fn quantity(name: &str, given: &Value) -> Result<(f64, f64), OpError> {
    let Some(record) = given.as_record() else { return Ok((number(given, name)?, 0.0)) };
    let field = |field: &str| record.get(field).filter(|it| !it.is_null());
    let Some(value) = field("value") else {
        let message = format!("missing field `value` of `{name}`");
        return Err(
            OpError::invalid_input(message).help("write it as `{ value: 2.0, uncertainty: 0.1 }`")
        );
    };
    let value = number(value, &format!("{name}.value"))?;
    let place = format!("{name}.uncertainty");
    let uncertainty = field("uncertainty").map_or(Ok(0.0), |it| number(it, &place))?;
    if uncertainty < 0.0 {
        let message = format!("expected an uncertainty from 0 for `{place}`, found {uncertainty}");
        return Err(OpError::invalid_input(message));
    }
    Ok((value, uncertainty))
}

#[cfg(feature = "learn")]
impl Compute for Propagate {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        use svc_learn::expr::Expression;

        let formula = Expression::parse(&self.input.expression).map_err(|err| {
            let failed = OpError::invalid_input(format!("`expression`: {err}"));
            err.help.into_iter().fold(failed, OpError::help)
        })?;
        let Some(values) = self.input.values.as_record() else {
            let kind = self.input.values.kind();
            return Err(OpError::invalid_input(format!(
                "expected a record for `values`, found {kind}"
            )));
        };
        let mut quantities = Vec::with_capacity(formula.names.len());
        for name in &formula.names {
            let given = values.get(name).ok_or_else(|| {
                let message = format!("missing value of `{name}`");
                OpError::invalid_input(message).help(format!("add it: `values: {{ {name}: 1.0 }}`"))
            })?;
            quantities.push(quantity(name, given)?);
        }
        let centre: Vec<f64> = quantities.iter().map(|it| it.0).collect();
        let mut slopes = vec![0.0; centre.len()];
        let value = formula.slopes(&centre, &mut slopes);
        let parts: Vec<f64> = slopes
            .iter()
            .zip(&quantities)
            .map(|(slope, it)| if it.1 == 0.0 { 0.0 } else { (slope * it.1).powi(2) })
            .collect();
        let variance: f64 = parts.iter().sum();
        if !value.is_finite() || !variance.is_finite() {
            let message = "the formula, or its slope, is not a number at these values";
            return Err(OpError::invalid_input(message)
                .help("check for a division by zero, or a root or logarithm of such"));
        }
        let sampled =
            if self.samples > 0 { Some(self.sampled(&formula, &quantities, cx)?) } else { None };
        let mut budget: Vec<Contribution> = formula
            .names
            .iter()
            .zip(&quantities)
            .zip(slopes.iter().zip(&parts))
            .map(|((name, (value, uncertainty)), (slope, part))| Contribution {
                name: name.as_str().into(),
                value: *value,
                uncertainty: *uncertainty,
                slope: if slope.is_finite() { *slope } else { 0.0 },
                share: if variance > 0.0 { part / variance } else { 0.0 },
            })
            .collect();
        budget.sort_by(|a, b| b.share.total_cmp(&a.share));
        Ok(Propagated {
            value,
            uncertainty: sampled.map_or(variance.sqrt(), |it| it.0),
            low: sampled.map(|it| it.1),
            high: sampled.map(|it| it.2),
            budget,
        }
        .encode())
    }
}

#[cfg(feature = "learn")]
impl Propagate {
    /// The deviation of the samples, and the ends of 95 % of them.
    fn sampled(
        &self,
        formula: &svc_learn::expr::Expression,
        quantities: &[(f64, f64)],
        cx: &Cx,
    ) -> Result<(f64, f64, f64), OpError> {
        use svc_learn::{describe, dist};
        let mut rng = fastrand::Rng::with_seed(self.seed.cast_unsigned());
        let count = usize::try_from(self.samples).unwrap_or(0);
        let mut all = Vec::with_capacity(count);
        let mut draw = vec![0.0; quantities.len()];
        for _ in 0..count {
            cx.check()?;
            for (it, (value, uncertainty)) in draw.iter_mut().zip(quantities) {
                *it = value
                    + uncertainty * dist::normal_quantile(rng.f64().clamp(1e-15, 1.0 - 1e-15));
            }
            all.push(formula.value(&draw));
        }
        let lost = all.iter().filter(|it| !it.is_finite()).count();
        if lost > 0 || all.len() < 2 {
            let message = format!("the formula is not a number for {lost} of {count} samples");
            return Err(OpError::invalid_input(message).help(
                "use more than one sample, and check for roots and logarithms of negative numbers",
            ));
        }
        all.sort_by(f64::total_cmp);
        let ends = [0.025, 0.975].map(|p| describe::quantile(&all, p));
        Ok((describe::variance(&all).sqrt(), ends[0], ends[1]))
    }
}

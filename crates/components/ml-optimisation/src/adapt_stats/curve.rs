//! Curves through points.

#[cfg(feature = "learn")]
use svc_contract::registry::{Compute, Cx, OpError};
use svc_contract::{
    registry::{
        AnyRows, CheckCall, Example, Field as _, Foreseen, KnownCall, Op, Scheme, check_columns,
        params, record,
    },
    value::{Record, Text, Value},
};

record! {
    /// A parameter of a curve.
    struct CurveParam {
        /// Its name.
        name: Text,
        /// Its estimate.
        estimate: f64,
        /// Its standard error.
        error: f64,
        /// The lower end of its interval of 95 %.
        low: f64,
        /// The upper end of its interval of 95 %.
        high: f64,
    }
}

record! {
    /// A fitted curve.
    struct CurveFit {
        /// The curve.
        formula: Text,
        /// The parameters, in the order of `start`.
        params: Vec<CurveParam>,
        /// The sum of the squares of the residuals.
        rss: f64,
        /// The standard deviation of the residuals.
        sigma: f64,
        /// The share of the variance of y that the curve explains; null if y is constant.
        r2: Option<f64>,
        /// The number of rows.
        n: i64,
        /// The degrees of freedom of the residuals.
        df: f64,
        /// The number of iterations.
        iterations: i64,
    }
}

/// The numbers from which the search starts.
struct Start(Record);

impl svc_contract::registry::Field for Start {
    const SCHEME: Scheme = Scheme::Map(&Scheme::Float);

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::Record(it) => Some(Self(it)),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        Value::Record(self.0)
    }
}

params! {
    /// Fits a curve with parameters to points, by nonlinear least squares.
    ///
    /// `formula: "a * (1 - exp(-b * t))"`, `start: { a: 500.0, b: 0.0001 }`: names with a start are parameters, other names are columns, of
    /// which `x` must be one. `y` is a column, or an expression of columns such as `log(y)`. There are `+ - * / ^`, parentheses, `pi`, and the functions `exp`, `log` (natural), `log10`,
    /// `log2`, `sqrt`, `abs`, `sin`, `cos`, `tan`, `asin`, `acos`, `atan`, `sinh`, `cosh` and `tanh`.
    ///
    /// The method is that of Levenberg and Marquardt with exact derivatives, with other dampings and with variable projection where it does not
    /// arrive. A start from which none converges, and parameters that the rows do not determine, are errors. At most 100,000 rows and 50 parameters.
    pub(super) struct Fit {
        /// The table: a list of records.
        rows: AnyRows,
        /// The curve.
        #[filled]
        formula: Text,
        /// The column of the points on the axis.
        x: Text,
        /// The column through which the curve goes, or an expression of columns.
        #[filled]
        y: Text,
        /// Each parameter with the number from which the search starts.
        start: Start,
    }
}

impl Op for Fit {
    const NAME: &'static str = "curve_fit";
    const YIELDS: Scheme = CurveFit::SCHEME;
    const CHECK: Option<CheckCall> = Some(check);
    const SAYS: &'static [&'static str] = &[
        "fit a curve to points",
        "nonlinear least squares",
        "estimate the parameters of an exponential decay",
        "fit a growth model to measurements",
        "levenberg marquardt",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A decay",
            r#"let rows = [[0.0, 10.0], [1.0, 6.1], [2.0, 3.7], [3.0, 2.2], [4.0, 1.4]] >> each { { t: it[0] ?? 0.0, n: it[1] ?? 0.0 } }
let found = rows >> adapt_stats.curve_fit(formula: "a * exp(-k * t)", x: "t", y: "n", start: { a: 5.0, k: 1.0 })
found.params >> each { "${.name}: ${round(.estimate, digits: 3)} ± ${round(.error, digits: 3)}" }"#,
            r#"["a: 10.006 ± 0.033","k: 0.498 ± 0.003"]"#,
        ),
        Example::err(
            "A name without a start",
            r#"[{ x: 1, y: 2 }] >> adapt_stats.curve_fit(formula: "a * x + b", x: "x", y: "y", start: { a: 1.0 })"#,
            "`b` is not a column of the table, and not a parameter in `start`",
        ),
    ];
}

fn check(call: &KnownCall<'_>) -> Foreseen {
    #[cfg(feature = "learn")]
    for param in ["formula", "y"] {
        call.test(param, |it: Text| parsed(param, &it))?;
    }
    check_columns(call, "rows", &["x"])
}

#[cfg(feature = "learn")]
fn parsed(param: &str, text: &str) -> Result<svc_learn::expr::Expression, OpError> {
    svc_learn::expr::Expression::parse(text).map_err(|it| super::input::in_param(param, it))
}

#[cfg(feature = "learn")]
impl Compute for Fit {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        use super::input::{Input, computed};
        use svc_learn::{curve, describe::squares};

        let (formula, y) = (parsed("formula", &self.formula)?, parsed("y", &self.y)?);
        let (names, start) = self.start()?;
        let input = Input::read(&self.rows, cx)?;
        if input.rows() > 100_000 {
            let message = format!("too many rows: {} (limit 100000)", input.rows());
            return Err(OpError::invalid_input(message).help("take a sample: `table.sample`"));
        }
        let columns = self.columns(&formula.names, &y.names, &names, &input)?;
        let given: Vec<&str> = columns.iter().map(String::as_str).collect();
        let data = input.complete_numbers(&given)?;
        let rows = data.first().map_or(0, Vec::len);
        let of_row = |row: usize| -> Result<f64, OpError> {
            let cells: Vec<f64> = y
                .names
                .iter()
                .map(|name| {
                    columns.iter().position(|it| it == name).map_or(0.0, |at| data[at][row])
                })
                .collect();
            let value = y.value(&cells);
            if value.is_finite() {
                return Ok(value);
            }
            let message = format!("`{}` is {value} in row {}", self.y, row + 1);
            Err(OpError::invalid_input(message).help("filter such rows"))
        };
        let y: Vec<f64> = (0..rows).map(of_row).collect::<Result<_, _>>()?;
        let place = |name: &String| match names.iter().position(|it| it == name) {
            Some(at) => curve::Name::Parameter(at),
            None => curve::Name::Column(columns.iter().position(|it| it == name).unwrap_or(0)),
        };
        let total = squares(&y);
        let problem = curve::Problem {
            names: formula.names.iter().map(place).collect(),
            curve: &formula,
            columns: data,
            y,
        };
        let found = computed(cx, |stop| curve::fit(&problem, &start, &names, stop))?;
        let param = |at: usize| CurveParam {
            name: names[at].as_str().into(),
            estimate: found.estimates[at],
            error: found.errors[at],
            low: found.intervals[at].0,
            high: found.intervals[at].1,
        };
        Ok(CurveFit {
            formula: self.formula.clone(),
            params: (0..names.len()).map(param).collect(),
            rss: found.rss,
            sigma: found.sigma,
            r2: (total > 0.0).then(|| 1.0 - found.rss / total),
            n: i64::try_from(rows).unwrap_or(i64::MAX),
            df: found.df,
            iterations: i64::try_from(found.iterations).unwrap_or(i64::MAX),
        }
        .encode())
    }
}

#[cfg(feature = "learn")]
impl Fit {
    fn start(&self) -> Result<(Vec<String>, Vec<f64>), OpError> {
        let mut all = (Vec::new(), Vec::new());
        for (name, value) in self.start.0.iter() {
            #[expect(clippy::cast_precision_loss, reason = "an int is a float in the language")]
            let number = match value {
                Value::Float(it) if it.is_finite() => *it,
                Value::Int(it) => *it as f64,
                other => {
                    let message =
                        format!("expected a number for `start.{name}`, found {}", other.kind());
                    return Err(OpError::invalid_input(message));
                }
            };
            all.0.push(name.to_string());
            all.1.push(number);
        }
        if all.0.is_empty() || all.0.len() > 50 {
            let found = all.0.len();
            let message = format!("expected 1 to 50 parameters in `start`, found {found}");
            return Err(OpError::invalid_input(message).help("write it as `start: { a: 1.0 }`"));
        }
        Ok(all)
    }

    /// The columns that the curve and y need.
    fn columns(
        &self,
        of_curve: &[String],
        of_y: &[String],
        params: &[String],
        input: &super::input::Input<'_>,
    ) -> Result<Vec<String>, OpError> {
        let mut columns: Vec<String> = Vec::new();
        for name in of_curve.iter().filter(|it| !params.contains(it)) {
            if !input.has(name) {
                let message = format!(
                    "`{name}` is not a column of the table, and not a parameter in `start`"
                );
                let known: Vec<&str> = input.names().take(20).collect();
                return Err(OpError::invalid_input(message).help(format!(
                    "add it to `start`, or use one of the columns: {}",
                    known.join(", ")
                )));
            }
            columns.push(name.clone());
        }
        if let Some(unused) = params.iter().find(|it| !of_curve.contains(it)) {
            let message = format!("the parameter `{unused}` does not occur in `formula`");
            return Err(OpError::invalid_input(message).help("leave it out of `start`"));
        }
        if !columns.iter().any(|it| **it == *self.x) {
            let message = format!("the column `{}` of `x` does not occur in `formula`", self.x);
            return Err(OpError::invalid_input(message).help("name the column of the axis"));
        }
        columns.extend(of_y.iter().filter(|it| !of_curve.contains(it)).cloned());
        Ok(columns)
    }
}

//! Linear models: least squares, and the binomial and the Poisson family by reweighted least squares.

use statrs::function::gamma::ln_gamma;

use crate::{Matrix, Stop, Trouble, describe::squares, dist, float, formula::Design};

/// The distribution of the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Any number; the mean is linear.
    Gaussian,
    /// 0 or 1, or a share; the logit of the mean is linear.
    Binomial,
    /// Counts; the logarithm of the mean is linear.
    Poisson,
}

/// A coefficient.
#[derive(Clone, Debug)]
pub struct Coefficient {
    pub name: String,
    pub estimate: f64,
    pub error: f64,
    /// t of the Gaussian family, z of the others.
    pub statistic: f64,
    pub p: f64,
    pub interval: (f64, f64),
}

/// A fitted model.
#[derive(Clone, Debug)]
pub struct Fit {
    pub coefficients: Vec<Coefficient>,
    pub n: usize,
    /// The degrees of freedom of the residuals.
    pub df: f64,
    /// The sum of squares, or the deviance.
    pub deviance: f64,
    /// That of a model with the intercept alone.
    pub null_deviance: f64,
    /// The share of the deviance that the model explains.
    pub r2: f64,
    pub adjusted_r2: Option<f64>,
    /// The F test of all coefficients but the intercept, and its p-value.
    pub f: Option<(f64, f64)>,
    /// The standard deviation of the residuals.
    pub sigma: Option<f64>,
    pub log_likelihood: f64,
    pub aic: f64,
    pub bic: f64,
    pub iterations: usize,
}

const MOST_ITERATIONS: usize = 100;

/// Fits a model.
///
/// # Errors
/// Too few rows, columns that depend on each other, a response that the family cannot have, or one that a
/// combination of the columns separates perfectly.
pub fn fit(
    design: &Design,
    family: Family,
    has_intercept: bool,
    stop: &Stop<'_>,
) -> Result<Fit, Trouble> {
    let (n, k) = (design.y.len(), design.x.width());
    if k == 0 {
        return Err(Trouble::new("the formula has no terms").help("write it as `y ~ x`"));
    }
    if n <= k {
        return Err(Trouble::new(format!(
            "expected more rows than coefficients: {n} rows, {k} coefficients"
        ))
        .help("add rows, or leave terms out"));
    }
    for (row, y) in design.y.iter().enumerate() {
        test_response(*y, row + 1, family)?;
    }
    match family {
        Family::Gaussian => least_squares(design, has_intercept),
        _ => reweighted(design, family, has_intercept, stop),
    }
}

fn test_response(y: f64, row: usize, family: Family) -> Result<(), Trouble> {
    let (is_wrong, wanted) = match family {
        Family::Gaussian => (false, ""),
        Family::Binomial => (!(0.0..=1.0).contains(&y), "0 or 1, or a share between them"),
        Family::Poisson => (y < 0.0 || y.fract() != 0.0, "a count from 0"),
    };
    if !is_wrong {
        return Ok(());
    }
    Err(Trouble::new(format!("expected {wanted} as the response, found {y} in row {row}"))
        .help("choose another `family`"))
}

/// Which column depends on those before it.
fn collinear(design: &Design, at: usize) -> Trouble {
    let name = &design.names[at];
    let message = if at == 0 {
        format!("column `{name}` is zero in all rows")
    } else {
        format!(
            "`{name}` is a combination of the terms before it: {}",
            design.names[..at].join(", ")
        )
    };
    Trouble::new(message).help(format!("leave `{name}` out of the formula"))
}

fn least_squares(design: &Design, has_intercept: bool) -> Result<Fit, Trouble> {
    let (n, k) = (float(design.y.len()), float(design.x.width()));
    let qr = design.x.qr().map_err(|at| collinear(design, at))?;
    let (estimates, residuals) = qr.refined(&design.x.columns, &design.y);
    let rss: f64 = residuals.iter().map(|it| it * it).sum();
    let total: f64 =
        if has_intercept { squares(&design.y) } else { design.y.iter().map(|it| it * it).sum() };
    if total == 0.0 {
        return Err(Trouble::new("the response is the same in all rows").help("check the column"));
    }
    let df = n - k;
    let variance = rss / df;
    let t = dist::t_quantile(0.975, df);
    let inverse = qr.inverse_of_square();
    let coefficients =
        design.names.iter().zip(&estimates).enumerate().map(|(at, (name, estimate))| {
            let error = (variance * inverse[at][at]).sqrt();
            Coefficient {
                name: name.clone(),
                estimate: *estimate,
                error,
                statistic: estimate / error,
                p: dist::t_two_sided(estimate / error, df),
                interval: (estimate - t * error, estimate + t * error),
            }
        });
    let of_intercept = if has_intercept { 1.0 } else { 0.0 };
    let explained = k - of_intercept;
    let f = (explained > 0.0).then(|| {
        let f = ((total - rss) / explained) / variance;
        (f, dist::f_above(f, explained, df))
    });
    let log_likelihood = -n / 2.0 * ((2.0 * std::f64::consts::PI * rss / n).ln() + 1.0);
    Ok(Fit {
        coefficients: coefficients.collect(),
        n: design.y.len(),
        df,
        deviance: rss,
        null_deviance: total,
        r2: 1.0 - rss / total,
        adjusted_r2: Some(1.0 - (rss / df) / (total / (n - of_intercept))),
        f,
        sigma: Some(variance.sqrt()),
        log_likelihood,
        aic: 2.0 * k - 2.0 * log_likelihood,
        bic: n.ln() * k - 2.0 * log_likelihood,
        iterations: 1,
    })
}

impl Family {
    fn mean(self, eta: f64) -> f64 {
        match self {
            Self::Gaussian => eta,
            Self::Binomial => 1.0 / (1.0 + (-eta).exp()),
            Self::Poisson => eta.exp(),
        }
    }

    /// The variance of the response, which is the derivative of the mean, too: the links are canonical.
    fn variance(self, mean: f64) -> f64 {
        match self {
            Self::Gaussian => 1.0,
            Self::Binomial => mean * (1.0 - mean),
            Self::Poisson => mean,
        }
    }

    fn deviance(self, y: f64, mean: f64) -> f64 {
        let part = |a: f64, b: f64| if a == 0.0 { 0.0 } else { a * (a / b).ln() };
        match self {
            Self::Gaussian => (y - mean) * (y - mean),
            Self::Binomial => 2.0 * (part(y, mean) + part(1.0 - y, 1.0 - mean)),
            Self::Poisson => 2.0 * (part(y, mean) - (y - mean)),
        }
    }

    fn log_likelihood(self, y: f64, mean: f64) -> f64 {
        let part = |a: f64, b: f64| if a == 0.0 { 0.0 } else { a * b.ln() };
        match self {
            Self::Gaussian => 0.0,
            Self::Binomial => part(y, mean) + part(1.0 - y, 1.0 - mean),
            Self::Poisson => part(y, mean) - mean - ln_gamma(y + 1.0),
        }
    }
}

/// From so far on, a fitted share is 0 or 1 in the precision of a float.
const FARTHEST: f64 = 30.0;

fn reweighted(
    design: &Design,
    family: Family,
    has_intercept: bool,
    stop: &Stop<'_>,
) -> Result<Fit, Trouble> {
    let n = design.y.len();
    let average = crate::describe::mean(&design.y);
    let is_constant = design.y.iter().all(|it| *it == design.y[0]);
    if is_constant {
        return Err(Trouble::new("the response is the same in all rows").help("check the column"));
    }
    design.x.qr().map_err(|at| collinear(design, at))?;
    let mut means: Vec<f64> = match family {
        Family::Binomial => design.y.iter().map(|it| f64::midpoint(*it, 0.5)).collect(),
        _ => design.y.iter().map(|it| f64::midpoint(*it, average)).collect(),
    };
    let link = |mean: f64| match family {
        Family::Binomial => (mean / (1.0 - mean)).ln(),
        _ => mean.ln(),
    };
    let mut eta: Vec<f64> = means.iter().map(|it| link(*it)).collect();
    let mut estimates = vec![0.0; design.x.width()];
    let mut iterations = 0;
    let qr = loop {
        stop.check()?;
        iterations += 1;
        let roots: Vec<f64> =
            means.iter().map(|it| family.variance(*it).max(1e-300).sqrt()).collect();
        let columns = &design.x.columns;
        let weighted = |it: &Vec<f64>| it.iter().zip(&roots).map(|(a, b)| a * b).collect();
        let x = Matrix::new(n, columns.iter().map(weighted).collect());
        let y: Vec<f64> =
            (0..n).map(|at| roots[at] * eta[at] + (design.y[at] - means[at]) / roots[at]).collect();
        let qr = x.qr().map_err(|_| separated(design, &estimates, family))?;
        let next = qr.solve(&y);
        let change = next.iter().zip(&estimates).map(|(a, b)| (a - b).abs() / (a.abs() + 1e-8));
        let change = change.fold(0.0, f64::max);
        estimates = next;
        eta = design.x.times(&estimates);
        if !eta.iter().all(|it| it.is_finite()) || iterations >= MOST_ITERATIONS {
            return Err(separated(design, &estimates, family));
        }
        let is_far = |it: &f64| match family {
            Family::Poisson => *it < -FARTHEST,
            _ => it.abs() > FARTHEST,
        };
        if change > 1e-6 && iterations > 8 && eta.iter().any(is_far) {
            return Err(separated(design, &estimates, family));
        }
        means = eta.iter().map(|it| family.mean(*it)).collect();
        if change < 1e-10 {
            break qr;
        }
    };
    let deviance: f64 = design.y.iter().zip(&means).map(|(y, m)| family.deviance(*y, *m)).sum();
    if deviance < 1e-8 * float(n) && family == Family::Binomial {
        return Err(separated(design, &estimates, family));
    }
    let null = if has_intercept { average } else { family.mean(0.0) };
    let null_deviance: f64 = design.y.iter().map(|y| family.deviance(*y, null)).sum();
    let log_likelihood: f64 =
        design.y.iter().zip(&means).map(|(y, m)| family.log_likelihood(*y, *m)).sum();
    let inverse = qr.inverse_of_square();
    let z = dist::normal_quantile(0.975);
    let coefficients =
        design.names.iter().zip(&estimates).enumerate().map(|(at, (name, estimate))| {
            let error = inverse[at][at].sqrt();
            Coefficient {
                name: name.clone(),
                estimate: *estimate,
                error,
                statistic: estimate / error,
                p: 2.0 * dist::normal_above((estimate / error).abs()),
                interval: (estimate - z * error, estimate + z * error),
            }
        });
    let k = float(estimates.len());
    Ok(Fit {
        coefficients: coefficients.collect(),
        n,
        df: float(n) - k,
        deviance,
        null_deviance,
        r2: 1.0 - deviance / null_deviance,
        adjusted_r2: None,
        f: None,
        sigma: None,
        log_likelihood,
        aic: 2.0 * k - 2.0 * log_likelihood,
        bic: float(n).ln() * k - 2.0 * log_likelihood,
        iterations,
    })
}

/// The estimates grow without end; the term with the largest part in that is named.
fn separated(design: &Design, estimates: &[f64], family: Family) -> Trouble {
    let reach = |at: usize| {
        let column = &design.x.columns[at];
        let (low, high) =
            column.iter().fold((f64::MAX, f64::MIN), |(a, b), it| (a.min(*it), b.max(*it)));
        (high - low) * estimates[at].abs()
    };
    let worst = (0..estimates.len()).max_by(|a, b| reach(*a).total_cmp(&reach(*b))).unwrap_or(0);
    let name = &design.names[worst];
    let message = match family {
        Family::Poisson => {
            format!(
                "the counts are 0 for some values of `{name}`, so that its coefficient has no finite estimate"
            )
        }
        _ => format!(
            "`{name}` separates the responses perfectly, so that its coefficient has no finite estimate"
        ),
    };
    Trouble::new(message).help(format!(
        "leave `{name}` out, join rare categories, or add rows in which the response varies"
    ))
}

//! Linear regression with a normal-inverse-gamma prior, in closed form.

use std::f64::consts::TAU;

use statrs::function::gamma::ln_gamma;
use svc_contract::{
    registry::{Cx, OpError},
    value::{Text, Value},
};

use super::{
    conjugate::{IMPROPER, length},
    input::{Object, invalid, list, number},
    made::Evidence,
    result::{Estimate, Inference},
    special::{Gamma, InverseGamma, StudentT},
};

const MOST_COLUMNS: usize = 200;
const MOST_CELLS: usize = 5_000_000;

/// The rows, with a column of ones first if there is an intercept, and the target last.
struct Data {
    names: Vec<Text>,
    rows: Vec<Vec<f64>>,
}

impl Data {
    fn read(data: &Value, cx: &Cx) -> Result<Self, OpError> {
        let object = Object::new(data, "data", &["rows", "target", "intercept"])?;
        let target = object.need("target")?.as_str();
        let target =
            target.ok_or_else(|| invalid("expected the name of a column for `data.target`"))?;
        let has_intercept = match object.get("intercept") {
            None | Some(Value::Bool(true)) => true,
            Some(Value::Bool(false)) => false,
            Some(other) => {
                let kind = other.kind();
                let message = format!("expected true or false for `data.intercept`, found {kind}");
                return Err(invalid(message));
            }
        };
        let rows = list(object.need("rows")?, "data.rows")?;
        let first = rows.first().ok_or_else(|| invalid("`data.rows` is empty"))?;
        let first = Object::new(first, "data.rows[0]", &[])?;
        let mut names: Vec<Text> = first.iter().map(|it| it.0.clone()).collect();
        if !names.iter().any(|it| it.as_ref() == target) {
            let all: Vec<&str> = names.iter().take(20).map(AsRef::as_ref).collect();
            let message = format!("missing column `{target}` in `data.rows`");
            return Err(invalid(message).help(format!("use one of: {}", all.join(", "))));
        }
        names.retain(|it| it.as_ref() != target);
        names.sort();
        if has_intercept {
            names.insert(0, "intercept".into());
        }
        if names.is_empty() || names.len() > MOST_COLUMNS || names.len() * rows.len() > MOST_CELLS {
            let message =
                format!("`data.rows` has {} rows and {} columns", rows.len(), names.len());
            let help = format!("use 1 to {MOST_COLUMNS} columns, and at most {MOST_CELLS} cells");
            return Err(invalid(message).help(help));
        }
        let mut read = Vec::with_capacity(rows.len());
        for (idx, row) in rows.iter().enumerate() {
            cx.check()?;
            let place = format!("data.rows[{idx}]");
            let row = Object::new(row, &place, &[])?;
            let cell = |name: &str| number(row.need(name)?, &format!("{place}.{name}"));
            let mut cells = Vec::with_capacity(names.len() + 1);
            for (at, name) in names.iter().enumerate() {
                cells.push(if at == 0 && has_intercept { 1.0 } else { cell(name)? });
            }
            cells.push(cell(target)?);
            read.push(cells);
        }
        // Sums over the rows do not depend on the order in which they came.
        let order = |a: &f64, b: &f64| a.total_cmp(b);
        read.sort_by(|a: &Vec<f64>, b| {
            let differing = a.iter().zip(b).map(|(a, b)| order(a, b)).find(|it| it.is_ne());
            differing.unwrap_or(std::cmp::Ordering::Equal)
        });
        Ok(Self { names, rows: read })
    }
}

/// The prior: each coefficient is 0, give or take, with this precision in units of the variance.
struct Prior {
    precision: f64,
    shape: f64,
    rate: f64,
}

impl Prior {
    fn read(prior: Option<&Value>) -> Result<Self, OpError> {
        let Some(prior) = prior else { return Ok(Self { precision: 0.0, shape: 0.0, rate: 0.0 }) };
        let object = Object::new(prior, "prior", &["precision", "shape", "rate"])?;
        Ok(Self {
            precision: object.positive("precision", 1e-9)?.unwrap_or(0.0),
            shape: object.positive("shape", 0.01)?.unwrap_or(0.0),
            rate: object.positive("rate", 1e-9)?.unwrap_or(0.0),
        })
    }

    fn is_proper(&self) -> bool {
        self.precision > 0.0 && self.shape > 0.0 && self.rate > 0.0
    }
}

pub(super) fn linear(data: &Value, prior: Option<&Value>, cx: &Cx) -> Result<Inference, OpError> {
    let data = Data::read(data, cx)?;
    let prior = Prior::read(prior)?;
    let width = data.names.len();
    let n = length(&data.rows);
    let mut rows = data.rows;
    if prior.precision > 0.0 {
        for at in 0..width {
            let mut row = vec![0.0; width + 1];
            row[at] = prior.precision.sqrt();
            rows.push(row);
        }
    }
    let free = if prior.precision > 0.0 { 0.0 } else { length(&data.names) };
    let shape = prior.shape + 0.5 * (n - free);
    if rows.len() < width || shape <= 0.0 {
        let message = format!("expected more than {width} rows in `data.rows`, found {n}");
        let help = "add rows, or a prior: `{ precision: 1, shape: 1, rate: 1 }`";
        return Err(invalid(message).help(help));
    }
    let total: f64 = rows.iter().map(|it| it[width] * it[width]).sum();
    let squares = triangle(&mut rows, width, &data.names, cx)?;
    let rate = prior.rate + 0.5 * squares;
    if prior.rate == 0.0 && squares <= 1e-24 * total {
        let message = "the columns determine the target exactly, so no variance is left";
        return Err(invalid(message).help("pass a prior with `rate`"));
    }
    let inverse = inverse(&rows, width);
    let mut posterior = Vec::with_capacity(width + 1);
    for (at, name) in data.names.iter().enumerate() {
        let place = (at..width).map(|it| inverse[at][it] * rows[it][width]).sum();
        let spread: f64 = inverse[at].iter().map(|it| it * it).sum();
        let scale = (rate / shape * spread).sqrt();
        posterior.push((name.clone(), Estimate::of(&StudentT { df: 2.0 * shape, place, scale })));
    }
    posterior.push(("variance".into(), Estimate::of(&InverseGamma(Gamma { shape, rate }))));
    let evidence: Evidence = if prior.is_proper() {
        let determinant: f64 = (0..width).map(|it| rows[it][it].abs().ln()).sum();
        let width = length(&data.names);
        Ok(ln_gamma(shape) - ln_gamma(prior.shape) + prior.shape * prior.rate.ln()
            - shape * rate.ln()
            + 0.5 * width * prior.precision.ln()
            - determinant
            - 0.5 * n * TAU.ln())
    } else {
        Err(IMPROPER)
    };
    Inference::new("linear", n, posterior, evidence).checked()
}

/// Makes the first rows a triangle, by Householder's reflections; returns the sum of squares of what
/// the columns do not explain.
fn triangle(rows: &mut [Vec<f64>], width: usize, names: &[Text], cx: &Cx) -> Result<f64, OpError> {
    let norm = |rows: &[Vec<f64>], at: usize| rows.iter().map(|it| it[at] * it[at]).sum::<f64>();
    let sizes: Vec<f64> = (0..width).map(|at| norm(rows, at).sqrt()).collect();
    for at in 0..width {
        cx.check()?;
        let size = norm(&rows[at..], at).sqrt();
        if size <= 1e-11 * sizes[at] || size == 0.0 {
            let message = format!("column `{}` follows from the columns before it", names[at]);
            return Err(invalid(message).help("leave it out, or pass a prior with `precision`"));
        }
        let corner = if rows[at][at] > 0.0 { -size } else { size };
        let mut reflected: Vec<f64> = rows[at..].iter().map(|it| it[at]).collect();
        reflected[0] -= corner;
        let square: f64 = reflected.iter().map(|it| it * it).sum();
        for column in at..=width {
            let both = rows[at..].iter().zip(&reflected);
            let product: f64 = both.map(|(row, it)| row[column] * it).sum();
            let share = 2.0 * product / square;
            for (row, it) in rows[at..].iter_mut().zip(&reflected) {
                row[column] -= share * it;
            }
        }
    }
    Ok(norm(&rows[width..], width))
}

/// The inverse of the triangle in the first rows.
fn inverse(rows: &[Vec<f64>], width: usize) -> Vec<Vec<f64>> {
    let mut inverse = vec![vec![0.0; width]; width];
    for column in 0..width {
        inverse[column][column] = 1.0 / rows[column][column];
        for at in (0..column).rev() {
            let known: f64 = (at + 1..=column).map(|it| rows[at][it] * inverse[it][column]).sum();
            inverse[at][column] = -known / rows[at][at];
        }
    }
    inverse
}

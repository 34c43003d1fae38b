//! Posteriors in closed form: rates, counts, and numbers with a normal distribution.

use std::f64::consts::TAU;

use statrs::function::gamma::ln_gamma;
use svc_contract::{registry::OpError, value::Value};

use super::{
    input::{Object, Trials, counts, invalid, numbers},
    made::Evidence,
    result::{Estimate, Inference},
    special::{Beta, Gamma, InverseGamma, StudentT, ln_beta},
};

pub(super) const IMPROPER: &str =
    "the prior is not a distribution; pass one as `prior` to compare models";

/// The prior of a rate: uniform, unless given.
pub(super) fn beta_prior(prior: Option<&Value>) -> Result<Beta, OpError> {
    let Some(prior) = prior else { return Ok(Beta { a: 1.0, b: 1.0 }) };
    let object = Object::new(prior, "prior", &["alpha", "beta"])?;
    let a = object.positive("alpha", 0.01)?.unwrap_or(1.0);
    let b = object.positive("beta", 0.01)?.unwrap_or(1.0);
    Ok(Beta { a, b })
}

impl Beta {
    pub(super) fn after(self, seen: Trials) -> Self {
        Self { a: self.a + seen.successes, b: self.b + (seen.trials - seen.successes) }
    }

    /// The logarithm of the probability of these successes and failures, in their order.
    pub(super) fn evidence(self, seen: Trials) -> f64 {
        let after = self.after(seen);
        ln_beta(after.a, after.b) - ln_beta(self.a, self.b)
    }
}

pub(super) fn beta_binomial(data: &Value, prior: Option<&Value>) -> Result<Inference, OpError> {
    let seen = Trials::read(data, "data")?;
    let prior = beta_prior(prior)?;
    let rate = Estimate::of(&prior.after(seen));
    let evidence = Ok(prior.evidence(seen));
    Inference::new("beta_binomial", seen.trials, vec![("rate".into(), rate)], evidence).checked()
}

/// Counts per unit of exposure. The prior without a given one is that of Jeffreys.
pub(super) fn poisson_gamma(data: &Value, prior: Option<&Value>) -> Result<Inference, OpError> {
    let (mut shape, mut rate) = (0.5, 0.0);
    if let Some(prior) = prior {
        let object = Object::new(prior, "prior", &["shape", "rate"])?;
        shape = object.positive("shape", 0.01)?.unwrap_or(0.5);
        rate = object.positive("rate", 1e-9)?.unwrap_or(0.0);
    }
    // The factorials of single counts are a part of the evidence, and are unknown for a sum.
    let (events, exposure, factorials) = if data.as_list().is_some() {
        let counts = counts(data, "data")?;
        let factorials = counts.iter().map(|it| ln_gamma(it + 1.0)).sum();
        (counts.iter().sum(), length(&counts), factorials)
    } else {
        let object = Object::new(data, "data", &["events", "exposure"])?;
        let (events, exposure) = (object.count("events")?, object.positive("exposure", 1e-9)?);
        let exposure = exposure.ok_or_else(|| invalid("missing field `exposure` in `data`"))?;
        (events, exposure, ln_gamma(events + 1.0) - events * exposure.ln())
    };
    if rate + exposure <= 0.0 {
        return Err(invalid("`data` is empty, and without a prior nothing is known")
            .help("add counts, or a prior: `{ shape: 1, rate: 1 }`"));
    }
    let after = Gamma { shape: shape + events, rate: rate + exposure };
    let evidence: Evidence = if rate > 0.0 {
        Ok(ln_gamma(after.shape) - ln_gamma(shape) + shape * rate.ln()
            - after.shape * after.rate.ln()
            - factorials)
    } else {
        Err(IMPROPER)
    };
    let rate = Estimate::of(&after);
    Inference::new("poisson_gamma", exposure, vec![("rate".into(), rate)], evidence).checked()
}

/// A normal distribution of unknown mean and variance: normal-inverse-gamma.
#[derive(Clone, Copy, Debug)]
pub(super) struct Normal {
    pub mean: f64,
    /// The number of observations that the knowledge about the mean is worth.
    pub weight: f64,
    pub shape: f64,
    pub rate: f64,
}

impl Normal {
    /// The prior that says nothing, or the given one.
    pub(super) fn prior(prior: Option<&Value>) -> Result<Self, OpError> {
        let nothing = Self { mean: 0.0, weight: 0.0, shape: -0.5, rate: 0.0 };
        let Some(prior) = prior else { return Ok(nothing) };
        let object = Object::new(prior, "prior", &["mean", "weight", "shape", "rate"])?;
        Ok(Self {
            mean: object.number("mean")?.unwrap_or(0.0),
            weight: object.positive("weight", 1e-9)?.unwrap_or(1.0),
            shape: object.positive("shape", 0.01)?.unwrap_or(1.0),
            rate: object.positive("rate", 1e-9)?.unwrap_or(1.0),
        })
    }

    fn is_proper(&self) -> bool {
        self.weight > 0.0 && self.shape > 0.0 && self.rate > 0.0
    }

    /// After numbers in order.
    pub(super) fn after(self, seen: &[f64], place: &str) -> Result<Self, OpError> {
        let n = length(seen);
        if seen.is_empty() && self.is_proper() {
            return Ok(self);
        }
        let mean = if seen.is_empty() { 0.0 } else { seen.iter().sum::<f64>() / n };
        // The second sum corrects the rounding of the mean.
        let off: f64 = seen.iter().map(|it| it - mean).sum();
        let squares: f64 = seen.iter().map(|it| (it - mean) * (it - mean)).sum();
        // They are in order, so that these are all.
        let is_constant = seen.first() == seen.last();
        let squares = if is_constant { 0.0 } else { squares - off * off / n };
        let weight = self.weight + n;
        let away = mean - self.mean;
        let after = Self {
            mean: if self.weight > 0.0 { self.mean + n * away / weight } else { mean },
            weight,
            shape: self.shape + 0.5 * n,
            rate: self.rate + 0.5 * (squares + self.weight * n * away * away / weight),
        };
        if after.shape <= 0.0 || after.rate <= 0.0 {
            let found = if seen.len() < 2 { "fewer" } else { "equal numbers" };
            let message =
                format!("expected at least two different numbers for `{place}`, found {found}");
            let help = "add data, or a prior: `{ mean: 0, weight: 1, shape: 1, rate: 1 }`";
            return Err(invalid(message).help(help));
        }
        Ok(after)
    }

    pub(super) fn of_mean(&self) -> StudentT {
        let scale = (self.rate / (self.shape * self.weight)).sqrt();
        StudentT { df: 2.0 * self.shape, place: self.mean, scale }
    }

    pub(super) fn of_variance(&self) -> InverseGamma {
        InverseGamma(Gamma { shape: self.shape, rate: self.rate })
    }

    pub(super) fn evidence(&self, after: &Self, n: f64) -> Evidence {
        if !self.is_proper() {
            return Err(IMPROPER);
        }
        Ok(ln_gamma(after.shape) - ln_gamma(self.shape) + self.shape * self.rate.ln()
            - after.shape * after.rate.ln()
            + 0.5 * (self.weight / after.weight).ln()
            - 0.5 * n * TAU.ln())
    }
}

pub(super) fn normal(data: &Value, prior: Option<&Value>) -> Result<Inference, OpError> {
    let seen = numbers(data, "data")?;
    let prior = Normal::prior(prior)?;
    let after = prior.after(&seen, "data")?;
    let posterior = vec![
        ("mean".into(), Estimate::of(&after.of_mean())),
        ("variance".into(), Estimate::of(&after.of_variance())),
    ];
    let n = length(&seen);
    Inference::new("normal", n, posterior, prior.evidence(&after, n)).checked()
}

#[expect(clippy::cast_precision_loss, reason = "there are at most a million numbers")]
pub(super) fn length<T>(list: &[T]) -> f64 {
    list.len() as f64
}

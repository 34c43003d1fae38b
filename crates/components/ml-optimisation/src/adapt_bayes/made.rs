//! Makes estimates and posteriors.

use svc_contract::{registry::OpError, value::Text};

use super::{
    result::{Estimate, Inference, Named},
    special::Continuous,
};

impl Estimate {
    pub(super) fn of(it: &impl Continuous) -> Self {
        Self { mean: it.mean(), sd: it.sd(), ci95: it.interval().to_vec() }
    }

    fn is_finite(&self) -> bool {
        self.ci95.iter().chain(&self.mean).chain(&self.sd).all(|it| it.is_finite())
    }
}

/// A logarithm of a marginal likelihood, or why there is none.
pub(super) type Evidence = Result<f64, &'static str>;

impl Inference {
    pub(super) fn new(
        model: &str,
        n: f64,
        posterior: Vec<(Text, Estimate)>,
        evidence: Evidence,
    ) -> Self {
        let (evidence, why) = match evidence {
            Ok(it) => (Some(it), None),
            Err(why) => (None, Some(why.into())),
        };
        let posterior = Named(posterior);
        Self {
            model: model.into(),
            method: "closed form".into(),
            n,
            posterior,
            evidence,
            no_evidence: why,
            decision: None,
            marginals: Named(Vec::new()),
        }
    }

    /// Numbers that are too large for a computation are an error, not a result.
    pub(super) fn checked(self) -> Result<Self, OpError> {
        let is_finite = self.posterior.0.iter().all(|it| it.1.is_finite())
            && self.evidence.is_none_or(f64::is_finite);
        if is_finite {
            return Ok(self);
        }
        let message = "the numbers differ too much in size: the posterior is not a finite number";
        Err(OpError::invalid_input(message).help("use other units, so that the numbers are near 1"))
    }
}

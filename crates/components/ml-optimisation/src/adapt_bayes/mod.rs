//! Posteriors of standard models, decisions between variants, and networks of discrete variables.

#[cfg(feature = "learn")]
mod ab_test;
#[cfg(feature = "learn")]
mod conjugate;
#[cfg(feature = "learn")]
mod input;
#[cfg(feature = "learn")]
mod linear;
#[cfg(feature = "learn")]
mod made;
#[cfg(feature = "learn")]
mod network;
#[cfg(feature = "learn")]
mod quadrature;
mod result;
#[cfg(feature = "learn")]
mod special;
#[cfg(all(test, feature = "learn"))]
mod tests;

use svc_contract::registry::{
    Bias, Component, Example, Field, Op, Scheme, Tool, Var, choices, needs, params,
};
#[cfg(feature = "learn")]
use svc_contract::{
    registry::{Compute, Cx, OpError},
    value::Value,
};

use result::Inference;

pub(super) const COMPONENT: Component = Component {
    name: "adapt_bayes",
    cluster: "ml-optimisation",
    summary: "Says what data show, and how sure that is: rates, means, regressions, A/B tests, networks.",
    version: 1,
    bias: Bias::new(
        "exact posteriors: conjugate priors, quadrature, elimination of variables",
        &[
            "observations are independent",
            "numbers and what a regression leaves over have a normal distribution",
            "the structure of a network is given",
        ],
    ),
    aliases: &[],
    ops: &[needs!("learn", compute::<Infer>())],
};

choices! {
    /// A model of data.
    enum Kind {
        BetaBinomial = "beta_binomial",
        PoissonGamma = "poisson_gamma",
        Normal = "normal",
        AbTest = "ab_test",
        Linear = "linear",
        Network = "network",
    }
}

params! {
    /// Says what data show about the parameters of a model, and how sure that is.
    ///
    /// For each parameter the result has the mean, the standard deviation, and the interval in which it lies with a
    /// probability of 95 %. `evidence` is the logarithm of the marginal likelihood, for comparing models of
    /// the same data; without a prior that is a distribution there is none, and `no_evidence` says so.
    ///
    /// `beta_binomial`: a rate. Data: `{ successes, trials }`, or a list of booleans. Prior: `{ alpha, beta }`, both 1.
    ///
    /// `poisson_gamma`: events per unit. Data: a list of counts, or `{ events, exposure }`. Prior:
    /// `{ shape, rate }`, by default that of Jeffreys.
    ///
    /// `normal`: mean and variance of a list of numbers. Prior: `{ mean, weight, shape, rate }`, normal-inverse-gamma,
    /// where `weight` counts observations; by default the reference prior.
    ///
    /// `ab_test`: which of 2 to 20 variants is the best. Data: `{ a: { successes, trials }, b: .. }`, or
    /// `{ a: { values: [..] }, .. }`; the first variant is the control. The prior of each is that of `beta_binomial` or `normal`.
    /// `decision` has the probability of being best, of being better than the control, the expected
    /// loss of a choice, and the difference and the lift with their intervals.
    ///
    /// `linear`: a linear regression. Data: `{ rows: [{ x: 1, y: 2 }], target: "y", intercept: true }`. Prior:
    /// `{ precision, shape, rate }`: coefficients are 0 with this precision, in units of the variance; by default flat.
    ///
    /// `network`: discrete variables. Data: `{ variables: { rain: { states: ["yes", "no"], parents: [], table: [0.2, 0.8] } }, evidence: { wet: "yes" }, query: ["rain"] }`.
    /// A table has one row for each combination of states of the parents, of which the last changes first. It is exact, unless a table on the way had more
    /// than 4 million numbers: then `method` is `sampling`, and `samples` are drawn with `seed`.
    ///
    /// The order of observations does not matter. At most a million numbers.
    struct Infer {
        /// The data; their form depends on the model.
        data: Var<'D'>,
        /// The model.
        model: Kind,
        /// What was known before; its form depends on the model.
        prior: Option<Var<'P'>> = None,
        /// How many states of a network are drawn if it is too large to be computed exactly.
        #[range(100..=100_000)]
        samples: i64 = 4_000,
        /// What is drawn follows from it.
        seed: i64 = 1,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Inference::SCHEME;
    const TOOL: Option<Tool> = Some(Tool::free("run_bayesian"));
    const SAYS: &'static [&'static str] = &[
        "which variant of an a/b test is better",
        "how sure is this conversion rate",
        "bayesian inference",
        "credible interval of a mean",
        "update a prior with data",
        "posterior distribution of a rate",
        "bayesian linear regression",
        "probability of a cause given symptoms in a bayesian network",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A rate, from nothing but a uniform prior",
            r#"let found = { successes: 7, trials: 8 } >> adapt_bayes(model: "beta_binomial")
found.posterior["rate"]?.mean"#,
            "0.8",
        ),
        Example::ok(
            "Which variant to choose",
            r#"let found = { a: { successes: 40, trials: 400 }, b: { successes: 60, trials: 400 } } >> adapt_bayes(model: "ab_test")
found.decision?.choose"#,
            r#""b""#,
        ),
        Example::ok(
            "Rain or the sprinkler, if the grass is wet",
            r#"let variables = {
  rain: { states: ["yes", "no"], parents: [], table: [[0.2, 0.8]] },
  sprinkler: { states: ["yes", "no"], parents: ["rain"], table: [[0.01, 0.99], [0.4, 0.6]] },
  wet: { states: ["yes", "no"], parents: ["sprinkler", "rain"], table: [[0.99, 0.01], [0.9, 0.1], [0.8, 0.2], [0.0, 1.0]] },
}
let found = { variables: variables, evidence: { wet: "yes" } } >> adapt_bayes(model: "network")
[found.marginals["rain"]] >> compact >> each { round(it["yes"] ?? 0.0, digits: 4) }"#,
            "[0.3577]",
        ),
        Example::err(
            "More successes than trials",
            r#"{ successes: 7, trials: 5 } >> adapt_bayes(model: "beta_binomial")"#,
            "`data` has 7 successes in 5 trials",
        ),
        Example::err(
            "A single number says nothing about a variance",
            r#"[3.5] >> adapt_bayes(model: "normal")"#,
            "expected at least two different numbers for `data`",
        ),
    ];
}

#[cfg(feature = "learn")]
impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let (data, prior) = (&self.data.0, self.prior.as_ref().map(|it| &it.0));
        let found = match self.model {
            Kind::BetaBinomial => conjugate::beta_binomial(data, prior)?,
            Kind::PoissonGamma => conjugate::poisson_gamma(data, prior)?,
            Kind::Normal => conjugate::normal(data, prior)?,
            Kind::AbTest => ab_test::ab_test(data, prior, cx)?,
            Kind::Linear => linear::linear(data, prior, cx)?,
            Kind::Network if prior.is_some() => {
                let message = "a network has no `prior`: its tables are the prior";
                return Err(OpError::invalid_input(message));
            }
            Kind::Network => {
                let samples = usize::try_from(self.samples).unwrap_or(1);
                network::Network::read(data)?.infer(samples, self.seed.cast_unsigned(), cx)?
            }
        };
        Ok(found.encode())
    }
}

//! How many observations a test needs.

use svc_contract::registry::{Example, Field as _, Op, Scheme, Tool, choices, params, record};
#[cfg(feature = "learn")]
use svc_contract::{
    registry::{Compute, Cx, OpError},
    value::Value,
};

choices! {
    /// A test whose power is known.
    enum Of {
        T = "t",
        OneSample = "one_sample",
        Paired = "paired",
        Anova = "anova",
        Proportions = "proportions",
        Correlation = "correlation",
        Chi2 = "chi2",
    }
}

record! {
    /// A number of observations, if it is given.
    struct Planned {
        /// The number of observations; without it, the least one with the wanted power is looked for.
        n: Option<i64>,
    }
}

record! {
    /// The size of a study.
    struct SampleSize {
        /// The number of observations: in each group for `t`, `anova` and `proportions`, of all otherwise.
        n: i64,
        /// The probability that the test finds the effect.
        power: f64,
    }
}

params! {
    /// Says how many observations a test needs to find an effect, or how probable it is to find it with a given number.
    ///
    /// `{ n: null } >> adapt_stats.power(..)` looks for the least `n` with `power`; `{ n: 50 } >> ..` computes the power of 50. The effect is that of Cohen: d for `t` (two groups),
    /// `one_sample` and `paired`; f for `anova`; h for `proportions` (the difference of `2 * asin(sqrt(p))`); r for `correlation`; w for `chi2`. Tests are two-sided. The powers of t, F and chi-squared tests are exact, those of
    /// proportions and correlations those of the normal approximation.
    pub(super) struct OfStudy {
        /// `{ n: null }`, or `{ n: 50 }`.
        plan: Planned,
        /// The test.
        test: Of,
        /// The size of the effect.
        #[range(0.000_1..=100.0)]
        effect: f64,
        /// The probability with which the effect is to be found.
        #[range(0.5..=0.999)]
        power: f64 = 0.8,
        /// The probability of finding an effect where there is none.
        #[range(0.0001..=0.5)]
        alpha: f64 = 0.05,
        /// The number of groups of `anova`, or one more than the degrees of freedom of `chi2`.
        #[range(2..=1_000)]
        groups: i64 = 2,
    }
}

impl Op for OfStudy {
    const NAME: &'static str = "power";
    const YIELDS: Scheme = SampleSize::SCHEME;
    const TOOL: Option<Tool> = Some(Tool::builder("compute_sample_size"));
    const SAYS: &'static [&'static str] = &[
        "how many observations does a study need",
        "sample size for a t test",
        "statistical power of an experiment",
        "how large must a sample be to find an effect",
        "power analysis",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The classical one",
            "let found = { n: null } >> adapt_stats.power(test: \"t\", effect: 0.5)\nfound.n",
            "64",
        ),
        Example::ok(
            "What 30 a group can find",
            r#"let found = { n: 30 } >> adapt_stats.power(test: "t", effect: 0.5)
round(found.power, digits: 4)"#,
            "0.4779",
        ),
        Example::err(
            "A correlation above 1",
            r#"{ n: null } >> adapt_stats.power(test: "correlation", effect: 1.5)"#,
            "expected an effect below 1 for a correlation",
        ),
    ];
}

#[cfg(feature = "learn")]
impl Compute for OfStudy {
    #[expect(clippy::cast_precision_loss, reason = "at most 1000 groups")]
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        use svc_learn::power::Test;
        let groups = self.groups as f64;
        let test = match self.test {
            Of::T => Test::TwoSamples,
            Of::OneSample | Of::Paired => Test::OneSample,
            Of::Anova => Test::Anova { groups },
            Of::Proportions => Test::Proportions,
            Of::Correlation => Test::Correlation,
            Of::Chi2 => Test::Chi2 { df: groups - 1.0 },
        };
        if test == Test::Correlation && self.effect >= 1.0 {
            let message =
                format!("expected an effect below 1 for a correlation, found {}", self.effect);
            return Err(OpError::invalid_input(message));
        }
        let n = match self.plan.n {
            None => test
                .needed(self.effect, self.power, self.alpha)
                .map_err(|it| super::input::wrong(it, cx))?,
            Some(n) => {
                let least = test.least();
                let is_right =
                    usize::try_from(n).ok().filter(|it| (least..=1_000_000_000).contains(it));
                is_right.ok_or_else(|| {
                    let message = format!("expected {least} to 1000000000 for `n`, found {n}");
                    OpError::invalid_input(message)
                })?
            }
        };
        let power = test.power(self.effect, n, self.alpha);
        Ok(SampleSize { n: i64::try_from(n).unwrap_or(i64::MAX), power }.encode())
    }
}

//! The effects of several studies as one.

use svc_contract::{
    registry::{AnyRows, Example, Field as _, Op, Scheme, choices, params, record},
    value::Text,
};
#[cfg(feature = "learn")]
use svc_contract::{
    registry::{Compute, Cx, OpError},
    value::Value,
};

choices! {
    /// Whether effects vary between studies.
    enum Model {
        Fixed = "fixed",
        Random = "random",
    }
}

choices! {
    /// How the variance between studies is estimated.
    enum Between {
        Reml = "reml",
        DerSimonianLaird = "dl",
    }
}

record! {
    /// A study with its weight.
    struct Study {
        /// Its effect.
        effect: f64,
        /// Its standard error.
        error: f64,
        /// Its share of the pooled effect.
        weight: f64,
    }
}

record! {
    /// The effect of all studies.
    struct Meta {
        /// The model.
        model: Model,
        /// The pooled effect.
        estimate: f64,
        /// Its standard error.
        error: f64,
        /// The lower end of its interval of 95 %.
        low: f64,
        /// The upper end of its interval of 95 %.
        high: f64,
        /// `estimate / error`.
        z: f64,
        /// The p-value of the effect being 0.
        p: f64,
        /// Cochran's Q, for whether the studies have the same effect.
        q: f64,
        /// The degrees of freedom of Q.
        q_df: f64,
        /// The p-value of Q.
        q_p: f64,
        /// The share of the variance that is between studies, from 0 to 1.
        i2: f64,
        /// The variance between studies.
        tau2: f64,
        /// The lower end of the interval in which the effect of a new study lies; null without a random model of three studies or more.
        new_low: Option<f64>,
        /// The upper end of that interval.
        new_high: Option<f64>,
        /// The studies, in the order of the rows.
        studies: Vec<Study>,
    }
}

params! {
    /// Pools the effects of several studies, weighted by their standard errors.
    ///
    /// `fixed` assumes one effect. `random` lets effects vary between studies: the variance is the one with the largest restricted
    /// likelihood (`reml`), or that of DerSimonian and Laird (`dl`). Intervals are those of the normal distribution; that for a new
    /// study is of t with two degrees of freedom less than studies. Ratios go in as logarithms. At least two rows.
    pub(super) struct Pool {
        /// The studies: a list of records.
        rows: AnyRows,
        /// The column of the effects.
        effect: Text,
        /// The column of their standard errors.
        error: Text,
        /// Whether effects vary between studies.
        model: Model = Model::Random,
        /// How the variance between studies is estimated.
        between: Between = Between::Reml,
    }
}

impl Op for Pool {
    const NAME: &'static str = "meta_analysis";
    const YIELDS: Scheme = Meta::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "pool the effects of several studies",
        "meta analysis with random effects",
        "combine results of trials",
        "heterogeneity between studies",
        "weighted average of published effects",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Three trials",
            r#"let found = [{ d: 0.3, se: 0.1 }, { d: 0.5, se: 0.2 }, { d: 0.1, se: 0.15 }] >> adapt_stats.meta_analysis(effect: "d", error: "se", model: "fixed")
[round(found.estimate, digits: 4), round(found.p, digits: 5)]"#,
            "[0.277,0.00031]",
        ),
        Example::err(
            "An error that is zero",
            r#"[{ d: 0.3, se: 0.1 }, { d: 0.5, se: 0.0 }] >> adapt_stats.meta_analysis(effect: "d", error: "se")"#,
            "expected a standard error above 0 in row 2, found 0",
        ),
    ];
}

#[cfg(feature = "learn")]
impl Compute for Pool {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        use super::input::{Input, computed};
        use svc_learn::meta;

        let input = Input::read(&self.rows, cx)?;
        let data = input.complete_numbers(&[&self.effect, &self.error])?;
        let (effects, errors) = (&data[0], &data[1]);
        if effects.len() > 10_000 {
            let message = format!("too many studies: {} (limit 10000)", effects.len());
            return Err(OpError::invalid_input(message));
        }
        let model = match (self.model, self.between) {
            (Model::Fixed, _) => meta::Model::Fixed,
            (Model::Random, Between::Reml) => meta::Model::Reml,
            (Model::Random, Between::DerSimonianLaird) => meta::Model::DerSimonianLaird,
        };
        let found = computed(cx, |_| meta::pool(effects, errors, model))?;
        let studies = effects.iter().zip(errors).zip(&found.weights);
        let (new_low, new_high) = found.prediction.unzip();
        Ok(Meta {
            model: self.model,
            estimate: found.estimate,
            error: found.error,
            low: found.interval.0,
            high: found.interval.1,
            z: found.z,
            p: found.p,
            q: found.q.0,
            q_df: found.q.1,
            q_p: found.q.2,
            i2: found.i2,
            tau2: found.tau2,
            new_low,
            new_high,
            studies: studies
                .map(|((effect, error), weight)| Study {
                    effect: *effect,
                    error: *error,
                    weight: *weight,
                })
                .collect(),
        }
        .encode())
    }
}

//! What an inference returns.

use svc_contract::{
    registry::{Field, Scheme, record},
    value::{Text, Value},
};

record! {
    /// What is known about a number.
    pub(super) struct Estimate {
        /// Its expected value; null if it is infinite.
        mean: Option<f64>,
        /// Its standard deviation; null if it is infinite.
        sd: Option<f64>,
        /// The two ends between which it lies with a probability of 95 %; it is below and above
        /// with 2.5 % each.
        ci95: Vec<f64>,
    }
}

record! {
    /// What is known after the data were seen.
    pub(super) struct Inference {
        /// The model.
        model: Text,
        /// How it was computed: `closed form`, `quadrature`, `elimination` or `sampling`.
        method: Text,
        /// The number of observations.
        n: f64,
        /// What is known about each parameter.
        posterior: Named<Estimate>,
        /// The logarithm of the probability of the data before they were seen (the marginal
        /// likelihood); null if it is not defined.
        evidence: Option<f64>,
        /// Why `evidence` is null.
        no_evidence: Option<Text>,
        /// `ab_test`: which variant to choose.
        decision: Option<Decision>,
        /// `network`: the probability of each state of each variable; empty otherwise.
        marginals: Named<Named<f64>>,
    }
}

record! {
    /// Which variant to choose.
    pub(super) struct Decision {
        /// The variant with the least expected loss.
        choose: Text,
        /// The first variant, with which the others are compared.
        control: Text,
        /// The probability that a variant is the best of all.
        best: Named<f64>,
        /// The probability that a variant is better than the first one.
        better: Named<f64>,
        /// What one expects to lose by choosing a variant, in the unit of what is compared.
        loss: Named<f64>,
        /// A variant minus the first one.
        difference: Named<Estimate>,
        /// A variant in relation to the first one: 0.1 is 10 % more. Only for rates.
        lift: Option<Named<Estimate>>,
    }
}

/// Values by their names.
#[derive(Clone, Debug)]
pub(super) struct Named<T>(pub Vec<(Text, T)>);

impl<T: Field> Field for Named<T> {
    const SCHEME: Scheme = Scheme::Map(&T::SCHEME);

    fn decode(value: Value) -> Option<Self> {
        let record = value.as_record()?;
        let pairs = record.iter().map(|(name, it)| Some((name.clone(), T::decode(it.clone())?)));
        pairs.collect::<Option<_>>().map(Self)
    }

    fn encode(self) -> Value {
        Value::Record(self.0.into_iter().map(|(name, it)| (name, it.encode())).collect())
    }
}

//! Components without side effects, as calls that only wait and calls that only compute.

use std::{hint::black_box, time::Duration};

use svc_contract::{
    registry::{
        Bias, Component, Compute, Cx, Effect, Example, Io, Op, OpError, Price, Scheme, Usage,
        compute, io,
    },
    value::{Money, Value},
};

/// The component that is added to the built-in ones.
pub(crate) const NAP: Component = Component {
    name: "nap",
    cluster: "benches",
    summary: "Waits, works and nods.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[("nap", "nap"), ("nod", "nod"), ("fee", "fee"), ("toil", "toil")],
    ops: &[io::<Nap>(), io::<Nod>(), io::<Fee>(), compute::<Toil>()],
};

svc::params! {
    /// Waits ten milliseconds.
    struct Nap {
        /// The input, which is returned.
        input: i64,
    }
}

impl Op for Nap {
    const NAME: &'static str = "nap";
    const YIELDS: Scheme = Scheme::Int;
    const SAYS: &'static [&'static str] =
        &["take a nap", "sleep ten milliseconds", "rest for a moment"];
    const EXAMPLES: &'static [Example] = &[Example::ok("A nap", "1 >> nap", "1")];
}

impl Io for Nap {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        cx.host().sleep(Duration::from_millis(10)).await;
        Ok(Value::Int(self.input))
    }
}

svc::params! {
    /// Returns its input plus one, as a call that the journal records.
    struct Nod {
        /// The number to increment.
        input: i64,
    }
}

impl Op for Nod {
    const NAME: &'static str = "nod";
    const YIELDS: Scheme = Scheme::Int;
    const SAYS: &'static [&'static str] =
        &["nod at a number", "add one", "increment in a recorded call"];
    const EXAMPLES: &'static [Example] = &[Example::ok("A nod", "1 >> nod", "2")];
}

impl Io for Nod {
    async fn run(self, _: &Cx) -> Result<Value, OpError> {
        Ok(Value::Int(self.input + 1))
    }
}

svc::params! {
    /// Returns its input plus one for a fee, as a call that must not get lost.
    struct Fee {
        /// The number to increment.
        input: i64,
    }
}

impl Op for Fee {
    const NAME: &'static str = "fee";
    const YIELDS: Scheme = Scheme::Int;
    const EFFECTS: &'static [Effect] = &[Effect::Spends];
    const PRICE: Price = Price::Fixed(Money::from_nanos(1));
    const SAYS: &'static [&'static str] =
        &["charge a fee", "add one for money", "increment at a price"];
    const EXAMPLES: &'static [Example] = &[Example::ok("A fee", "1 >> fee", "2")];
}

impl Io for Fee {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        cx.used(Usage { tokens: 0, cost: Money::from_nanos(1) });
        Ok(Value::Int(self.input + 1))
    }
}

svc::params! {
    /// Computes for one or two milliseconds.
    struct Toil {
        /// The start value of the computation.
        input: i64,
    }
}

impl Op for Toil {
    const NAME: &'static str = "toil";
    const YIELDS: Scheme = Scheme::Int;
    const SAYS: &'static [&'static str] =
        &["toil away", "keep the processor busy", "compute for a millisecond"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Compute for Toil {
    fn run(self, _: &Cx) -> Result<Value, OpError> {
        Ok(Value::Int(toil(self.input)))
    }
}

/// A computation of one or two milliseconds.
pub(crate) fn toil(from: i64) -> i64 {
    const STEPS: usize = 1_000_000;
    (0..STEPS).fold(from, |it, _| {
        black_box(
            it.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407),
        )
    })
}

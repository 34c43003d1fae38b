//! Ops that only the checks call: one that costs, and one that gives a secret away.

use svc_contract::{
    registry::{
        Bias, Component, Cx, Effect, ErrorKind, Example, Io, Limits, Op, OpError, Price, Scheme,
        TokenPrice, Usage, io, params,
    },
    value::{Money, Secret, Text, Value},
};

pub(super) const COMPONENT: Component = Component {
    name: "invariant_probe",
    cluster: "formal-verification",
    summary: "Costs a cent, or fails with a secret.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[io::<Pay>(), io::<Fee>(), io::<Blab>()],
};

/// What a call of [`Pay`] costs, with its default.
pub(super) const COST: Money = Money::cents(1);

params! {
    /// Costs a cent for a thousand tokens, all of which it uses.
    pub(super) struct Pay {
        /// Any text, which is the result.
        text: Text,
        /// The tokens.
        #[range(1..=100_000)]
        max_tokens: i64 = 1000,
    }
}

impl Op for Pay {
    const NAME: &'static str = "pay";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] = &[Effect::Spends];
    const PRICE: Price = Price::Tokens(TokenPrice {
        input: Money::cents(300),
        output: Money::cents(1000),
        prompt: &["text"],
        cap: "max_tokens",
    });
    const SAYS: &'static [&'static str] = &["pay a cent", "spend money", "cost something"];
    const EXAMPLES: &'static [Example] =
        &[Example::ok("A cent", r#"invariant_probe.pay("a")"#, r#""a""#)];
}

impl Io for Pay {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let tokens = u64::try_from(self.max_tokens).unwrap_or(0);
        let cost = Money::cents(1000).per_million(tokens).unwrap_or_default();
        cx.used(Usage { tokens, cost });
        Ok(Value::Text(self.text))
    }
}

params! {
    /// Costs exactly one cent.
    pub(super) struct Fee {
        /// Any text, which is the result.
        text: Text,
    }
}

impl Op for Fee {
    const NAME: &'static str = "fee";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] = &[Effect::Spends];
    const PRICE: Price = Price::Fixed(COST);
    const SAYS: &'static [&'static str] = &["pay a fee", "a fixed price", "a cent each time"];
    const EXAMPLES: &'static [Example] =
        &[Example::ok("A cent", r#"invariant_probe.fee("a")"#, r#""a""#)];
}

impl Io for Fee {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        cx.used(Usage { tokens: 0, cost: COST });
        Ok(Value::Text(self.text))
    }
}

params! {
    /// Fails, with a secret in its message.
    pub(super) struct Blab {
        /// Any text.
        text: Text,
        /// The secret.
        key: Secret,
    }
}

impl Op for Blab {
    const NAME: &'static str = "blab";
    const YIELDS: Scheme = Scheme::Text;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const LIMITS: Limits = Limits { max_retries: 0, ..Limits::DEFAULT };
    const SAYS: &'static [&'static str] = &["leak a secret", "give a key away", "blab"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Blab {
    async fn run(self, _: &Cx) -> Result<Value, OpError> {
        let message = format!("no answer for {} from {}", self.text, self.key.reveal());
        Err(OpError::failed(message))
    }
}

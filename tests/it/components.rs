//! Components that misbehave deliberately, for testing the engine.

use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

use svc_contract::{
    registry::{
        Bias, Component, Compute, Cx, Effect, ErrorKind, Example, Flow, Io, Limits, Op, OpError,
        Price, Scheme, Scope, TokenPrice, Usage, Var, compute, io,
    },
    value::{Money, Secret, Text, Value},
};

pub(crate) const ALL: &[&Component] = &[&TESTING, &crate::rows::studio::STUDIO];

pub(crate) const TESTING: Component = Component {
    name: "testing",
    cluster: "testing",
    summary: "Misbehaves on purpose.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[
        ("slow", "slow"),
        ("flaky", "flaky"),
        ("limited", "limited"),
        ("paid", "paid"),
        ("bursts", "bursts"),
        ("liar", "liar"),
        ("panics", "panics"),
        ("append_log", "append_log"),
        ("busy", "busy"),
        ("stuck", "stuck"),
        ("quick", "quick"),
        ("relay", "relay"),
        ("unpriced", "unpriced"),
        ("overspends", "overspends"),
        ("login", "login"),
        ("blab", "blab"),
        ("spills", "spills"),
        ("spills_busy", "spills_busy"),
        ("echoes", "echoes"),
        ("vague", "vague"),
    ],
    ops: &[
        io::<Slow>(),
        io::<Flaky>(),
        io::<Limited>(),
        io::<Paid>(),
        io::<Bursts>(),
        io::<Liar>(),
        compute::<Panics>(),
        io::<AppendLog>(),
        compute::<Busy>(),
        compute::<Stuck>(),
        io::<Quick>(),
        io::<Relay>(),
        io::<Unpriced>(),
        io::<Overspends>(),
        io::<Login>(),
        io::<Blab>(),
        io::<Spills>(),
        compute::<SpillsBusy>(),
        io::<Echoes>(),
        io::<Vague>(),
    ],
};

svc::params! {
    /// Waits longer than its own timeout.
    struct Slow {
        /// Anything.
        value: Var<'T'>,
    }
}

impl Op for Slow {
    const NAME: &'static str = "slow";
    const YIELDS: Scheme = Scheme::Var('T');
    const LIMITS: Limits = Limits {
        timeout: Some(Duration::from_millis(30)),
        max_retries: 0,
        max_tokens: None,
        ..Limits::DEFAULT
    };
    const SAYS: &'static [&'static str] = &["exceed the timeout", "wait an hour", "take ages"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Slow {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        cx.host().sleep(Duration::from_hours(1)).await;
        Ok(self.value.0)
    }
}

svc::params! {
    /// Is unavailable a number of times, and then works.
    struct Flaky {
        /// The key for counting failures: its own text.
        value: Text,
        /// The number of failures before it works.
        failures: i64 = 1,
    }
}

static FAILED: AtomicI64 = AtomicI64::new(0);

impl Op for Flaky {
    const NAME: &'static str = "flaky";
    const YIELDS: Scheme = Scheme::Text;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unavailable];
    const SAYS: &'static [&'static str] = &["fail at first", "be unreliable", "work later"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Flaky {
    async fn run(self, _: &Cx) -> Result<Value, OpError> {
        if FAILED.fetch_add(1, Ordering::SeqCst) < self.failures {
            return Err(OpError::new(ErrorKind::Unavailable, "not there right now"));
        }
        FAILED.store(0, Ordering::SeqCst);
        Ok(Value::Text(self.value))
    }
}

/// Resets the failure counts of `flaky`.
pub(crate) fn reset() {
    FAILED.store(0, Ordering::SeqCst);
}

svc::params! {
    /// Always asks to be called later.
    struct Limited {
        /// Anything.
        value: Var<'T'>,
        /// The delay.
        wait: Duration,
    }
}

impl Op for Limited {
    const NAME: &'static str = "limited";
    const YIELDS: Scheme = Scheme::Var('T');
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::RateLimit];
    const SAYS: &'static [&'static str] = &["hit a rate limit", "be put off", "come back later"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Limited {
    async fn run(self, _: &Cx) -> Result<Value, OpError> {
        Err(OpError::new(ErrorKind::RateLimit, "too many requests").retry_after(self.wait))
    }
}

svc::params! {
    /// Costs tokens and money like a language model.
    struct Paid {
        /// The prompt.
        prompt: Text,
        /// The maximum number of tokens of the answer.
        max_tokens: i64,
    }
}

impl Op for Paid {
    const NAME: &'static str = "paid";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] = &[Effect::Spends];
    const PRICE: Price = Price::Tokens(TokenPrice {
        input: Money::cents(300),
        output: Money::cents(1500),
        prompt: &["prompt"],
        cap: "max_tokens",
    });
    const SAYS: &'static [&'static str] = &["pay for an answer", "spend tokens", "cost cents"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Paid {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        cx.host().sleep(Duration::from_millis(5)).await;
        let tokens = u64::try_from(self.max_tokens).unwrap_or(0);
        let cost = Money::cents(1500).per_million(tokens).unwrap_or_default();
        cx.used(Usage { tokens, cost });
        Ok(Value::from("an answer"))
    }
}

svc::params! {
    /// Costs five cents and fails in the middle.
    struct Bursts {
        /// Anything.
        value: Var<'T'>,
    }
}

impl Op for Bursts {
    const NAME: &'static str = "bursts";
    const YIELDS: Scheme = Scheme::Var('T');
    const EFFECTS: &'static [Effect] = &[Effect::Spends];
    const PRICE: Price = Price::Fixed(Money::cents(5));
    const SAYS: &'static [&'static str] = &["spend and panic", "fail half way", "burst"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Bursts {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        cx.host().sleep(Duration::from_millis(5)).await;
        panic!("on purpose, with {}", self.value.0.kind());
    }
}

svc::params! {
    /// Declares text but returns a number.
    struct Liar {
        /// Anything.
        value: Var<'T'>,
    }
}

impl Op for Liar {
    const NAME: &'static str = "liar";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &["return the wrong type", "lie", "mislead"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Liar {
    async fn run(self, _: &Cx) -> Result<Value, OpError> {
        let _ = self.value;
        Ok(Value::Int(1))
    }
}

svc::params! {
    /// Panics.
    struct Panics {
        /// Anything.
        value: Var<'T'>,
    }
}

impl Op for Panics {
    const NAME: &'static str = "panics";
    const YIELDS: Scheme = Scheme::Var('T');
    const SAYS: &'static [&'static str] = &["panic on purpose", "crash", "break down"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Compute for Panics {
    fn run(self, _: &Cx) -> Result<Value, OpError> {
        panic!("on purpose, with {}", self.value.0.kind());
    }
}

svc::params! {
    /// Writes again each time it is called.
    struct AppendLog {
        /// The text to write.
        line: Text,
    }
}

impl Op for AppendLog {
    const NAME: &'static str = "append_log";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] =
        &[Effect::Writes { scope: Scope::Named("log"), idempotent: false }];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unavailable];
    const SAYS: &'static [&'static str] = &["append to the log", "add a line", "log twice"];
    const EXAMPLES: &'static [Example] = &[];
}

/// The number of calls of `append_log`.
pub(crate) static APPENDED: AtomicI64 = AtomicI64::new(0);

impl Io for AppendLog {
    async fn run(self, _: &Cx) -> Result<Value, OpError> {
        let _ = self.line;
        APPENDED.fetch_add(1, Ordering::SeqCst);
        Err(OpError::new(ErrorKind::Unavailable, "written, perhaps"))
    }
}

svc::params! {
    /// Calls a flow and returns its result.
    struct Relay {
        /// The input of the flow.
        value: Var<'A'>,
        /// The flow.
        flow: Flow<Var<'A'>, Var<'B'>>,
    }
}

impl Op for Relay {
    const NAME: &'static str = "relay";
    const YIELDS: Scheme = Scheme::Var('B');
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unavailable];
    const SAYS: &'static [&'static str] = &["call a flow", "pass a value on", "relay"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Relay {
    async fn run(self, _: &Cx) -> Result<Value, OpError> {
        self.flow.call(self.value).await.map(|it| it.0)
    }
}

svc::params! {
    /// Computes until it is stopped.
    struct Busy {
        /// Anything.
        value: Var<'T'>,
    }
}

impl Op for Busy {
    const NAME: &'static str = "busy";
    const YIELDS: Scheme = Scheme::Var('T');
    const SAYS: &'static [&'static str] = &["compute until stopped", "keep busy", "never end"];
    const EXAMPLES: &'static [Example] = &[];
}

/// The number of running `busy` computations.
pub(crate) static BUSY: AtomicI64 = AtomicI64::new(0);

impl Compute for Busy {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        BUSY.fetch_add(1, Ordering::SeqCst);
        let ended = loop {
            if let Err(err) = cx.check() {
                break err;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        BUSY.fetch_sub(1, Ordering::SeqCst);
        let _ = self.value;
        Err(ended)
    }
}

svc::params! {
    /// Computes for three seconds and ignores cancellation.
    struct Stuck {
        /// Anything.
        value: Var<'T'>,
    }
}

impl Op for Stuck {
    const NAME: &'static str = "stuck";
    const YIELDS: Scheme = Scheme::Var('T');
    const SAYS: &'static [&'static str] = &["ignore cancellation", "get stuck", "hang"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Compute for Stuck {
    fn run(self, _: &Cx) -> Result<Value, OpError> {
        std::thread::sleep(Duration::from_secs(3));
        Ok(self.value.0)
    }
}

svc::params! {
    /// Has an unknown cost.
    struct Unpriced {
        /// Anything.
        value: Var<'T'>,
    }
}

impl Op for Unpriced {
    const NAME: &'static str = "unpriced";
    const YIELDS: Scheme = Scheme::Var('T');
    const EFFECTS: &'static [Effect] = &[Effect::Spends];
    const PRICE: Price = Price::Unknown;
    const SAYS: &'static [&'static str] = &["have no price", "cost an unknown sum", "surprise"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Unpriced {
    async fn run(self, _: &Cx) -> Result<Value, OpError> {
        Ok(self.value.0)
    }
}

svc::params! {
    /// Uses more than its declared price.
    struct Overspends {
        /// Anything.
        value: Var<'T'>,
    }
}

impl Op for Overspends {
    const NAME: &'static str = "overspends";
    const YIELDS: Scheme = Scheme::Var('T');
    const EFFECTS: &'static [Effect] = &[Effect::Spends];
    const PRICE: Price = Price::Fixed(Money::cents(1));
    const SAYS: &'static [&'static str] = &["overspend", "exceed the price", "cost two cents"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Overspends {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        cx.used(Usage { tokens: 0, cost: Money::cents(2) });
        Ok(self.value.0)
    }
}

svc::params! {
    /// Takes most of its own short timeout.
    struct Quick {
        /// Anything.
        value: Var<'T'>,
    }
}

impl Op for Quick {
    const NAME: &'static str = "quick";
    const YIELDS: Scheme = Scheme::Var('T');
    const LIMITS: Limits = Limits {
        timeout: Some(Duration::from_millis(30)),
        max_retries: 0,
        max_tokens: None,
        ..Limits::DEFAULT
    };
    const SAYS: &'static [&'static str] = &["finish just in time", "be quick", "hurry"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Quick {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        cx.host().sleep(Duration::from_millis(20)).await;
        Ok(self.value.0)
    }
}

svc::params! {
    /// Takes a secret, and returns only its length.
    struct Login {
        /// The user.
        name: Text,
        /// The secret.
        key: Secret,
    }
}

impl Op for Login {
    const NAME: &'static str = "login";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &["log in", "sign in with a key", "enter a password"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Login {
    async fn run(self, _: &Cx) -> Result<Value, OpError> {
        let len = self.key.reveal().len();
        Ok(Value::from(format!("{} is in with {len} characters", self.name)))
    }
}

svc::params! {
    /// Puts the secret into its error, which no component should do.
    struct Blab {
        /// The user.
        name: Text,
        /// The secret.
        key: Secret,
    }
}

impl Op for Blab {
    const NAME: &'static str = "blab";
    const YIELDS: Scheme = Scheme::Text;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unavailable];
    const LIMITS: Limits = Limits { max_retries: 0, ..Limits::DEFAULT };
    const SAYS: &'static [&'static str] = &["leak a secret", "blab", "give a key away"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Blab {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let url = format!("https://{}:{}@example.com", self.name, self.key.reveal());
        cx.notice(format!("asking {url}"));
        let help = format!("open {url}");
        Err(OpError::new(ErrorKind::Unavailable, format!("no answer from {url}")).help(help))
    }
}

svc::params! {
    /// Panics with the secret in the message.
    struct Spills {
        /// The user.
        name: Text,
        /// The secret.
        key: Secret,
    }
}

impl Op for Spills {
    const NAME: &'static str = "spills";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &["panic with a secret", "spill a key", "crash"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Spills {
    async fn run(self, _: &Cx) -> Result<Value, OpError> {
        panic!("{} has {}", self.name, self.key.reveal());
    }
}

svc::params! {
    /// The same on a separate thread.
    struct SpillsBusy {
        /// The user.
        name: Text,
        /// The secret.
        key: Secret,
    }
}

impl Op for SpillsBusy {
    const NAME: &'static str = "spills_busy";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &["spill on a thread", "crash a thread", "leak"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Compute for SpillsBusy {
    fn run(self, _: &Cx) -> Result<Value, OpError> {
        panic!("{} has {}", self.name, self.key.reveal());
    }
}

svc::params! {
    /// Returns what it was sent, as some servers do.
    struct Echoes {
        /// The user.
        name: Text,
        /// The secret.
        key: Secret,
    }
}

impl Op for Echoes {
    const NAME: &'static str = "echoes";
    const YIELDS: Scheme = Scheme::Json;
    const SAYS: &'static [&'static str] = &["echo a secret", "repeat what was sent", "reflect"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Echoes {
    async fn run(self, _: &Cx) -> Result<Value, OpError> {
        let sent: Value = format!("{}:{}", self.name, self.key.reveal()).into();
        let headers: svc_contract::value::Record =
            [("authorization".into(), sent)].into_iter().collect();
        let named = [(self.key.reveal().into(), Value::Null)].into_iter().collect();
        let both = vec![Value::Record(headers), Value::Record(named), "else".into()];
        Ok(Value::List(both.into()))
    }
}

svc::params! {
    /// Does not declare the type of its result.
    struct Vague {
        /// Anything.
        value: Text,
    }
}

impl Op for Vague {
    const NAME: &'static str = "vague";
    const YIELDS: Scheme = Scheme::OneOf(&[Scheme::Text, Scheme::Int]);
    const SAYS: &'static [&'static str] = &["be vague", "text or a number", "any of two types"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Vague {
    async fn run(self, _: &Cx) -> Result<Value, OpError> {
        Ok(Value::Text(self.value))
    }
}

//! Components whose cost, time and failures are random, within their declarations.

use std::{
    cell::{Cell, RefCell},
    time::Duration,
};

use svc_contract::{
    registry::{
        Asking, Bias, Component, Cx, Effect, ErrorKind, Io, Max, Measure, Op, OpError, Params,
        Price, Quote, Scheme, Scope, TokenPrice, Usage, Writer, io,
    },
    value::{Money, Text, Value},
};

/// The probabilities of disturbances of calls.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Weather {
    /// The probability that an attempt fails.
    pub(crate) failing: f64,
    /// The probability that it takes longer than declared.
    pub(crate) late: f64,
    /// The probability that it does not report its use.
    pub(crate) silent: f64,
}

thread_local! {
    // Every run of these tests has one thread, and its calls run on it.
    static WEATHER: Cell<Weather> = const { Cell::new(Weather { failing: 0.0, late: 0.0, silent: 0.0 }) };
    static RUNNING: Cell<usize> = const { Cell::new(0) };
    static BEGUN: Cell<usize> = const { Cell::new(0) };
    /// The real use of every attempt, as far as it was reported.
    static TOLD: RefCell<Vec<Usage>> = const { RefCell::new(Vec::new()) };
}

/// Starts a run.
pub(crate) fn begin(weather: Weather) {
    WEATHER.set(weather);
    RUNNING.set(0);
    BEGUN.set(0);
    TOLD.take();
}

/// The number of running calls, and of started calls.
pub(super) fn calls() -> (usize, usize) {
    (RUNNING.get(), BEGUN.get())
}

struct Running;

impl Running {
    fn begin() -> Self {
        RUNNING.set(RUNNING.get() + 1);
        BEGUN.set(BEGUN.get() + 1);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.set(RUNNING.get() - 1);
    }
}

pub(crate) const COMPONENT: Component = Component {
    name: "sim",
    cluster: "test",
    summary: "What chance does.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[
        ("step", "step"),
        ("speak", "speak"),
        ("list", "list"),
        ("post", "post"),
        ("often", "often"),
    ],
    ops: &[io::<Step>(), io::<Speak>(), io::<List>(), io::<Post>(), io::<Often>()],
};

const KINDS: [ErrorKind; 4] =
    [ErrorKind::RateLimit, ErrorKind::Unavailable, ErrorKind::InvalidOutput, ErrorKind::Failed];

/// A uniform random number up to `most`.
fn upto(cx: &Cx, most: u64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "small numbers"
    )]
    let part = (cx.host().chance() * (most as f64 + 1.0)) as u64;
    part.min(most)
}

/// Waits up to `usual`, or much longer, and possibly fails.
async fn live(cx: &Cx, usual: Duration) -> Result<(), OpError> {
    let weather = WEATHER.get();
    let is_late = cx.host().chance() < weather.late;
    let most = if is_late { usual * 50 } else { usual };
    let millis = u64::try_from(most.as_millis()).unwrap_or(u64::MAX);
    cx.host().sleep(Duration::from_millis(upto(cx, millis))).await;
    if cx.host().chance() >= weather.failing {
        return Ok(());
    }
    let kind = KINDS[usize::try_from(upto(cx, 3)).unwrap_or(0)];
    let error = OpError::new(kind, "so it happens");
    Err(match kind {
        ErrorKind::RateLimit => error.retry_after(Duration::from_millis(upto(cx, 5_000))),
        _ => error,
    })
}

/// Reports a part of the reservation, or nothing.
fn speak(cx: &Cx, usage: Usage) {
    if cx.host().chance() >= WEATHER.get().silent {
        cx.used(usage);
    }
}

svc::params! {
    /// Costs up to an amount, and up to a number of tokens.
    struct Step {
        /// Anything.
        value: Text,
        /// The maximum cost, in cents.
        cents: i64,
        /// The maximum number of tokens.
        tokens: i64,
        /// The maximum duration without a disturbance.
        takes: Duration,
        /// Whether it always uses the maximum.
        exact: bool = false,
    }
}

impl Step {
    fn most(&self) -> Usage {
        Usage { tokens: self.tokens.unsigned_abs(), cost: Money::cents(self.cents) }
    }
}

impl Op for Step {
    const NAME: &'static str = "step";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] = &[Effect::Spends];
    const ERRORS: &'static [ErrorKind] = &KINDS;
    const OUTPUT: Measure = Measure::Fixed(20);
    const PRICE: Price = Price::Quoted(|asking: &Asking<'_>| {
        let step = Step::decode(&mut asking.values(&["value"])?)?;
        let most = step.most();
        let least = if step.exact { most } else { Usage::default() };
        Ok(Quote { most, usual: most, least, reserved: most, ..Quote::default() })
    });
    const SAYS: &'static [&'static str] =
        &["cost a random amount", "use some tokens and money", "take a random step"];
    const EXAMPLES: &'static [svc_contract::registry::Example] = &[];
}

impl Io for Step {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let _running = Running::begin();
        let lived = live(cx, self.takes).await;
        let most = self.most();
        if self.exact {
            speak(cx, most);
        } else {
            let cost = upto(cx, most.cost.nanos().unsigned_abs());
            let cost = Money::from_nanos(i64::try_from(cost).unwrap_or(0));
            speak(cx, Usage { tokens: upto(cx, most.tokens), cost });
        }
        lived?;
        let length = usize::try_from(upto(cx, 20)).unwrap_or(0);
        Ok(Value::from("x".repeat(length)))
    }
}

svc::params! {
    /// Has a cost that depends on the length of its prompt.
    struct Speak {
        /// The prompt.
        prompt: Text,
        /// The maximum number of tokens of the answer.
        cap: i64,
    }
}

impl Op for Speak {
    const NAME: &'static str = "speak";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] = &[Effect::Spends];
    const ERRORS: &'static [ErrorKind] = &KINDS;
    const OUTPUT: Measure = Measure::Arg("cap", 4);
    const PRICE: Price = Price::Tokens(TokenPrice {
        input: Money::cents(30_000),
        output: Money::cents(150_000),
        prompt: &["prompt"],
        cap: "cap",
    });
    const SAYS: &'static [&'static str] =
        &["answer a prompt by chance", "pay by the length of a prompt", "produce random letters"];
    const EXAMPLES: &'static [svc_contract::registry::Example] = &[];
}

impl Io for Speak {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let _running = Running::begin();
        live(cx, Duration::from_secs(2)).await?;
        let input = upto(cx, self.prompt.len() as u64);
        let output = upto(cx, self.cap.unsigned_abs());
        let cost = |cents: i64, tokens| Money::cents(cents).per_million(tokens).unwrap_or_default();
        let cost = cost(30_000, input).checked_add(cost(150_000, output)).unwrap_or_default();
        speak(cx, Usage { tokens: input + output, cost });
        let length = usize::try_from(output * 4).unwrap_or(0);
        // A letter, characters that take two, four or six bytes in JSON, and one of two bytes.
        let letters = ["y", "\"", "\n", "\u{1}", "é"];
        let letter = letters[usize::try_from(upto(cx, 4)).unwrap_or(0)];
        Ok(Value::from(letter.repeat(length / letter.len())))
    }
}

svc::params! {
    /// Returns some texts.
    struct List {
        /// Anything.
        value: Text,
        /// The maximum number of texts.
        most: i64,
    }
}

impl Op for List {
    const NAME: &'static str = "list";
    const YIELDS: Scheme = Scheme::List(&Scheme::Text, Max::Arg("most"));
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Named("chance"))];
    const ERRORS: &'static [ErrorKind] = &KINDS;
    const SAYS: &'static [&'static str] =
        &["list some texts", "random number of strings", "read texts by chance"];
    const EXAMPLES: &'static [svc_contract::registry::Example] = &[];
}

impl Io for List {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let _running = Running::begin();
        live(cx, Duration::from_millis(300)).await?;
        let count = upto(cx, self.most.unsigned_abs());
        let _ = &self.value;
        Ok((0..count)
            .map(|it| Value::from("z".repeat(usize::try_from(it).unwrap_or(0))))
            .collect::<Vec<_>>()
            .into())
    }
}

svc::params! {
    /// Passes a text to a flow, up to a number of times.
    struct Often {
        /// The text.
        value: Text,
        /// The flow.
        flow: Writer,
        /// The maximum number of calls.
        rounds: i64,
    }
}

impl Op for Often {
    const NAME: &'static str = "often";
    const YIELDS: Scheme = Scheme::Text;
    const ERRORS: &'static [ErrorKind] = &KINDS;
    const SAYS: &'static [&'static str] =
        &["call a flow by chance", "repeat a flow some times", "pass a text to a flow again"];
    const EXAMPLES: &'static [svc_contract::registry::Example] = &[];
}

impl Io for Often {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        for _ in 0..upto(cx, self.rounds.unsigned_abs()) {
            let written = self.flow.write(&self.value).await;
            written.map_err(|err| OpError::new(ErrorKind::Failed, err.message))?;
        }
        Ok(Value::Text(self.value))
    }
}

svc::params! {
    /// Writes again with every call, for five cents.
    struct Post {
        /// Anything.
        value: Text,
    }
}

impl Op for Post {
    const NAME: &'static str = "post";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] =
        &[Effect::Writes { scope: Scope::Named("board"), idempotent: false }, Effect::Spends];
    const PRICE: Price = Price::Fixed(Money::cents(5));
    const ERRORS: &'static [ErrorKind] = &KINDS;
    const OUTPUT: Measure = Measure::Args;
    const SAYS: &'static [&'static str] =
        &["post to the board", "write again with every call", "spend five cents on a message"];
    const EXAMPLES: &'static [svc_contract::registry::Example] = &[];
}

impl Io for Post {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let _running = Running::begin();
        live(cx, Duration::from_secs(1)).await?;
        Ok(Value::Text(self.value))
    }
}

//! Components whose cost, time and failures are left to chance, within what they declare.

use std::{
    cell::{Cell, RefCell},
    time::Duration,
};

use svc::{
    registry::{
        Asking, Component, Cx, Effect, ErrorKind, Io, Max, Measure, Op, OpError, Params, Price,
        Quote, Scheme, Scope, TokenPrice, Usage, io,
    },
    value::{Money, Text, Value},
};

/// What chance does to calls.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Weather {
    /// How likely a try fails.
    pub(crate) failing: f64,
    /// How likely it takes longer than it should.
    pub(crate) late: f64,
    /// How likely it does not say what it used.
    pub(crate) silent: f64,
}

thread_local! {
    // Every run of these tests has one thread, and its calls run on it.
    static WEATHER: Cell<Weather> = const { Cell::new(Weather { failing: 0.0, late: 0.0, silent: 0.0 }) };
    static RUNNING: Cell<usize> = const { Cell::new(0) };
    static BEGUN: Cell<usize> = const { Cell::new(0) };
    /// What every try really used, as far as it told.
    static TOLD: RefCell<Vec<Usage>> = const { RefCell::new(Vec::new()) };
}

/// Begins a run.
pub(crate) fn begin(weather: Weather) {
    WEATHER.set(weather);
    RUNNING.set(0);
    BEGUN.set(0);
    TOLD.take();
}

/// How many calls are running now, and how many have begun.
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
    aliases: &[("step", "step"), ("tell", "tell"), ("list", "list"), ("post", "post")],
    ops: &[io::<Step>(), io::<Tell>(), io::<List>(), io::<Post>()],
};

const KINDS: [ErrorKind; 4] =
    [ErrorKind::RateLimit, ErrorKind::Unavailable, ErrorKind::InvalidOutput, ErrorKind::Failed];

/// Up to `most`, evenly.
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

/// Waits up to `usual`, or much longer, and fails or not.
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

/// Tells a part of what was reserved, or nothing.
fn tell(cx: &Cx, usage: Usage) {
    if cx.host().chance() >= WEATHER.get().silent {
        cx.used(usage);
    }
}

svc::params! {
    /// Costs up to an amount, and up to a number of tokens.
    struct Step {
        /// Anything.
        value: Text,
        /// The most money, in cents.
        cents: i64,
        /// The most tokens.
        tokens: i64,
        /// How long it takes at the most, when nothing is amiss.
        takes: Duration,
        /// Whether it always uses all of it.
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
    const EXAMPLES: &'static [svc::registry::Example] = &[];
}

impl Io for Step {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let _running = Running::begin();
        let lived = live(cx, self.takes).await;
        let most = self.most();
        if self.exact {
            tell(cx, most);
        } else {
            let cost = upto(cx, most.cost.nanos().unsigned_abs());
            let cost = Money::from_nanos(i64::try_from(cost).unwrap_or(0));
            tell(cx, Usage { tokens: upto(cx, most.tokens), cost });
        }
        lived?;
        let length = usize::try_from(upto(cx, 20)).unwrap_or(0);
        Ok(Value::from("x".repeat(length)))
    }
}

svc::params! {
    /// Costs by the length of its prompt.
    struct Tell {
        /// The prompt.
        prompt: Text,
        /// The most tokens of the answer.
        cap: i64,
    }
}

impl Op for Tell {
    const NAME: &'static str = "tell";
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
    const EXAMPLES: &'static [svc::registry::Example] = &[];
}

impl Io for Tell {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let _running = Running::begin();
        live(cx, Duration::from_secs(2)).await?;
        let input = upto(cx, self.prompt.len() as u64);
        let output = upto(cx, self.cap.unsigned_abs());
        let cost = |cents: i64, tokens| Money::cents(cents).per_million(tokens).unwrap_or_default();
        let cost = cost(30_000, input).checked_add(cost(150_000, output)).unwrap_or_default();
        tell(cx, Usage { tokens: input + output, cost });
        let length = usize::try_from(output * 4).unwrap_or(0);
        // A letter, and what takes two, four or six bytes for one in JSON, or two by itself.
        let letters = ["y", "\"", "\n", "\u{1}", "é"];
        let letter = letters[usize::try_from(upto(cx, 4)).unwrap_or(0)];
        Ok(Value::from(letter.repeat(length / letter.len())))
    }
}

svc::params! {
    /// Finds some texts.
    struct List {
        /// Anything.
        value: Text,
        /// The most of them.
        most: i64,
    }
}

impl Op for List {
    const NAME: &'static str = "list";
    const YIELDS: Scheme = Scheme::List(&Scheme::Text, Max::Arg("most"));
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Named("chance"))];
    const ERRORS: &'static [ErrorKind] = &KINDS;
    const EXAMPLES: &'static [svc::registry::Example] = &[];
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
    /// Writes anew with every call, for five cents.
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
    const EXAMPLES: &'static [svc::registry::Example] = &[];
}

impl Io for Post {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let _running = Running::begin();
        live(cx, Duration::from_secs(1)).await?;
        Ok(Value::Text(self.value))
    }
}

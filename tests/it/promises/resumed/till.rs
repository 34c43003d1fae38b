//! Components that are paid per call and keep their own accounts: for the bounds that the incoming
//! text names, with their caps.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    time::Duration,
};

use svc_contract::{
    registry::{
        Asking, Bias, Component, Cx, Effect, ErrorKind, Flow, Inline, Io, Op, OpError, Params,
        Price, Quote, Scheme, Usage, Var, inline, io,
    },
    value::{Money, Text, Value},
};

/// The maximum charge against a bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Most {
    pub(super) cents: Option<u64>,
    pub(super) tokens: Option<u64>,
}

impl Most {
    /// `60:-`: sixty cents, and any number of tokens.
    fn read(text: &str) -> Self {
        let (cents, tokens) = text.split_once(':').unwrap();
        Self { cents: cents.parse().ok(), tokens: tokens.parse().ok() }
    }

    pub(super) fn written(self) -> String {
        let part = |it: Option<u64>| it.map_or("-".to_owned(), |it| it.to_string());
        format!("{}:{}", part(self.cents), part(self.tokens))
    }

    /// Billionths of a dollar, and tokens.
    pub(super) fn caps(self) -> (Option<u64>, Option<u64>) {
        (self.cents.map(|it| it * 10_000_000), self.tokens)
    }

    fn admits(self, usage: Usage) -> bool {
        let nanos = usage.cost.nanos().unsigned_abs();
        self.cents.is_none_or(|it| nanos <= it * 10_000_000)
            && self.tokens.is_none_or(|it| usage.tokens <= it)
    }
}

/// The accounts of the provider, for one script and all its runs.
#[derive(Debug, Default)]
struct Books {
    by_scope: HashMap<String, Usage>,
    run: Most,
    wrong: Option<String>,
    failing: f64,
    silent: f64,
}

thread_local! {
    static BOOKS: RefCell<Books> = RefCell::default();
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

/// Resets the accounts.
pub(super) fn open(failing: f64, silent: f64) {
    BOOKS.set(Books { failing, silent, ..Books::default() });
}

/// The cap of the whole run from now on.
pub(super) fn cap(most: Most) {
    BOOKS.with_borrow_mut(|it| it.run = most);
}

pub(super) fn total() -> Usage {
    BOOKS.with_borrow(|it| it.by_scope.get("run").copied().unwrap_or_default())
}

/// How a cap was broken, if one was.
pub(super) fn wrong() -> Option<String> {
    BOOKS.with_borrow(|it| it.wrong.clone())
}

/// The number of paid calls since the last query.
pub(super) fn calls() -> usize {
    CALLS.take()
}

/// The bounds that a text names, outermost first: each by its name and by the items, turns and
/// calls around it.
fn scopes(tag: &str, run: Most) -> Vec<(String, Most)> {
    let (mut scopes, mut around) = (vec![("run".to_owned(), run)], String::new());
    for part in tag.split('/').skip(1) {
        match part.split_once(':') {
            Some((name, most)) => scopes.push((format!("{name}@{around}"), Most::read(most))),
            None => around += part,
        }
    }
    scopes
}

/// The caps of the bounds that a text names, outermost first, without that of the run.
pub(super) fn caps_of(tag: &str) -> Vec<(Option<u64>, Option<u64>)> {
    scopes(tag, Most::default()).into_iter().skip(1).map(|(_, most)| most.caps()).collect()
}

fn charge(tag: &str, most: Usage) {
    CALLS.set(CALLS.get() + 1);
    BOOKS.with_borrow_mut(|books| {
        for (scope, cap) in scopes(tag, books.run) {
            let spent = books.by_scope.entry(scope.clone()).or_default();
            *spent = spent.plus(most);
            // A call that costs nothing is not refused, even if a cap was lowered below the current
            // spending.
            if !cap.admits(*spent) && most != Usage::default() {
                let wrong = format!("{scope} has spent {spent} of {cap:?}, at {tag}");
                books.wrong.get_or_insert(wrong);
            }
        }
    });
}

/// Releases the part of a reservation that an attempt did not use.
fn settle(tag: &str, most: Usage, used: Usage) {
    BOOKS.with_borrow_mut(|books| {
        for (scope, _) in scopes(tag, books.run) {
            let spent = books.by_scope.entry(scope).or_default();
            let cost = spent.cost.nanos() - most.cost.nanos() + used.cost.nanos();
            let tokens = spent.tokens - most.tokens + used.tokens;
            *spent = Usage { tokens, cost: Money::from_nanos(cost) };
        }
    });
}

pub(super) const COMPONENT: Component = Component {
    name: "till",
    cluster: "test",
    summary: "Is paid, and keeps books.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[("pay", "pay"), ("back", "back"), ("turn", "turn"), ("twice", "twice")],
    ops: &[io::<Pay>(), inline::<Back>(), inline::<Turn>(), io::<Twice>()],
};

svc::params! {
    /// Costs up to an amount, and up to a number of tokens.
    struct Pay {
        /// The bounds around it.
        value: Text,
        /// The maximum cost, in cents.
        cents: i64,
        /// The maximum number of tokens.
        tokens: i64,
    }
}

impl Pay {
    fn most(&self) -> Usage {
        Usage { tokens: self.tokens.unsigned_abs(), cost: Money::cents(self.cents) }
    }
}

impl Op for Pay {
    const NAME: &'static str = "pay";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] = &[Effect::Spends];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::Unavailable, ErrorKind::InvalidOutput, ErrorKind::Failed];
    const PRICE: Price = Price::Quoted(|asking: &Asking<'_>| {
        let most = Self::decode(&mut asking.values(&["value"])?)?.most();
        Ok(Quote { most, usual: most, reserved: most, ..Quote::default() })
    });
    const SAYS: &'static [&'static str] =
        &["pay at the till", "cost up to an amount", "charge the books"];
    const EXAMPLES: &'static [svc_contract::registry::Example] = &[];
}

impl Io for Pay {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let (most, chance) = (self.most(), || cx.host().chance());
        let (failing, silent) = BOOKS.with_borrow(|it| (it.failing, it.silent));
        charge(&self.value, most);
        for _ in 0..3 {
            if chance() < 0.5 {
                tokio::task::yield_now().await;
            } else {
                cx.host().sleep(Duration::from_millis(u64::from(chance() < 0.5) * 10)).await;
            }
        }
        if chance() >= silent {
            let half = |it: u64| if chance() < 0.5 { it / 2 } else { it };
            let cost = half(most.cost.nanos().unsigned_abs());
            let cost = Money::from_nanos(i64::try_from(cost).unwrap());
            let used = Usage { tokens: half(most.tokens), cost };
            settle(&self.value, most, used);
            cx.used(used);
        }
        if chance() < failing {
            let kind = if chance() < 0.5 { ErrorKind::InvalidOutput } else { ErrorKind::Failed };
            return Err(OpError::new(kind, "so it happens"));
        }
        tokio::task::yield_now().await;
        Ok(Value::Text(self.value))
    }
}

svc::params! {
    /// Removes the last part of a text, and all further texts after a bar.
    struct Back {
        /// The text.
        value: Text,
    }
}

impl Op for Back {
    const NAME: &'static str = "back";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] =
        &["remove the last part", "go back a step", "drop the texts after a bar"];
    const EXAMPLES: &'static [svc_contract::registry::Example] = &[];
}

impl Inline for Back {
    fn run(self) -> Result<Value, OpError> {
        let first = self.value.split('|').next().unwrap_or_default();
        Ok(first.rsplit_once('/').map_or(first, |it| it.0).into())
    }
}

svc::params! {
    /// Increments the last part of a text.
    struct Turn {
        /// The text.
        value: Text,
    }
}

impl Op for Turn {
    const NAME: &'static str = "turn";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] =
        &["increment the last part", "start the next turn", "raise the number at the end"];
    const EXAMPLES: &'static [svc_contract::registry::Example] = &[];
}

impl Inline for Turn {
    fn run(self) -> Result<Value, OpError> {
        let (before, number) = self.value.rsplit_once("/t").unwrap_or((&self.value, "0"));
        Ok(format!("{before}/t{}", number.parse::<u32>().unwrap_or(0) + 1).as_str().into())
    }
}

svc::params! {
    /// Calls a flow with two values at the same time.
    struct Twice {
        /// The text.
        value: Text,
        /// The flow.
        flow: Flow<Text, Var<'B'>>,
    }
}

impl Op for Twice {
    const NAME: &'static str = "twice";
    const YIELDS: Scheme = Scheme::Text;
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::Unavailable, ErrorKind::InvalidOutput, ErrorKind::Failed];
    const SAYS: &'static [&'static str] =
        &["call a flow twice", "two calls at the same time", "run both in parallel"];
    const EXAMPLES: &'static [svc_contract::registry::Example] = &[];
}

impl Io for Twice {
    async fn run(self, _: &Cx) -> Result<Value, OpError> {
        let call = |idx: u8| self.flow.call(format!("{}/k{idx}", self.value).as_str().into());
        let (one, two) = tokio::join!(call(0), call(1));
        match one.and(two) {
            Err(err) if err.kind != ErrorKind::Cancelled => {
                Err(OpError::new(ErrorKind::Failed, err.message))
            }
            ended => ended.map(|_| Value::Text(self.value)),
        }
    }
}

//! The bounds in force at a place, and the verdicts on the bounds of a `within`.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use svc_contract::{
    registry::{Effect, ErrorKind, OpDef},
    value::{Money, Text, Value, units},
};

use super::{
    Walk,
    amount::Amount,
    callers::Impossible,
    resource_use::{Cause, ResourceUse},
};
use crate::{
    check::{BoundKey, Term, TermKind, TypedCall},
    diag::{Code, Problem, Severity, Source, Span},
    plan::{GRACE, Holds, Verdict},
};

/// The reason why a token cap is not proven although the total stays within it.
pub(super) const ASKS: &str = "one call may ask for more";

/// The combined bounds of every `within` around a place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct InForce {
    /// The tightest of each kind.
    pub(super) tokens: Option<u64>,
    pub(super) cost: Option<i64>,
    pub(super) timeout: Option<Duration>,
    pub(super) max_parallel: Option<u64>,
    /// Whether there is a cap around it, known or not.
    pub(super) caps_tokens: bool,
    pub(super) is_timed: bool,
    /// The innermost of each kind.
    pub(super) attempt_timeout: Option<Duration>,
    pub(super) max_retries: Option<u64>,
    pub(super) retry_on: Option<Arc<[String]>>,
    /// Whether results of other runs may replace calls.
    pub(super) reuses: bool,
    /// The `race` around it, and its file.
    pub(super) race: Option<(Text, Span)>,
    /// The keys whose value is not known yet and may be anything.
    pub(super) open: BTreeSet<BoundKey>,
}

/// The values of one `within`, as far as they are known.
#[derive(Default)]
pub(super) struct Limits {
    pub(super) cost: Option<Money>,
    pub(super) tokens: Option<u64>,
    pub(super) timeout: Option<Duration>,
    pub(super) max_parallel: Option<u64>,
}

impl InForce {
    /// The bounds in force inside a `within`; the value of a key is `None` if it is not known
    /// yet.
    pub(super) fn inside(&self, bounds: &[(BoundKey, Option<Value>)]) -> (Self, Limits) {
        let (mut inner, mut limits) = (self.clone(), Limits::default());
        for (key, value) in bounds {
            inner.opens(*key, value.is_none());
            match (key, value) {
                // The run refuses negative amounts.
                (BoundKey::MaxCost, Some(Value::Money(it))) if *it >= Money::ZERO => {
                    limits.cost = Some(*it);
                }
                (BoundKey::MaxTokens, Some(Value::Int(it))) => {
                    limits.tokens = u64::try_from(*it).ok();
                }
                (BoundKey::Timeout, Some(Value::Duration(it))) => limits.timeout = Some(*it),
                (BoundKey::MaxParallel, Some(Value::Int(it))) => {
                    limits.max_parallel = u64::try_from(*it).ok().filter(|it| *it > 0);
                }
                (BoundKey::AttemptTimeout, Some(Value::Duration(it))) => {
                    inner.attempt_timeout = Some(*it);
                }
                (BoundKey::MaxRetries, Some(Value::Int(it))) => {
                    inner.max_retries = u64::try_from(*it).ok();
                }
                (BoundKey::RetryOn, Some(Value::List(kinds))) => {
                    let kinds = kinds.iter().filter_map(Value::as_str).map(str::to_owned);
                    inner.retry_on = Some(kinds.collect());
                }
                _ => {}
            }
            inner.caps_tokens |= *key == BoundKey::MaxTokens;
            inner.is_timed |= *key == BoundKey::Timeout;
            inner.reuses |= *key == BoundKey::MaxAge;
        }
        inner.tokens = tighter(inner.tokens, limits.tokens);
        inner.cost = tighter(inner.cost, limits.cost.map(Money::nanos));
        inner.timeout = tighter(inner.timeout, limits.timeout);
        inner.max_parallel = tighter(inner.max_parallel, limits.max_parallel);
        if bounds.iter().any(|it| *it == (BoundKey::MaxParallel, None)) {
            // Sequential calls are the slowest case.
            limits.max_parallel = Some(1);
        }
        (inner, limits)
    }

    /// Records whether the value of a key is open. An inner value replaces an outer one for keys
    /// about single calls; a `max_parallel` holds for everything inside.
    fn opens(&mut self, key: BoundKey, is_open: bool) {
        match key {
            _ if is_open => {
                self.open.insert(key);
            }
            BoundKey::MaxParallel => {}
            _ => {
                self.open.remove(&key);
            }
        }
        match key {
            BoundKey::AttemptTimeout => self.attempt_timeout = None,
            BoundKey::MaxRetries => self.max_retries = None,
            BoundKey::RetryOn => self.retry_on = None,
            _ => {}
        }
    }

    pub(super) fn is_open(&self, key: BoundKey) -> bool {
        self.open.contains(&key)
    }

    /// The most attempts of a call, which has one if it writes once; `None` if it may be any
    /// number.
    pub(super) fn tries(&self, op: &OpDef, writes_once: bool) -> Option<u64> {
        let wanted = |kind: ErrorKind| match &self.retry_on {
            _ if self.is_open(BoundKey::RetryOn) => true,
            Some(kinds) => kinds.iter().any(|it| it == kind.name()),
            None => ErrorKind::RETRIED.contains(&kind),
        };
        // Only an attempt with a separate time limit can fail with `timeout` and leave time
        // for another one.
        let is_timed = self.attempt_timeout.is_some() || self.is_open(BoundKey::AttemptTimeout);
        let fails = op.errors.iter().any(|it| wanted(*it));
        if writes_once || !(fails || is_timed && wanted(ErrorKind::Timeout)) {
            return Some(1);
        }
        if self.is_open(BoundKey::MaxRetries) {
            return None;
        }
        let retries = self.max_retries.unwrap_or(u64::from(op.limits.max_retries));
        Some(retries.saturating_add(1))
    }

    /// The most tokens of an attempt: one that may use more is never started.
    pub(super) fn most_tokens(&self, op: &OpDef) -> Option<u64> {
        // A cap of the script replaces that of the op, even while its value is not known yet.
        let own = op.limits.max_tokens.filter(|_| !self.caps_tokens);
        own.into_iter().chain(self.tokens).min()
    }
}

fn tighter<T: Ord + Copy>(outer: Option<T>, inner: Option<T>) -> Option<T> {
    outer.into_iter().chain(inner).min()
}

impl ResourceUse {
    /// The load under the limits of a `within`.
    pub(super) fn limited(mut self, limits: &Limits) -> Self {
        if let Some(most) = limits.max_parallel {
            let waits = self.turns.map(|it| it / u32::try_from(most).unwrap_or(u32::MAX));
            let max = self.time.max.zip(waits).map(|(a, b)| a.plus(b));
            self.time.max = if most == 1 { self.turns } else { max };
        }
        if let Some(most) = limits.timeout {
            // This includes all waiting.
            self.time = self.time.capped(self.ended_by(most));
            self.is_delayed = false;
        }
        if let Some(most) = limits.tokens {
            self.tokens = self.tokens.capped(most);
            // A call that asks for more is refused here, before an outer cap is consulted.
            self.asks = Some(self.asks.map_or(most, |it| it.min(most)));
        }
        if let Some(most) = limits.cost {
            self.cost = self.cost.capped(most);
        }
        self
    }

    /// The time until everything has ended that is cancelled after `timeout`.
    pub(super) fn ended_by(&self, timeout: Duration) -> Duration {
        match self.compute {
            Some(Duration::ZERO) => timeout,
            _ => timeout.plus(GRACE),
        }
    }
}

/// A bound of a `within` to be judged, and its context.
pub(super) struct Bounded<'a> {
    pub(super) key: BoundKey,
    pub(super) term: &'a Term,
    pub(super) value: Option<Value>,
    /// The bounded term.
    pub(super) body: &'a Term,
    pub(super) load: &'a ResourceUse,
    /// The outer bounds in the same pipeline.
    pub(super) outer: &'a InForce,
    /// Whether it bounds the whole file or a whole flow.
    pub(super) is_whole: bool,
}

impl Walk<'_> {
    /// Judges one bound, and reports its problems.
    pub(super) fn judge(&mut self, bound: &Bounded<'_>) -> Verdict {
        let (holds, why) = match (bound.key, &bound.value) {
            (BoundKey::MaxCost, Some(Value::Money(cap))) if *cap < Money::ZERO => below_nothing(),
            (_, Some(Value::Int(it))) if *it < 0 => below_nothing(),
            (BoundKey::MaxCost, Some(Value::Money(cap))) => self.judge_cost(bound, *cap),
            (BoundKey::MaxTokens, Some(Value::Int(cap))) => {
                self.judge_tokens(bound, cap.unsigned_abs())
            }
            (BoundKey::Timeout, Some(Value::Duration(most))) => self.judge_time(bound, *most),
            (BoundKey::MaxMemory, Some(_)) => {
                (Holds::Enforced, "its memory is unknown before the run".to_owned())
            }
            (_, None) => {
                (Holds::Enforced, "its value is known once the run has its inputs".to_owned())
            }
            _ => (Holds::Enforced, String::new()),
        };
        if holds == Holds::Useless {
            self.bounds_nothing(bound, &why);
        }
        let shown = bound.value.as_ref().map(ToString::to_string);
        Verdict {
            key: bound.key,
            limit: shown.unwrap_or_else(|| self.text_of(bound.term)),
            holds,
            why,
            span: Some(bound.term.span),
            prices: match bound.key {
                BoundKey::MaxCost => bound.load.prices.iter().map(ToString::to_string).collect(),
                _ => Vec::new(),
            },
        }
    }

    fn judge_cost(&mut self, bound: &Bounded<'_>, cap: Money) -> (Holds, String) {
        self.unpriced(bound);
        self.endless(bound);
        let load = bound.load;
        if !load.spends {
            return nothing_inside(bound, "costs anything");
        }
        if let Some(outer) = bound.outer.cost.filter(|it| *it <= cap.nanos()) {
            let why = format!("{} outside it is tighter", Money::from_nanos(outer));
            return (Holds::Useless, why);
        }
        if load.needs.cost > cap {
            return self.impossible(bound, &load.needs.cost.to_string(), None);
        }
        settled(load.cost.max, cap, |it| it.to_string(), load)
    }

    fn judge_tokens(&mut self, bound: &Bounded<'_>, cap: u64) -> (Holds, String) {
        self.unpriced(bound);
        self.endless(bound);
        let load = bound.load;
        let shown = |it: u64| format!("{it} tokens");
        if !load.spends {
            return nothing_inside(bound, "uses tokens");
        }
        if let Some(outer) = bound.outer.tokens.filter(|it| *it <= cap) {
            return (Holds::Useless, format!("{} outside it is tighter", shown(outer)));
        }
        if load.needs.tokens > cap {
            return self.impossible(bound, &shown(load.needs.tokens), None);
        }
        if load.is_within(cap) && !load.asks_within(cap) {
            return (Holds::Enforced, ASKS.to_owned());
        }
        settled(load.tokens.max, cap, shown, load)
    }

    /// Judges a time limit, which cannot be proven: the clock stops the run.
    fn judge_time(&mut self, bound: &Bounded<'_>, most: Duration) -> (Holds, String) {
        if !bound.body.waits {
            // The clock also stops what only computes, and loops may compute for long.
            return if loops(bound.body) {
                (Holds::Enforced, "it computes without waiting".to_owned())
            } else {
                nothing_inside(bound, "waits for anything")
            };
        }
        if let Some(outer) = bound.outer.timeout.filter(|it| *it <= most) {
            let why = format!("{} outside it is tighter", units::show_duration(outer));
            return (Holds::Useless, why);
        }
        let time = bound.load.time;
        if time.min > most {
            let twice = time.min.saturating_mul(2);
            // `timeout_sec` takes a bare number.
            let is_bare = self.text_of(bound.term).parse::<f64>().is_ok();
            let proposed = if is_bare {
                twice.as_secs_f64().ceil().to_string()
            } else {
                units::show_duration(twice)
            };
            return self.impossible(bound, &units::show_duration(time.min), Some(proposed));
        }
        let why = match time.max {
            Some(it) if it <= most => format!("at most {} by itself", units::show_measured(it)),
            Some(it) => format!("it may take up to {}", units::show_measured(it)),
            None => "nothing else limits it".to_owned(),
        };
        (Holds::Enforced, why)
    }

    /// Reports a bound that cannot be met. Only time is raised by a fix, to more than the least: a
    /// person must decide how much may be spent.
    fn impossible(
        &mut self,
        bound: &Bounded<'_>,
        least: &str,
        proposed: Option<String>,
    ) -> (Holds, String) {
        let (key, value) = (bound.key.name(), bound.value.as_ref());
        let value = value.map(ToString::to_string).unwrap_or_default();
        let why = match bound.key {
            BoundKey::Timeout => format!("the bounded stages take at least {least}"),
            _ => format!("the bounded stages must reserve at least {least}"),
        };
        let problem = Problem::error(
            Code::E309,
            bound.term.span,
            format!("`{key}: {value}` cannot be met"),
        )
        .label(&*why)
        .also(bound.body.span, "the bounded stages")
        .help(match bound.key {
            BoundKey::Timeout => "increase the time, or do less inside",
            _ => "raise it, or lower the limits of the calls inside: an attempt only starts if all that it may use can be reserved",
        });
        let problem = match proposed {
            Some(it) => problem.suggest(bound.term.span, it),
            None => problem,
        };
        self.note_impossible(bound.term.span);
        self.report(if self.tried_around > 0 {
            let help = "raise the bound, or write only the alternative: `fallback` always takes it";
            Problem { severity: Severity::Warning, ..problem.help(help) }
        } else {
            problem
        });
        (Holds::Impossible, why)
    }

    fn note_impossible(&mut self, span: Span) {
        let call = (self.flows_around > 0).then(|| self.path.join("/").into());
        self.problems.impossible.push(Impossible { span, call });
    }

    fn bounds_nothing(&mut self, bound: &Bounded<'_>, why: &str) {
        let message = format!("`{}` has no effect here", bound.key.name());
        let problem =
            Problem::warning(Code::E306, bound.term.span, message).label(why).help("remove it");
        self.report(problem);
    }

    /// Reports a cap of money over something without a price.
    fn unpriced(&mut self, bound: &Bounded<'_>) {
        for cause in &bound.load.causes {
            let Cause::Unpriced { component, span, source, counts_tokens, error } = cause.as_ref()
            else {
                continue;
            };
            if bound.key != BoundKey::MaxCost && !counts_tokens {
                continue;
            }
            let message = format!("`{component}`: {error}");
            let problem = Problem::error(Code::E311, *span, message)
                .label("unknown price")
                .help_opt(error.help.clone());
            self.report_in(source, problem, bound.term.span, "under this cap");
        }
    }

    /// Reports a cap over something that runs for every item of a list of any length.
    fn endless(&mut self, bound: &Bounded<'_>) {
        for cause in &bound.load.causes {
            let Cause::List { span, source, is_given: false } = cause.as_ref() else { continue };
            let message = "this runs for every item of a list of unlimited length";
            let problem = Problem::error(Code::E310, *span, message)
                .label("costs something for every item")
                .help(
                    "limit the list before it with `take(n: 20)`, which drops the rest, or with \
                     `at_most(n: 20)`, which fails if there are more",
                )
                .suggest(Span::new(span.start, span.start), "take(n: 20) >> ");
            self.report_in(source, problem, bound.term.span, "so this cap cannot be checked");
        }
    }

    /// Reports a problem of a file, with a second place if that is in the same file.
    fn report_in(&mut self, source: &Source, problem: Problem, other: Span, text: &str) {
        let is_here = source.name() == self.source.name();
        let problem = if is_here { problem.also(other, text) } else { problem };
        self.problems.add(source, problem);
    }

    /// Reports a call in a branch of a `race` that must not be cut off.
    pub(super) fn must_not_race(&mut self, call: &TypedCall, term: &Term, once: Option<bool>) {
        let Some((file, race)) = self.force.race.clone() else { return };
        let asks = call.op.op.effects.contains(&Effect::Asks);
        let label = match once {
            Some(false) if !asks => return,
            _ if asks => "asks a person",
            Some(_) => "writes, and is not idempotent",
            None => "whether it is idempotent is known only in the run",
        };
        let name = &call.name;
        let problem = Problem::error(Code::E312, term.span, format!("`{name}` must not race"))
            .label(label)
            .help(
                "a branch that loses is cancelled in the middle; move the call behind the `race`",
            );
        let is_here = *file == *self.source.name();
        let problem =
            if is_here { problem.also(race, "only its first branch ends") } else { problem };
        self.report(problem);
    }

    fn report(&mut self, problem: Problem) {
        let source = self.source.clone();
        self.problems.add(&source, problem);
    }

    fn text_of(&self, term: &Term) -> String {
        self.source.text().get(term.span.range()).unwrap_or_default().to_owned()
    }
}

/// The verdict on a negative bound, which the run refuses.
fn below_nothing() -> (Holds, String) {
    (Holds::Enforced, "nothing stays below zero, so nothing starts".to_owned())
}

/// The verdict on a bound over stages that take nothing of its kind. On a whole file or flow it
/// is a promise that also holds after edits inside.
fn nothing_inside(bound: &Bounded<'_>, what: &str) -> (Holds, String) {
    let why = format!("nothing inside {what}");
    match (bound.is_whole, bound.key) {
        (true, BoundKey::Timeout) => (Holds::Enforced, why),
        (true, _) => (Holds::Proven, why),
        // Already reported by the check.
        (false, _) if is_instant(bound.body) => (Holds::Proven, why),
        (false, _) => (Holds::Useless, why),
    }
}

/// Whether something is computed for each item, or repeatedly.
fn loops(term: &Term) -> bool {
    use TermKind::{Each, Flow, Repeat, Rhai, Shape};
    let mut found =
        matches!(term.kind, Each { .. } | Shape { .. } | Repeat(_) | Rhai { .. } | Flow { .. });
    if !found {
        term.each_part(&mut |it| found |= loops(it));
    }
    found
}

fn is_instant(body: &Term) -> bool {
    !body.waits && matches!(body.kind, TermKind::Call(_) | TermKind::Const(_) | TermKind::Var(_))
}

pub(super) fn settled<T: Ord + Copy>(
    most: Option<T>,
    cap: T,
    shown: impl Fn(T) -> String,
    load: &ResourceUse,
) -> (Holds, String) {
    match most {
        Some(most) if most <= cap => (Holds::Proven, format!("at most {}", shown(most))),
        Some(most) => (Holds::Enforced, format!("it may take up to {}", shown(most))),
        None => (Holds::Enforced, load.why_open()),
    }
}

impl ResourceUse {
    /// The reason why a cap of money cannot be met, if something has no price.
    pub(super) fn unpriced(&self) -> Option<String> {
        self.causes.iter().find_map(|it| match it.as_ref() {
            Cause::Unpriced { component, error, .. } => Some(format!("`{component}`: {error}")),
            _ => None,
        })
    }

    /// The reasons why the amount is unknown.
    pub(super) fn why_open(&self) -> String {
        let causes = self.causes.iter().map(|it| match it.as_ref() {
            Cause::List { is_given: true, .. } => {
                "the number of items is known once the run has its inputs".to_owned()
            }
            Cause::List { .. } => "a list may have any length".to_owned(),
            Cause::Unpriced { component, error, .. } => format!("`{component}`: {error}"),
            Cause::Unquoted { component, why } => {
                format!("the cost of `{component}` is not known yet: {why}")
            }
            Cause::Open(key) => format!("`{}` is known once the run has its inputs", key.name()),
        });
        causes
            .reduce(|all, it| if all.contains(&it) { all } else { format!("{all}; {it}") })
            .unwrap_or_else(|| "it may take any amount".to_owned())
    }
}

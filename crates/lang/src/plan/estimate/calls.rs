//! Calls of components: their number of attempts, their cost, and their time.

use std::{sync::Arc, time::Duration};

use svc_contract::{
    registry::{Asking, Body, Effect, Known, Max, OpDef, Price, Quote, Scheme, Scope, Takes},
    value::{Money, Value, units},
};

use super::{
    Past, Walk,
    abstract_value::{self, AbstractValue, Items},
    amount::Count,
    resource_use::{Cause, Needs, ResourceUse},
    seen::{Seen, Slot, Sources},
};
use crate::{
    check::{BoundKey, Term, TermKind, TypedCall, TypedFlow},
    plan::{GRACE, Range, effects::of_call},
    script::limits,
};

/// The usual time of a call of an op that does not declare one.
const USUAL_COMPUTE: Duration = Duration::from_millis(20);
const USUAL_RHAI: Duration = Duration::from_millis(1);
const USUAL_IO: Duration = Duration::from_millis(200);

/// Fewer earlier calls than this do not predict the next one.
pub(super) const FEWEST: usize = 3;

/// Whether an effect has the same place in every call.
fn has_known_place(effect: &Effect) -> bool {
    match effect {
        Effect::Reads(scope) | Effect::Runs(scope) | Effect::Writes { scope, .. } => {
            matches!(scope, Scope::Named(_) | Scope::Site(_))
        }
        Effect::Asks | Effect::Spends => true,
    }
}

/// Whether no attempt of a call is repeated: the most that is possible counts.
fn writes_once(op: &OpDef, args: &[AbstractValue]) -> bool {
    op.call_writes_once(&|it| args.get(it).and_then(AbstractValue::as_known)).unwrap_or(false)
}

impl<'a> Walk<'a> {
    pub(super) fn call(&mut self, call: &'a TypedCall, term: &'a Term) -> Seen {
        let op = call.op.op;
        let (needs, args, before) = self.all(&call.args);
        let extent = Self::result(call, &args, &term.ty);
        if op.is_inline() {
            let is_head = !matches!(call.args.first().map(|it| &it.kind), Some(TermKind::Var(_)));
            if is_head {
                return Seen { sources: needs, extent, load: before };
            }
        }
        let idx = self.add(&call.name, needs.clone(), term);
        let effects = of_call(call, &|it| args.get(it).and_then(AbstractValue::as_known));
        if !self.problems.is_muted {
            self.effects.extend(effects.iter().cloned());
        }
        if let Some(idx) = idx {
            let path = self.path_to(&call.segment);
            let bounds = self.own_bounds(op, writes_once(op, &args));
            let node = &mut self.nodes[idx];
            node.path = path;
            node.op = Some(call.op.to_string());
            node.cost_class = Some(op.cost_class());
            node.effects = effects;
            node.bounds = bounds;
        }
        if op.is_inline() {
            return Seen { sources: idx.map_or(needs, |it| vec![it]), extent, load: before };
        }
        let known = |it: usize| args.get(it).and_then(AbstractValue::as_known);
        self.must_not_race(call, term, op.call_writes_once(&known));
        let is_fixed = matches!(op.price, Price::Free) && !matches!(op.takes, Takes::Arg(_));
        self.varies |= !(is_fixed && op.effects.iter().all(has_known_place));
        if !matches!(op.price, Price::Free) && !self.problems.is_muted {
            let path = self.path_to(&call.segment);
            self.scopes.call(|| path);
        }
        let mut load = self.attempts(call, &args, term, idx);
        load = load.with_calls(self.called_back(call, &args, idx));
        if self.force.reuses {
            let acts = op.writes() || op.effects.contains(&Effect::Asks);
            if acts {
                self.remark(idx, || "earlier results are not reused: it has effects".to_owned());
            } else {
                load = load.unless_reused();
            }
        }
        self.note_envelope(idx, &load);
        let sources = idx.map_or(needs, |it| vec![it]);
        Seen { sources, extent, load: before.then(load) }
    }

    /// Inline code: it costs nothing, and has a default timeout unless the script sets one.
    pub(super) fn rhai(&mut self, segment: &str, args: &'a [Term], term: &'a Term) -> Seen {
        let (needs, _, before) = self.all(args);
        let idx = self.add("rhai", needs.clone(), term);
        let own = (!self.force.is_timed).then_some(limits::TIME);
        if let Some(idx) = idx {
            let path = self.path_to(segment);
            let node = &mut self.nodes[idx];
            node.path = path;
            node.cost_class = Some("compute");
            node.bounds = own.map(|it| ("timeout", units::show_duration(it))).into_iter().collect();
        }
        let max = own.map(|it| it.saturating_add(GRACE));
        let time = Range { min: Duration::ZERO, expected: Some(USUAL_RHAI), max };
        let around = self.force.timeout.map(|it| it.saturating_add(GRACE));
        let turns = max.into_iter().chain(around).min();
        let load =
            ResourceUse { time, turns, compute: turns, is_delayed: true, ..ResourceUse::none() };
        self.note_envelope(idx, &load);
        let sources = idx.map_or(needs, |it| vec![it]);
        Seen { sources, extent: AbstractValue::of(&term.ty), load: before.then(load) }
    }

    /// The load of all attempts of a call.
    fn attempts(
        &mut self,
        call: &TypedCall,
        args: &[AbstractValue],
        term: &Term,
        idx: Option<usize>,
    ) -> ResourceUse {
        let op = call.op.op;
        let known: Vec<Known<'_>> = args.iter().map(AbstractValue::known).collect();
        let most_tokens = self.force.most_tokens(op);
        let wanted = call.wanted.as_ref();
        let asking = Asking { host: self.context.host, op, wanted, args: &known, most_tokens };
        let mut load =
            ResourceUse { spends: !matches!(op.price, Price::Free), ..ResourceUse::none() };
        let once = writes_once(op, args);
        let tries = self.force.tries(op, once);
        match asking.quote() {
            Ok(quote) => {
                load.asks = self.asked(asking);
                self.quoted(&mut load, quote, tries, call, term, idx);
            }
            Err(err) => {
                let most = most_tokens.zip(tries).map(|(a, b)| a.saturating_mul(b));
                load.asks = None;
                load.tokens = Range { min: 0, expected: None, max: most };
                load.cost = Range { min: Money::ZERO, expected: None, max: None };
                let (component, why) = (call.name.to_string(), err.message);
                self.remark(idx, || format!("its cost is not known yet: {why}"));
                load.because(|| Cause::Unquoted { component, why });
            }
        }
        if once && self.force.max_retries.is_some_and(|it| it > 0) {
            self.remark(idx, || "not retried: every attempt would write again".to_owned());
        }
        load.time = self.time_of(op, args, tries);
        if let Some(past) = self.past_of(call) {
            load.as_before(past);
            self.remark(idx, || format!("expected from {} earlier calls", past.calls));
        }
        // The timeout around it ends it at the latest.
        let around = self.force.timeout.map(|it| it.saturating_add(GRACE));
        load.turns = load.time.max.into_iter().chain(around).min();
        if matches!(op.body, Body::Compute(_)) {
            load.compute = load.turns;
            load.is_delayed = true;
        }
        load
    }

    /// The usage of earlier calls of the same op, if there were enough of them.
    fn past_of(&mut self, call: &TypedCall) -> Option<Past> {
        let ask = self.context.past;
        let name = call.op.to_string();
        let past = *self.past.entry(name).or_insert_with(|| ask(call.op));
        past.filter(|it| it.calls >= FEWEST)
    }

    fn quoted(
        &mut self,
        load: &mut ResourceUse,
        quote: Quote,
        tries: Option<u64>,
        call: &TypedCall,
        term: &Term,
        idx: Option<usize>,
    ) {
        let count = Count { least: 1, usual: 1, most: tries };
        let most = self.force.most_tokens(call.op.op);
        let tokens = most.map_or(quote.most.tokens, |it| quote.most.tokens.min(it));
        load.tokens = Range {
            min: quote.least.tokens,
            expected: Some(quote.usual.tokens.min(tokens)),
            max: Some(tokens),
        };
        load.cost = Range {
            min: quote.least.cost,
            expected: Some(quote.usual.cost.min(quote.most.cost)),
            max: Some(quote.most.cost),
        };
        load.needs = Needs { tokens: quote.reserved.tokens, cost: quote.reserved.cost };
        load.prices = quote.prices.into_iter().collect();
        let counts_tokens = matches!(call.op.op.price, Price::Unknown);
        if quote.unpriced.is_some() {
            (load.cost.expected, load.cost.max) = (None, None);
            load.tokens.max = load.tokens.max.filter(|_| !counts_tokens);
        }
        load.tokens = load.tokens.times(count);
        load.cost = load.cost.times(count);
        if tries.is_none() {
            load.because(|| Cause::Open(BoundKey::MaxRetries));
        }
        if let Some(error) = quote.unpriced {
            let (component, span) = (call.name.to_string(), term.span);
            let source = self.source.clone();
            self.remark(idx, || error.message.clone());
            load.because(|| Cause::Unpriced { component, span, source, counts_tokens, error });
        }
    }

    /// The most tokens that an attempt asks to reserve, ignoring caps of the script.
    fn asked(&self, asking: Asking<'_>) -> Option<u64> {
        // The limit of the op refuses a call before any cap is consulted.
        let own = asking.op.limits.max_tokens.filter(|_| !self.force.caps_tokens);
        let most = Asking { most_tokens: own, ..asking }.quote().ok().map(|it| it.most.tokens);
        most.into_iter().chain(own).min()
    }

    fn time_of(&self, op: &OpDef, args: &[AbstractValue], tries: Option<u64>) -> Range<Duration> {
        let lingers = match op.body {
            Body::Compute(_) => GRACE,
            // It ends the program that it runs.
            Body::Io(_) if op.effects.iter().any(|it| matches!(it, Effect::Runs(_))) => GRACE,
            Body::Inline(_) | Body::InlineWith(_) | Body::Io(_) | Body::Lacks(_) => Duration::ZERO,
        };
        let exact = match op.takes {
            Takes::Arg(name) => duration_of(op, args, name),
            Takes::Unsaid | Takes::Usually(_) => None,
        };
        let one_try = self.force.attempt_timeout.map(|it| it.saturating_add(lingers));
        let one_try = one_try.into_iter().chain(exact).min();
        // Between two attempts, the service may ask to wait for any time.
        let by_itself = one_try.filter(|_| tries == Some(1));
        let own = op.limits.timeout.filter(|_| !self.force.is_timed);
        let max = by_itself.into_iter().chain(own.map(|it| it.saturating_add(lingers))).min();
        let usual = match op.takes {
            Takes::Usually(it) => it,
            Takes::Arg(_) => exact.unwrap_or(USUAL_IO),
            Takes::Unsaid if matches!(op.body, Body::Compute(_)) => USUAL_COMPUTE,
            Takes::Unsaid => USUAL_IO,
        };
        let expected = max.map_or(usual, |it| it.min(usual));
        let min = exact.unwrap_or_default().min(expected);
        Range { min, expected: Some(expected), max }
    }

    /// The load of the flows called by an op, with their nodes below it.
    fn called_back(
        &mut self,
        call: &'a TypedCall,
        args: &[AbstractValue],
        idx: Option<usize>,
    ) -> ResourceUse {
        let op = call.op.op;
        let mut all = ResourceUse::none();
        for ((param, arg), known) in op.params.iter().zip(&call.args).zip(args) {
            // In a flow judged by itself, its flow parameters are unknown.
            let (load, most) = if let Some((takes, _, max)) = param.scheme.flow() {
                let Some(flow) = self.flow_in(known) else { continue };
                let input = input_of(takes, op, args);
                let load = self.one_called_back(call, flow, input.as_ref(), idx);
                (load, Self::items_of(max, op, args).most)
            } else if let Some(calls) = param.scheme.tools() {
                let most = |name| Self::items_of(Max::Arg(name), op, args).most;
                let most = most(calls.most.0).zip(most(calls.most.1));
                // Each call is of any of them.
                let tools = self.flows_in(known).into_iter();
                let loads = tools.map(|it| self.one_called_back(call, it, None, idx));
                let Some(dearest) = loads.reduce(ResourceUse::or) else { continue };
                (dearest, most.map(|(turns, each)| turns.saturating_mul(each)))
            } else {
                continue;
            };
            let count = Count { least: 0, usual: most.unwrap_or(1).min(10), most };
            let mut load = load.times(count, 1);
            if most.is_none() {
                let (span, source) = (arg.span, self.source.clone());
                load.because(|| Cause::List { span, source, is_given: true });
            }
            let tries =
                Count { least: 0, usual: 1, most: self.force.tries(op, writes_once(op, args)) };
            all = all.then(load.times(tries, 1));
        }
        all
    }

    /// The load of one call of a flow by an op, with the nodes below that of the op.
    fn one_called_back(
        &mut self,
        call: &'a TypedCall,
        flow: &'a Arc<TypedFlow>,
        input: Option<&AbstractValue>,
        idx: Option<usize>,
    ) -> ResourceUse {
        self.parents.extend(idx);
        let load = self.below(call.segment.to_string(), |this| {
            this.below(flow.name.to_string(), |this| {
                this.called(flow, &idx.into_iter().collect(), input)
            })
        });
        if idx.is_some() {
            self.parents.pop();
        }
        load
    }

    /// The load of one call of a flow passed as an argument.
    pub(super) fn called(
        &mut self,
        flow: &'a Arc<TypedFlow>,
        sources: &Sources,
        input: Option<&AbstractValue>,
    ) -> ResourceUse {
        let given = flow.params.iter().enumerate().map(|(idx, it)| {
            let known = input.filter(|_| idx == 0).cloned();
            let extent = known.unwrap_or_else(|| AbstractValue::of(&it.ty));
            Slot { sources: sources.clone(), extent }
        });
        let given = given.collect();
        self.body_of(flow, given).1
    }

    /// The default bounds of an op, without those set by the script. Any timeout around the call
    /// replaces that of the op.
    fn own_bounds(&self, op: &OpDef, once: bool) -> Vec<(&'static str, String)> {
        if op.is_inline() {
            return Vec::new();
        }
        let retries = if once { 0 } else { op.limits.max_retries };
        let timeout = op.limits.timeout.filter(|_| !self.force.is_timed);
        let timeout = timeout.map(|it| ("timeout", units::show_duration(it)));
        timeout.into_iter().chain([("max_retries", retries.to_string())]).collect()
    }

    /// The most items of a declared list with these arguments.
    pub(super) fn items_of(max: Max, op: &OpDef, args: &[AbstractValue]) -> Items {
        let input = args.first().map(AbstractValue::items);
        let named = |name: &str| {
            let idx = op.params.iter().position(|it| it.name == name);
            let arg = idx.and_then(|it| Some((args.get(it)?, op.params.get(it)?.scheme)));
            match arg {
                Some((AbstractValue::Known(Value::Int(it)), _)) => {
                    Items::at_most(Some(u64::try_from(*it).unwrap_or(0)), true)
                }
                Some((arg, Scheme::IntRange(_, most))) => {
                    Items::at_most(u64::try_from(most).ok(), arg.is_given())
                }
                Some((arg, _)) => Items::at_most(None, arg.is_given()),
                None => Items::at_most(None, false),
            }
        };
        match max {
            Max::Unknown => Items::at_most(None, false),
            Max::Arg(name) => named(name),
            Max::Input => {
                let input = input.unwrap_or(Items::at_most(None, false));
                Items { least: 0, ..input }
            }
            Max::Is(number) => Items::at_most(Some(number), true),
            Max::Never => Items::at_most(Some(0), true),
            Max::InputOr(name) => {
                let (named, input) = (named(name), input.unwrap_or(Items::at_most(None, false)));
                let either = Items::at_most(input.most, named.is_given || input.is_given);
                either.within(named.most)
            }
        }
    }
}

/// The input that an op passes to a flow: a field that has the name of a param has its value.
fn input_of(takes: Scheme, op: &OpDef, args: &[AbstractValue]) -> Option<AbstractValue> {
    let Scheme::Record(_, fields) = takes else { return None };
    let given = fields.iter().map(|field| {
        let param = op.params.iter().position(|it| it.name == field.name);
        let known = param.and_then(|it| args.get(it)).cloned();
        let value = known.unwrap_or_else(|| AbstractValue::of(&field.scheme.plain()));
        (field.name.into(), value)
    });
    Some(abstract_value::record(given.collect(), &takes.plain()))
}

fn duration_of(op: &OpDef, args: &[AbstractValue], name: &str) -> Option<Duration> {
    let idx = op.params.iter().position(|it| it.name == name)?;
    match args.get(idx)?.as_known()? {
        Value::Duration(it) => Some(*it),
        _ => None,
    }
}

impl ResourceUse {
    /// Expects the usage of earlier calls, within the possible range.
    fn as_before(&mut self, past: Past) {
        self.tokens.expected = Some(past.usage.tokens.max(self.tokens.min));
        self.cost.expected = Some(past.usage.cost.max(self.cost.min));
        self.time.expected = Some(past.took.max(self.time.min));
        self.tokens = self.tokens.sensible();
        self.cost = self.cost.sensible();
        self.time = self.time.sensible();
    }

    /// The load of a call including the flows that it calls: they run within its time, and end
    /// with it.
    fn with_calls(self, calls: Self) -> Self {
        let (mut time, needs) = (self.time, self.needs);
        time.max = time.max.map(|it| calls.ended_by(it));
        Self { time, needs, ..self.then(calls) }
    }
}

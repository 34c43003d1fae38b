//! Terms without slow calls: computed at once in the caller, without a task and without
//! allocations other than the value itself.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, OnceLock},
};

use smallvec::SmallVec;
use svc_contract::{
    registry::{ErrorKind, OpError},
    value::{
        BoundedText, ITEMS_PER_CHECK, Record, Text, Type, Value,
        arithmetic::{self, LONGEST_TEXT, MathError},
        memory,
    },
};
use svc_lang::{
    check::{
        CastReason, Term, TermKind, TypedArm, TypedBlock, TypedBranch, TypedCall, TypedEntry,
        TypedFlow, TypedPiece, TypedRepeat,
    },
    diag::Span,
    syntax::ast::BinaryOp,
};

use super::{
    aside::weight_of,
    attempt::inline,
    env::Env,
    error::{Result, RunError},
    pace::Pace,
    scope::{Bounds, Scope, out_of_memory},
};

/// The context of an immediate computation.
#[derive(Clone, Copy)]
pub(super) struct Now<'a> {
    pub(super) scope: &'a Scope,
    pub(super) pace: &'a Pace,
}

impl Now<'_> {
    pub(super) fn eval(self, term: &Term, env: &Env<'_>) -> Result<Value> {
        stacker::maybe_grow(32 << 10, 1 << 20, || self.eval_kind(term, env))
    }

    fn eval_kind(self, term: &Term, env: &Env<'_>) -> Result<Value> {
        let span = term.span;
        match &term.kind {
            TermKind::Const(value) => Ok(value.clone()),
            TermKind::Var(var) => Ok(env.get(*var).clone()),
            TermKind::Pipeline(terms) => self.pipeline(terms, env),
            TermKind::Call(call) => self.call(call, env, span),
            TermKind::Flow { flow, segment, args, .. } => {
                // Flows that each call another one twice can compute forever.
                self.step(0, span)?;
                self.flow(flow, segment, args, env)
            }
            TermKind::FlowRef(flow) => Ok(flow.as_value()),
            TermKind::CallRef { .. } | TermKind::Rhai { .. } => {
                Err(RunError::new(OpError::bug("something slow was computed at once"), span))
            }
            TermKind::Block(block) => self.block(block, env),
            TermKind::Parallel { names, branches } => {
                self.made(self.parallel(names, branches, env)?, span)
            }
            TermKind::Race { segment, branches } => self.race(segment, branches, env),
            TermKind::Each { segment, input, optional, body, .. } => {
                self.made(self.each(segment, input, *optional, body, env)?, span)
            }
            TermKind::Shape { input, shape, key, .. } => self.shape(input, *shape, key, env),
            TermKind::If { segments, condition, then, otherwise } => {
                let (arm, segment) = if self.truth(condition, env)? {
                    (then, &segments.0)
                } else {
                    (otherwise, &segments.1)
                };
                self.eval(arm, env).map_err(|it| it.below(segment))
            }
            TermKind::Match { value, arms } => {
                let value = self.eval(value, env)?;
                let arm = arm_of(arms, &value, span)?;
                self.eval(&arm.body, env).map_err(|it| it.below(&arm.segment))
            }
            TermKind::Repeat(repeat) => self.repeat(repeat, env, span),
            TermKind::Record(entries) => self.made(self.record(entries, env)?, span),
            TermKind::List(items) => {
                let items: Result<Vec<Value>> = items.iter().map(|it| self.eval(it, env)).collect();
                self.made(Value::from(items?), span)
            }
            TermKind::Text(pieces) => self.text(pieces, env, span),
            TermKind::Field { base, name } => match &base.kind {
                TermKind::Var(var) => Ok(env.field(*var, name)),
                _ => Ok(field(&self.eval(base, env)?, name)),
            },
            TermKind::Index { base, index } => {
                let (list, idx) = (self.eval(base, env)?, self.eval(index, env)?);
                Ok(item(&list, &idx))
            }
            TermKind::Binary { op, left, right } => self.binary(*op, left, right, env, span),
            TermKind::Not(inner) => Ok(Value::Bool(!self.truth(inner, env)?)),
            TermKind::Negate(inner) => negate(&self.eval(inner, env)?, span),
            TermKind::Cast { value, why } => {
                let value = self.eval(value, env)?;
                self.ahead(value.weight(), span)?;
                let value = cast(value, &term.ty, *why, span)?;
                self.step(value.weight(), span).map(|()| value)
            }
            TermKind::Path { value, folder } => {
                Ok(path(&self.eval(value, env)?, folder.as_deref()))
            }
            TermKind::Within { bounds, body, .. } => self.within(bounds, body, env),
            TermKind::Fallback { segment, tries } => self.fallback(segment, tries, env),
        }
    }

    fn pipeline(self, terms: &[Term], env: &Env<'_>) -> Result<Value> {
        let mut value = self.eval(&terms[0], env)?;
        for term in &terms[1..] {
            value = self.eval(term, &env.with_it(&value))?;
        }
        Ok(value)
    }

    fn call(self, call: &TypedCall, env: &Env<'_>, span: Span) -> Result<Value> {
        let mut args: SmallVec<[Value; 4]> = SmallVec::with_capacity(call.args.len());
        for arg in &call.args {
            args.push(self.eval(arg, env)?);
        }
        let weight = weight_of(&args);
        self.ahead(weight, span)?;
        if weight > HEAVY && call.op.op.makes_as_much() {
            Self::held(needed(&args), span)?;
        }
        let ended = catch_unwind(AssertUnwindSafe(|| inline(call, &self.scope.lent, &mut args)));
        let ended = ended.unwrap_or_else(|_| Err(panicked(call)));
        let weight = weight.saturating_add(ended.as_ref().map_or(0, Value::weight));
        let ended = self
            .step(weight, span)
            .and_then(|()| ended.map_err(|it| RunError::new(call.op.checked_error(it), span)));
        ended.map_err(|it| it.at_node(call.segment.to_string(), Some(&call.name)))
    }

    /// Counts a step. Now and then, looks at the clock and the memory, because nothing else can
    /// while this computes.
    pub(super) fn step(self, weight: u64, span: Span) -> Result<()> {
        if self.pace.steps(weight) || memory::is_full() { self.look(span) } else { Ok(()) }
    }

    #[cold]
    fn look(self, span: Span) -> Result<()> {
        if self.pace.is_over() {
            return Err(RunError::cancelled(span));
        }
        self.scope.check(span)
    }

    /// Gives up before a step over values that are too heavy for a brief computation.
    pub(super) fn ahead(self, weight: u64, span: Span) -> Result<()> {
        if self.pace.is_too_heavy(weight) { Err(RunError::cancelled(span)) } else { Ok(()) }
    }

    fn flow(self, flow: &TypedFlow, segment: &str, args: &[Term], env: &Env<'_>) -> Result<Value> {
        let args: Result<Vec<Value>> = args.iter().map(|it| self.eval(it, env)).collect();
        let ended = self.eval(&flow.body, &Env::of_params(&args?));
        ended.map_err(|it| it.in_file(&flow.source).below(segment))
    }

    fn block(self, block: &TypedBlock, env: &Env<'_>) -> Result<Value> {
        let slots: Vec<OnceLock<Value>> = block.lets.iter().map(|_| OnceLock::new()).collect();
        let env = env.with_lets(&slots);
        for (slot, bind) in slots.iter().zip(&block.lets).filter(|(_, it)| !it.skipped) {
            let value = self.eval(&bind.value, &env).map_err(|it| it.below(&bind.segment))?;
            slot.set(value).expect("a let is computed once");
        }
        self.eval(&block.result, &env)
    }

    fn parallel(
        self,
        names: &std::sync::Arc<[Text]>,
        branches: &[TypedBranch],
        env: &Env<'_>,
    ) -> Result<Value> {
        let mut values = Vec::with_capacity(branches.len());
        for branch in branches {
            values.push(match self.eval(&branch.body, env) {
                Err(err) if branch.optional && err.is_caught_at(self.scope.depth) => {
                    self.swallow(err)
                }
                other => other.map_err(|it| it.below(&branch.segment))?,
            });
        }
        Ok(Value::Record(Record::new(names.clone(), values)))
    }

    /// Null in place of a failure, which is remembered.
    pub(super) fn swallow(self, err: Box<RunError>) -> Value {
        self.pace.swallowed.add(err);
        Value::Null
    }

    pub(super) fn truth(self, term: &Term, env: &Env<'_>) -> Result<bool> {
        Ok(matches!(self.eval(term, env)?, Value::Bool(true)))
    }

    pub(super) fn record(self, entries: &[TypedEntry], env: &Env<'_>) -> Result<Value> {
        let mut values = Vec::with_capacity(entries.len());
        for entry in entries {
            match entry {
                TypedEntry::Field(_, term) | TypedEntry::Spread(term, _) => {
                    values.push(self.eval(term, env)?);
                }
            }
        }
        Ok(record_of(entries, values))
    }

    fn text(self, pieces: &[TypedPiece], env: &Env<'_>, span: Span) -> Result<Value> {
        let mut values = Vec::new();
        for piece in pieces {
            if let TypedPiece::Value(term, _) = piece {
                values.push(self.eval(term, env)?);
            }
        }
        self.ahead(weight_of(&values), span)?;
        let text = text_of(pieces, values, span);
        // A failure for lack of memory takes precedence.
        self.step(text.as_ref().map_or(0, Value::weight), span).and(text)
    }

    fn binary(
        self,
        op: BinaryOp,
        left: &Term,
        right: &Term,
        env: &Env<'_>,
        span: Span,
    ) -> Result<Value> {
        let left = self.eval(left, env)?;
        match decided(op, &left) {
            Some(value) => Ok(value),
            None => {
                let right = self.eval(right, env)?;
                let weight = left.weight().saturating_add(right.weight());
                self.ahead(weight, span)?;
                let computed = operate(op, left, right, span);
                self.step(weight, span).and(computed)
            }
        }
    }

    /// Charges the memory that is needed while a value is built.
    pub(super) fn held(bytes: usize, span: Span) -> Result<memory::Charge> {
        memory::Charge::ahead(bytes).map_err(|it| out_of_memory(&it, span))
    }

    /// Checks the size of a composed value.
    pub(super) fn made(self, value: Value, span: Span) -> Result<Value> {
        self.step(value.weight(), span)?;
        check_size(value, span)
    }

    fn within(
        self,
        bounds: &[(svc_lang::check::BoundKey, Term)],
        body: &Term,
        env: &Env<'_>,
    ) -> Result<Value> {
        // Nothing in here spends or waits, so only time and memory can be bounded.
        let mut values = Bounds::default();
        for (key, term) in bounds {
            values.set(*key, &self.eval(term, env)?, term.span)?;
        }
        if values.timeout.is_none() && values.memory.is_none() {
            return self.eval(body, env);
        }
        let scope = self.scope.bounded(&values, None);
        let _entered = memory::enter(&scope.memory);
        let ended = Now { scope: &scope, pace: self.pace }.eval(body, env);
        scope.unless_full(ended, body.span)
    }

    fn fallback(self, segment: &str, tries: &[Term], env: &Env<'_>) -> Result<Value> {
        let (first, others) = tries.split_first().expect("a fallback has alternatives");
        let mut result = self.eval(first, env);
        for term in others {
            match result {
                Err(err) if err.is_met_by(segment, self.scope.depth) => {
                    let error = error_value(&err);
                    self.swallow(err);
                    let next = self.eval(term, &env.with_it(&error));
                    result = next.map_err(|it| it.below(segment));
                }
                other => return other,
            }
        }
        result
    }

    /// The value of the first branch in the script that succeeds: without slow calls, nothing
    /// overlaps.
    fn race(self, segment: &str, branches: &[TypedBranch], env: &Env<'_>) -> Result<Value> {
        let mut failed = None;
        for branch in branches {
            match self.eval(&branch.body, env) {
                Err(err) if err.is_caught_at(self.scope.depth) => {
                    let err = err.below(&branch.segment).below(segment);
                    match &failed {
                        None => failed = Some(err),
                        Some(_) => drop(self.swallow(err)),
                    }
                }
                Err(err) => return Err(err.below(&branch.segment).below(segment)),
                Ok(value) => {
                    failed.map(|it| self.swallow(it));
                    return Ok(value);
                }
            }
        }
        Err(failed.expect("a race has branches"))
    }

    fn repeat(self, repeat: &TypedRepeat, env: &Env<'_>, span: Span) -> Result<Value> {
        let mut value = self.eval(&repeat.input, env)?;
        for turn in 0..=repeat.turns {
            self.step(0, span)?;
            if self.truth(&repeat.until, &env.with_it(&value))? {
                return Ok(value);
            }
            if turn < repeat.turns {
                let next = self.eval(&repeat.body, &env.with_it(&value));
                let below = format_args!("{}[{}]", repeat.segment, turn + 1);
                value = next.map_err(|it| it.below(below))?;
            }
        }
        match &repeat.otherwise {
            Some(otherwise) => {
                let below =
                    format_args!("{}[{}]/{}", repeat.segment, repeat.turns + 1, TypedRepeat::ELSE);
                self.eval(otherwise, &env.with_it(&value)).map_err(|it| it.below(below))
            }
            None => Err(exhausted(repeat.turns, span)),
        }
    }
}

/// From this weight on, the memory needed to process a value is charged beforehand.
const HEAVY: u64 = 8 << 10;

/// Whether a value is so small that no list in it was cut short for lack of memory.
pub(super) fn is_light(value: &Value) -> bool {
    value.weight() <= ITEMS_PER_CHECK as u64
}

/// The additional memory an op needs while it builds something similar to its arguments: a text
/// is built and then made shared, the items of a list are copied.
pub(super) fn needed(args: &[Value]) -> usize {
    let of = |it: &Value| match it {
        Value::Text(text) => 2 * text.len(),
        Value::List(items) => items.len() * size_of::<Value>(),
        _ => 0,
    };
    args.iter().map(of).sum()
}

/// The error for a component that panicked.
pub(super) fn panicked(call: &TypedCall) -> OpError {
    OpError::bug(format!("`{}` panicked", call.op)).help("report this as a bug of the component")
}

/// The matching arm for a value.
pub(super) fn arm_of<'a>(arms: &'a [TypedArm], value: &Value, span: Span) -> Result<&'a TypedArm> {
    let arm = arms.iter().find(|it| it.patterns.is_empty() || it.patterns.contains(value));
    arm.ok_or_else(|| {
        let message = format!("no arm of `match` matches `{value}`");
        RunError::new(OpError::invalid_input(message), span)
    })
}

/// The error for a loop whose turns are used up and that has no `else`.
pub(super) fn exhausted(turns: u32, span: Span) -> Box<RunError> {
    let message = format!("`until` was still false after {turns} turns");
    let help = "add `else { it }` to keep the last value, or allow more turns";
    RunError::new(OpError::new(ErrorKind::Exhausted, message).help(help), span)
}

/// The failure as the next alternative of a `fallback` sees it.
pub(super) fn error_value(err: &RunError) -> Value {
    let fields = [
        ("kind".into(), err.kind().name().into()),
        ("message".into(), err.error.message.as_str().into()),
    ];
    Value::Record(fields.into_iter().collect())
}

/// The value of `left op right` if the left side alone decides it.
pub(super) fn decided(op: BinaryOp, left: &Value) -> Option<Value> {
    match (op, left) {
        (BinaryOp::Or, Value::Bool(true)) | (BinaryOp::And, Value::Bool(false)) => {
            Some(left.clone())
        }
        (BinaryOp::Coalesce, left) if !left.is_null() => Some(left.clone()),
        _ => None,
    }
}

pub(super) fn operate(op: BinaryOp, a: Value, b: Value, span: Span) -> Result<Value> {
    use std::cmp::Ordering::{Greater, Less};
    let computed = match op {
        BinaryOp::Or | BinaryOp::And | BinaryOp::Coalesce => Ok(b),
        BinaryOp::Equal => Ok(Value::Bool(a == b)),
        BinaryOp::Unequal => Ok(Value::Bool(a != b)),
        BinaryOp::Less => Ok(Value::Bool(a.order(&b) == Some(Less))),
        BinaryOp::LessEqual => Ok(Value::Bool(a.order(&b).is_some_and(|it| it != Greater))),
        BinaryOp::Greater => Ok(Value::Bool(a.order(&b) == Some(Greater))),
        BinaryOp::GreaterEqual => Ok(Value::Bool(a.order(&b).is_some_and(|it| it != Less))),
        BinaryOp::Add => arithmetic::add(a, b),
        BinaryOp::Subtract => arithmetic::subtract(&a, &b),
        BinaryOp::Multiply => arithmetic::multiply(&a, &b),
        BinaryOp::Divide => arithmetic::divide(&a, &b),
        BinaryOp::Remainder => arithmetic::remainder(&a, &b),
    };
    computed.map_err(|it| math(it, span))
}

pub(super) fn negate(value: &Value, span: Span) -> Result<Value> {
    arithmetic::negate(value).map_err(|it| math(it, span))
}

fn math(err: arithmetic::MathError, span: Span) -> Box<RunError> {
    RunError::failed(err.to_string(), span)
}

/// Checks that a value can still be written out; values whose parts contain each other twice at
/// every step soon cannot.
pub(super) fn check_size(value: Value, span: Span) -> Result<Value> {
    if value.weight() <= arithmetic::HEAVIEST {
        Ok(value)
    } else {
        Err(math(MathError::TooLong, span))
    }
}

/// The field of a record; null where an optional record or field is missing.
pub(super) fn field(base: &Value, name: &str) -> Value {
    base.as_record().and_then(|it| it.get(name)).cloned().unwrap_or_default()
}

/// The item at an index, from 0 or from -1 backwards; null where there is none.
pub(super) fn item(list: &Value, idx: &Value) -> Value {
    if let (Value::Record(map), Value::Text(key)) = (list, idx) {
        return map.get(key).cloned().unwrap_or_default();
    }
    let (Some(list), Value::Int(idx)) = (list.as_list(), idx) else { return Value::Null };
    let idx = match usize::try_from(*idx) {
        Ok(it) => Some(it),
        Err(_) => {
            usize::try_from(idx.unsigned_abs()).ok().and_then(|it| list.len().checked_sub(it))
        }
    };
    idx.and_then(|it| list.get(it)).cloned().unwrap_or_default()
}

pub(super) fn cast(value: Value, ty: &Type, why: CastReason, span: Span) -> Result<Value> {
    value.cast(ty).map_err(|misfit| {
        let kind = match why {
            CastReason::Answered => ErrorKind::InvalidOutput,
            CastReason::Asked | CastReason::Entering => ErrorKind::InvalidInput,
        };
        RunError::new(OpError::new(kind, misfit.to_string()), span)
    })
}

pub(super) fn path(value: &Value, folder: Option<&std::path::Path>) -> Value {
    let text = value.as_str().unwrap_or_default();
    Value::Path(match folder {
        Some(folder) => svc_contract::value::paths::join(folder, text),
        None => text.into(),
    })
}

/// The flow in a parameter.
pub(super) fn flow_of(value: &Value, span: Span) -> Result<Arc<TypedFlow>> {
    let flow = match value {
        Value::Flow(it) => it.downcast(),
        _ => None,
    };
    flow.ok_or_else(|| RunError::new(OpError::bug("an argument is not a flow"), span))
}

pub(super) fn not_a_list(value: &Value, span: Span) -> Box<RunError> {
    let message = format!("expected a list, found {}", value.kind());
    RunError::new(OpError::invalid_input(message), span)
}

/// Builds a record from fields and spreads with computed values.
pub(super) fn record_of(entries: &[TypedEntry], values: Vec<Value>) -> Value {
    let mut fields: Vec<(Text, Value)> = Vec::with_capacity(entries.len());
    for (entry, value) in entries.iter().zip(values) {
        match entry {
            TypedEntry::Field(name, _) => set(&mut fields, name, value),
            TypedEntry::Spread(_, names) => {
                for name in names {
                    set(&mut fields, name, field(&value, name));
                }
            }
        }
    }
    Value::Record(fields.into_iter().collect())
}

fn set(fields: &mut Vec<(Text, Value)>, name: &Text, value: Value) {
    match fields.iter_mut().find(|(it, _)| it == name) {
        Some((_, known)) => *known = value,
        None => fields.push((name.clone(), value)),
    }
}

/// Builds a string from pieces with computed values.
pub(super) fn text_of(pieces: &[TypedPiece], values: Vec<Value>, span: Span) -> Result<Value> {
    use std::fmt::Write as _;
    let mut values = values.into_iter();
    let mut text = BoundedText::new(LONGEST_TEXT);
    for piece in pieces {
        let written = match piece {
            TypedPiece::Text(it) => text.write_str(it),
            TypedPiece::Value(_, None) => write!(text, "{}", values.next().unwrap_or_default()),
            TypedPiece::Value(_, Some(decimals)) => {
                write!(text, "{:.decimals$}", values.next().unwrap_or_default())
            }
        };
        written.map_err(|_| math(MathError::TooLong, span))?;
    }
    Ok(Value::from(text.into_string()))
}

//! `within { .. }`: its keys, the types of their values, and invalid uses.

use svc_contract::{
    registry::{Effect, ErrorKind, Near, near},
    value::{Money, Text, Type, Value, units},
};

use super::{BoundKey, Checker, Term, TermKind, scope::Frame};
use crate::{
    diag::{Code, Problem, Span},
    syntax::ast::{Bound, Expr, ExprKind, Within, Word},
};

/// The names of the specification, which take bare numbers.
const SYNONYMS: [(&str, BoundKey); 2] =
    [("timeout_sec", BoundKey::Timeout), ("max_budget_usd", BoundKey::MaxCost)];

/// Names in other systems, and their names here.
const FOREIGN: [(&str, &str); 9] = [
    ("retries", "max_retries"),
    ("retry", "max_retries"),
    ("budget", "max_cost"),
    ("cost", "max_cost"),
    ("concurrency", "max_parallel"),
    ("parallel", "max_parallel"),
    ("tokens", "max_tokens"),
    ("time", "timeout"),
    ("memory", "max_memory"),
];

/// The kinds of errors that a script may retry.
const RETRYABLE: [ErrorKind; 6] = [
    ErrorKind::Timeout,
    ErrorKind::RateLimit,
    ErrorKind::Unavailable,
    ErrorKind::InvalidOutput,
    ErrorKind::Failed,
    ErrorKind::NotFound,
];

impl Checker<'_> {
    /// Puts the bounds in the head of a file or a flow around its whole body.
    pub(super) fn within_head(&mut self, body: Term, within: &Within) -> Term {
        self.bounded(body, within, "!within".into())
    }

    /// Puts the bounds of a `within` around a term.
    pub(super) fn within(&mut self, body: Term, within: &Within) -> Term {
        let segment = self.segment("within");
        self.bounded(body, within, segment)
    }

    fn bounded(&mut self, body: Term, within: &Within, segment: Text) -> Term {
        let mut bounds: Vec<(BoundKey, Term)> = Vec::new();
        let mut seen: Vec<(BoundKey, Span)> = Vec::new();
        for bound in &within.bounds {
            let Some((key, synonym)) = self.bound_key(&bound.key) else { continue };
            if let Some((_, first)) = seen.iter().find(|(it, _)| *it == key) {
                let first = *first;
                self.given_twice(key, bound.key.span, first);
                continue;
            }
            seen.push((key, bound.key.span));
            if let Some(term) = self.bound_value(key, synonym, bound) {
                bounds.push((key, term));
            }
        }
        self.bounds_nothing(&body, within);
        let (ty, span) = (body.ty.clone(), body.span.to(within.span));
        Term::new(TermKind::Within { segment, bounds, body: Box::new(body) }, ty, span)
    }

    fn bounds_nothing(&mut self, body: &Term, within: &Within) {
        let instant =
            matches!(body.kind, TermKind::Call(_) | TermKind::Const(_) | TermKind::Var(_));
        // Even a term that is computed immediately takes memory.
        let has_memory = within.bounds.iter().any(|it| it.key.text.as_ref() == "max_memory");
        if instant && !has_memory && !body.waits && !body.ty.is_unknown() {
            self.report(
                Problem::warning(Code::E306, within.span, "these bounds have no effect")
                    .label("nothing to limit")
                    .also(body.span, "takes no time and costs nothing")
                    .help("remove the bounds"),
            );
        }
    }

    fn bound_key(&mut self, word: &Word) -> Option<(BoundKey, bool)> {
        let name = word.text.as_ref();
        if let Some(key) = BoundKey::ALL.iter().find(|it| it.name() == name) {
            return Some((*key, false));
        }
        if let Some((_, key)) = SYNONYMS.iter().find(|(it, _)| *it == name) {
            return Some((*key, true));
        }
        let names = BoundKey::ALL.iter().map(|it| it.name());
        let foreign = FOREIGN.iter().find(|(it, _)| *it == name).map(|(_, it)| *it);
        let problem = Problem::error(Code::E301, word.span, format!("unknown bound `{name}`"))
            .label("unknown bound");
        let known = foreign.map(|name| Near { name, is_sure: true });
        let problem = match known.or_else(|| near(name, names.clone())) {
            Some(Near { name: meant, is_sure }) => problem
                .help(format!("did you mean `{meant}`?"))
                .fix(word.span, meant)
                .suggested_if(!is_sure),
            None => problem.help(format!("use one of {}", names.collect::<Vec<_>>().join(", "))),
        };
        self.report(problem);
        None
    }

    fn given_twice(&mut self, key: BoundKey, span: Span, first: Span) {
        self.report(
            Problem::error(Code::E305, span, format!("duplicate `{}`", key.name()))
                .label("second value")
                .also(first, "first value")
                .help("keep one of them"),
        );
    }

    fn bound_value(&mut self, key: BoundKey, synonym: bool, bound: &Bound) -> Option<Term> {
        if synonym {
            return self.bare_number(key, bound);
        }
        let ty = bound_type(key);
        let term = self.expr(&bound.value, Some(&ty));
        if !term.ty.fits(&ty) {
            self.wrong_bound(key, &ty, &bound.value, &term);
            return None;
        }
        if !self.is_constant(&term) {
            self.report(
                Problem::error(
                    Code::E303,
                    term.span,
                    format!("`{}` must be known before the run", key.name()),
                )
                .label("depends on values of the run")
                .help("use a literal or a `param`"),
            );
            return None;
        }
        self.sensible(key, &term).then_some(term)
    }

    /// `timeout_sec: 30`, `max_budget_usd: 0.5`; a budget of 0 means no budget.
    fn bare_number(&mut self, key: BoundKey, bound: &Bound) -> Option<Term> {
        let span = bound.value.span;
        #[expect(clippy::cast_precision_loss, reason = "seconds and dollars are small")]
        let number = match &bound.value.kind {
            ExprKind::Literal(Value::Int(it)) => *it as f64,
            ExprKind::Literal(Value::Float(it)) => *it,
            _ => {
                let name = &bound.key.text;
                self.report(
                    Problem::error(Code::E302, span, format!("`{name}` takes a bare number"))
                        .label("not a number")
                        .help(format!("write `{}` with a unit instead", key.name())),
                );
                return None;
            }
        };
        let value = match key {
            BoundKey::MaxCost if number == 0.0 => return None,
            BoundKey::MaxCost => Money::from_dollars(number).map(Value::Money),
            _ => std::time::Duration::try_from_secs_f64(number).ok().map(Value::Duration),
        };
        let is_enough = number > 0.0 || key == BoundKey::MaxCost && number == 0.0;
        let Some(value) = value.filter(|_| is_enough) else {
            self.report(
                Problem::error(Code::E302, span, format!("`{}` must be positive", bound.key.text))
                    .label("too small")
                    .help("write a positive number"),
            );
            return None;
        };
        let ty = bound_type(key);
        Some(Term { kind: TermKind::Const(value), ty, span, waits: false })
    }

    fn wrong_bound(&mut self, key: BoundKey, ty: &Type, value: &Expr, term: &Term) {
        let fix = typed_literal(key, value);
        let example = match key {
            BoundKey::MaxCost => "$0.50",
            BoundKey::Timeout | BoundKey::AttemptTimeout => "30s",
            BoundKey::MaxAge => "1d",
            BoundKey::MaxMemory => "500MB",
            BoundKey::RetryOn => "[\"timeout\", \"rate_limit\"]",
            _ => "3",
        };
        let message = format!("expected {ty} for `{}`, found {}", key.name(), term.ty);
        let mut problem = Problem::error(Code::E302, value.span, message)
            .label(format!("this is {}", term.ty))
            .help(format!("write `{}: {}`", key.name(), fix.as_deref().unwrap_or(example)));
        if let Some(fix) = fix {
            // A number has no unit, and only the author knows which one is meant.
            let has_unit = matches!(&value.kind, ExprKind::Literal(Value::Text(_)));
            problem = problem.fix(value.span, fix).suggested_if(!has_unit);
        }
        self.report(problem);
    }

    /// Whether a term consists of constants and params: a bound must not depend on the run.
    fn is_constant(&self, term: &Term) -> bool {
        let own = match &term.kind {
            TermKind::Var(var) => {
                let frame = self.frames.len().checked_sub(1 + var.up).map(|it| &self.frames[it]);
                // The `error` of a `fallback` is in a frame of params, but is not a param.
                matches!(frame, Some(Frame::Params(all)) if all[var.idx].name.as_ref() != "error")
            }
            _ => !term.waits,
        };
        let mut parts = true;
        term.each_part(&mut |it| parts &= self.is_constant(it));
        own && parts
    }

    fn sensible(&mut self, key: BoundKey, term: &Term) -> bool {
        if key == BoundKey::RetryOn {
            return self.retry_kinds(term);
        }
        let Some(given) = super::expansion::constant(term) else { return true };
        let (name, too_small) = (key.name(), |message| {
            Problem::error(Code::E302, term.span, message).label("too small")
        });
        let least = i64::from(key == BoundKey::MaxParallel);
        let problem = match given {
            Value::Int(it) if it < least => too_small(format!("`{name}` must be at least {least}"))
                .help("write a larger number, or leave the bound out")
                .suggest(term.span, least.to_string()),
            Value::Money(it) if it < Money::ZERO => {
                too_small(format!("`{name}` must not be negative"))
                    .help("write `$0` to forbid spending, or leave the bound out")
            }
            // With no time or memory at all, nothing inside can finish.
            Value::Duration(it) if it.is_zero() && key != BoundKey::MaxAge => {
                too_small(format!("`{name}` must not be zero"))
                    .help("write a time such as `30s`, or leave the bound out")
            }
            Value::Size(0) => too_small(format!("`{name}` must not be zero"))
                .help("write a size such as `500MB`, or leave the bound out"),
            _ => return true,
        };
        self.report(problem);
        false
    }

    fn retry_kinds(&mut self, term: &Term) -> bool {
        let TermKind::List(items) = &term.kind else { return true };
        let mut sound = true;
        for item in items {
            let Some(Value::Text(kind)) = item.constant() else { continue };
            if RETRYABLE.iter().any(|it| it.name() == kind.as_ref()) {
                continue;
            }
            sound = false;
            let names: Vec<&str> = RETRYABLE.iter().map(|it| it.name()).collect();
            let problem = Problem::error(
                Code::E302,
                item.span,
                format!("{kind:?} is not a kind of error that can be retried"),
            )
            .label("not a retryable kind");
            self.report(match near(kind, names.clone()) {
                Some(Near { name: meant, is_sure }) => problem
                    .help(format!("did you mean {meant:?}?"))
                    .fix(item.span, format!("{meant:?}"))
                    .suggested_if(!is_sure),
                None => problem.help(format!("use one of {}", names.join(", "))),
            });
        }
        sound
    }

    /// Reports retries of a write that is not idempotent, and reuse of earlier results for a call
    /// that must happen.
    pub(super) fn writes_happen_once(&mut self, term: &Term, within: &Within) {
        let call = match &term.kind {
            TermKind::Call(call) => call,
            TermKind::Within { body, .. } => match &body.kind {
                TermKind::Call(call) => call,
                _ => return,
            },
            _ => return,
        };
        let bound = |name: &str| within.bounds.iter().find(|it| it.key.text.as_ref() == name);
        let op = call.op.op;
        if let Some(bound) = bound("max_age")
            && (op.writes() || op.effects.contains(&Effect::Asks))
        {
            let acts = if op.writes() { "writes" } else { "asks a person" };
            self.report(
                Problem::error(
                    Code::E304,
                    bound.key.span,
                    format!("an earlier result cannot replace `{}`", call.name),
                )
                .label("the call would be skipped")
                .also(term.span, acts)
                .help("leave `max_age` out"),
            );
        }
        let Some(bound) = bound("max_retries") else { return };
        let none = matches!(&bound.value.kind, ExprKind::Literal(Value::Int(0)));
        let once = call.op.op.call_writes_once(&|it| call.args.get(it)?.constant());
        // What the arguments decide in the run is decided there.
        if once != Some(true) || none {
            return;
        }
        self.report(
            Problem::error(
                Code::E304,
                bound.value.span,
                format!("`{}` must not be retried", call.name),
            )
            .label("a retry would write a second time")
            .also(term.span, "writes, and is not idempotent")
            .help("write `max_retries: 0`, or leave it out")
            .suggest(bound.value.span, "0"),
        );
    }
}

fn bound_type(key: BoundKey) -> Type {
    match key {
        BoundKey::MaxCost => Type::Money,
        BoundKey::Timeout | BoundKey::AttemptTimeout | BoundKey::MaxAge => Type::Duration,
        BoundKey::RetryOn => Type::list(Type::Text),
        BoundKey::MaxMemory => Type::Size,
        BoundKey::MaxTokens | BoundKey::MaxRetries | BoundKey::MaxParallel => Type::INT,
    }
}

/// The literal meant by a bare number or a string.
fn typed_literal(key: BoundKey, value: &Expr) -> Option<String> {
    let ExprKind::Literal(value) = &value.kind else { return None };
    match (key, value) {
        (BoundKey::Timeout | BoundKey::AttemptTimeout, Value::Int(it)) => Some(format!("{it}s")),
        (BoundKey::Timeout | BoundKey::AttemptTimeout, Value::Text(it)) => {
            units::parse_duration(it).map(|_| it.to_string())
        }
        (BoundKey::MaxCost, Value::Int(it)) => Some(format!("${it}.00")),
        (BoundKey::MaxCost, Value::Float(it)) => Money::from_dollars(*it).map(|it| it.to_string()),
        (BoundKey::MaxCost, Value::Text(it)) => {
            Money::parse(it.strip_prefix('$').unwrap_or(it)).map(|it| it.to_string())
        }
        (BoundKey::RetryOn, Value::Text(it)) => Some(format!("[{it:?}]")),
        (_, Value::Text(it)) => it.parse::<i64>().ok().map(|it| it.to_string()),
        _ => None,
    }
}

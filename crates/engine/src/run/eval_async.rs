//! Terms with slow calls: everything that can overlap does, in one task.
//!
//! Nothing is spawned here. A parallel block polls its branches together; a failure cancels the
//! others and waits until they have ended, so nothing outlives its block.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use svc_contract::value::{Value, memory::Accounted};
use svc_lang::{
    check::{BoundKey, Term, TermKind, TypedPiece, TypedRepeat},
    diag::Span,
    syntax::ast::BinaryOp,
};

use super::{
    Run,
    aside::{free, weight_of},
    blocks::Each,
    calls::spends,
    env::Env,
    error::{Result, RunError},
    eval_sync,
    events::Event,
    join::{TASKS_PER_YIELD, Task, together},
    ledger::Before,
    partial::{Partial, Parts},
    path::Path,
    scope::{Bounds, Scope, out_of_time},
};

/// The context of a term: its frames, its bounds, its path.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) env: &'a Env<'a>,
    pub(super) scope: &'a Scope,
    pub(super) path: &'a Path<'a>,
}

impl Place<'_> {
    fn in_env<'b>(&'b self, env: &'b Env<'b>) -> Place<'b> {
        Place { env, scope: self.scope, path: self.path }
    }

    pub(super) fn in_scope<'b>(&'b self, scope: &'b Scope) -> Place<'b> {
        Place { env: self.env, scope, path: self.path }
    }

    pub(super) fn at<'b>(&'b self, path: &'b Path<'b>) -> Place<'b> {
        Place { env: self.env, scope: self.scope, path }
    }
}

/// Polls on a stack that is large enough, however deeply terms are nested.
struct Deep<F>(F);

impl<F: Future + Unpin> Future for Deep<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        stacker::maybe_grow(128 << 10, 1 << 20, || Pin::new(&mut self.0).poll(cx))
    }
}

impl Run {
    /// The value of a term.
    pub(super) fn eval<'a>(&'a self, term: &'a Term, place: Place<'a>) -> Task<'a> {
        Box::pin(Deep(self.task(term, place)))
    }

    /// The task of a term. Each kind is as small as it can be, because many may wait at the same
    /// time.
    fn task<'a>(&'a self, term: &'a Term, place: Place<'a>) -> Task<'a> {
        if !term.waits && !self.wants_all {
            return Box::pin(self.at_once(term, place));
        }
        let span = term.span;
        match &term.kind {
            TermKind::Const(_) | TermKind::Var(_) | TermKind::FlowRef(_) => {
                Box::pin(self.at_once(term, place))
            }
            TermKind::Pipeline(terms) => Box::pin(self.pipeline(terms, place)),
            TermKind::Call(call) => Box::pin(async move {
                let args = self.all(&call.args, place).await?;
                let path = place.path.name(&call.segment);
                self.call(call, args, place.scope, &path, span, &term.ty).await
            }),
            TermKind::Flow { flow, segment, args, .. } => Box::pin(async move {
                let args = self.all(args, place).await?;
                let (env, path) = (Env::of_params(&args), place.path.name(segment));
                let place = Place { env: &env, scope: place.scope, path: &path };
                self.eval(&flow.body, place).await.map_err(|it| it.in_file(&flow.source))
            }),
            TermKind::CallRef { callee, segment, input, .. } => Box::pin(async move {
                let values = self.all([callee.as_ref(), input.as_ref()], place).await?;
                let flow = eval_sync::flow_of(&values[0], span)?;
                let (env, path) = (Env::of_params(&values[1..]), place.path.name(segment));
                let place = Place { env: &env, scope: place.scope, path: &path };
                self.eval(&flow.body, place).await.map_err(|it| it.in_file(&flow.source))
            }),
            TermKind::Rhai { inline_script, segment, args } => Box::pin(async move {
                let args = self.all(args, place).await?;
                let path = place.path.name(segment);
                let ended = self.inline_script(inline_script, &args, place.scope, span).await;
                ended.map_err(|it| it.at_node(path.to_string(), Some("rhai")))
            }),
            TermKind::Block(block) => Box::pin(self.block(block, place)),
            TermKind::Parallel { names, branches } => {
                Box::pin(self.parallel(names, branches, place, span))
            }
            TermKind::Race { segment, branches } => {
                Box::pin(self.race(segment, branches, place, term))
            }
            TermKind::Each { segment, input, optional, bounds, body } => Box::pin(async move {
                let meets = if *optional { *bounds } else { 0 };
                let each = Each { segment, optional: *optional, meets, body };
                eval_sync::check_size(self.each(each, input, place).await?, span)
            }),
            TermKind::Shape { segment, input, shape, key } => Box::pin(async move {
                let list = TermKind::Const(self.eval(input, place).await?);
                let (at, ty) = (input.span, input.ty.clone());
                let input = Box::new(Term { span: at, ty, waits: false, kind: list });
                let (segment, key) = (segment.clone(), key.clone());
                let kind = TermKind::Shape { segment, input, shape: *shape, key };
                let term = Term { span, ty: term.ty.clone(), waits: false, kind };
                self.at_once(&term, place).await
            }),
            TermKind::If { segments, condition, then, otherwise } => Box::pin(async move {
                let holds = matches!(self.eval(condition, place).await?, Value::Bool(true));
                let (arm, segment) =
                    if holds { (then, &segments.0) } else { (otherwise, &segments.1) };
                let path = place.path.name(segment);
                self.eval(arm, place.at(&path)).await
            }),
            TermKind::Match { value, arms } => Box::pin(async move {
                let value = self.eval(value, place).await?;
                let arm = eval_sync::arm_of(arms, &value, span)?;
                let path = place.path.name(&arm.segment);
                self.eval(&arm.body, place.at(&path)).await
            }),
            TermKind::Repeat(repeat) => Box::pin(self.repeat(repeat, place, span)),
            TermKind::Record(entries) => Box::pin(self.record(entries, place, span)),
            TermKind::List(items) => Box::pin(async move {
                eval_sync::check_size(Value::from(self.all(items, place).await?), span)
            }),
            TermKind::Text(pieces) => Box::pin(async move {
                let values = self.all(pieces.iter().filter_map(piece_term), place).await?;
                let (weight, pieces) = (weight_of(&values), pieces.clone());
                let work = move || eval_sync::text_of(&pieces, values, span);
                self.weighed(weight, place.scope, span, work).await
            }),
            TermKind::Field { base, name } => {
                Box::pin(async move { Ok(eval_sync::field(&self.eval(base, place).await?, name)) })
            }
            TermKind::Index { base, index } => Box::pin(async move {
                let values = self.all([base.as_ref(), index.as_ref()], place).await?;
                Ok(eval_sync::item(&values[0], &values[1]))
            }),
            TermKind::Binary { op, left, right } => {
                Box::pin(self.binary(*op, left, right, place, span))
            }
            TermKind::Not(inner) => Box::pin(async move {
                let holds = matches!(self.eval(inner, place).await?, Value::Bool(true));
                Ok(Value::Bool(!holds))
            }),
            TermKind::Negate(inner) => {
                Box::pin(async move { eval_sync::negate(&self.eval(inner, place).await?, span) })
            }
            TermKind::Cast { value, why } => Box::pin(async move {
                let (value, ty, why) = (self.eval(value, place).await?, term.ty.clone(), *why);
                let weight = value.weight();
                let work = move || eval_sync::cast(value, &ty, why, span);
                self.weighed(weight, place.scope, span, work).await
            }),
            TermKind::Path { value, folder } => Box::pin(async move {
                Ok(eval_sync::path(&self.eval(value, place).await?, folder.as_deref()))
            }),
            TermKind::Within { segment, bounds, body } => {
                Box::pin(self.within((segment, bounds), body, place))
            }
            TermKind::Fallback { segment, tries } => Box::pin(self.fallback(segment, tries, place)),
        }
    }

    async fn pipeline<'a>(&'a self, terms: &'a [Term], place: Place<'a>) -> Result<Value> {
        let mut value = self.eval(&terms[0], place).await?;
        for (idx, term) in terms[1..].iter().enumerate() {
            let env = place.env.with_it(&value);
            let place = place.in_env(&env);
            let next = if term.waits || self.wants_all {
                self.eval(term, place).await
            } else {
                self.at_once(term, place).await
            };
            value = match next {
                Ok(next) => {
                    free(value).await;
                    next
                }
                Err(err) => {
                    return Err(with_partial_stages(
                        err,
                        &terms[..=idx],
                        terms.len(),
                        place,
                        &value,
                    ));
                }
            };
        }
        Ok(value)
    }

    /// The values of independent terms, in order.
    async fn all<'a>(
        &'a self,
        terms: impl IntoIterator<Item = &'a Term>,
        place: Place<'a>,
    ) -> Result<Vec<Value>> {
        let terms: Vec<&Term> = terms.into_iter().collect();
        let span = terms.first().map_or(Span::default(), |it| it.span);
        if terms.iter().filter(|it| it.waits).count() < 2 {
            let mut values = Vec::with_capacity(terms.len());
            for term in terms {
                values.push(self.eval(term, place).await?);
            }
            return Ok(values);
        }
        let scope = place.scope.child();
        let place = place.in_scope(&scope);
        let tasks: Vec<Task<'_>> = terms.iter().map(|it| self.eval(it, place)).collect();
        together(tasks, &scope, usize::MAX, span).await.all()
    }

    async fn binary<'a>(
        &'a self,
        op: BinaryOp,
        left: &'a Term,
        right: &'a Term,
        place: Place<'a>,
        span: Span,
    ) -> Result<Value> {
        if matches!(op, BinaryOp::Or | BinaryOp::And | BinaryOp::Coalesce) {
            let left = self.eval(left, place).await?;
            return match eval_sync::decided(op, &left) {
                Some(value) => Ok(value),
                None => self.eval(right, place).await,
            };
        }
        let mut values = self.all([left, right], place).await?.into_iter();
        let (a, b) = (values.next().unwrap_or_default(), values.next().unwrap_or_default());
        let weight = a.weight().saturating_add(b.weight());
        let work = move || eval_sync::operate(op, a, b, span);
        self.weighed(weight, place.scope, span, work).await
    }

    async fn fallback<'a>(
        &'a self,
        segment: &'a str,
        tries: &'a [Term],
        place: Place<'a>,
    ) -> Result<Value> {
        let (first, others) = tries.split_first().expect("a fallback has alternatives");
        let below = place.path.name(segment);
        let mut result = self.eval(first, place).await;
        for term in others {
            match result {
                Err(err) if err.is_met_by(segment, place.scope.depth) => {
                    self.emit(place.path, &Event::swallowed(&err, 1));
                    let error = eval_sync::error_value(&err);
                    let env = place.env.with_it(&error);
                    let place = Place { env: &env, scope: place.scope, path: &below };
                    result = self.eval(term, place).await;
                }
                other => return other,
            }
        }
        result
    }

    /// Repeats until the condition holds; it is tested before each turn and after the last.
    async fn repeat<'a>(
        &'a self,
        repeat: &'a TypedRepeat,
        place: Place<'a>,
        span: Span,
    ) -> Result<Value> {
        let mut value = self.eval(&repeat.input, place).await?;
        for turn in 0..=repeat.turns {
            if turn > 0 && (turn as usize).is_multiple_of(TASKS_PER_YIELD) {
                tokio::task::yield_now().await;
            }
            place.scope.check(span)?;
            let env = place.env.with_it(&value);
            let inner = Place { env: &env, ..place };
            if matches!(self.at_once(&repeat.until, inner).await?, Value::Bool(true)) {
                return Ok(value);
            }
            if turn < repeat.turns {
                let path = place.path.item(&repeat.segment, turn as usize + 1);
                let inner = Place { env: &env, scope: place.scope, path: &path };
                value = match self.eval(&repeat.body, inner).await {
                    Ok(next) => next,
                    Err(err) => return Err(with_partial_turns(err, repeat, turn, place, &value)),
                };
            }
        }
        let Some(otherwise) = &repeat.otherwise else {
            return Err(eval_sync::exhausted(repeat.turns, span));
        };
        let after = place.path.item(&repeat.segment, repeat.turns as usize + 1);
        let (env, path) = (place.env.with_it(&value), after.name(TypedRepeat::ELSE));
        let inner = Place { env: &env, scope: place.scope, path: &path };
        let ended = self.eval(otherwise, inner).await;
        ended.map_err(|it| with_partial_turns(it, repeat, repeat.turns, place, &value))
    }

    /// The earlier history of a `within`, if calls are recorded.
    fn before(&self, segment: &str, path: &Path<'_>) -> Option<Before> {
        let records = self.records.as_ref()?;
        let scope = format!("{:#}", path.name(segment));
        Some(Before { spent: records.spent(&scope), scope })
    }

    async fn within<'a>(
        &'a self,
        (segment, bounds): (&'a str, &'a [(BoundKey, Term)]),
        body: &'a Term,
        place: Place<'a>,
    ) -> Result<Value> {
        let mut values = Bounds::default();
        for (key, term) in bounds {
            values.set(*key, &self.at_once(term, place).await?, term.span)?;
        }
        let scope = place.scope.bounded(&values, self.before(segment, place.path));
        let mut work = self.eval(body, place.in_scope(&scope));
        if values.memory.is_some() {
            work = Box::pin(Accounted::new(scope.memory.clone(), work));
        }
        let ended = match values.timeout {
            Some(limit) => in_time(work, limit, &scope, body.span).await,
            None => work.await,
        };
        let ended = ended.and_then(|it| scope.fits(body.span).map(|()| it));
        ended.map_err(|it| it.at_cap(scope.depth, caps_of(bounds)))
    }
}

/// Ends work at its deadline, and waits until it has ended.
pub(super) async fn in_time<T>(
    mut work: impl Future<Output = Result<T>> + Unpin,
    limit: std::time::Duration,
    scope: &Scope,
    span: Span,
) -> Result<T> {
    let limited = tokio::time::timeout(limit, &mut work).await;
    match limited {
        Ok(result) => result,
        Err(_) => {
            scope.cancel.cancel();
            match work.await {
                // It ended just in time, or failed for another reason.
                Ok(_) => {}
                Err(err) if err.kind() == svc_contract::registry::ErrorKind::Bug => {
                    return Err(err);
                }
                Err(_) => {}
            }
            Err(out_of_time(Some(limit), span, scope.depth))
        }
    }
}

/// A failed stage keeps its input, if something was paid for that and nothing inside the stage
/// was finished.
fn with_partial_stages(
    err: Box<RunError>,
    before: &[Term],
    of: usize,
    place: Place<'_>,
    value: &Value,
) -> Box<RunError> {
    let is_kept = err.is_declined_at(place.scope.depth) && err.partial.is_none();
    if is_kept && before.iter().any(spends) {
        let kept = Partial::of_steps(Parts::Stages, before.len(), of, value.clone());
        err.with_partial(kept.at(place.path), [])
    } else {
        err
    }
}

/// A declined turn keeps the value after the last finished turn.
fn with_partial_turns(
    err: Box<RunError>,
    repeat: &TypedRepeat,
    done: u32,
    place: Place<'_>,
    value: &Value,
) -> Box<RunError> {
    if !err.is_declined_at(place.scope.depth) {
        return err;
    }
    let (done, of) = (done as usize, repeat.turns as usize);
    let kept = Partial::of_steps(Parts::Turns, done, of, value.clone());
    err.with_partial(kept.at(place.path.name(&repeat.segment)), [])
}

/// The place of the caps among bounds.
fn caps_of(bounds: &[(BoundKey, Term)]) -> Option<Span> {
    let caps =
        bounds.iter().filter(|(it, _)| matches!(it, BoundKey::MaxCost | BoundKey::MaxTokens));
    caps.map(|(_, it)| it.span).reduce(Span::to)
}

fn piece_term(piece: &TypedPiece) -> Option<&Term> {
    match piece {
        TypedPiece::Value(term, _) => Some(term),
        TypedPiece::Text(_) => None,
    }
}

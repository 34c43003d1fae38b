//! One call of a component: its timeout, its attempts, their budget, and its result.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt as _;
use svc_contract::{
    registry::{
        Asking, Body, Cx, Effect, ErrorKind, InlineCx, Known, Lent, Measure, Meter, Monitor, OpDef,
        OpError, OpRef, Price, Quote, Usage, Version, written,
    },
    value::{Type, Value, memory},
};
use svc_lang::{
    check::{Term, TermKind, TypedCall},
    diag::Span,
    plan::GRACE,
};
use tokio::{
    sync::{OwnedSemaphorePermit, SemaphorePermit, mpsc},
    time::Instant,
};

use super::{
    Run,
    aside::{finish, on_thread, weight_of},
    callback::{Allowance, CallCounts, Calling},
    calls::{typed_flows, writes_once},
    error::{Result, RunError},
    eval_async::in_time,
    eval_sync::{is_light, needed, panicked},
    events::Event,
    fund::Spent,
    mocks::Answer,
    pace::LIGHT,
    path::Path,
    records::Taken,
    sandbox::narrowed,
    scope::{Scope, out_of_memory},
    secrets::Secrets,
    testing::{estimated, quoted},
    trace,
};

/// A call and its context.
#[derive(Clone, Copy)]
pub(super) struct Try<'a> {
    pub(super) call: &'a TypedCall,
    args: &'a [Value],
    pub(super) scope: &'a Scope,
    pub(super) path: &'a Path<'a>,
    pub(super) span: Span,
    /// The expected type.
    ty: &'a Type,
    /// The usage of all attempts.
    pub(super) spent: &'a Spent,
    /// The calls of flows by all attempts.
    called_back: &'a CallCounts,
}

/// Permission to run: a permit of every enclosing `max_parallel`, and a worker if the call
/// computes.
struct Turn<'a> {
    places: Vec<SemaphorePermit<'a>>,
    worker: Option<OwnedSemaphorePermit>,
}

impl Run {
    /// Calls a component that is not inline, within its bounds.
    pub(super) async fn call(
        &self,
        call: &TypedCall,
        args: Vec<Value>,
        scope: &Scope,
        path: &Path<'_>,
        span: Span,
        ty: &Type,
    ) -> Result<Value> {
        let op = call.op.op;
        let node = trace::Node::of(call, path);
        let started = Instant::now();
        let mut record = None;
        if self.records.is_some() {
            args.iter().try_for_each(|it| scope.can_record(it, span))?;
            // Boxed, because most runs have no records.
            let recorded = Box::pin(self.recorded(call, &args, path, ty, span, scope)).await?;
            let record = record.insert(recorded);
            let at = |err: Box<RunError>| {
                node.failed(&err, &self.secrets);
                err.at_node(path.to_string(), Some(&call.name))
            };
            if let Some(value) = Box::pin(self.remembered(record, scope, path)).await.map_err(at)? {
                node.reused();
                return Ok(value);
            }
            self.write_begin(record).await.map_err(at)?;
        }
        node.began();
        self.emit(path, &Event::Started { component: &call.name });
        // A timeout set by the script, at any level, replaces the op's own.
        let own_time = op.limits.timeout.filter(|_| !scope.script_limits_time);
        let (spent, called_back) = (Spent::default(), CallCounts::default());
        let one = Try {
            call,
            args: &args,
            scope,
            path,
            span,
            ty,
            spent: &spent,
            called_back: &called_back,
        };
        let result = match own_time {
            Some(limit) => node.around(self.in_own_time(&one, limit)).await,
            None => node.around(self.tries(&one, None)).await,
        };
        let result = match result {
            Ok(value) => {
                let (op, ty, is_mocked) = (call.op, ty.clone(), self.mocks.is_some());
                let weight = value.weight();
                let memory = scope.memory.clone();
                let declared = move || {
                    // A heavy value is looked at on another thread.
                    let _entered = (weight > LIGHT).then(|| memory::enter(&memory));
                    as_declared(op, &args, value, &ty, is_mocked)
                };
                let declared = finish(weight, declared).await;
                declared.map_err(|it| RunError::new(it, span))
            }
            Err(err) => Err(err),
        };
        let result = match result {
            Ok(value) if record.is_some() && !is_light(&value) => {
                scope.can_record(&value, span).map(|()| value)
            }
            other => other,
        };
        let ((tries, usage), took) = (spent.read(), started.elapsed());
        self.emit_end(path, call, took, usage, &result);
        let result = match record {
            Some(mut record) => {
                let counts = op.version == Version::OfComponent && !op.writes();
                record.entry.about.has_borrowed = counts && spent.has_borrowed();
                let taken = Taken { tries, log: spent.take_log(), usage, took };
                self.write_end(record, result, taken).await
            }
            None => result,
        };
        node.ended(tries, usage, &result, &self.secrets);
        result.map_err(|err| err.at_node(path.to_string(), Some(&call.name)))
    }

    /// Makes the call within the op's own timeout. That timeout starts when the call gets its
    /// turn: a script without a timeout must not fail because it has much to do.
    async fn in_own_time(&self, one: &Try<'_>, limit: Duration) -> Result<Value> {
        let turn = self.turn(one.call.op.op, one.scope, one.span).await?;
        let inner = one.scope.timed(limit);
        let timed = Try { scope: &inner, ..*one };
        let work = Box::pin(self.tries(&timed, Some(turn)));
        in_time(work, limit, &inner, one.span).await
    }

    async fn turn<'a>(&self, op: &OpDef, scope: &'a Scope, span: Span) -> Result<Turn<'a>> {
        let cancelled = || RunError::cancelled(span);
        let mut places = Vec::with_capacity(scope.permits.len());
        for permits in &scope.permits {
            let place = scope.cancel.run_until_cancelled(permits.acquire()).await;
            places.push(place.and_then(std::result::Result::ok).ok_or_else(cancelled)?);
        }
        let mut worker = None;
        if matches!(op.body, Body::Compute(_)) {
            worker = Some(self.worker(scope, span).await?);
        }
        Ok(Turn { places, worker })
    }

    fn emit_end(
        &self,
        path: &Path<'_>,
        call: &TypedCall,
        took: Duration,
        usage: Usage,
        result: &Result<Value>,
    ) {
        let component = call.name.as_ref();
        match result {
            Ok(value) => self.emit(path, &Event::Finished { component, took, usage, value }),
            Err(err) => self.emit(path, &Event::Failed { component, took, error: &err.error }),
        }
    }

    /// Repeats attempts until one succeeds, the failure is final, or the attempts are used up.
    async fn tries(&self, one: &Try<'_>, first: Option<Turn<'_>>) -> Result<Value> {
        let op = one.call.op.op;
        let attempts = &one.scope.attempts;
        let once = op.call_writes_once(&|it| one.args.get(it)).unwrap_or(true);
        let retries = if once || one.args.iter().any(writes_once_inside) {
            0
        } else {
            attempts.max_retries.unwrap_or(op.limits.max_retries)
        };
        let retried = attempts.retry_on.as_deref().unwrap_or(ErrorKind::RETRIED);
        let mut waiting = first;
        let mut before: Option<String> = None;
        for attempt in 1.. {
            let turn = match waiting.take() {
                Some(turn) => turn,
                None => self.turn(op, one.scope, one.span).await?,
            };
            let mut err = match self.logged(one, turn).await {
                Ok(value) => return Ok(value),
                Err(err) => err.after(before.take()),
            };
            let again = attempt <= retries
                && retried.contains(&err.kind())
                && err.is_caught_at(one.scope.depth);
            if !again {
                return Err(err);
            }
            let Some(wait) = self.wait_before_next(attempt, &mut err.error, one.scope) else {
                return Err(err);
            };
            let component = one.call.name.as_ref();
            self.emit(one.path, &Event::Retrying { component, attempt, wait, error: &err.error });
            let slept = one.scope.cancel.run_until_cancelled(self.host.sleep(wait)).await;
            slept.ok_or_else(|| RunError::cancelled(one.span))?;
            before = Some(err.error.message);
        }
        unreachable!("attempts are counted up to a limit")
    }

    /// Makes one attempt and logs its result.
    async fn logged(&self, one: &Try<'_>, turn: Turn<'_>) -> Result<Value> {
        if self.records.is_none() {
            return self.attempt(one, turn).await;
        }
        let (started, begun) = (self.host.now(), Instant::now());
        let result = self.attempt(one, turn).await;
        let error = result.as_ref().err().map(|it| &it.error);
        one.spent.log(started, begun.elapsed(), error);
        result
    }

    /// Makes one attempt: reserves, runs, settles.
    async fn attempt(&self, one: &Try<'_>, turn: Turn<'_>) -> Result<Value> {
        let quote = self.most_used(one.call, one.args).map_err(|it| RunError::new(it, one.span))?;
        let mut funds = self.fund(one, quote)?;
        funds.write_down().await?;
        let meter = funds.meter();
        let result = match one.scope.attempts.timeout {
            Some(limit) => {
                let mut inner = one.scope.child();
                inner.depth += 1;
                let work = Box::pin(self.run_once(one, &inner, turn, meter));
                in_time(work, limit, &inner, one.span).await
            }
            None => self.run_once(one, one.scope, turn, meter).await,
        };
        let settled = funds.settle();
        let value = settled.overspend_error(one, result.is_ok()).map_or(result, Err)?;
        settled.kept.map_err(|err| RunError::new(err, one.span)).map(|()| value)
    }

    async fn run_once(
        &self,
        one: &Try<'_>,
        scope: &Scope,
        mut turn: Turn<'_>,
        meter: Meter,
    ) -> Result<Value> {
        let call = one.call;
        let watcher = Arc::new(Watcher {
            path: one.path.to_string(),
            observer: self.observer.clone(),
            secrets: self.secrets.clone(),
        });
        let lent = self.lent.to_call(call.op);
        let cx = Cx::new(
            call.op.component.name,
            narrowed(&self.host, call.op.op, one.args),
            scope.cancel.clone(),
            watcher,
            meter,
        )
        .wanting(call.wanted.clone())
        .knowing(self.catalog.clone())
        .lending(lent.clone());
        if let Some(mocks) = &self.mocks
            && let Answer::Mocked(answer) = mocks.answer(call, one.args, one.ty, one.span)
        {
            let used = |it: &Value| estimated(call.op.op, one.args, it);
            cx.used(answer.as_ref().map(used).unwrap_or_default());
            return answer.map_err(|it| scope.refused(it, one.span));
        }
        if call.op.op.makes_as_much() {
            memory::room(needed(one.args)).map_err(|it| out_of_memory(&it, one.span))?;
        }
        if call.op.op.takes_model() {
            let supplied = one.args.iter().try_for_each(|it| self.supply(it));
            supplied.map_err(|err| RunError::new(err, one.span))?;
        }
        let mut args = with_known_columns(call, one.args);
        let ended = match call.op.op.body {
            Body::Inline(_) | Body::InlineWith(_) => {
                let (call, lent, weight) = (call.clone(), self.lent.clone(), weight_of(&args));
                let work = move || Ok(inline(&call, &lent, &mut args.into_boxed_slice()));
                self.weighed(weight, scope, one.span, work).await?
            }
            Body::Lacks(feature) => {
                Err(OpError::bug(format!("the feature `{feature}` is missing")))
            }
            Body::Io(run) => {
                // The flows it calls need the permits that it would hold while it waits.
                let calls_flows =
                    call.op.op.takes_flows() && args.iter().any(|it| !it.flows().is_empty());
                if calls_flows {
                    turn.places.clear();
                }
                let ended = if calls_flows {
                    let (sender, calls) = mpsc::unbounded_channel();
                    call.op.op.connect(&mut args, &sender);
                    drop(sender);
                    let work = AssertUnwindSafe(run(cx, args)).catch_unwind();
                    let allowed = Allowance::of(call.op, one.args);
                    let (counts, path, span) = (one.called_back, one.path, one.span);
                    let to = Calling { calls, allowed, counts, scope, path, span };
                    self.with_callbacks(work, to).await?
                } else {
                    let work = AssertUnwindSafe(run(cx, args)).catch_unwind();
                    until_cancelled(work, scope, call.op.op).await
                };
                match ended {
                    Some(Ok(result)) => result,
                    Some(Err(_)) => Err(panicked(call)),
                    None => Err(OpError::cancelled()),
                }
            }
            Body::Compute(run) => {
                let worker = turn.worker.take();
                self.compute(move || run(&cx, &mut args), worker, one, scope).await
            }
        };
        if lent.was_borrowed() {
            one.spent.borrow();
        }
        // A value that was cut short for lack of memory must not be used. A small value is
        // complete, and may have been paid for.
        if !ended.as_ref().is_ok_and(is_light) {
            scope.fits(one.span)?;
        }
        ended.map(|it| self.secrets.hidden(it)).map_err(|it| {
            let error = self.secrets.redacted(call.op.checked_error(it));
            RunError::new(where_paths_start(call.op.op, error), one.span)
        })
    }

    /// The maximum usage of one attempt.
    pub(super) fn most_used(
        &self,
        call: &TypedCall,
        args: &[Value],
    ) -> std::result::Result<Quote, OpError> {
        let op = call.op.op;
        if self.mocks.is_some() && matches!(op.price, Price::Quoted(_)) {
            return Ok(Quote::exact(quoted(op, args)));
        }
        let known: Vec<Known<'_>> = args.iter().map(Known::Value).collect();
        let wanted = call.wanted.as_ref();
        Asking { host: self.host.as_ref(), op, wanted, args: &known, most_tokens: None }
            .quote()
            .map_err(|it| call.op.checked_error(it))
    }

    /// Runs on its own thread. A computation that does not stop within its grace period after a
    /// cancel is left behind, and keeps its worker until it ends.
    async fn compute(
        &self,
        work: impl FnOnce() -> std::result::Result<Value, OpError> + Send + 'static,
        worker: Option<OwnedSemaphorePermit>,
        one: &Try<'_>,
        scope: &Scope,
    ) -> std::result::Result<Value, OpError> {
        match on_thread(worker, scope, work).await {
            Some(joined) => joined.unwrap_or_else(|_| Err(panicked(one.call))),
            None => {
                self.emit(one.path, &Event::Straggler { component: &one.call.name });
                Err(OpError::cancelled())
            }
        }
    }
}

/// Waits for an op. One that runs a program, or a statement on a server, gets the time to end it when
/// it is cancelled; every other one has nothing to end, and is dropped.
async fn until_cancelled<T>(work: impl Future<Output = T>, scope: &Scope, op: &OpDef) -> Option<T> {
    let mut work = std::pin::pin!(work);
    let ended = scope.cancel.run_until_cancelled(work.as_mut()).await;
    let runs = op.effects.iter().any(|it| matches!(it, Effect::Runs(_)));
    let ends_itself = runs || op.limits.ends_itself;
    match ended {
        None if ends_itself && op.version == Version::OfComponent => {
            tokio::time::timeout(GRACE, work).await.ok()
        }
        ended => ended,
    }
}

/// The arguments, in which a table without rows has the columns of its type.
fn with_known_columns(call: &TypedCall, args: &[Value]) -> Vec<Value> {
    let known = |(it, term): (&Value, Option<&Term>)| {
        let of_cast = |term: &Term| match &term.kind {
            TermKind::Cast { value, .. } => it.with_known_columns(&value.ty),
            _ => None,
        };
        let known = term.and_then(|term| it.with_known_columns(&term.ty).or_else(|| of_cast(term)));
        known.unwrap_or_else(|| it.clone())
    };
    args.iter().enumerate().map(|(idx, it)| known((it, call.args.get(idx)))).collect()
}

/// Calls an inline op.
pub(super) fn inline(
    call: &TypedCall,
    lent: &Lent,
    args: &mut [Value],
) -> std::result::Result<Value, OpError> {
    match call.op.op.body {
        Body::Inline(run) => run(args),
        Body::InlineWith(run) => run(&InlineCx::new(lent, call.op), args),
        _ => Err(OpError::bug("a slow op was computed at once")),
    }
}

/// The value as its type and the records have it, or an error if the component returned something
/// other than it declares.
fn as_declared(
    op: OpRef,
    args: &[Value],
    value: Value,
    ty: &Type,
    is_mocked: bool,
) -> std::result::Result<Value, OpError> {
    if !ty.admits(&value) {
        let message = format!("`{op}` declares {ty}, but returned {}", value.kind());
        return Err(OpError::bug(message));
    }
    if !is_mocked && !matches!(op.op.output, Measure::Unknown) {
        let known: Vec<Known<'_>> = args.iter().map(Known::Value).collect();
        let most = op.op.output.most(op.op, &known);
        if let Some(most) = most.filter(|it| written(&value) > *it) {
            let message = format!("`{op}` declares at most {most} bytes, but returned more");
            return Err(OpError::bug(message));
        }
    }
    Ok(exactly(value, ty))
}

/// Returns the value as the records would return it: a value in another form than its type,
/// such as an int for a float, must not differ from its own record.
fn exactly(value: Value, ty: &Type) -> Value {
    if ty.is_exactly(&value) { value } else { value.clone().cast(ty).unwrap_or(value) }
}

/// Whether an argument is a flow with writes that must not happen twice: a second attempt of
/// the call would run the flow again.
fn writes_once_inside(arg: &Value) -> bool {
    typed_flows(arg).iter().any(|it| writes_once(&it.body))
}

/// Explains where paths start if a path given by a script was not found.
fn where_paths_start(op: &OpDef, err: OpError) -> OpError {
    if err.kind != ErrorKind::NotFound || err.help.is_some() || !op.touches_paths() {
        return err;
    }
    err.help("relative paths in a script start from its folder, those from outside from the current folder")
}

/// Forwards progress and notices of a call to the observer of the run.
struct Watcher {
    path: String,
    observer: Arc<dyn super::Observer>,
    secrets: Secrets,
}

impl Monitor for Watcher {
    fn progress(&self, what: &str, done: u64, total: Option<u64>) {
        let what = &self.secrets.redact(what);
        self.observer.event(&self.path, &Event::Progress { what, done, total });
    }

    fn notice(&self, message: &str) {
        let message = &self.secrets.redact(message);
        trace::noticed(&self.path, message);
        self.observer.event(&self.path, &Event::Notice { message });
    }

    fn path(&self) -> String {
        self.path.clone()
    }

    fn redacted(&self, text: &str) -> String {
        self.secrets.redact(text).to_string()
    }
}

//! Ops that call flows: the calls run in the task of the op, within its bounds.

use std::{
    collections::HashMap,
    future::poll_fn,
    pin::pin,
    sync::{Mutex, PoisonError},
    task::Poll,
};

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use svc_contract::{
    registry::{FlowCall, Max, OpError, OpRef, Scheme},
    value::{FlowRef, Value, json},
};
use svc_lang::diag::Span;
use tokio::sync::mpsc::UnboundedReceiver;

use super::{
    Run,
    env::Env,
    error::{Result, RunError},
    eval_async::Place,
    eval_sync,
    path::{self, Path},
    scope::Scope,
};

/// The calls of flows by one attempt of an op, and its place.
pub(super) struct Calling<'a> {
    pub(super) calls: UnboundedReceiver<FlowCall>,
    pub(super) allowed: Allowance,
    pub(super) counts: &'a CallCounts,
    pub(super) scope: &'a Scope,
    pub(super) path: &'a Path<'a>,
    pub(super) span: Span,
}

/// How often the attempts of one call of an op have called each of its flows: in total, and with
/// the same value.
#[derive(Debug, Default)]
pub(super) struct CallCounts(Mutex<HashMap<String, u32>>);

impl CallCounts {
    /// Identifies the next call, the same in this run and when it is resumed: by the input, and,
    /// if the input changed, by the order of the calls.
    fn next(&self, flow: &str, input: &Value) -> String {
        let hash = blake3::hash(json::write(input).as_bytes()).to_hex();
        let input = &hash[..16];
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = |what: String| {
            let count = counts.entry(what).or_default();
            *count += 1;
            *count
        };
        let number = next(flow.to_owned());
        path::callback(input, next(format!("{flow}/{input}")), number)
    }
}

/// How often an attempt may still call its flows, and with what: the estimate counts on what the
/// op declares.
pub(super) struct Allowance {
    op: OpRef,
    args: Vec<Allowed>,
}

/// The flows of one argument.
struct Allowed {
    flows: Vec<FlowRef>,
    /// The calls that are left, of all of them together.
    left: u64,
    /// The fields of the input that must have the values of params.
    fixed: Vec<(&'static str, Value)>,
}

impl Allowance {
    pub(super) fn of(op: OpRef, args: &[Value]) -> Self {
        let allowed = op.op.params.iter().zip(args).filter_map(|(param, arg)| {
            let flows = || arg.flows();
            if let Some((takes, _, max)) = param.scheme.flow() {
                let fixed = fixed(takes, op, args);
                return Some(Allowed { flows: flows(), left: most(max, op, args), fixed });
            }
            let most = |name| most(Max::Arg(name), op, args);
            let (turns, each) = param.scheme.tools()?.most;
            let left = most(turns).saturating_mul(most(each));
            Some(Allowed { flows: flows(), left, fixed: Vec::new() })
        });
        Self { op, args: allowed.collect() }
    }

    /// Counts a call; returns an error if the op has declared fewer.
    fn take(&mut self, flow: &FlowRef, input: &Value) -> std::result::Result<(), OpError> {
        let (op, name) = (self.op, flow.name());
        let mut of = self.args.iter_mut();
        if let Some(of) = of.find(|it| it.left > 0 && it.flows.iter().any(|it| it.is(flow))) {
            of.left -= 1;
            let given = |name| input.as_record().and_then(|it| it.get(name));
            if let Some((field, _)) = of.fixed.iter().find(|(it, arg)| given(it) != Some(arg)) {
                let message = format!("`{op}` called `{name}` with another `{field}` than its own");
                return Err(OpError::bug(message));
            }
            return Ok(());
        }
        let message = format!("`{op}` called `{name}` more often than it declares");
        Err(OpError::bug(message).help("an op may call a flow once for each item of its input"))
    }
}

/// The fields of the input of a flow that have the names of params: the estimate counts on their
/// values.
fn fixed(takes: Scheme, op: OpRef, args: &[Value]) -> Vec<(&'static str, Value)> {
    let Scheme::Record(_, fields) = takes else { return Vec::new() };
    let params = op.op.params.iter().zip(args);
    let named = params.filter(|(param, _)| fields.iter().any(|it| it.name == param.name));
    named.map(|(param, arg)| (param.name, arg.clone())).collect()
}

/// The most calls of a flow param.
fn most(max: Max, op: OpRef, args: &[Value]) -> u64 {
    let named = |name: &str| {
        let idx = op.op.params.iter().position(|it| it.name == name);
        match idx.and_then(|it| args.get(it)) {
            Some(Value::Int(it)) => u64::try_from(*it).unwrap_or(0),
            _ => u64::MAX,
        }
    };
    let input = || match args.first() {
        Some(Value::List(items)) => items.len() as u64,
        _ => u64::MAX,
    };
    match max {
        Max::Unknown => u64::MAX,
        Max::Is(number) => number,
        Max::Never => 0,
        Max::Arg(name) => named(name),
        Max::Input => input(),
        Max::InputOr(name) => input().min(named(name)),
    }
}

impl Run {
    /// Drives `work` and the calls of flows that it makes. A failure that cannot be swallowed
    /// ends the op, however the op handles the failure; a cancel ends it without a result. When
    /// the op has ended, all its calls have ended too.
    pub(super) async fn with_callbacks<T>(
        &self,
        work: impl Future<Output = T>,
        Calling { mut calls, mut allowed, counts, scope, path, span }: Calling<'_>,
    ) -> Result<Option<T>> {
        let inner = scope.child();
        let passes: Mutex<Option<Box<RunError>>> = Mutex::new(None);
        let mut work = pin!(work);
        let mut running = FuturesUnordered::new();
        let driven = poll_fn(|cx| {
            while let Poll::Ready(Some(call)) = calls.poll_recv(cx) {
                if let Err(error) = allowed.take(&call.flow, &call.input) {
                    return Poll::Ready(Err(RunError::new(error, span)));
                }
                // Only the records and the ledger need to distinguish calls.
                let which =
                    self.records.as_ref().map(|_| counts.next(call.flow.name(), &call.input));
                let which = which.unwrap_or_default();
                running.push(self.call_back(call, which, &inner, path, span, &passes));
            }
            while let Poll::Ready(Some(())) = running.poll_next_unpin(cx) {}
            let failed = passes.lock().ok().and_then(|mut it| it.take());
            match failed {
                Some(err) => Poll::Ready(Err(err)),
                None => work.as_mut().poll(cx).map(Ok),
            }
        });
        let ended = scope.cancel.run_until_cancelled(driven).await;
        // A computation only stops when it is cancelled, and takes a moment.
        inner.cancel.cancel();
        while running.next().await.is_some() {}
        ended.transpose()
    }

    async fn call_back(
        &self,
        call: FlowCall,
        which: String,
        scope: &Scope,
        path: &Path<'_>,
        span: Span,
        passes: &Mutex<Option<Box<RunError>>>,
    ) {
        let FlowCall { flow, input, reply } = call;
        let values = [Value::Flow(flow), input];
        let ended = match eval_sync::flow_of(&values[0], span) {
            Ok(flow) => {
                let env = Env::of_params(&values[1..]);
                let path = Path::Callback(path, &flow.name, &which);
                let place = Place { env: &env, scope, path: &path };
                self.eval(&flow.body, place).await.map_err(|it| it.in_file(&flow.source))
            }
            Err(err) => Err(err),
        };
        let result_of_call = match ended {
            Ok(value) => Ok(value),
            Err(err) if err.is_caught_at(scope.depth) => Err(err.error),
            Err(err) => {
                let result_of_call = OpError::cancelled();
                if let Ok(mut passes) = passes.lock() {
                    passes.get_or_insert(err);
                }
                Err(result_of_call)
            }
        };
        // No one waits for the answer if the op has ended.
        let _ = reply.send(result_of_call);
    }
}

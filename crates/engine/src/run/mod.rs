//! Runs a plan and returns its value.
//!
//! Cheap terms are computed at once in the caller (`now`); slow ones overlap where they can, in
//! the caller's task (`task`); every call of a component is kept within its bounds (`attempt`).
//! The observer of the run gets [`Event`]s.
//!
//! **Invariant:** when a run has returned, nothing of it is still running, except computations
//! that did not stop within their grace period, which are reported.

mod aside;
mod attempt;
mod backoff;
mod blocks;
mod brief;
mod callback;
mod calls;
mod decision;
mod env;
mod error;
mod eval_async;
mod eval_sync;
mod events;
mod fingerprint;
mod fund;
mod inline_script;
mod items;
mod join;
pub mod ledger;
mod met;
mod mocks;
mod models;
mod pace;
mod partial;
mod path;
mod race;
mod records;
mod sandbox;
mod scope;
mod secrets;
mod shapes;
mod swallowed;
mod testing;
mod trace;

use std::{
    collections::BTreeMap,
    future::poll_fn,
    panic::AssertUnwindSafe,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use futures_util::FutureExt as _;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

pub(crate) use aside::finish;
pub use brief::{AtOnce, Brief, briefly};
pub use error::{CapPlace, RunError};
pub use events::{Event, Observer, Unwatched};
pub use fund::Tried;
pub use mocks::{Unmocked, UnusedMock};
pub use partial::{Partial, Parts};
pub use path::{by_input, by_order, place_of};
pub use records::{
    About, Earlier, Ended, Entry, Key, Most, RecordFuture, Records, Reservation, Taken,
};
pub(crate) use records::{InDoubt, unrecordable};
pub use testing::{TestFailure, Tested, test};

use aside::{ThreadTime, free};
use env::Env;
use eval_async::{Place, in_time};
use ledger::Cap;
use mocks::Mocks;
use pace::Pace;
use path::Path;
use scope::{Bounds, Scope};
use secrets::Secrets;
use svc_contract::{
    host::Host,
    registry::{Catalog, Lent, OpError, Usage},
    value::{
        Text, Value,
        memory::{self, Accounted},
    },
};
use svc_lang::{
    check::{Checked, Input, TermKind},
    diag::Span,
    plan::{Caps, Plan},
};

/// The context of a run, besides its plan.
#[derive(Clone)]
pub struct RunContext {
    pub host: Arc<dyn Host>,
    /// The catalog that advising ops may query.
    pub catalog: Arc<dyn Catalog>,
    /// The services of the embedding program.
    pub lent: Lent,
    pub observer: Arc<dyn Observer>,
    /// Limits how many computations work at the same time.
    pub workers: Arc<Semaphore>,
    pub cancel: CancellationToken,
    pub caps: Caps,
    /// The records of calls; `None` if calls are not recorded.
    pub records: Option<Arc<dyn Records>>,
    /// Whether inline scripts run in worker processes.
    pub isolates: bool,
    /// Whether the script is pure and takes long, as an attempt to run it at once has shown.
    pub is_long: bool,
    /// The name of the run in the store, if it is stored.
    pub id: Option<Text>,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub value: Value,
    pub usage: Usage,
    /// The tokens of `usage` that language models wrote in this part of the run.
    pub output_tokens: u64,
}

/// One execution of a plan.
struct Run {
    host: Arc<dyn Host>,
    catalog: Arc<dyn Catalog>,
    lent: Lent,
    observer: Arc<dyn Observer>,
    workers: Arc<Semaphore>,
    secrets: Secrets,
    /// The mocks of components; only tests have them.
    mocks: Option<Mocks>,
    records: Option<Arc<dyn Records>>,
    isolates: bool,
    /// Registers the memory of the run for accounting.
    memory: memory::Opened,
    /// Whether inline calls are recorded, too.
    wants_all: bool,
    /// Whether the main pipeline is computed on a thread of its own.
    is_long: bool,
    /// Since when it has its thread.
    thread_time: ThreadTime,
    /// The tokens that language models wrote.
    output_tokens: AtomicU64,
}

/// Runs a plan with the given inputs.
///
/// Dropping the future ends the run: pending I/O is dropped, computations are cancelled.
pub async fn run(
    plan: &Plan,
    inputs: BTreeMap<Text, Value>,
    around: RunContext,
) -> Result<Outcome, Box<RunError>> {
    let span = trace::run(plan, around.id.as_deref());
    traced(plan, inputs, around).instrument(span).await
}

async fn traced(
    plan: &Plan,
    inputs: BTreeMap<Text, Value>,
    around: RunContext,
) -> error::Result<Outcome> {
    let caps = around.caps;
    let (mut run, scope) = Run::begin(around);
    let spent = scope.account.taken();
    let program = plan.program();
    let values = values_of(&program.inputs, &inputs, &scope, run.host.as_ref());
    drop(inputs);
    let values = values.inspect_err(|err| trace::run_failed(err, &run.secrets))?;
    run.secrets = Secrets::of(&values);
    let _cancel_on_drop = scope.cancel.clone().drop_guard();
    run.emit(&Path::Root, &Event::Begun { plan, cap: cap(program, &values, &scope, caps), spent });
    let work = AssertUnwindSafe(run.main(program, &values, &scope, caps)).catch_unwind();
    let ended = run.accounted(work).await.unwrap_or_else(|_| Err(engine_panicked(Span::default())));
    for value in values {
        free(value).await;
    }
    run.lent.run().end().await;
    let usage = scope.account.taken();
    let output_tokens = run.output_tokens.load(Ordering::Relaxed);
    trace::run_ended(&ended, usage, &run.secrets);
    match ended {
        Ok(value) => Ok(Outcome { value, usage, output_tokens }),
        Err(err) => Err(Box::new(RunError { usage, ..*err })),
    }
}

/// The cap of the whole run: the tighter one of its caller's caps and the bounds of its file.
fn cap(program: &Checked, values: &[Value], scope: &Scope, caps: Caps) -> Cap {
    let bounds = match program.main.as_ref().map(|it| &it.kind) {
        Some(TermKind::Within { bounds, .. }) => bounds.as_slice(),
        _ => &[],
    };
    let pace = Pace::patient();
    let (now, env) = (eval_sync::Now { scope, pace: &pace }, Env::of_params(values));
    let mut own = Bounds::default();
    for (key, term) in bounds {
        // An invalid bound fails the run later, where it is reached.
        let _ = now.eval(term, &env).and_then(|it| own.set(*key, &it, term.span));
    }
    own.cap.or_tighter(Cap { tokens: caps.tokens, cost: caps.cost })
}

/// The values of the script's inputs, in order.
fn values_of(
    declared: &[Input],
    given: &BTreeMap<Text, Value>,
    scope: &Scope,
    host: &dyn Host,
) -> error::Result<Vec<Value>> {
    let pace = Pace::patient();
    let now = eval_sync::Now { scope, pace: &pace };
    declared
        .iter()
        .map(|input| match (given.get(&input.name), &input.default) {
            _ if input.is_secret() => secrets::take(host, input),
            (Some(value), _) => Ok(value.clone()),
            (None, Some(default)) => now.eval(default, &Env::of_params(&[])),
            (None, None) if input.ty.is_optional() => Ok(Value::Null),
            (None, None) => {
                let message = format!("the script needs `{}: {}`", input.name, input.ty);
                let help = format!(
                    "pass a value, or declare a default: `param {}: {} = ..`",
                    input.name, input.ty
                );
                Err(RunError::new(OpError::invalid_input(message).help(help), input.span))
            }
        })
        .collect()
}

/// Opens the memory account of the run: limited by its caller, or to a share of the machine's
/// memory.
fn opened(host: &Arc<dyn Host>, caps: &Caps) -> memory::Opened {
    let limit = caps.memory.or_else(|| host.memory_share()).unwrap_or(u64::MAX);
    let host = host.clone();
    memory::Account::open(limit, Arc::new(move || host.memory()))
}

/// The failure of a run whose engine panicked.
pub(crate) fn ended_by_panic(span: Span) -> Box<RunError> {
    engine_panicked(span)
}

fn engine_panicked(span: Span) -> Box<RunError> {
    let error = OpError::bug("the engine panicked").help("report this as a bug of svc");
    RunError::new(error, span)
}

impl Run {
    fn begin(around: RunContext) -> (Self, Scope) {
        let RunContext {
            host,
            catalog,
            lent,
            observer,
            workers,
            cancel,
            caps,
            records,
            isolates,
            is_long,
            ..
        } = around;
        let lent = lent.to_run();
        let memory = opened(&host, &caps);
        let (account, cancel) = (memory.account().clone(), cancel.child_token());
        let scope = Scope::of_run(cancel, &caps, account, lent.clone());
        if let Some(records) = &records {
            scope.account.remember(records.spent(""), |_| false);
        }
        let secrets = Secrets::default();
        let wants_all = records.as_ref().is_some_and(|it| it.wants_all());
        let run = Self {
            host,
            catalog,
            lent,
            observer,
            workers,
            secrets,
            mocks: None,
            records,
            isolates,
            memory,
            wants_all,
            is_long,
            thread_time: ThreadTime::new(),
            output_tokens: AtomicU64::new(0),
        };
        (run, scope)
    }

    async fn main(
        &self,
        program: &Checked,
        values: &[Value],
        scope: &Scope,
        caps: Caps,
    ) -> error::Result<Value> {
        let Some(main) = &program.main else {
            let message = "the script has no main pipeline: it only defines flows and types";
            return Err(RunError::new(OpError::invalid_input(message), Span::default()));
        };
        let env = Env::of_params(values);
        let place = Place { env: &env, scope, path: &Path::Root };
        let work =
            if self.is_long { Box::pin(self.moved(main, place)) } else { self.eval(main, place) };
        let value = match caps.time {
            Some(limit) => in_time(work, limit, scope, main.span).await,
            None => work.await,
        }?;
        scope.fits(main.span)?;
        scope.can_write(&value, main.span)?;
        Ok(value)
    }

    /// Runs work on behalf of this run: its allocations count against the memory of the run,
    /// and the time on its thread is measured.
    fn accounted<F: Future>(&self, work: F) -> Accounted<impl Future<Output = F::Output>> {
        let work = async move {
            let mut work = pin!(work);
            poll_fn(|cx| {
                self.thread_time.begins();
                work.as_mut().poll(cx)
            })
            .await
        };
        Accounted::new(self.memory.account().clone(), work)
    }

    fn emit(&self, path: &Path<'_>, event: &Event<'_>) {
        trace::happened(path, event, &self.secrets);
        if self.observer.listens() {
            self.observer.event(&path.to_string(), event);
        }
    }
}

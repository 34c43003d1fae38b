//! Tasks that run together, and the effect of one failure on the others.

use std::{future::Future, pin::Pin};

use futures_util::{StreamExt, stream::FuturesUnordered};
use svc_contract::{
    registry::ErrorKind,
    value::{Value, memory},
};
use svc_lang::diag::Span;

use super::{
    error::{Result, RunError},
    partial::Partial,
    scope::Scope,
};

/// The number of finished tasks, or turns, between two checks of the clock.
pub(super) const TASKS_PER_YIELD: usize = 256;

pub(super) type Task<'a> = Pin<Box<dyn Future<Output = Result<Value>> + Send + 'a>>;

/// The results of tasks that ran together.
#[derive(Default)]
pub(super) struct Ended {
    /// The values of the started tasks, in order; null for failed ones.
    pub(super) values: Vec<Value>,
    pub(super) failed: Vec<usize>,
    failure: Failure,
}

/// The failure of tasks that run together. A failure cancels the others, except if a call could
/// not be funded: running calls were funded and will be paid for, so they may finish, and only
/// no further ones begin.
#[derive(Default)]
pub(super) struct Failure {
    first: Option<Box<RunError>>,
    /// The partial results of tasks other than the first failed one.
    others: Vec<Partial>,
}

impl Failure {
    pub(super) fn is_none(&self) -> bool {
        self.first.is_none()
    }

    pub(super) fn add(&mut self, err: Box<RunError>, scope: &Scope) {
        if !err.is_declined_at(scope.depth) {
            scope.cancel.cancel();
        }
        match &self.first {
            None => self.first = Some(err),
            Some(_) => self.others.extend(err.partial.map(|it| *it)),
        }
    }

    /// The failure with the parts that were finished nevertheless, if there is a failure.
    pub(super) fn with_partial(
        self,
        scope: &Scope,
        kept: impl FnOnce() -> Partial,
    ) -> Option<Box<RunError>> {
        let Self { first, others } = self;
        first.map(
            |it| if it.is_declined_at(scope.depth) { it.with_partial(kept(), others) } else { it },
        )
    }
}

impl Ended {
    /// The values, or the failure with its partial results.
    pub(super) fn with_partial(
        self,
        scope: &Scope,
        kept: impl FnOnce(Vec<Value>, &[usize]) -> Partial,
    ) -> Result<Vec<Value>> {
        let Self { values, failed, failure } = self;
        if failure.is_none() {
            return Ok(values);
        }
        failure.with_partial(scope, || kept(values, &failed)).map_or(Ok(Vec::new()), Err)
    }

    /// Whether the first failure is that of a cap inside `outer` bounds, which cannot fund a call.
    pub(super) fn declined_inside(&self, outer: usize) -> Option<&RunError> {
        let first = self.failure.first.as_deref();
        first.filter(|it| it.kind() == ErrorKind::Budget && it.bound.is_some_and(|it| it > outer))
    }

    /// Makes tasks that failed or did not start null, up to `count` tasks. Returns their numbers.
    pub(super) fn forgive(&mut self, count: usize) -> Vec<usize> {
        let begun = self.values.len();
        self.values.resize(count, Value::Null);
        self.failure = Failure::default();
        std::mem::take(&mut self.failed).into_iter().chain(begun..count).collect()
    }

    /// The values, or the first failure.
    pub(super) fn all(self) -> Result<Vec<Value>> {
        self.failure.first.map_or(Ok(self.values), Err)
    }
}

/// Runs tasks together, at most `at_once` at a time, until all started ones have ended.
pub(super) async fn together<'a>(
    tasks: impl IntoIterator<Item = Task<'a>>,
    scope: &Scope,
    at_once: usize,
    span: Span,
) -> Ended {
    let mut waiting = tasks.into_iter().enumerate();
    let mut running = FuturesUnordered::new();
    let mut ended = Ended::default();
    for done in 1_usize.. {
        // Tasks that never wait would prevent checks of the clock and of a cancel.
        if done.is_multiple_of(TASKS_PER_YIELD) || memory::is_full() {
            tokio::task::yield_now().await;
            if let Err(err) = scope.check(span) {
                ended.failure.add(err, scope);
            }
        }
        while ended.failure.is_none() && running.len() < at_once {
            let Some((idx, task)) = waiting.next() else { break };
            ended.values.push(Value::Null);
            running.push(async move { (idx, task.await) });
        }
        match running.next().await {
            None => break,
            Some((idx, Ok(value))) => ended.values[idx] = value,
            Some((idx, Err(err))) => {
                ended.failed.push(idx);
                ended.failure.add(err, scope);
            }
        }
    }
    ended
}

//! Inline scripts: cheap code runs in the caller's thread, the rest on a thread of its own.

use std::sync::Arc;

use svc_contract::{
    registry::{ErrorKind, OpError},
    value::Value,
};
use svc_lang::{
    diag::Span,
    script::{Ended, Failure, InlineScript, Watch, is_swollen, limits},
};
use tokio::{
    sync::{OwnedSemaphorePermit, SemaphorePermit},
    time::Instant,
};

use super::{
    Run,
    aside::{on_thread, weight_of},
    error::{Result, RunError},
    scope::Scope,
};

/// This many operations take a few microseconds. The code is pure, so code that turns out to
/// need more is restarted where it does not block the caller.
const AT_ONCE: u64 = 200;

/// Arguments up to this weight are converted in a few microseconds.
const LIGHT: u64 = 256;

impl Run {
    /// The result of an inline script.
    pub(super) async fn inline_script(
        &self,
        inline_script: &Arc<InlineScript>,
        args: &[Value],
        scope: &Scope,
        span: Span,
    ) -> Result<Value> {
        scope.check(span)?;
        let weight = weight_of(args);
        if !self.isolates && weight <= LIGHT {
            let watch = Watch { operations: AT_ONCE, host: None, ..self.watch(scope) };
            match inline_script.run(args, &watch) {
                Err(Ended::Unfinished) => {}
                ended => return failing(ended, scope, span),
            }
        }
        self.run_in_worker(inline_script.clone(), args.to_vec(), scope, span).await
    }

    fn watch(&self, scope: &Scope) -> Watch {
        // A timeout set by the script, at any level, replaces the code's own.
        let own = (!scope.script_limits_time).then(|| Instant::now() + limits::TIME);
        let around = scope.deadline.map(|(end, _)| end);
        Watch {
            operations: limits::OPERATIONS,
            deadline: own.into_iter().chain(around).min(),
            cancel: scope.cancel.clone(),
            host: Some(self.host.clone()),
            memory: Some(scope.memory.clone()),
        }
    }

    /// Runs the code on its own thread, when it gets its turn.
    async fn run_in_worker(
        &self,
        inline_script: Arc<InlineScript>,
        args: Vec<Value>,
        scope: &Scope,
        span: Span,
    ) -> Result<Value> {
        let (_places, worker) = self.turn_to_compute(scope, span).await?;
        let watch = self.watch(scope);
        let (isolates, host) = (self.isolates, self.host.clone());
        let work = move || {
            if isolates || is_swollen() {
                match inline_script.run_in_worker(&args, &watch, host.as_ref()) {
                    Err(Ended::Failed(it)) if !isolates && it.is_unsupported() => {
                        inline_script.run(&args, &watch)
                    }
                    ended => ended,
                }
            } else {
                inline_script.run(&args, &watch)
            }
        };
        // The code itself checks whether it is cancelled or uses too much memory.
        match on_thread(Some(worker), scope, work).await {
            Some(Ok(ended)) => failing(ended, scope, span),
            Some(Err(_)) => Err(RunError::new(OpError::bug("inline code panicked"), span)),
            None => Err(RunError::cancelled(span)),
        }
    }

    /// A permit of every enclosing `max_parallel`, and a worker.
    async fn turn_to_compute<'a>(
        &self,
        scope: &'a Scope,
        span: Span,
    ) -> Result<(Vec<SemaphorePermit<'a>>, OwnedSemaphorePermit)> {
        let cancelled = || RunError::cancelled(span);
        let mut places = Vec::with_capacity(scope.permits.len());
        for permits in &scope.permits {
            let place = scope.cancel.run_until_cancelled(permits.acquire()).await;
            places.push(place.and_then(std::result::Result::ok).ok_or_else(cancelled)?);
        }
        Ok((places, self.worker(scope, span).await?))
    }
}

/// The result, or the failure with its place in the code.
fn failing(ended: std::result::Result<Value, Ended>, scope: &Scope, span: Span) -> Result<Value> {
    scope.fits(span)?;
    match ended {
        Ok(value) => super::eval_sync::check_size(value, span),
        Err(Ended::Failed(Failure { error, place: (start, end) })) => {
            if matches!(error.kind, ErrorKind::Timeout | ErrorKind::Cancelled) {
                // If an enclosing bound ended it, report that bound.
                scope.check(span)?;
            }
            Err(RunError::new(error, Span::new(start, end)))
        }
        Err(Ended::Unfinished) => {
            Err(RunError::new(OpError::bug("inline code did not finish"), span))
        }
    }
}

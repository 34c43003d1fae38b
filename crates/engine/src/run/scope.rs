//! The bounds at one place of a run.

use std::{sync::Arc, time::Duration};

use svc_contract::{
    registry::{Advice, ErrorKind, HintId, Lent, OpError},
    value::{
        Money, Value,
        memory::{self, Full},
        units,
    },
};
use svc_lang::{
    check::BoundKey,
    diag::Span,
    plan::{Caps, ITEMS_AT_ONCE},
};
use tokio::{sync::Semaphore, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    error::{Result, RunError},
    ledger::{Account, Before, Cap},
};

/// The bounds at one place: those of the innermost `within`, and through it all enclosing ones.
#[derive(Clone)]
pub(super) struct Scope {
    /// The number of bounds around this place.
    pub(super) depth: usize,
    /// Ends everything that runs under this scope.
    pub(super) cancel: CancellationToken,
    /// The nearest deadline, and the depth of the bound that sets it.
    pub(super) deadline: Option<(Instant, usize)>,
    /// Whether a bound inside the run limits time, and not only the caller of the run.
    pub(super) script_limits_time: bool,
    pub(super) attempts: Attempts,
    /// The smallest `max_parallel` of all enclosing bounds.
    pub(super) max_parallel: Option<usize>,
    /// One semaphore for every enclosing `max_parallel`, innermost first.
    pub(super) permits: Vec<Arc<Semaphore>>,
    /// The account of the innermost cap, and through it of all enclosing ones.
    pub(super) account: Arc<Account>,
    /// The memory account of the innermost memory bound, and through it of all enclosing ones.
    pub(super) memory: Arc<memory::Account>,
    /// The services of the embedding program.
    pub(super) lent: Lent,
}

/// The bounds of a `within` for single calls: the default of every call inside.
#[derive(Clone, Default)]
pub(super) struct Attempts {
    pub(super) timeout: Option<Duration>,
    pub(super) max_retries: Option<u32>,
    pub(super) retry_on: Option<Arc<[ErrorKind]>>,
    /// The maximum age of a result of another run that may replace a call.
    pub(super) max_age: Option<Duration>,
}

/// The values of the bounds of one `within`.
#[derive(Clone, Default)]
pub(super) struct Bounds {
    pub(super) timeout: Option<Duration>,
    pub(super) memory: Option<u64>,
    pub(super) cap: Cap,
    attempts: Attempts,
    max_parallel: Option<usize>,
}

impl Bounds {
    /// Adds one bound; its value may come from a param and be invalid.
    pub(super) fn set(&mut self, key: BoundKey, value: &Value, span: Span) -> Result<()> {
        match (key, value) {
            (BoundKey::Timeout, Value::Duration(it)) => self.timeout = Some(*it),
            (BoundKey::AttemptTimeout, Value::Duration(it)) => self.attempts.timeout = Some(*it),
            (BoundKey::MaxAge, Value::Duration(it)) => self.attempts.max_age = Some(*it),
            (BoundKey::MaxMemory, Value::Size(it)) => self.memory = Some(*it),
            (BoundKey::MaxCost, Value::Money(it)) if *it >= Money::ZERO => {
                self.cap.cost = Some(*it);
            }
            (BoundKey::MaxTokens, Value::Int(it)) if *it >= 0 => {
                self.cap.tokens = Some(it.unsigned_abs());
            }
            (BoundKey::MaxRetries, Value::Int(it)) if *it >= 0 => {
                self.attempts.max_retries = Some(u32::try_from(*it).unwrap_or(u32::MAX));
            }
            (BoundKey::MaxParallel, Value::Int(it)) if *it >= 1 => {
                let most = usize::try_from(*it).unwrap_or(usize::MAX);
                self.max_parallel = Some(most.min(Semaphore::MAX_PERMITS));
            }
            (BoundKey::RetryOn, Value::List(kinds)) => {
                let kinds = kinds.iter().filter_map(Value::as_str).map(ErrorKind::parse);
                let kinds: Option<Arc<[ErrorKind]>> = kinds.collect();
                self.attempts.retry_on = Some(kinds.ok_or_else(|| wrong(key, value, span))?);
            }
            _ => return Err(wrong(key, value, span)),
        }
        Ok(())
    }
}

fn wrong(key: BoundKey, value: &Value, span: Span) -> Box<RunError> {
    let message = format!("invalid `{}`: `{value}`", key.name());
    RunError::new(OpError::invalid_input(message), span)
}

impl Scope {
    /// The scope of a whole run.
    pub(super) fn of_run(
        cancel: CancellationToken,
        caps: &Caps,
        memory: Arc<memory::Account>,
        lent: Lent,
    ) -> Self {
        let mut scope = Self {
            depth: 0,
            cancel,
            deadline: None,
            script_limits_time: false,
            attempts: Attempts { max_age: caps.max_age, ..Attempts::default() },
            max_parallel: None,
            permits: Vec::new(),
            account: Account::of_run(Cap { tokens: caps.tokens, cost: caps.cost }),
            memory,
            lent,
        };
        if let Some(time) = caps.time {
            scope.limit_time(time);
        }
        scope
    }

    /// The scope inside a `within`. Nested bounds take the tighter value, except the bounds for
    /// single calls, where the inner one wins.
    ///
    /// `before` is the earlier history of the `within`, if calls are recorded.
    pub(super) fn bounded(&self, bounds: &Bounds, before: Option<Before>) -> Self {
        let mut inner = self.child();
        inner.depth += 1;
        if let Some(timeout) = bounds.timeout {
            inner.limit_time(timeout);
            inner.script_limits_time = true;
        }
        if let Some(most) = bounds.max_parallel {
            inner.permits.insert(0, Arc::new(Semaphore::new(most)));
            inner.max_parallel = Some(self.max_parallel.map_or(most, |it| it.min(most)));
        }
        if bounds.cap != Cap::default() || before.is_some() {
            let before = before.unwrap_or_default();
            inner.account = self.account.going_on(bounds.cap, inner.depth, before);
        }
        if let Some(most) = bounds.memory {
            inner.memory = self.memory.within(most, inner.depth);
        }
        let own = &bounds.attempts;
        inner.attempts.timeout = own.timeout.or(self.attempts.timeout);
        inner.attempts.max_retries = own.max_retries.or(self.attempts.max_retries);
        inner.attempts.max_age = own.max_age.or(self.attempts.max_age);
        inner.attempts.retry_on = own.retry_on.clone().or(self.attempts.retry_on.clone());
        inner
    }

    /// The scope of one call with its own timeout.
    pub(super) fn timed(&self, timeout: Duration) -> Self {
        let mut inner = self.child();
        inner.depth += 1;
        inner.limit_time(timeout);
        inner.script_limits_time = true;
        inner
    }

    /// The same bounds with their own cancel token, for tasks that end together.
    pub(super) fn child(&self) -> Self {
        Self { cancel: self.cancel.child_token(), ..self.clone() }
    }

    fn limit_time(&mut self, timeout: Duration) {
        let Some(end) = Instant::now().checked_add(timeout) else { return };
        if self.deadline.is_none_or(|(sooner, _)| end < sooner) {
            self.deadline = Some((end, self.depth));
        }
    }

    /// The time until the nearest deadline.
    pub(super) fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|(end, _)| end.saturating_duration_since(Instant::now()))
    }

    /// The number of items that may run at the same time.
    pub(super) fn items_at_once(&self) -> usize {
        self.max_parallel.unwrap_or(ITEMS_AT_ONCE)
    }

    /// Returns an error if the time is over, the memory is full, or the run was cancelled.
    pub(super) fn check(&self, span: Span) -> Result<()> {
        self.fits(span)?;
        if self.cancel.is_cancelled() {
            return Err(RunError::cancelled(span));
        }
        match self.deadline {
            Some((end, depth)) if Instant::now() >= end => Err(out_of_time(None, span, depth)),
            _ => Ok(()),
        }
    }
}

impl Scope {
    /// Returns an error if more memory is used than an enclosing bound allows.
    pub(super) fn fits(&self, span: Span) -> Result<()> {
        self.memory.full().map_or(Ok(()), |it| Err(out_of_memory(&it, span)))
    }
}

impl Scope {
    /// The result of a computation, or an error if its memory is full. Other threads measure the
    /// memory, too, so what failed because it was full may not say so.
    pub(super) fn unless_full(&self, ended: Result<Value>, span: Span) -> Result<Value> {
        let full = |span| self.fits(span).err();
        match ended {
            Ok(value) => full(span).map_or(Ok(value), Err),
            Err(err) if err.bound.is_some() => Err(err),
            Err(err) => Err(match full(err.span) {
                Some(full) => full.in_place_of(&err),
                None => err,
            }),
        }
    }
}

impl Scope {
    /// Returns an error if the value, written out, would be larger than the memory bound:
    /// values share their parts, and written values do not.
    pub(super) fn can_write(&self, value: &Value, span: Span) -> Result<()> {
        let bytes = value.weight().saturating_mul(BYTES_A_PIECE);
        match self.memory.tightest() {
            full if bytes > full.limit => Err(out_of_memory(&full, span)),
            _ => Ok(()),
        }
    }
}

impl Scope {
    /// Returns an error if the value has to be recorded and its record would take too much
    /// memory.
    pub(super) fn can_record(&self, value: &Value, span: Span) -> Result<()> {
        self.can_write(value, span)?;
        let bytes = value.weight().saturating_mul(2 * BYTES_A_PIECE);
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        memory::room(bytes).map_err(|it| out_of_memory(&it, span))
    }
}

impl Scope {
    /// The failure of a mocked call. One of the kind `budget` is that of the innermost cap around
    /// it, or of the whole run.
    pub(super) fn refused(&self, error: OpError, span: Span) -> Box<RunError> {
        let is_budget = error.kind == ErrorKind::Budget;
        let error = RunError::new(error, span);
        if is_budget { error.at_bound(self.account.innermost_cap()) } else { error }
    }
}

/// The size of a written value per unit of its weight.
const BYTES_A_PIECE: u64 = 8;

/// The help for the memory bound of a script.
const KEEP_LESS: &str = "keep less of each item, such as with `take`, `where` or `len` inside the `each`, or raise `max_memory`";

/// The error for a memory bound that is full.
pub(super) fn out_of_memory(full: &Full, span: Span) -> Box<RunError> {
    let limit = units::show_size(full.limit);
    let (whose, help): (_, Advice) = match full.depth {
        0 => (format!("the {limit} of the run"), HintId::RaiseMemory.into()),
        _ => (format!("its `max_memory` of {limit}"), KEEP_LESS.into()),
    };
    let message = format!("needs more memory than {whose}");
    RunError::new(OpError::new(ErrorKind::Exhausted, message).help(help), span).at_bound(full.depth)
}

/// The error for a bound whose time is over.
pub(super) fn out_of_time(limit: Option<Duration>, span: Span, depth: usize) -> Box<RunError> {
    let message = match limit {
        Some(limit) => format!("took longer than {}", units::show_duration(limit)),
        None => "took longer than its `timeout`".to_owned(),
    };
    let help = match depth {
        0 => "raise the `timeout` of the run",
        _ => "give it more time with `within { timeout: .. }`",
    };
    RunError::new(OpError::new(ErrorKind::Timeout, message).help(help), span).at_bound(depth)
}

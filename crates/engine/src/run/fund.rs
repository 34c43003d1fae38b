//! The budget of one attempt: reserved before it begins, settled once when it has ended,
//! however it ended.

use std::{
    sync::{Mutex, MutexGuard, PoisonError, atomic::Ordering},
    time::Duration,
};

use svc_contract::{
    registry::{ErrorKind, Meter, OpError, Price, Quote, Usage},
    value::Money,
};

use super::{
    Run,
    attempt::Try,
    error::{Result, RunError},
    events::Event,
    records::Reservation,
};

/// The reservation of a running attempt. If dropped before it is settled, it settles itself: an
/// attempt that panicked, or whose future was dropped, may have been charged for.
pub(super) struct Funds<'a> {
    run: &'a Run,
    one: Try<'a>,
    most: Usage,
    meter: Meter,
    /// Its number in the records.
    number: Option<u64>,
    /// The attempt did not begin.
    is_unused: bool,
    is_open: bool,
}

/// The final usage of an attempt.
pub(super) struct Settled {
    pub(super) used: Usage,
    /// Whether the usage was recorded.
    pub(super) kept: std::result::Result<(), OpError>,
    most: Usage,
    /// The depth of the outermost bound that this usage pushed over its cap.
    broken: Option<usize>,
}

/// The number of attempts of one call, and their usage.
#[derive(Debug, Default)]
pub(super) struct Spent(Mutex<Counted>);

#[derive(Debug, Default)]
struct Counted {
    tries: u32,
    used: Usage,
    /// The failed attempts, and the one after them.
    log: Vec<Tried>,
    /// Whether an attempt has used a service of the embedding program.
    has_borrowed: bool,
}

/// One attempt of a call.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Start time, in milliseconds since 1970.
    pub started: i64,
    pub took: Duration,
    pub used: Usage,
    pub error: Option<OpError>,
}

impl Spent {
    fn add(&self, used: Usage) {
        let mut counted = self.counted();
        counted.tries += 1;
        counted.used = counted.used.plus(used);
    }

    /// Logs the result of an attempt. A first attempt that succeeds is not logged.
    pub(super) fn log(&self, started: i64, took: Duration, error: Option<&OpError>) {
        let mut counted = self.counted();
        if error.is_none() && counted.log.is_empty() {
            return;
        }
        let before = counted.log.iter().fold(Usage::default(), |sum, it| sum.plus(it.used));
        let used = Usage {
            tokens: counted.used.tokens.saturating_sub(before.tokens),
            cost: counted.used.cost.checked_sub(before.cost).unwrap_or_default(),
        };
        counted.log.push(Tried { started, took, used, error: error.cloned() });
    }

    pub(super) fn read(&self) -> (u32, Usage) {
        let counted = self.counted();
        (counted.tries, counted.used)
    }

    /// The attempts, if there were several.
    pub(super) fn take_log(&self) -> Vec<Tried> {
        let log = std::mem::take(&mut self.counted().log);
        if log.len() > 1 { log } else { Vec::new() }
    }

    pub(super) fn borrow(&self) {
        self.counted().has_borrowed = true;
    }

    /// Whether an attempt has used a service of the embedding program.
    pub(super) fn has_borrowed(&self) -> bool {
        self.counted().has_borrowed
    }

    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Run {
    /// Reserves the maximum usage of an attempt from every enclosing cap, or returns the error
    /// of the cap that lacks it.
    pub(super) fn fund<'a>(&'a self, one: &Try<'a>, quote: Quote) -> Result<Funds<'a>> {
        let most = quote.most;
        if let Some(error) = refusal(one, most.tokens, quote.unpriced) {
            return Err(RunError::new(error, one.span));
        }
        one.scope.account.reserve(most).map_err(|refused| {
            let error = too_much(refused.message, help(refused.depth));
            RunError::new(error, one.span).at_bound(refused.depth)
        })?;
        let meter = Meter::default();
        let (number, is_unused) = (None, false);
        let funds = Funds { run: self, one: *one, most, meter, number, is_unused, is_open: true };
        funds.emit(&Event::Reserved { component: &one.call.name, most });
        Ok(funds)
    }
}

/// The reason why an attempt cannot be funded, whatever is left of the enclosing caps.
///
/// `unpriced` is the error of a call whose price is unknown, under a cap.
fn refusal(one: &Try<'_>, tokens: u64, unpriced: Option<OpError>) -> Option<OpError> {
    let (op, account) = (one.call.op.op, &one.scope.account);
    // A cap set by the script, at any level, replaces the op's own.
    if let Some(limit) = op.limits.max_tokens.filter(|it| tokens > *it)
        && !account.script_caps_tokens()
    {
        let message = format!("needs up to {tokens} tokens, but one call may use at most {limit}");
        let help = "raise it with `within { max_tokens: .. }`, or ask for less";
        return Some(too_much(message, help));
    }
    // If nothing is known, not even tokens can be counted.
    unpriced.filter(|_| match op.price {
        Price::Unknown => account.is_capped(),
        _ => account.caps_cost(),
    })
}

fn too_much(message: String, help: &str) -> OpError {
    OpError::new(ErrorKind::Budget, message).help(help)
}

fn help(depth: usize) -> &'static str {
    match depth {
        0 => "raise the cap of the run, or ask for less",
        _ => "raise the cap, or ask for less",
    }
}

impl Funds<'_> {
    /// The meter that the attempt reports its usage to.
    pub(super) fn meter(&self) -> Meter {
        self.meter.clone()
    }

    /// Records the reservation. The attempt may begin only afterwards: if this process dies, a
    /// later one still knows what may have been spent.
    pub(super) async fn write_down(&mut self) -> Result<()> {
        let one = self.one;
        let op = one.call.op;
        let is_counted = !matches!(op.op.price, Price::Free);
        let Some(records) = self.run.records.as_ref().filter(|_| is_counted) else {
            return Ok(());
        };
        let (number, kept) = records.reserves(Reservation {
            path: one.path.recorded(),
            component: op.component.name,
            op: op.op.name,
            scopes: one.scope.account.scopes(),
            most: self.most,
        });
        // Until it is confirmed, the record may or may not exist: if left alone, it counts in
        // full.
        if let Err(err) = kept.await {
            self.is_unused = true;
            return Err(RunError::new(err, one.span));
        }
        self.number = Some(number);
        if one.scope.cancel.is_cancelled() {
            self.is_unused = true;
            return Err(RunError::cancelled(one.span));
        }
        Ok(())
    }

    /// Settles the reservation.
    pub(super) fn settle(mut self) -> Settled {
        self.close()
    }

    fn close(&mut self) -> Settled {
        self.is_open = false;
        let most = self.most;
        // A call never earns money: ignore negative reports.
        let reported = self.meter.read().filter(|it| it.cost >= Money::ZERO);
        let used = if self.is_unused { Usage::default() } else { reported.unwrap_or(most) };
        let records = self.run.records.as_ref().zip(self.number);
        let record = || records.map_or(Ok(()), |(it, number)| it.settles(number, used));
        let (kept, broken) = self.one.scope.account.settle_after(most, used, record);
        self.one.spent.add(used);
        self.run.output_tokens.fetch_add(self.meter.output_tokens(), Ordering::Relaxed);
        let component = &self.one.call.name;
        self.emit(&Event::Settled { component, reserved: most, used });
        Settled { used, kept, most, broken }
    }

    /// Reports calls that are counted; they are few and expensive.
    fn emit(&self, event: &Event<'_>) {
        if !matches!(self.one.call.op.op.price, Price::Free) {
            self.run.emit(self.one.path, event);
        }
    }
}

impl Drop for Funds<'_> {
    fn drop(&mut self) {
        if self.is_open {
            self.close();
        }
    }
}

impl Settled {
    /// Returns an error if a call used more than it declares. A quoted price is counted by the
    /// other side, which may count differently: that matters only under a cap.
    ///
    /// A fixed price is the price of every call that succeeds: the estimate of a run relies on
    /// it.
    pub(super) fn overspend_error(&self, one: &Try<'_>, ends_well: bool) -> Option<Box<RunError>> {
        let Self { used, most, broken, .. } = self;
        let is_fixed = matches!(one.call.op.op.price, Price::Fixed(_)) && ends_well;
        if used.tokens <= most.tokens && used.cost <= most.cost && !(is_fixed && used != most) {
            return None;
        }
        let kind = match one.call.op.op.price {
            Price::Unknown => return None,
            Price::Quoted(_) if !one.scope.account.is_capped() => return None,
            Price::Quoted(_) => ErrorKind::Budget,
            Price::Free | Price::Fixed(_) | Price::Tokens(_) => ErrorKind::Bug,
        };
        let than = if is_fixed { "a different amount than" } else { "more than" };
        let message = format!("`{}` used {than} declared: {used} instead of {most}", one.call.op);
        let error = RunError::new(OpError::new(kind, message), one.span);
        Some(match broken {
            Some(depth) => error.at_bound(*depth),
            None => error,
        })
    }
}

//! What a session has used: the runs of its jobs, and what clients report.
//!
//! Each run is recorded once, when it has ended, under the id of its job; each report once, under the
//! id that its sender gave it.

use svc_contract::{
    registry::{ErrorKind, choices, params, record},
    store::Store as _,
    value::{Money, Text},
};
use svc_store::book::{DeskAdded, DeskFilter, DeskKind, DeskRow, JobRow};

use super::{
    Desk, ResourceBounds, SessionState, at, body, sessions::SessionBody, short, state,
    states::SessionEvent,
};
use crate::{Bounds, Fault, Why, components::core};

/// The most reports of a session.
const MOST: i64 = 1_000_000;

/// The share of a limit from which on it is close.
const CLOSE: f64 = 0.8;

choices! {
    /// How much of its limits a session has used.
    pub enum LimitState { Ok = "ok", Warning = "warning", Exceeded = "exceeded" }
}

choices! {
    /// What usage is grouped by.
    pub enum UsageGroup { Model = "model", Day = "day", Kind = "kind" }
}

choices! {
    /// Where usage comes from.
    pub enum UsageKind { Run = "run", Reported = "reported" }
}

record! {
    /// A part of what was used.
    pub struct UsagePart {
        /// The model, the day or the kind.
        key: Text,
        /// The tokens that models read.
        input_tokens: i64,
        /// The tokens that models wrote.
        output_tokens: i64,
        /// The recorded calls of runs.
        tool_calls: i64,
        /// Dollars.
        cost_usd: f64,
    }
}

record! {
    /// What is left of the bounds of a session.
    pub struct Remaining {
        /// Tokens.
        tokens: Option<i64>,
        /// Dollars.
        cost_usd: Option<f64>,
    }
}

record! {
    /// What a session has used.
    pub struct UsageView {
        /// The tokens that models read.
        input_tokens: i64,
        /// The tokens that models wrote.
        output_tokens: i64,
        /// Both.
        total_tokens: i64,
        /// The recorded calls of runs.
        tool_calls: i64,
        /// Dollars.
        cost_usd: f64,
        /// The parts by what was asked for; by kind otherwise.
        by: Vec<UsagePart>,
        /// The bounds of the session.
        limits: ResourceBounds,
        /// What is left of them.
        remaining: Remaining,
        /// Whether they are close, or passed.
        limit_state: LimitState,
    }
}

record! {
    /// All that was used.
    pub struct Totals {
        /// The tokens that models read.
        input_tokens: i64,
        /// The tokens that models wrote.
        output_tokens: i64,
        /// Dollars.
        cost_usd: f64,
    }
}

record! {
    /// What became of a report.
    pub struct Recorded {
        /// Whether it counts now.
        recorded: bool,
        /// Whether it was known.
        duplicate: bool,
        /// All that the session has used.
        totals: Totals,
    }
}

params! {
    /// Which usage, and how it is grouped.
    pub struct UsageFilter {
        /// Only what was used from then on, as in RFC 3339.
        pub since: Option<Text> = None,
        /// What the parts are.
        pub group_by: UsageGroup = UsageGroup::Kind,
    }
}

params! {
    /// What a client has used for a session.
    pub struct UsageReport {
        /// The session.
        pub session_id: Text,
        /// The name of this report: a repeated one counts once.
        pub event_id: Text,
        /// The model that was used.
        pub model: Option<Text> = None,
        /// The tokens that it read.
        pub input_tokens: u64,
        /// The tokens that it wrote.
        pub output_tokens: u64,
        /// Dollars.
        pub cost_usd: Option<f64> = None,
    }
}

impl UsageFilter {
    /// All of it, by kind.
    #[cfg(test)]
    pub(super) fn all() -> Self {
        Self { since: None, group_by: UsageGroup::Kind }
    }
}

record! {
    /// What is kept of usage.
    pub(super) struct UsageBody {
        /// Where it comes from.
        kind: UsageKind,
        /// The model, if it is known.
        model: Option<Text>,
        /// The tokens that it read.
        input_tokens: i64,
        /// The tokens that it wrote.
        output_tokens: i64,
        /// The recorded calls of a run.
        tool_calls: i64,
        /// In billionths of a dollar.
        cost_nanos: i64,
    }
}

/// A sum of usage.
#[derive(Default)]
struct Sum {
    input: i64,
    output: i64,
    calls: i64,
    cost: i64,
}

impl Sum {
    fn add(&mut self, it: &UsageBody) {
        self.input = self.input.saturating_add(it.input_tokens);
        self.output = self.output.saturating_add(it.output_tokens);
        self.calls = self.calls.saturating_add(it.tool_calls);
        self.cost = self.cost.saturating_add(it.cost_nanos);
    }

    fn tokens(&self) -> i64 {
        self.input.saturating_add(self.output)
    }

    fn dollars(&self) -> f64 {
        Money::from_nanos(self.cost).dollars()
    }
}

impl Desk {
    /// What a session has used.
    pub fn usage(&self, session: &str, filter: &UsageFilter) -> Result<UsageView, Fault> {
        let row = self.session_row(session)?;
        let since = filter.since.as_deref().map(instant).transpose()?;
        let mut all = Sum::default();
        let mut parts: Vec<(String, Sum)> = Vec::new();
        for used in self.used_by(session)? {
            if since.is_some_and(|it| used.at < it) {
                continue;
            }
            let kept: UsageBody = body(&used)?;
            all.add(&kept);
            let key = match filter.group_by {
                UsageGroup::Model => kept.model.as_deref().unwrap_or("none").to_owned(),
                UsageGroup::Day => at(used.at)[..10].to_owned(),
                UsageGroup::Kind => super::word(kept.kind),
            };
            match parts.iter_mut().find(|it| it.0 == key) {
                Some(part) => part.1.add(&kept),
                None => {
                    let mut sum = Sum::default();
                    sum.add(&kept);
                    parts.push((key, sum));
                }
            }
        }
        let limits = body::<SessionBody>(&row)?.bounds;
        // Limits hold for everything, whatever was asked for.
        let whole = if since.is_some() { self.sum(session)? } else { all };
        let (remaining, limit_state) = left(&limits, &whole);
        let shown = if since.is_some() { parts_sum(&parts) } else { whole };
        let by = parts.into_iter().map(|(key, it)| UsagePart {
            key: key.into(),
            input_tokens: it.input,
            output_tokens: it.output,
            tool_calls: it.calls,
            cost_usd: it.dollars(),
        });
        Ok(UsageView {
            input_tokens: shown.input,
            output_tokens: shown.output,
            total_tokens: shown.tokens(),
            tool_calls: shown.calls,
            cost_usd: shown.dollars(),
            by: by.collect(),
            limits,
            remaining,
            limit_state,
        })
    }

    /// Records what a client has used for a session.
    pub async fn report_usage(&self, report: UsageReport) -> Result<Recorded, Fault> {
        let row = self.open_session(&report.session_id)?;
        let event = short("event_id", &report.event_id, 200)?;
        report.model.as_deref().map(|it| short("model", it, 200)).transpose()?;
        let cost = match report.cost_usd {
            None => Money::ZERO,
            Some(it) => {
                Money::from_dollars(it).filter(|it| *it >= Money::ZERO).ok_or_else(|| {
                    Fault::field("cost_usd", format!("expected an amount of dollars, found {it}"))
                })?
            }
        };
        let tokens = |field: &str, it: u64| {
            // More than any model reads in a year.
            let most = 1 << 50;
            i64::try_from(it).ok().filter(|it| *it <= most).ok_or_else(|| {
                Fault::field(field, format!("expected at most {most} tokens, found {it}"))
            })
        };
        let kept = UsageBody {
            kind: UsageKind::Reported,
            model: report.model,
            input_tokens: tokens("input_tokens", report.input_tokens)?,
            output_tokens: tokens("output_tokens", report.output_tokens)?,
            tool_calls: 0,
            cost_nanos: cost.nanos(),
        };
        let is_known = self.record(&row.id, format!("event {event}"), kept).await?;
        let sum = self.sum(&row.id)?;
        let (input_tokens, output_tokens) = (sum.input, sum.output);
        let totals = Totals { input_tokens, output_tokens, cost_usd: sum.dollars() };
        Ok(Recorded { recorded: !is_known, duplicate: is_known, totals })
    }

    /// Records what the run of a job has used, once.
    pub(super) async fn record_job(
        &self,
        session: &str,
        job: &JobRow,
        model: Option<Text>,
    ) -> Result<UsageBody, Fault> {
        let tokens = i64::try_from(job.used.tokens).unwrap_or(i64::MAX);
        // What models wrote is known as long as the run is in this process.
        let answer = self.service().live(job.run.as_str()).and_then(|it| it.outcome()?.ok());
        let output_tokens = answer.map_or(0, |it| it.output_tokens);
        let output_tokens = i64::try_from(output_tokens).unwrap_or(i64::MAX).min(tokens);
        let kept = UsageBody {
            kind: UsageKind::Run,
            model: model.filter(|_| tokens > 0),
            input_tokens: tokens - output_tokens,
            output_tokens,
            tool_calls: self.calls_of(job),
            cost_nanos: job.used.cost.nanos(),
        };
        self.record(session, format!("job {}", job.id), kept.clone()).await?;
        Ok(kept)
    }

    fn calls_of(&self, job: &JobRow) -> i64 {
        let calls = self.service().store().and_then(|it| it.nodes(&job.run).ok());
        calls.and_then(|it| i64::try_from(it.len()).ok()).unwrap_or_default()
    }

    /// Adds usage under a name, and returns whether it was known.
    async fn record(&self, session: &str, name: String, kept: UsageBody) -> Result<bool, Fault> {
        let mut row = self.new_row(DeskKind::Usage, self.new_id("use_"), session, kept);
        row.name = Some(name);
        let is_known = match self.add(row, (MOST, &[])).await? {
            DeskAdded::Done(_) => false,
            DeskAdded::Taken(_) => true,
            DeskAdded::Full => {
                let message = format!("the session has {MOST} records of usage already");
                return Err(Fault::new(Why::Conflict, message).help("start another session"));
            }
        };
        self.follow_limits(session).await?;
        Ok(is_known)
    }

    /// The state of a session follows from what it has used.
    async fn follow_limits(&self, session: &str) -> Result<(), Fault> {
        let row = self.session_row(session)?;
        let (_, limits) = left(&body::<SessionBody>(&row)?.bounds, &self.sum(session)?);
        let event = match (state(&row)?, limits) {
            (SessionState::Active, LimitState::Exceeded) => SessionEvent::Exhausted,
            (SessionState::Exhausted, LimitState::Ok | LimitState::Warning) => {
                SessionEvent::Extended
            }
            _ => return Ok(()),
        };
        // Somebody else may have changed it meanwhile.
        let _ = self.happened(session, event, "used").await;
        Ok(())
    }

    /// The bounds of the next job of a session: what is left, without what its jobs may still take.
    pub(super) fn bounds_left(&self, row: &DeskRow) -> Result<Bounds, Fault> {
        let bounds = body::<SessionBody>(row)?.bounds;
        let sum = self.sum(&row.id)?;
        if state::<SessionState>(row)? == SessionState::Exhausted {
            let message = format!("the session `{}` has used all that its bounds allow", row.id);
            let why = Why::Op(ErrorKind::Budget);
            return Err(Fault::new(why, message).help("start another session, with wider bounds"));
        }
        let mut whole = core::with(Some(bounds), Bounds::default())?;
        let (mut tokens, mut cost) = (sum.tokens().unsigned_abs(), Money::from_nanos(sum.cost));
        for job in self.book().jobs_of_session(self.owner(), &row.id)? {
            if job.state.is_over() {
                continue;
            }
            let taken = crate::jobs::bounds_of(&job)?;
            tokens = tokens.saturating_add(taken.max_tokens.unwrap_or_default());
            cost = cost.checked_add(taken.max_cost.unwrap_or_default()).unwrap_or(cost);
        }
        whole.max_tokens = whole.max_tokens.map(|it| it.saturating_sub(tokens));
        whole.max_cost =
            whole.max_cost.map(|it| it.checked_sub(cost).unwrap_or_default().max(Money::ZERO));
        Ok(whole)
    }

    fn used_by(&self, session: &str) -> Result<Vec<DeskRow>, Fault> {
        let of = DeskFilter { parent: Some(session.to_owned()), ..DeskFilter::default() };
        self.rows(DeskKind::Usage, &of)
    }

    fn sum(&self, session: &str) -> Result<Sum, Fault> {
        let mut sum = Sum::default();
        for row in self.used_by(session)? {
            sum.add(&body(&row)?);
        }
        Ok(sum)
    }
}

fn parts_sum(parts: &[(String, Sum)]) -> Sum {
    parts.iter().fold(Sum::default(), |sum, (_, it)| Sum {
        input: sum.input.saturating_add(it.input),
        output: sum.output.saturating_add(it.output),
        calls: sum.calls.saturating_add(it.calls),
        cost: sum.cost.saturating_add(it.cost),
    })
}

/// What is left of limits, and whether they are close.
#[expect(clippy::cast_precision_loss, reason = "shares of limits")]
fn left(limits: &ResourceBounds, sum: &Sum) -> (Remaining, LimitState) {
    let most_tokens = limits.max_tokens.and_then(|it| i64::try_from(it).ok());
    let most_cost = limits.max_budget_usd.filter(|it| *it > 0.0);
    let shares = [
        most_tokens.map(|it| sum.tokens() as f64 / it.max(1) as f64),
        most_cost.map(|it| sum.dollars() / it),
    ];
    let share = shares.into_iter().flatten().fold(0.0, f64::max);
    let limit_state = match share {
        it if it >= 1.0 => LimitState::Exceeded,
        it if it >= CLOSE => LimitState::Warning,
        _ => LimitState::Ok,
    };
    let remaining = Remaining {
        tokens: most_tokens.map(|it| it.saturating_sub(sum.tokens()).max(0)),
        cost_usd: most_cost.map(|it| (it - sum.dollars()).max(0.0)),
    };
    (remaining, limit_state)
}

/// A time as in RFC 3339, in milliseconds since 1970.
fn instant(given: &str) -> Result<i64, Fault> {
    let parsed = given.parse::<jiff::Timestamp>();
    let wrong = |_| {
        let message = format!("expected a time such as `2026-11-27T09:30:00Z`, found `{given}`");
        Fault::field("since", message)
    };
    Ok(parsed.map_err(wrong)?.as_millisecond())
}

/// The usage of one answer, as it is shown.
pub(super) fn shown(kept: &UsageBody) -> Totals {
    Totals {
        input_tokens: kept.input_tokens,
        output_tokens: kept.output_tokens,
        cost_usd: Money::from_nanos(kept.cost_nanos).dollars(),
    }
}

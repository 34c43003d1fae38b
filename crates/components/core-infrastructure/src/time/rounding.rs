//! The start of the step of the clock, or of the period of the calendar, that a time is in.

use std::time::Duration;

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use svc_contract::{
    registry::{CheckCall, ErrorKind, Example, Inline, Op, OpError, Scheme, params},
    value::{Text, Value, units},
};

use super::{
    Period, beyond_calendar,
    dates::first_day,
    zone::{self, first_instant, start_of_day, zone},
};

const DAY: Duration = Duration::from_hours(24);

params! {
    /// Returns the start of the step of a clock that a time is in: of its minute, its quarter of
    /// an hour, its day.
    ///
    /// Steps are counted from midnight in the time zone. In an hour that a change of the clock
    /// repeats, both passes have their own steps. If the clock skips the start of a step, the step
    /// starts with the first time after the gap.
    pub(super) struct Floor {
        /// The time.
        time: Timestamp,
        /// The length of the steps, which divides a day into equal parts: `1d`, `6h`, `15m`.
        to: Duration = DAY,
        /// The time zone: a name such as `Europe/Berlin`, `UTC`, or an offset such as `+05:30`.
        zone: Text = "UTC".into(),
    }
}

impl Op for Floor {
    const NAME: &'static str = "floor";
    const YIELDS: Scheme = Scheme::Time;
    const CHECK: Option<CheckCall> = Some(zone::check);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::InvalidInput, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "round a timestamp down to the hour",
        "time buckets of fifteen minutes",
        "truncate a time to the day",
        "group events by hour",
        "snap timestamps to quarter-hour or five-minute intervals",
        "bin a datetime by the minute",
        "strip minutes and seconds",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Quarters of an hour",
            r#"floor_time("2026-11-23T08:52:10Z", 15m)"#,
            r#""2026-11-23T08:45:00Z""#,
        ),
        Example::ok(
            "The day in Berlin",
            r#"floor_time("2026-11-23T08:00:00Z", 1d, "Europe/Berlin")"#,
            r#""2026-11-22T23:00:00Z""#,
        ),
        Example::err(
            "Not a part of a day",
            r#"floor_time("2026-11-23T08:00:00Z", 7h)"#,
            "a day cannot be divided into steps of 7h",
        ),
    ];
}

impl Inline for Floor {
    fn run(self) -> Result<Value, OpError> {
        let step = self.to.as_nanos();
        if step == 0 || !DAY.as_nanos().is_multiple_of(step) {
            let shown = units::show_duration(self.to);
            return Err(OpError::invalid_input(format!("a day cannot be divided into steps of {shown}"))
                .help("use a part of a day such as `15m`, `6h` or `1d`, or `start_of` for weeks, months and years"));
        }
        let zone = zone(&self.zone)?;
        let local = zone.to_datetime(self.time);
        let floor = if self.to == DAY {
            start_of_day(&zone, local.date())?
        } else {
            floored(&zone, self.time, floored_clock(local, step)?)?
        };
        Ok(floor.into())
    }
}

/// A local time with its time of day rounded down.
fn floored_clock(local: DateTime, step: u128) -> Result<DateTime, OpError> {
    let midnight = local.date().at(0, 0, 0, 0);
    let passed = local.duration_since(midnight).unsigned_abs();
    let whole = passed.as_nanos() - passed.as_nanos() % step;
    // A day has less than 2^64 nanoseconds.
    let whole = Duration::from_nanos(u64::try_from(whole).unwrap_or_default());
    midnight.checked_add(whole).map_err(|_| beyond_calendar())
}

/// The instant of a local time that is not after that of `time`, in the same pass of a repeated
/// hour.
fn floored(zone: &TimeZone, time: Timestamp, local: DateTime) -> Result<Timestamp, OpError> {
    let offset = zone.to_offset(time);
    match offset.to_timestamp(local) {
        Ok(it) if zone.to_offset(it) == offset => Ok(it),
        _ => first_instant(zone, local),
    }
}

params! {
    /// Returns the first instant of the day, week, month, quarter or year that a time is in.
    ///
    /// Weeks start on Monday. If the clock skips midnight, the day starts after the gap.
    pub(super) struct StartOf {
        /// The time.
        time: Timestamp,
        /// The period.
        period: Period,
        /// The time zone: a name such as `Europe/Berlin`, `UTC`, or an offset such as `+05:30`.
        zone: Text,
    }
}

impl Op for StartOf {
    const NAME: &'static str = "start_of";
    const YIELDS: Scheme = Scheme::Time;
    const CHECK: Option<CheckCall> = Some(zone::check);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::InvalidInput, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "beginning of the month of a timestamp",
        "when this week started",
        "midnight of the first of the year",
        "start of the current quarter",
        "first instant of the current year, month or week",
        "when did this month begin",
        "reset a timestamp to its monday",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The month in New York",
            r#"start_of("2026-11-23T08:00:00Z", "month", "America/New_York")"#,
            r#""2026-11-01T04:00:00Z""#,
        ),
        Example::err(
            "An unknown zone",
            r#"start_of("2026-11-23T08:00:00Z", "day", "here")"#,
            "unknown time zone",
        ),
    ];
}

impl Inline for StartOf {
    fn run(self) -> Result<Value, OpError> {
        let zone = zone(&self.zone)?;
        let date = first_day(zone.to_datetime(self.time).date(), self.period);
        Ok(start_of_day(&zone, date)?.into())
    }
}

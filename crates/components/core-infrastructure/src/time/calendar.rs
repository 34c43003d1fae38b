//! Computing with the calendar of a time zone.

use jiff::{Span, Timestamp, Unit, tz::TimeZone};
use svc_contract::{
    registry::{CheckCall, ErrorKind, Example, Inline, Op, OpError, Scheme, choices, params},
    value::{Text, Value},
};

use super::{
    Disambiguation, beyond_calendar,
    dates::months_between,
    zone::{self, instant, zone},
};

params! {
    /// Returns the time at which a clock shows the same time of day, some months, weeks or days
    /// later, or earlier for negative numbers.
    ///
    /// Months come first, then weeks and days. A month more is the same day of the next month, or
    /// its last day. For exact durations, add them: `time + 24h`.
    pub(super) struct Shift {
        /// The time.
        time: Timestamp,
        /// The time zone: a name such as `Europe/Berlin`, `UTC`, or an offset such as `+05:30`.
        zone: Text,
        /// The number of months.
        months: i64 = 0,
        /// The number of weeks.
        weeks: i64 = 0,
        /// The number of days.
        days: i64 = 0,
        /// The meaning of a local time that a change of the clock skips or repeats:
        /// `compatible` is the later time for a skipped one, and the earlier of two.
        disambiguation: Disambiguation = Disambiguation::Compatible,
    }
}

impl Op for Shift {
    const NAME: &'static str = "shift";
    const YIELDS: Scheme = Scheme::Time;
    const CHECK: Option<CheckCall> = Some(zone::check);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::InvalidInput, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "the same time tomorrow",
        "one month later at the same hour",
        "move a meeting by a week",
        "local time some days ago across daylight saving",
        "move on by a week and keep the hour",
        "add two days to a timestamp without being off by an hour in summer",
        "go back or forward in time",
        "yesterday at this hour",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A day of 23 hours",
            r#"shift_time("2026-03-28T11:00:00Z", "Europe/Berlin", days: 1)"#,
            r#""2026-03-29T10:00:00Z""#,
        ),
        Example::ok(
            "The last day of a shorter month",
            r#"shift_time("2026-01-31T12:00:00Z", "UTC", months: 1)"#,
            r#""2026-02-28T12:00:00Z""#,
        ),
        Example::err(
            "Beyond the calendar",
            r#"shift_time("2026-01-31T12:00:00Z", "UTC", months: 1_000_000)"#,
            "outside of the years",
        ),
    ];
}

impl Inline for Shift {
    fn run(self) -> Result<Value, OpError> {
        let zone = zone(&self.zone)?;
        let span = |unit| Span::new().try_days(unit).map_err(|_| beyond_calendar());
        let months = Span::new().try_months(self.months).map_err(|_| beyond_calendar())?;
        let weeks = self.weeks.checked_mul(7).ok_or_else(beyond_calendar)?;
        let days = span(weeks.checked_add(self.days).ok_or_else(beyond_calendar)?)?;
        if months.is_zero() && days.is_zero() {
            return Ok(self.time.into());
        }
        let local = zone.to_datetime(self.time);
        let moved = local.checked_add(months).and_then(|it| it.checked_add(days));
        let moved = moved.map_err(|_| beyond_calendar())?;
        Ok(instant(&zone, moved, self.disambiguation)?.into())
    }
}

choices! {
    /// A unit in which the time between two times is counted.
    enum Counted {
        Years = "years",
        Months = "months",
        Weeks = "weeks",
        Days = "days",
        Hours = "hours",
        Minutes = "minutes",
        Seconds = "seconds",
        Milliseconds = "milliseconds",
    }
}

params! {
    /// Counts the whole units between two times, negative if the second one is earlier.
    ///
    /// Hours and shorter units are exact durations. Days, weeks, months and years are those of the
    /// calendar in a time zone, as `shift_time` adds them: a day of daylight saving time may have 23
    /// hours, and from January 31 to February 28 is one month.
    pub(super) struct Between {
        /// The first time.
        from: Timestamp,
        /// The second time.
        to: Timestamp,
        /// The unit to count.
        unit: Counted,
        /// The time zone: a name such as `Europe/Berlin`, `UTC`, or an offset such as `+05:30`.
        zone: Text = "UTC".into(),
    }
}

impl Op for Between {
    const NAME: &'static str = "between";
    const YIELDS: Scheme = Scheme::Int;
    const CHECK: Option<CheckCall> = Some(zone::check);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::InvalidInput];
    const SAYS: &'static [&'static str] = &[
        "how many days between two timestamps",
        "whole months since a moment",
        "age in years",
        "hours from one time to another",
        "difference of two times in minutes",
        "elapsed time from one datetime to another",
        "how long did it take",
        "years, days or minutes from then until now",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Hours",
            r#"between("2026-11-23T08:00:00Z", "2026-11-24T09:30:00Z", "hours")"#,
            "25",
        ),
        Example::ok(
            "A day of 23 hours",
            r#"between("2026-03-28T11:00:00Z", "2026-03-29T10:00:00Z", "days", "Europe/Berlin")"#,
            "1",
        ),
        Example::err(
            "An unknown zone",
            r#"between("2026-11-23T08:00:00Z", "2026-11-24T08:00:00Z", "days", "CEST+1")"#,
            "unknown time zone",
        ),
    ];
}

impl Inline for Between {
    fn run(self) -> Result<Value, OpError> {
        let zone = zone(&self.zone)?;
        let exact = |nanos: i128| {
            let passed = self.to.as_nanosecond() - self.from.as_nanosecond();
            // 20000 years have less than 2^63 milliseconds.
            i64::try_from(passed / nanos).unwrap_or_default()
        };
        Ok(Value::Int(match self.unit {
            Counted::Milliseconds => exact(1_000_000),
            Counted::Seconds => exact(1_000_000_000),
            Counted::Minutes => exact(60_000_000_000),
            Counted::Hours => exact(3_600_000_000_000),
            Counted::Days => count(&zone, self.from, self.to, Unit::Day),
            Counted::Weeks => count(&zone, self.from, self.to, Unit::Day) / 7,
            Counted::Months => count(&zone, self.from, self.to, Unit::Month),
            Counted::Years => count(&zone, self.from, self.to, Unit::Month) / 12,
        }))
    }
}

/// The number of whole days or months from one time to another, by the calendar.
fn count(zone: &TimeZone, from: Timestamp, to: Timestamp, unit: Unit) -> i64 {
    let (start, end) = (zone.to_datetime(from), zone.to_datetime(to));
    let moved = |count: i64| {
        let span = match unit {
            Unit::Month => Span::new().try_months(count),
            _ => Span::new().try_days(count),
        };
        let local = span.and_then(|it| start.checked_add(it)).ok()?;
        if count == 0 { Some(from) } else { instant(zone, local, Disambiguation::Compatible).ok() }
    };
    let mut count = match unit {
        Unit::Month => months_between(start.date(), end.date()),
        _ => end.date().duration_since(start.date()).as_hours() / 24,
    };
    // The difference of the dates is too large by one if the time of day, or the day of the month,
    // is not reached.
    let direction = if to < from { -1 } else { 1 };
    let is_beyond = |it: Timestamp| if to < from { it < to } else { it > to };
    while count.signum() == direction && moved(count).is_none_or(is_beyond) {
        count -= direction;
    }
    if count.signum() == -direction { 0 } else { count }
}

//! Dates: days of the calendar, without a time zone.

use std::time::Duration;

use jiff::{Span, ToSpan, civil};
use svc_contract::{
    registry::{ErrorKind, Example, Field, Inline, Max, Op, OpError, Scheme, choices, params},
    value::{Date, Value, times, units},
};

use super::{super::test_list_room, Period, beyond_calendar};

params! {
    /// Returns the dates from one up to, not including, another.
    ///
    /// The result is empty if `to` is not later than `from`. Fails beyond 10,000,000 dates.
    pub(super) struct Dates {
        /// The first date.
        from: Date,
        /// The end, which is not included.
        to: Date,
        /// The distance of two dates, in whole days.
        step: Duration = Duration::from_hours(24),
    }
}

impl Op for Dates {
    const NAME: &'static str = "dates";
    const YIELDS: Scheme = Scheme::List(&Scheme::Date, Max::Unknown);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::InvalidInput, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "every day of a month",
        "list the days between two dates",
        "all mondays of a year",
        "a sequence of dates",
        "each calendar day of a period",
        "enumerate a period day by day",
        "every friday between two days",
        "a calendar for a week",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Two days",
            r#"dates("2026-12-31", "2027-01-02")"#,
            r#"["2026-12-31","2027-01-01"]"#,
        ),
        Example::ok(
            "Every week",
            r#"dates("2026-11-23", "2026-12-05", step: 7d)"#,
            r#"["2026-11-23","2026-11-30"]"#,
        ),
        Example::err(
            "Part of a day",
            r#"dates("2026-11-23", "2026-11-24", step: 36h)"#,
            "expected whole days for `step`",
        ),
    ];
}

impl Inline for Dates {
    fn run(self) -> Result<Value, OpError> {
        let step = times::whole_days(self.step).ok().filter(|it| *it > 0);
        let step = step.and_then(|it| usize::try_from(it).ok()).ok_or_else(|| {
            let shown = units::show_duration(self.step);
            OpError::invalid_input(format!("expected whole days for `step`, found {shown}"))
                .help("use `1d`, `7d` or another number of days")
        })?;
        let (from, to) = (times::day_number(self.from).into(), times::day_number(self.to).into());
        if from < to {
            let days = usize::try_from(to - from).unwrap_or(usize::MAX);
            test_list_room(days.div_ceil(step))?;
        }
        let days = (from..to).step_by(step).filter_map(times::date_of_day);
        Ok(Value::List(days.map(Value::Date).collect()))
    }
}

choices! {
    /// A day of the week.
    pub(super) enum DayOfWeek {
        Monday = "monday",
        Tuesday = "tuesday",
        Wednesday = "wednesday",
        Thursday = "thursday",
        Friday = "friday",
        Saturday = "saturday",
        Sunday = "sunday",
    }
}

impl From<civil::Weekday> for DayOfWeek {
    fn from(it: civil::Weekday) -> Self {
        match it {
            civil::Weekday::Monday => Self::Monday,
            civil::Weekday::Tuesday => Self::Tuesday,
            civil::Weekday::Wednesday => Self::Wednesday,
            civil::Weekday::Thursday => Self::Thursday,
            civil::Weekday::Friday => Self::Friday,
            civil::Weekday::Saturday => Self::Saturday,
            civil::Weekday::Sunday => Self::Sunday,
        }
    }
}

params! {
    /// Returns the day of the week of a date: `monday` to `sunday`.
    pub(super) struct Weekday {
        /// The date.
        date: Date,
    }
}

impl Op for Weekday {
    const NAME: &'static str = "weekday";
    const YIELDS: Scheme = DayOfWeek::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "which day of the week a date is",
        "is it a sunday",
        "only the weekends",
        "weekday of a birthday, monday to sunday",
        "is that date at the weekend",
        "name of the day for a date",
        "does it fall on a saturday",
        "which day somebody was born on",
    ];
    const EXAMPLES: &'static [Example] =
        &[Example::ok("A Monday", r#"weekday("2026-11-23")"#, r#""monday""#)];
}

impl Inline for Weekday {
    fn run(self) -> Result<Value, OpError> {
        Ok(DayOfWeek::from(self.date.weekday()).encode())
    }
}

params! {
    /// Returns the first day of the week, month, quarter or year that a date is in. Weeks start on
    /// Monday.
    pub(super) struct FirstDay {
        /// The date.
        date: Date,
        /// The period.
        period: Period,
    }
}

impl Op for FirstDay {
    const NAME: &'static str = "first_day";
    const YIELDS: Scheme = Scheme::Date;
    const SAYS: &'static [&'static str] = &[
        "first of the month",
        "monday of the week of a date",
        "start of the quarter of a date",
        "group dates by month",
        "beginning of the month, quarter or year of a date",
        "on which date does its week start",
        "round a date down to its month",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A quarter", r#"first_day("2026-11-23", "quarter")"#, r#""2026-10-01""#),
        Example::ok("A week", r#"first_day("2027-01-01", "week")"#, r#""2026-12-28""#),
    ];
}

impl Inline for FirstDay {
    fn run(self) -> Result<Value, OpError> {
        Ok(first_day(self.date, self.period).into())
    }
}

/// The first day of the period that a date is in. The calendar begins with a Monday, so none is
/// before it.
pub(super) fn first_day(date: Date, period: Period) -> Date {
    match period {
        Period::Day => date,
        Period::Week => {
            let days = date.weekday().to_monday_zero_offset();
            date.saturating_sub(i64::from(days).days())
        }
        Period::Month => date.first_of_month(),
        Period::Quarter => {
            let in_quarter = i64::from((date.month() - 1) % 3);
            date.first_of_month().saturating_sub(in_quarter.months())
        }
        Period::Year => date.first_of_year(),
    }
}

params! {
    /// Returns the same day some months later, or earlier for a negative number.
    ///
    /// A month that lacks the day ends with its last day: one month after January 31 is February 28
    /// or 29.
    pub(super) struct AddMonths {
        /// The date.
        date: Date,
        /// The number of months; 12 are a year.
        months: i64,
    }
}

impl Op for AddMonths {
    const NAME: &'static str = "add_months";
    const YIELDS: Scheme = Scheme::Date;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "one month after a date",
        "the same day next year",
        "due date in three months",
        "plus or minus some months or years",
        "january 31 plus a month",
        "same date next month",
        "when a subscription renews",
        "half a year from a date",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A shorter month", r#"add_months("2026-01-31", 1)"#, r#""2026-02-28""#),
        Example::ok("A year earlier", r#"add_months("2024-02-29", -12)"#, r#""2023-02-28""#),
        Example::err(
            "Beyond the calendar",
            r#"add_months("2026-01-31", 1_000_000)"#,
            "outside of the years",
        ),
    ];
}

impl Inline for AddMonths {
    fn run(self) -> Result<Value, OpError> {
        let span = Span::new().try_months(self.months);
        let date = span.and_then(|it| self.date.checked_add(it));
        date.map(Value::from).map_err(|_| beyond_calendar())
    }
}

choices! {
    /// A unit in which the days between two dates are counted.
    enum Counted {
        Years = "years",
        Months = "months",
        Weeks = "weeks",
        Days = "days",
    }
}

params! {
    /// Counts the whole days, weeks, months or years between two dates, negative if the second one
    /// is earlier.
    ///
    /// Months are those that `add_months` adds: from January 31 to February 28 is one month.
    pub(super) struct BetweenDates {
        /// The first date.
        from: Date,
        /// The second date.
        to: Date,
        /// The unit to count.
        unit: Counted = Counted::Days,
    }
}

impl Op for BetweenDates {
    const NAME: &'static str = "between_dates";
    const YIELDS: Scheme = Scheme::Int;
    const SAYS: &'static [&'static str] = &[
        "how many days between two dates",
        "days until christmas",
        "age in years from a birthday",
        "whole months from one date to another",
        "someone's age today",
        "count the days to a deadline",
        "difference of two calendar days",
        "how long is it until a day",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Days", r#"between_dates("2026-11-23", "2026-12-24")"#, "31"),
        Example::ok("An age", r#"between_dates("1990-12-01", "2026-11-23", "years")"#, "35"),
    ];
}

impl Inline for BetweenDates {
    fn run(self) -> Result<Value, OpError> {
        let days = times::day_number(self.to) - times::day_number(self.from);
        Ok(Value::Int(match self.unit {
            Counted::Days => days.into(),
            Counted::Weeks => (days / 7).into(),
            Counted::Months => whole_months(self.from, self.to),
            Counted::Years => whole_months(self.from, self.to) / 12,
        }))
    }
}

/// The number of months that can be added to `from` without passing `to`.
fn whole_months(from: Date, to: Date) -> i64 {
    let months = months_between(from, to);
    let reached = Span::new().try_months(months).and_then(|it| from.checked_add(it));
    let is_beyond = reached.is_ok_and(|it| if to < from { it < to } else { it > to });
    if is_beyond { months - months.signum() } else { months }
}

/// The difference of the months of two dates, whatever their days.
pub(super) fn months_between(from: Date, to: Date) -> i64 {
    let months = |it: Date| i64::from(it.year()) * 12 + i64::from(it.month());
    months(to) - months(from)
}

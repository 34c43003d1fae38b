//! Clocks, calendars and time zones.

use svc_contract::{
    registry::{Bias, Component, OpError, choices, compute, inline},
    value::{Timestamp, arithmetic::MathError},
};

mod calendar;
mod clock;
mod dates;
mod forms;
mod local;
mod rounding;
mod zone;

pub(super) const COMPONENT: Component = Component {
    name: "time",
    cluster: "core-infrastructure",
    summary: "Reads the clock, and computes with times, dates and time zones.",
    version: 1,
    bias: Bias::new(
        "the time zones of the IANA database that is part of the program",
        &[
            "a time zone is an argument, never that of the machine",
            "weeks start on Monday",
            "a month more is the same day of the next month, or its last day",
        ],
    ),
    aliases: &[
        ("now", "now"),
        ("today", "today"),
        ("parse_time", "parse_time"),
        ("parse_date", "parse_date"),
        ("format_time", "format_time"),
        ("format_date", "format_date"),
        ("in_zone", "in_zone"),
        ("date_in", "date_in"),
        ("time_at", "time_at"),
        ("floor_time", "floor"),
        ("start_of", "start_of"),
        ("shift_time", "shift"),
        ("between", "between"),
        ("dates", "dates"),
        ("weekday", "weekday"),
        ("first_day", "first_day"),
        ("add_months", "add_months"),
        ("between_dates", "between_dates"),
    ],
    ops: &[
        compute::<clock::Now>(),
        compute::<clock::Today>(),
        inline::<forms::ParseTime>(),
        inline::<forms::ParseDate>(),
        inline::<forms::FormatTime>(),
        inline::<forms::FormatDate>(),
        inline::<local::InZone>(),
        inline::<local::DateIn>(),
        inline::<local::TimeAt>(),
        inline::<rounding::Floor>(),
        inline::<rounding::StartOf>(),
        inline::<calendar::Shift>(),
        inline::<calendar::Between>(),
        inline::<dates::Dates>(),
        inline::<dates::Weekday>(),
        inline::<dates::FirstDay>(),
        inline::<dates::AddMonths>(),
        inline::<dates::BetweenDates>(),
    ],
};

choices! {
    /// A part of the calendar that begins with a day.
    enum Period {
        Day = "day",
        Week = "week",
        Month = "month",
        Quarter = "quarter",
        Year = "year",
    }
}

choices! {
    /// What a local time means that a change of the clock skips or repeats.
    enum Disambiguation {
        Compatible = "compatible",
        Earlier = "earlier",
        Later = "later",
        Reject = "reject",
    }
}

impl From<Disambiguation> for jiff::tz::Disambiguation {
    fn from(it: Disambiguation) -> Self {
        match it {
            Disambiguation::Compatible => Self::Compatible,
            Disambiguation::Earlier => Self::Earlier,
            Disambiguation::Later => Self::Later,
            Disambiguation::Reject => Self::Reject,
        }
    }
}

/// The error for a result that no time or date can hold.
fn beyond_calendar() -> OpError {
    OpError::failed(MathError::BeyondCalendar.to_string())
}

/// The time of a clock in milliseconds since 1970, or the nearest one in the calendar.
fn of_millis(millis: i64) -> Timestamp {
    let nearest = if millis < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_millisecond(millis).unwrap_or(nearest)
}

#[cfg(test)]
mod tests;

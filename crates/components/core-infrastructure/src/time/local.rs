//! Times as the clocks and calendars of a time zone show them, and back.

use jiff::{Zoned, civil};
use svc_contract::{
    registry::{CheckCall, ErrorKind, Example, Field, Inline, Op, OpError, Scheme, params, record},
    value::{Date, Text, Timestamp, Value},
};

use super::{
    super::excerpt,
    Disambiguation,
    dates::DayOfWeek,
    zone::{self, instant, zone},
};

record! {
    /// A time as the clock and the calendar of a time zone show it.
    struct LocalTime {
        /// The year.
        year: i64,
        /// The month, from 1 to 12.
        month: i64,
        /// The day of the month, from 1 to 31.
        day: i64,
        /// The hour, from 0 to 23.
        hour: i64,
        /// The minute, from 0 to 59.
        minute: i64,
        /// The second, from 0 to 59.
        second: i64,
        /// The part of the second in nanoseconds.
        nanosecond: i64,
        /// The time of day on the clock, such as `09:30`.
        clock: Text,
        /// The date.
        date: Date,
        /// The day of the week.
        weekday: DayOfWeek,
        /// The day of the year, from 1 to 366.
        day_of_year: i64,
        /// The offset from UTC, such as `+01:00`.
        offset: Text,
        /// The time zone: its name in the database, or its offset.
        zone: Text,
        /// The name of the offset, such as `CET`.
        abbreviation: Text,
        /// Whether it is daylight saving time.
        is_dst: bool,
    }
}

params! {
    /// Returns a time as the clock and the calendar of a time zone show it.
    pub(super) struct InZone {
        /// The time.
        time: Timestamp,
        /// The time zone: a name such as `Europe/Berlin`, `UTC`, or an offset such as `+05:30`.
        zone: Text,
    }
}

impl Op for InZone {
    const NAME: &'static str = "in_zone";
    const YIELDS: Scheme = LocalTime::SCHEME;
    const CHECK: Option<CheckCall> = Some(zone::check);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::InvalidInput];
    const SAYS: &'static [&'static str] = &[
        "local time in another city",
        "convert a time to a time zone",
        "hour of the day of a timestamp",
        "year and month of a time",
        "offset from utc at a moment",
        "what's the clock time in tokyo or new york",
        "hour, minute and weekday of a moment",
        "what time is that on a clock somewhere else",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "In Kolkata",
            r#""2026-11-23T08:00:00Z" as time >> in_zone(zone: "Asia/Kolkata") >> { hour: .hour, minute: .minute, offset: .offset }"#,
            r#"{"hour":13,"minute":30,"offset":"+05:30"}"#,
        ),
        Example::err(
            "An unknown zone",
            r#"in_zone("2026-11-23T08:00:00Z", "Europe/Bonn")"#,
            "unknown time zone",
        ),
    ];
}

impl Inline for InZone {
    fn run(self) -> Result<Value, OpError> {
        let zoned = self.time.to_zoned(zone(&self.zone)?);
        Ok(local_time(&zoned).encode())
    }
}

fn local_time(it: &Zoned) -> LocalTime {
    let info = it.time_zone().to_offset_info(it.timestamp());
    let offset = it.strftime("%:z").to_string();
    LocalTime {
        year: it.year().into(),
        month: it.month().into(),
        day: it.day().into(),
        hour: it.hour().into(),
        minute: it.minute().into(),
        second: it.second().into(),
        nanosecond: it.subsec_nanosecond().into(),
        clock: it.strftime("%H:%M").to_string().into(),
        date: it.date(),
        weekday: it.weekday().into(),
        day_of_year: it.day_of_year().into(),
        zone: it.time_zone().iana_name().unwrap_or(&offset).into(),
        offset: offset.into(),
        abbreviation: info.abbreviation().into(),
        is_dst: info.dst().is_dst(),
    }
}

params! {
    /// Returns the date of a time in a time zone.
    pub(super) struct DateIn {
        /// The time.
        time: Timestamp,
        /// The time zone: a name such as `Europe/Berlin`, `UTC`, or an offset such as `+05:30`.
        zone: Text,
    }
}

impl Op for DateIn {
    const NAME: &'static str = "date_in";
    const YIELDS: Scheme = Scheme::Date;
    const CHECK: Option<CheckCall> = Some(zone::check);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::InvalidInput];
    const SAYS: &'static [&'static str] = &[
        "which day a timestamp falls on",
        "date of a time in a time zone",
        "group events by local day",
        "drop the time of day",
        "calendar day of a timestamp",
        "cut the clock off a datetime",
        "which date it was in some place when that happened",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Already tomorrow in Tokyo",
            r#"date_in("2026-11-23T20:00:00Z", "Asia/Tokyo")"#,
            r#""2026-11-24""#,
        ),
        Example::err(
            "An unknown zone",
            r#"date_in("2026-11-23T20:00:00Z", "")"#,
            "unknown time zone",
        ),
    ];
}

impl Inline for DateIn {
    fn run(self) -> Result<Value, OpError> {
        Ok(zone(&self.zone)?.to_datetime(self.time).date().into())
    }
}

params! {
    /// Returns the time at which a clock in a time zone shows a date and a time of day.
    ///
    /// A change of the clock skips some local times and repeats others. By default, a skipped one
    /// means the time that is as much later as the gap is long, and of two the earlier one.
    pub(super) struct TimeAt {
        /// The date.
        date: Date,
        /// The time of day: `09:30` or `09:30:15`.
        clock: Text,
        /// The time zone: a name such as `Europe/Berlin`, `UTC`, or an offset such as `+05:30`.
        zone: Text,
        /// The meaning of a local time that a change of the clock skips or repeats:
        /// `compatible` is the later time for a skipped one, and the earlier of two.
        disambiguation: Disambiguation = Disambiguation::Compatible,
    }
}

impl Op for TimeAt {
    const NAME: &'static str = "time_at";
    const YIELDS: Scheme = Scheme::Time;
    const CHECK: Option<CheckCall> = Some(|call| {
        call.test("clock", |it: Text| clock(&it))?;
        zone::check(call)
    });
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::InvalidInput, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "nine o'clock on a date in a time zone",
        "combine a date and a time of day",
        "local date and time to utc",
        "midnight of a day as a time",
        "exact moment of a calendar day and a clock time",
        "build a datetime from a day, an hour and a zone",
        "schedule for half past eight local time",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "In winter",
            r#"time_at("2026-11-23", "09:00", "Europe/Berlin")"#,
            r#""2026-11-23T08:00:00Z""#,
        ),
        Example::ok(
            "Skipped by the clock",
            r#"time_at("2026-03-29", "02:30", "Europe/Berlin")"#,
            r#""2026-03-29T01:30:00Z""#,
        ),
        Example::err(
            "Skipped, and refused",
            r#"time_at("2026-03-29", "02:30", "Europe/Berlin", "reject")"#,
            "the clock skips 2026-03-29T02:30:00",
        ),
    ];
}

impl Inline for TimeAt {
    fn run(self) -> Result<Value, OpError> {
        let local = self.date.to_datetime(clock(&self.clock)?);
        Ok(instant(&zone(&self.zone)?, local, self.disambiguation)?.into())
    }
}

/// A time of day: hours and minutes, and seconds if they matter.
fn clock(text: &str) -> Result<civil::Time, OpError> {
    let is_clock = text.len() >= 5
        && text.bytes().all(|it| it.is_ascii_digit() || matches!(it, b':' | b'.'))
        && text.as_bytes().get(2) == Some(&b':');
    let read = is_clock.then(|| text.parse().ok()).flatten();
    read.ok_or_else(|| {
        OpError::invalid_input(format!("invalid time of day: {:?}", excerpt(text)))
            .help("write hours and minutes with two digits each: `09:30`, or `09:30:15`")
    })
}

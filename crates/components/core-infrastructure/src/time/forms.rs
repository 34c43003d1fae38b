//! Times and dates in other forms than RFC 3339.

use jiff::{civil::DateTime, fmt::strtime::BrokenDownTime, tz::TimeZone};
use svc_contract::{
    registry::{CheckCall, ErrorKind, Example, Inline, Op, OpError, Scheme, params},
    value::{Date, Text, Timestamp, Value, times},
};

use super::{
    super::excerpt,
    Disambiguation,
    zone::{self, database, instant, zone},
};

/// The longest format, in bytes: a directive can be padded to 255 characters.
const LONGEST_FORMAT: usize = 1_000;

params! {
    /// Reads a time from text.
    ///
    /// Without `format`, the text is as in RFC 3339, or without an offset if `zone` has a value:
    /// `2026-11-23T08:00:00`. `format` has the directives of strftime, such as `%Y-%m-%d %H:%M`:
    /// `%z` is an offset, `%Q` the name of a time zone, `%s` the seconds since 1970. A format
    /// without a time of day means midnight.
    pub(super) struct ParseTime {
        /// The text to read.
        text: Text,
        /// The form of the text.
        format: Option<Text> = None,
        /// The time zone of text without an offset.
        zone: Option<Text> = None,
        /// The meaning of a local time that a change of the clock skips or repeats:
        /// `compatible` is the later time for a skipped one, and the earlier of two.
        disambiguation: Disambiguation = Disambiguation::Compatible,
    }
}

impl Op for ParseTime {
    const NAME: &'static str = "parse_time";
    const YIELDS: Scheme = Scheme::Time;
    const CHECK: Option<CheckCall> = Some(|call| {
        call.test("format", |it: Text| tested(&it))?;
        zone::check(call)
    });
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::InvalidInput, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "read a timestamp from text",
        "convert a string to a time",
        "parse a date and time in a custom format",
        "strptime",
        "unix seconds to a time",
        "interpret an iso 8601 datetime",
        "epoch seconds or a unix stamp as a moment",
        "string into a timestamp",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "An offset",
            r#""2026-11-23T09:00:00+01:00" >> parse_time"#,
            r#""2026-11-23T08:00:00Z""#,
        ),
        Example::ok(
            "A format and a zone",
            r#"parse_time("23.11.2026 09:00", "%d.%m.%Y %H:%M", "Europe/Berlin")"#,
            r#""2026-11-23T08:00:00Z""#,
        ),
        Example::err("Without a zone", r#"parse_time("2026-11-23T08:00:00")"#, "invalid time"),
    ];
}

impl Inline for ParseTime {
    fn run(self) -> Result<Value, OpError> {
        let zone = self.zone.as_deref().map(zone).transpose()?;
        let read = match self.format.as_deref() {
            Some(format) => formatted(&self.text, format)?,
            None => Read::Local(parse_plain(&self.text, zone.is_some())?),
        };
        let local = match read {
            Read::Time(it) => return Ok(it.into()),
            Read::Local(Plain::Time(it)) => return Ok(it.into()),
            Read::Local(Plain::Local(it)) => it,
        };
        let zone = zone.ok_or_else(|| {
            OpError::invalid_input(format!("missing time zone for {:?}", excerpt(&self.text)))
                .help("add `zone`, such as `zone: \"Europe/Berlin\"` or `zone: \"UTC\"`")
        })?;
        Ok(instant(&zone, local, self.disambiguation)?.into())
    }
}

/// What a text contains.
enum Read {
    Time(Timestamp),
    Local(Plain),
}

enum Plain {
    Time(Timestamp),
    Local(DateTime),
}

fn parse_plain(text: &str, has_zone: bool) -> Result<Plain, OpError> {
    if let Some(time) = times::parse_time(text) {
        return Ok(Plain::Time(time));
    }
    // With `Z` it is complete, and its parts are the local ones.
    let local = times::parse_time(&format!("{text}Z")).filter(|_| has_zone);
    local.map(|it| Plain::Local(TimeZone::UTC.to_datetime(it))).ok_or_else(|| {
        let error = OpError::invalid_input(format!("invalid time: {:?}", excerpt(text)));
        error.help(format!("{}, or add `format` or `zone`", times::TIME_FORM))
    })
}

fn formatted(text: &str, format: &str) -> Result<Read, OpError> {
    test_format(format)?;
    let misfit = |err: jiff::Error| {
        let (text, format) = (excerpt(text), excerpt(format));
        OpError::invalid_input(format!("{text:?} is not a time in the form {format:?}: {err}"))
    };
    let parts = BrokenDownTime::parse(format, text).map_err(misfit)?;
    if parts.iana_time_zone().is_some() {
        return parts
            .to_zoned_with(database())
            .map(|it| Read::Time(it.timestamp()))
            .map_err(misfit);
    }
    if parts.offset().is_some() || parts.timestamp().is_some() {
        return parts.to_timestamp().map(Read::Time).map_err(misfit);
    }
    let local = parts.to_date().and_then(|date| Ok(date.to_datetime(parts.to_time()?)));
    local.map(|it| Read::Local(Plain::Local(it))).map_err(misfit)
}

fn test_format(format: &str) -> Result<(), OpError> {
    if format.len() <= LONGEST_FORMAT {
        return Ok(());
    }
    Err(OpError::invalid_input(format!("too long `format` (limit {LONGEST_FORMAT} bytes)")))
}

params! {
    /// Reads a date from text, as `2026-11-23` or in the given format.
    ///
    /// `format` has the directives of strftime, such as `%d.%m.%Y`. A time of day in it is read
    /// and ignored.
    pub(super) struct ParseDate {
        /// The text to read.
        text: Text,
        /// The form of the text.
        format: Text = "%Y-%m-%d".into(),
    }
}

impl Op for ParseDate {
    const NAME: &'static str = "parse_date";
    const YIELDS: Scheme = Scheme::Date;
    const CHECK: Option<CheckCall> = Some(|call| call.test("format", |it: Text| tested(&it)));
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::InvalidInput];
    const SAYS: &'static [&'static str] = &[
        "read a date from text",
        "convert a string to a date",
        "parse a day in european notation",
        "text like 24/12/2026 as a date",
        "make sense of 31.12.2026 or march 5",
        "day, month and year from a string",
        "turn written dates into real ones",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A format",
            r#""24.12.2026" >> parse_date(format: "%d.%m.%Y")"#,
            r#""2026-12-24""#,
        ),
        Example::err("Not a day", r#"parse_date("2026-02-30")"#, "is not a date in the form"),
    ];
}

impl Inline for ParseDate {
    fn run(self) -> Result<Value, OpError> {
        test_format(&self.format)?;
        let date = BrokenDownTime::parse(&*self.format, &*self.text).and_then(|it| it.to_date());
        date.map(Value::from).map_err(|err| {
            let (text, format) = (excerpt(&self.text), excerpt(&self.format));
            OpError::invalid_input(format!("{text:?} is not a date in the form {format:?}: {err}"))
        })
    }
}

params! {
    /// Writes a time in the given format, as the clocks of a time zone show it.
    ///
    /// `format` has the directives of strftime: `%Y` year, `%m` month, `%d` day, `%H:%M:%S` time
    /// of day, `%.3f` milliseconds, `%z` offset, `%Z` name of the offset, `%A` weekday, `%B` name of
    /// the month in English, `%G-W%V` ISO week, `%j` day of the year, `%s` seconds since 1970.
    pub(super) struct FormatTime {
        /// The time to write.
        time: Timestamp,
        /// The form of the text.
        format: Text,
        /// The time zone of the clock.
        zone: Text = "UTC".into(),
    }
}

impl Op for FormatTime {
    const NAME: &'static str = "format_time";
    const YIELDS: Scheme = Scheme::Text;
    const CHECK: Option<CheckCall> = Some(|call| {
        call.test("format", |it: Text| tested(&it))?;
        zone::check(call)
    });
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::InvalidInput];
    const SAYS: &'static [&'static str] = &[
        "write a timestamp in my own format",
        "show a time for people",
        "strftime",
        "time of day as hours and minutes",
        "local time as text",
        "print a datetime as hh:mm",
        "readable clock time",
        "timestamp as a string in a custom layout",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "In Berlin",
            r#"format_time("2026-11-23T08:00:00Z", "%d.%m.%Y %H:%M", "Europe/Berlin")"#,
            r#""23.11.2026 09:00""#,
        ),
        Example::err(
            "An unknown directive",
            r#"format_time("2026-11-23T08:00:00Z", "%!")"#,
            "invalid format",
        ),
    ];
}

impl Inline for FormatTime {
    fn run(self) -> Result<Value, OpError> {
        let zoned = self.time.to_zoned(zone(&self.zone)?);
        write(&self.format, &BrokenDownTime::from(&zoned))
    }
}

params! {
    /// Writes a date in the given format.
    ///
    /// `format` has the directives of strftime that need no time of day: `%Y` year, `%m` month,
    /// `%d` day, `%A` weekday, `%B` name of the month in English, `%G-W%V` ISO week.
    pub(super) struct FormatDate {
        /// The date to write.
        date: Date,
        /// The form of the text.
        format: Text,
    }
}

impl Op for FormatDate {
    const NAME: &'static str = "format_date";
    const YIELDS: Scheme = Scheme::Text;
    const CHECK: Option<CheckCall> = Some(|call| {
        call.test("format", |it: Text| write(&it, &BrokenDownTime::from(Date::default())))
    });
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::InvalidInput];
    const SAYS: &'static [&'static str] = &[
        "write a date in my own format",
        "show a date for people",
        "iso week of a day",
        "a date written out like 5 march 2026",
        "spell out day and month in words",
        "american or german style of a date",
        "date as a string",
        "date for humans",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "For people",
            r#"format_date("2026-11-23", "%B %-d, %Y")"#,
            r#""November 23, 2026""#,
        ),
        Example::ok("The ISO week", r#"format_date("2027-01-01", "%G-W%V")"#, r#""2026-W53""#),
        Example::err("A date has no hour", r#"format_date("2026-11-23", "%H")"#, "invalid format"),
    ];
}

impl Inline for FormatDate {
    fn run(self) -> Result<Value, OpError> {
        write(&self.format, &BrokenDownTime::from(self.date))
    }
}

/// Writes the first moment of 1970 in a format.
fn tested(format: &str) -> Result<Value, OpError> {
    write(format, &BrokenDownTime::from(&Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC)))
}

fn write(format: &str, parts: &BrokenDownTime) -> Result<Value, OpError> {
    test_format(format)?;
    parts.to_string(format).map(Value::from).map_err(|err| {
        OpError::invalid_input(format!("invalid format {:?}: {err}", excerpt(format))).help(
            "use directives of strftime, such as `%Y-%m-%d %H:%M`, and `%%` for a percent sign",
        )
    })
}

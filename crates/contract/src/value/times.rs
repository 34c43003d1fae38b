//! Reading, writing and moving of times and dates. Both have the years -9999 to 9999.

use std::time::{Duration, SystemTime};

use jiff::{
    SignedDuration, Timestamp,
    civil::{Date, DateTime},
    tz::TimeZone,
};

use super::arithmetic::MathError;

/// A time in the form in which it is written, for messages.
pub const TIME_EXAMPLE: &str = "\"2026-11-23T08:00:00Z\"";

/// A date in the form in which it is written, for messages.
pub const DATE_EXAMPLE: &str = "\"2026-11-23\"";

/// The form of a time, for help lines.
pub const TIME_FORM: &str = "write a time as in RFC 3339: the date, `T`, the time of day, and `Z` or an offset from UTC such as `+01:00`";

/// The form of a date, for help lines.
pub const DATE_FORM: &str = "write a date as year, month and day: `2026-11-23`";

const SECONDS_PER_DAY: u64 = 86_400;

/// Reads a time as RFC 3339 writes it: `2026-11-23T08:00:00Z`, `2026-11-23T09:00:00.5+01:00`.
///
/// A leap second, `23:59:60`, reads as the second before it. Years outside of 0 to 9999 have six
/// digits and a sign, as in ISO 8601.
pub fn parse_time(text: &str) -> Option<Timestamp> {
    let rest = after_date(text)?;
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let rest = after_pattern(rest, "dd:dd:dd")?;
    let rest = match rest.strip_prefix('.') {
        Some(rest) => {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            (1..=9).contains(&digits).then(|| &rest[digits..])?
        }
        None => rest,
    };
    let is_utc = matches!(rest, "Z" | "z");
    let after_offset = || {
        let offset = rest.strip_prefix(['+', '-'])?;
        after_pattern(offset, "dd:dd").filter(|_| offset < "24")
    };
    if !is_utc && after_offset() != Some("") {
        return None;
    }
    text.parse().ok()
}

/// Reads a date: `2026-11-23`.
pub fn parse_date(text: &str) -> Option<Date> {
    if after_date(text)?.is_empty() { text.parse().ok() } else { None }
}

/// A time in the right form for text that lacks a part of it: the time of day is midnight, and the
/// offset is zero.
pub fn completed_time(text: &str) -> Option<Timestamp> {
    let local: DateTime = text.parse().ok()?;
    TimeZone::UTC.to_timestamp(local).ok()
}

/// The date at the start of text that continues after it.
pub fn leading_date(text: &str) -> Option<Date> {
    let rest = after_date(text)?;
    parse_date(&text[..text.len() - rest.len()])
}

/// The text after a date.
fn after_date(text: &str) -> Option<&str> {
    match text.strip_prefix(['+', '-']) {
        Some(text) => after_pattern(text, "dddddd-dd-dd"),
        None => after_pattern(text, "dddd-dd-dd"),
    }
}

/// The text after a part with this pattern, in which a `d` is any digit.
fn after_pattern<'a>(text: &'a str, pattern: &str) -> Option<&'a str> {
    let (part, rest) = text.split_at_checked(pattern.len())?;
    let is_like = |(it, wanted): (u8, u8)| match wanted {
        b'd' => it.is_ascii_digit(),
        _ => it == wanted,
    };
    part.bytes().zip(pattern.bytes()).all(is_like).then_some(rest)
}

/// A time of the operating system, or the nearest one in the years -9999 to 9999.
pub fn of_system(it: SystemTime) -> Timestamp {
    Timestamp::try_from(it).unwrap_or(if it < SystemTime::UNIX_EPOCH {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    })
}

/// The time `by` after `it`.
pub fn later(it: Timestamp, by: Duration) -> Result<Timestamp, MathError> {
    it.checked_add(by).map_err(|_| MathError::BeyondCalendar)
}

/// The time `by` before `it`.
pub fn earlier(it: Timestamp, by: Duration) -> Result<Timestamp, MathError> {
    it.checked_sub(by).map_err(|_| MathError::BeyondCalendar)
}

/// The day `by` after `it`; `by` must be whole days.
pub fn day_later(it: Date, by: Duration) -> Result<Date, MathError> {
    i64::from(day_number(it))
        .checked_add(whole_days(by)?)
        .and_then(date_of_day)
        .ok_or(MathError::BeyondCalendar)
}

/// The day `by` before `it`; `by` must be whole days.
pub fn day_earlier(it: Date, by: Duration) -> Result<Date, MathError> {
    i64::from(day_number(it))
        .checked_sub(whole_days(by)?)
        .and_then(date_of_day)
        .ok_or(MathError::BeyondCalendar)
}

/// The number of days in a duration of whole days.
pub fn whole_days(duration: Duration) -> Result<i64, MathError> {
    let is_whole =
        duration.subsec_nanos() == 0 && duration.as_secs().is_multiple_of(SECONDS_PER_DAY);
    if !is_whole {
        return Err(MathError::PartOfDay);
    }
    i64::try_from(duration.as_secs() / SECONDS_PER_DAY).map_err(|_| MathError::Overflow)
}

/// The duration between two times or dates, which is not negative.
pub(super) fn since(it: SignedDuration) -> Result<Duration, MathError> {
    Duration::try_from(it).map_err(|_| MathError::Backwards)
}

/// The number of days from 1970-01-01, negative before it.
#[expect(clippy::cast_possible_truncation, reason = "20000 years have less than 2^31 days")]
pub fn day_number(it: Date) -> i32 {
    it.duration_since(EPOCH).as_hours().div_euclid(24) as i32
}

/// The date of a number of days from 1970-01-01.
pub fn date_of_day(number: i64) -> Option<Date> {
    let hours = number.checked_mul(24)?;
    EPOCH.checked_add(SignedDuration::try_from_hours(hours)?).ok()
}

const EPOCH: Date = jiff::civil::date(1970, 1, 1);

/// The names in the time zone database: `Europe/Berlin`; empty in a build without one.
pub fn zone_names() -> Vec<String> {
    jiff::tz::db().available().map(|it| it.as_str().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rfc_3339_is_a_time() {
        for text in [
            "2026-11-23T08:00:00Z",
            "2026-11-23t08:00:00z",
            "2026-11-23 08:00:00-00:00",
            "2026-11-23T13:30:00.000+05:30",
            "+002026-11-23T08:00:00Z",
        ] {
            let time = parse_time(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(time.to_string(), "2026-11-23T08:00:00Z");
        }
        for text in [
            "",
            "2026-11-23",
            "2026-11-23T08:00Z",
            "2026-11-23T08:00:00",
            "2026-11-23T08:00:00.Z",
            "2026-11-23T08:00:00.0123456789Z",
            "2026-11-23T08:00:00+01",
            "2026-11-23T08:00:00+0100",
            "2026-11-23T08:00:00+24:00",
            "2026-11-23T08:00:00+01:00[Europe/Berlin]",
            "2026-11-23T24:00:00Z",
            "2026-02-29T08:00:00Z",
            "20261123T080000Z",
            "2026-11-23T08:00:00Zü",
            " 2026-11-23T08:00:00Z",
            "ü026-11-23T08:00:00Z",
        ] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }

    #[test]
    fn only_year_month_and_day_are_a_date() {
        assert_eq!(parse_date("2024-02-29").unwrap().to_string(), "2024-02-29");
        for text in ["2023-02-29", "2026-11-23T08:00:00", "2026-W48-1", "20261123", "26-11-23", ""]
        {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_missing_is_completed() {
        let completed = |text| completed_time(text).map(|it| it.to_string());
        assert_eq!(completed("2026-11-23 08:00").as_deref(), Some("2026-11-23T08:00:00Z"));
        assert_eq!(completed("2026-11-23").as_deref(), Some("2026-11-23T00:00:00Z"));
        assert_eq!(completed("08:00").or(completed("2026-02-30")), None);
        assert_eq!(leading_date("2026-11-23T08:00").unwrap().to_string(), "2026-11-23");
        assert_eq!(leading_date("2026-02-30T08:00").or(leading_date("ü")), None);
    }

    #[test]
    fn the_ends_of_the_calendar_read_and_count() {
        for it in [Timestamp::MIN, Timestamp::MAX, Timestamp::UNIX_EPOCH] {
            assert_eq!(parse_time(&it.to_string()), Some(it));
        }
        for it in [Date::MIN, Date::MAX, EPOCH] {
            assert_eq!(parse_date(&it.to_string()), Some(it));
            assert_eq!(date_of_day(day_number(it).into()), Some(it));
        }
        assert_eq!(day_later(Date::MAX, Duration::from_hours(24)), Err(MathError::BeyondCalendar));
        assert_eq!(day_earlier(EPOCH, Duration::from_hours(12)), Err(MathError::PartOfDay));
        assert_eq!(date_of_day(i64::MAX).or(date_of_day(i64::MIN)), None);
        assert_eq!(of_system(SystemTime::UNIX_EPOCH), Timestamp::UNIX_EPOCH);
    }
}

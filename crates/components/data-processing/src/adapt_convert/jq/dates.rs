//! Functions of jq on dates, in UTC.

use jaq_core::Error;
use jaq_json::Val;
use jaq_std::ValT as _;
use jiff::{
    Timestamp, Zoned,
    civil::DateTime,
    fmt::strtime::{self, BrokenDownTime},
    tz::{Offset, TimeZone},
};

use super::natives::{Data, Fun, float, fun, text};

pub(super) fn all() -> [Fun; 6] {
    [
        fun!("fromdateiso8601", 0, |it, []| {
            let text = text(it)?;
            Ok(seconds(text.parse().map_err(Error::str)?, text.contains('.')))
        }),
        fun!("todateiso8601", 0, |it, []| Ok(Val::from(instant(it)?.to_string()))),
        fun!("strftime", 1, |it, [format]| {
            let zoned = match parts(it) {
                Some(it) => it.and_then(|it| it.to_zoned(TimeZone::UTC)).map_err(Error::str)?,
                None => instant(it)?.to_zoned(TimeZone::UTC),
            };
            strtime::format(text(&format)?, &zoned).map(Val::from).map_err(Error::str)
        }),
        fun!("gmtime", 0, |it, []| Ok(broken_down(&instant(it)?.to_zoned(TimeZone::UTC)))),
        fun!("strptime", 1, |it, [format]| {
            let mut read = BrokenDownTime::parse(text(&format)?, text(it)?).map_err(Error::str)?;
            if (read.offset(), read.iana_time_zone()) == (None, None) {
                read.set_offset(Some(Offset::UTC));
            }
            Ok(broken_down(&read.to_zoned().map_err(Error::str)?))
        }),
        fun!("mktime", 0, |it, []| {
            let parts = parts(it).ok_or_else(|| Error::typ(it.clone(), "broken down time"))?;
            let zoned = parts.and_then(|it| it.to_zoned(TimeZone::UTC)).map_err(Error::str)?;
            let has_fraction = zoned.subsec_nanosecond() > 0;
            Ok(seconds(zoned.timestamp(), has_fraction))
        }),
    ]
}

/// Seconds since 1970 as an instant.
fn instant(it: &Val) -> Result<Timestamp, Error<Val>> {
    #[expect(clippy::cast_possible_truncation, reason = "an `as` of a float saturates")]
    let made = match it.as_isize().and_then(|it| i64::try_from(it).ok()) {
        Some(it) => Timestamp::from_second(it),
        None => Timestamp::from_microsecond((float(it)? * 1e6) as i64),
    };
    made.map_err(Error::str)
}

fn seconds(it: Timestamp, has_fraction: bool) -> Val {
    #[expect(clippy::cast_precision_loss, reason = "jq has seconds as a float")]
    match isize::try_from(it.as_second()) {
        Ok(whole) if !has_fraction => Val::from(whole),
        _ => Val::from(it.as_microsecond() as f64 / 1e6),
    }
}

/// A list of year, month from 0, day, hour, minute, second as a date; none if it is not one.
fn parts(it: &Val) -> Option<Result<DateTime, jiff::Error>> {
    let Val::Arr(all) = it else { return None };
    let [year, month, day, hour, minute, second]: &[Val; 6] = all.get(..6)?.try_into().ok()?;
    let small = |it: &Val| -> Option<i8> { it.as_isize()?.try_into().ok() };
    let second = second.as_f64()?;
    #[expect(clippy::cast_possible_truncation, reason = "an `as` of a float saturates")]
    Some(DateTime::new(
        year.as_isize()?.try_into().ok()?,
        small(month)?.checked_add(1)?,
        small(day)?,
        small(hour)?,
        small(minute)?,
        second.floor() as i8,
        (second.fract() * 1e9) as i32,
    ))
}

fn broken_down(it: &Zoned) -> Val {
    let of = |it: i16| Val::from(isize::from(it));
    let second = match it.subsec_nanosecond() {
        0 => of(it.second().into()),
        nanos => Val::from(f64::from(it.second()) + f64::from(nanos) / 1e9),
    };
    [
        of(it.year()),
        of(i16::from(it.month()) - 1),
        of(it.day().into()),
        of(it.hour().into()),
        of(it.minute().into()),
        second,
        of(it.weekday().to_sunday_zero_offset().into()),
        of(it.day_of_year() - 1),
    ]
    .into_iter()
    .collect()
}

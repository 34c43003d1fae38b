//! Dates in many forms, as those of RFC 3339: `2019-11-18`, or `2019-11-18T15:00:00Z`.

use jiff::{Timestamp, fmt::rfc2822, tz::TimeZone};
use svc_contract::value::times;

use super::super::article::iso;

/// Returns a date, or a time in UTC. Besides RFC 3339 and ISO 8601, reads the forms of mail, PDF and
/// pages: `Mon, 18 Nov 2019 10:00:00 GMT`, `D:20191118100000-05'00'`, `November 18, 2019`. A time
/// without an offset is one in UTC.
pub(in super::super) fn normal(said: &str) -> Option<String> {
    let said = said.trim();
    strict(said)
        .or_else(|| rfc2822::parse(said).ok().map(|it| shown(it.timestamp())))
        .or_else(|| of_pdf(said))
        .or_else(|| iso(said).and_then(|it| strict(&it)))
}

/// Like [`normal`], but only of numbers that begin with the year: other text may mean something
/// else.
pub(in super::super) fn strict(said: &str) -> Option<String> {
    let said = said.trim();
    if let Some(time) = times::parse_time(said).or_else(|| of_parts(said)) {
        return Some(shown(time));
    }
    times::parse_date(said).map(|it| it.to_string())
}

/// A time whose offset is apart or missing, or that has no seconds.
fn of_parts(said: &str) -> Option<Timestamp> {
    if said.len() > 40 || times::leading_date(said)?.to_string().len() == said.len() {
        return None;
    }
    let forms =
        ["%Y-%m-%d %H:%M:%S %z", "%Y-%m-%d %H:%M %z", "%Y-%m-%d %H:%M:%S%z", "%Y-%m-%d %H:%M%z"];
    let spaced = said.replacen(['T', 't'], " ", 1);
    // The offset `Z` is not one of `strftime`.
    let spaced = spaced.strip_suffix('Z').map_or(spaced.clone(), |it| format!("{it}+0000"));
    let of_form = |it: &&str| Timestamp::strptime(it, &spaced).ok();
    forms.iter().find_map(of_form).or_else(|| times::completed_time(said))
}

/// `D:20191118100000-05'00'`, where everything after the year may be missing.
fn of_pdf(said: &str) -> Option<String> {
    let said = said.strip_prefix("D:")?;
    let digits = said.bytes().take_while(u8::is_ascii_digit).count();
    if digits < 4 || (digits < 10 && said.len() > digits) {
        return None;
    }
    let part = |range: std::ops::Range<usize>, or: i64| match said.get(range.clone()) {
        Some(it) if range.end <= digits => it.parse().ok(),
        _ => Some(or),
    };
    let (year, month, day) = (part(0..4, 0)?, part(4..6, 1)?, part(6..8, 1)?);
    if digits < 10 {
        return strict(&format!("{year:04}-{month:02}-{day:02}"));
    }
    let (hour, minute, second) = (part(8..10, 0)?, part(10..12, 0)?, part(12..14, 0)?);
    let offset: String = said[digits..].chars().filter(|it| *it != '\'').collect();
    let offset = match offset.as_str() {
        it if it.len() >= 5 && it.starts_with(['+', '-']) => {
            format!("{}:{}", it.get(..3)?, it.get(3..5)?)
        }
        _ => "Z".to_owned(),
    };
    strict(&format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{offset}"))
}

/// A time of day in nanoseconds since 1970, to the second.
pub(super) fn of_nanos(nanos: i128) -> Option<String> {
    let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?;
    Timestamp::from_second(seconds).ok().map(shown)
}

fn shown(it: Timestamp) -> String {
    it.to_zoned(TimeZone::UTC).timestamp().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_rfc_3339() {
        for (said, wanted) in [
            ("2019-11-18", "2019-11-18"),
            ("2019/11/18", "2019-11-18"),
            ("2019-11-18T10:00:00-05:00", "2019-11-18T15:00:00Z"),
            ("2019-11-18 10:00", "2019-11-18T10:00:00Z"),
            ("2019-11-18T10:00", "2019-11-18T10:00:00Z"),
            ("2019-11-18T10:00Z", "2019-11-18T10:00:00Z"),
            ("2019-11-18 10:00:00 +0100", "2019-11-18T09:00:00Z"),
            ("Mon, 18 Nov 2019 10:00:00 GMT", "2019-11-18T10:00:00Z"),
            ("18 Nov 2019 10:00:00 +0200", "2019-11-18T08:00:00Z"),
            ("November 18, 2019", "2019-11-18"),
            ("D:20191118100000-05'00'", "2019-11-18T15:00:00Z"),
            ("D:20191118100000Z", "2019-11-18T10:00:00Z"),
            ("D:20191118", "2019-11-18"),
            ("D:2019", "2019-01-01"),
            ("1969-07-20T20:17:40Z", "1969-07-20T20:17:40Z"),
        ] {
            assert_eq!(normal(said).as_deref(), Some(wanted), "{said}");
        }
        for said in
            ["", "today", "2019-13-01", "D:", "D:2019é", "D:99999999999999", "2019", "2019-11"]
        {
            assert_eq!(normal(said), None, "{said}");
        }
        assert_eq!(strict("November 18, 2019"), None);
        assert_eq!(of_nanos(-1).as_deref(), Some("1969-12-31T23:59:59Z"));
    }
}

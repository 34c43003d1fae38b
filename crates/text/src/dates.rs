//! Formats times as dates.

/// The months in English, in lower case.
pub const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The days of the week in English, in lower case.
pub const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// The time in milliseconds since 1970, as `2026-01-31 23:59:59 UTC`.
pub fn time(millis: i64) -> String {
    let (date, time) = parts(millis);
    format!("{date} {time} UTC")
}

/// The time in milliseconds since 1970 as in RFC 3339: `2026-01-31T23:59:59Z`. Such times sort by
/// their text.
pub fn rfc3339(millis: i64) -> String {
    let (date, time) = parts(millis);
    format!("{date}T{time}Z")
}

/// The time in milliseconds since 1970 as in RFC 3339, with its milliseconds:
/// `2026-01-31T23:59:59.250Z`.
pub fn instant(millis: i64) -> String {
    let (date, time) = parts(millis);
    format!("{date}T{time}.{:03}Z", millis.rem_euclid(1_000))
}

fn parts(millis: i64) -> (String, String) {
    let (day, rest) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000) / 1_000);
    let (year, month, day) = civil(day);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    (format!("{year:04}-{month:02}-{day:02}"), format!("{hour:02}:{minute:02}:{second:02}"))
}

/// The date of a day since 1970. Years begin in March here, so that leap days come last.
fn civil(day: i64) -> (i64, i64, i64) {
    let day = day + 719_468;
    let (era, of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::{instant, rfc3339, time};

    #[test]
    fn times_are_dates() {
        assert_eq!(time(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(time(951_827_696_000), "2000-02-29 12:34:56 UTC");
        assert_eq!(time(1_798_761_599_999), "2026-12-31 23:59:59 UTC");
        assert_eq!(rfc3339(951_827_696_000), "2000-02-29T12:34:56Z");
        assert_eq!(instant(951_827_696_007), "2000-02-29T12:34:56.007Z");
        assert_eq!(time(-1), "1969-12-31 23:59:59 UTC");
    }
}

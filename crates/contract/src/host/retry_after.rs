//! The wait that a server asks for before the next attempt.

use std::time::Duration;

use super::http::Response;

impl Response {
    /// The wait that the other side asks for: in milliseconds, in seconds, or until a date,
    /// which is measured on its own clock.
    pub fn retry_after(&self) -> Option<Duration> {
        let number = |name: &str| self.header(name)?.trim().parse::<f64>().ok();
        if let Some(millis) = number("retry-after-ms") {
            return wait_of(millis / 1e3);
        }
        if let Some(seconds) = number("retry-after") {
            return wait_of(seconds);
        }
        let (until, now) = (self.header("retry-after")?.trim(), self.header("date")?.trim());
        let wait = seconds_of(until)?.checked_sub(seconds_of(now)?)?;
        Some(Duration::from_secs(u64::try_from(wait).unwrap_or(0)))
    }
}

fn wait_of(seconds: f64) -> Option<Duration> {
    (!seconds.is_nan()).then(|| Duration::from_secs_f64(seconds.clamp(0.0, MOST)))
}

/// A year in seconds; longer waits are cut.
const MOST: f64 = 31_536_000.0;

/// The seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`.
fn seconds_of(date: &str) -> Option<i64> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let mut parts = date.split_once(", ")?.1.split([' ', ':']);
    let mut number = || parts.next()?.parse::<i64>().ok().filter(|it| (0..=9999).contains(it));
    let day = number()?;
    let month = i64::try_from(MONTHS.find(date.get(8..11)?)?).ok()? / 3 + 1;
    let _ = parts.next();
    let mut number = || parts.next()?.parse::<i64>().ok().filter(|it| (0..=9999).contains(it));
    let (year, hours, minutes, seconds) = (number()?, number()?, number()?, number()?);
    Some(((days(year, month, day) * 24 + hours) * 60 + minutes) * 60 + seconds)
}

/// The days from 1970 to a date of the Gregorian calendar. Years are counted from March, so
/// that the leap day is the last one.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(headers: &[(&str, &str)]) -> Option<Duration> {
        let mut head = Response::whole(429, "");
        head.headers =
            headers.iter().map(|(name, it)| ((*name).to_owned(), (*it).to_owned())).collect();
        head.retry_after()
    }

    #[test]
    fn waits_are_read_in_all_their_forms() {
        assert_eq!(wait(&[("retry-after", "7")]), Some(Duration::from_secs(7)));
        let both = [("retry-after", "7"), ("retry-after-ms", "150")];
        assert_eq!(wait(&both), Some(Duration::from_millis(150)));
        let dates = [
            ("date", "Sun, 28 Feb 2016 23:59:00 GMT"),
            ("retry-after", "Tue, 01 Mar 2016 00:00:30 GMT"),
        ];
        assert_eq!(wait(&dates), Some(Duration::from_secs(86_490)));
        assert_eq!(wait(&dates[1..]), None);
        assert_eq!(wait(&[("retry-after", "soon")]), None);
        assert_eq!(wait(&[("retry-after", "-3")]), Some(Duration::ZERO));
        assert_eq!(wait(&[("retry-after", "NaN")]), None);
    }

    #[test]
    fn dates_are_counted_from_1970() {
        assert_eq!(seconds_of("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(seconds_of("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(seconds_of("Sun, 06"), None);
    }
}

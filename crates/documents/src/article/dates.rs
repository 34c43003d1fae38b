//! Dates of pages in the format of ISO 8601.

const MONTHS: &[&str] =
    &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Returns a date, or a date with its time of day, in the format of ISO 8601. Reads that format,
/// `2019/11/18`, `20191118`, `November 18, 2019` and `18 Nov 2019`.
pub(in super::super) fn iso(said: &str) -> Option<String> {
    let said = said.trim();
    of_iso(said).or_else(|| of_digits(said)).or_else(|| of_words(said))
}

/// `2019-11-18T10:00:00Z`, `2019-11-18 10:00`, `2019/11/18`
fn of_iso(said: &str) -> Option<String> {
    let (day, rest) = said.split_at_checked(10)?;
    let day = day.replace('/', "-");
    let mut parts = day.split('-');
    let (year, month, date) = (parts.next()?, parts.next()?, parts.next()?);
    let date = shown(number(year, 4)?, number(month, 2)?, number(date, 2)?)?;
    let time = rest.strip_prefix(['T', ' ']).filter(|it| is_time(it));
    Some(time.map_or(date.clone(), |it| format!("{date}T{}", it.trim())))
}

/// Whether a text is a time of day with an optional offset: `10:00`, `10:00:00.5Z`, `10:00-05:00`.
fn is_time(time: &str) -> bool {
    let time = time.trim();
    let at = |idx: usize| time.as_bytes().get(idx).copied().unwrap_or_default();
    let digits = [0, 1, 3, 4].iter().all(|it| at(*it).is_ascii_digit());
    let rest = time.get(5..).unwrap_or_default();
    let is_part = |it: char| it.is_ascii_digit() || matches!(it, ':' | '.' | 'Z' | '+' | '-');
    digits && at(2) == b':' && time.len() <= 35 && rest.chars().all(is_part)
}

/// `20191118`
fn of_digits(said: &str) -> Option<String> {
    if said.len() != 8 {
        return None;
    }
    let part = |range: std::ops::Range<usize>| said.get(range);
    shown(number(part(0..4)?, 4)?, number(part(4..6)?, 2)?, number(part(6..8)?, 2)?)
}

/// `November 18, 2019`, `Mon, 18 Nov 2019 10:00 GMT`
fn of_words(said: &str) -> Option<String> {
    let words = said.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
    let (mut year, mut month, mut date) = (None, None, None);
    for word in words.take(12) {
        match word.len() {
            4 if year.is_none() && number(word, 4).is_some() => year = number(word, 4),
            1 | 2 if date.is_none() => date = number(word, word.len()),
            _ if month.is_none() => month = month_of(word),
            _ => {}
        }
    }
    shown(year?, month?, date?)
}

fn month_of(word: &str) -> Option<u32> {
    let head = word.get(..3)?.to_ascii_lowercase();
    (1..).zip(MONTHS).find(|(_, it)| **it == head).map(|it| it.0)
}

fn number(text: &str, len: usize) -> Option<u32> {
    let is_number = text.len() == len && text.bytes().all(|it| it.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

fn shown(year: u32, month: u32, date: u32) -> Option<String> {
    let is_date =
        (1_900..=2_100).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&date);
    is_date.then(|| format!("{year:04}-{month:02}-{date:02}"))
}

#[cfg(test)]
mod tests {
    use super::iso;

    #[test]
    fn dates_become_those_of_iso_8601() {
        for (said, wanted) in [
            ("2019-11-18T10:00:00-05:00", "2019-11-18T10:00:00-05:00"),
            ("2019-11-18 10:00", "2019-11-18T10:00"),
            ("2019/11/18", "2019-11-18"),
            ("20191118", "2019-11-18"),
            ("November 18, 2019", "2019-11-18"),
            ("Mon, 18 Nov 2019 10:00 GMT", "2019-11-18"),
            ("2019-11-18 at noon", "2019-11-18"),
        ] {
            assert_eq!(iso(said).as_deref(), Some(wanted), "{said}");
        }
        for said in ["", "today", "2019-13-01", "99999999", "é019-11-18", "18.11.", "1574071200"] {
            assert_eq!(iso(said), None, "{said}");
        }
    }
}

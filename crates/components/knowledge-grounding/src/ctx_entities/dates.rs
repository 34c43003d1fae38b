//! Finds dates.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    found::{Found, Source},
    patterns::{ends, pattern, rest},
};

/// The months in English, German, French, Spanish, Italian and Dutch, and their short forms.
const MONTHS: &str = "January|February|March|April|May|June|July|August|September|October|November|December\
|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec|Januar|Jänner|Februar|März|Mai|Juni|Juli|Oktober|Dezember\
|Okt|Dez|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre\
|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre\
|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre\
|januari|februari|maart|mei|augustus|oktober|december";

const YEAR: &str = r"(?:1\d|20|21)\d{2}";

const TIME: &str =
    r"(?:[T ,]{1,2}\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?(?i:am|pm)\b)?(?:Z|[+-]\d{2}:?\d{2})?)?";

static ISO: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"(\d{{4}})-(\d{{2}})-(\d{{2}}){TIME}")));

static NUMBERS: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"(\d{{1,4}})([./-])(\d{{1,2}})([./-])(\d{{2,4}}){TIME}")));

static DAY_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th|\.|er)?(?: of| de)?[ -](?:{MONTHS})\b\.?(?:(?:,| de)?[ -](?:{YEAR}|\d{{2}}\b))?{TIME}"
    ))
});

static MONTH_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?:{MONTHS})\b\.?(?: (?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?\b(?:,? {YEAR})?|,? {YEAR}){TIME}"
    ))
});

static WEEKDAY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag",
    )
});

/// Words before a number that is a year.
const BEFORE_YEARS: [&str; 14] = [
    "in", "since", "from", "until", "till", "by", "of", "between", "and", "early", "late",
    "before", "after", "seit",
];

/// Adds the dates that begin at a place, where no word ends.
pub(super) fn find(text: &str, start: usize, all: &mut Vec<Found>) {
    let rest = rest(text, start);
    let Some(first) = rest.chars().next() else { return };
    let add = |len: usize, score| {
        let end = start + len;
        ends(text, end).then(|| Found::new(start..end, "date", score, Source::Pattern))
    };
    let found = if first.is_ascii_digit() {
        let is_continued = text[..start].ends_with(['.', '/', '-', ':'])
            && text[..start]
                .trim_end_matches(['.', '/', '-', ':'])
                .ends_with(|it: char| it.is_ascii_digit());
        if is_continued {
            return;
        }
        of_numbers(rest)
            .and_then(|(len, score)| add(len, score))
            .or_else(|| add(DAY_FIRST.find(rest)?.end(), 0.95))
            .or_else(|| add(year(&text[..start], rest)?, 0.6))
    } else if first.is_alphabetic() {
        MONTH_FIRST
            .find(rest)
            .and_then(|it| add(it.end(), 0.9))
            .or_else(|| add(WEEKDAY.find(rest)?.end(), 0.6))
    } else {
        None
    };
    all.extend(found);
}

/// The length of a date in digits, and how sure it is.
fn of_numbers(rest: &str) -> Option<(usize, f64)> {
    let number = |text: &str| text.parse::<u32>().unwrap_or(u32::MAX);
    let is_day = |day: u32, month: u32| (1..=31).contains(&day) && (1..=12).contains(&month);
    if let Some(it) = ISO.captures(rest) {
        let is_date = is_day(number(&it[3]), number(&it[2]));
        return is_date.then(|| (it[0].len(), 0.95));
    }
    let it = NUMBERS.captures(rest)?;
    let (first, second, third) = (number(&it[1]), number(&it[3]), number(&it[5]));
    let is_year_first = it[1].len() == 4;
    let is_date = if is_year_first {
        it[5].len() == 2 && is_day(third, second)
    } else {
        it[1].len() < 3 && it[5].len() != 3 && (is_day(first, second) || is_day(second, first))
    };
    let score = if it[5].len() == 4 || is_year_first { 0.9 } else { 0.6 };
    (is_date && it[2] == it[4]).then(|| (it[0].len(), score))
}

/// A year alone, after a word that stands before years.
fn year(before: &str, rest: &str) -> Option<usize> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let value: u32 = rest[..digits].parse().ok().filter(|_| digits == 4)?;
    let goes_on = rest[digits..].starts_with([',', '.', '-', '/', ':', '%'])
        && rest[digits + 1..].starts_with(|it: char| it.is_ascii_digit());
    let last = before.trim_end().rsplit(|it: char| !it.is_alphabetic()).next()?;
    let is_after = BEFORE_YEARS.contains(&last.to_lowercase().as_str());
    ((1500..2100).contains(&value) && is_after && !goes_on).then_some(digits)
}

//! How old documents are, for questions about what holds now or held before.

use super::reading::Read;
use crate::dates::{MONTHS, WEEKDAYS};

/// So much of a document says of when it is.
const BEGINNING: usize = 600;

/// The year, month and day that a document names first; zero where it does not say.
pub(super) fn date(title: &str, text: &str) -> Option<[u16; 3]> {
    let end = text.floor_char_boundary(BEGINNING);
    let of_title = first(title);
    let of_text = first(text.get(..end).unwrap_or_default());
    // A title often has the year alone.
    match (of_title, of_text) {
        (Some([year, 0, 0]), Some(it)) if it[0] == year => Some(it),
        (Some(it), _) | (None, Some(it)) => Some(it),
        (None, None) => None,
    }
}

fn first(text: &str) -> Option<[u16; 3]> {
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty()).collect();
    let number = |at: Option<usize>| words.get(at?)?.parse::<u16>().ok();
    let month = |at: Option<usize>| {
        let word = words.get(at?)?;
        let is_month = |it: &str| it.starts_with(*word) && word.len() > 2;
        u16::try_from(MONTHS.iter().position(|it| is_month(it))? + 1).ok()
    };
    let day = |at: Option<usize>| number(at).filter(|it| (1..32).contains(it)).unwrap_or_default();
    let dated = |at: usize| {
        let year = number(Some(at)).filter(|it| (1900..2100).contains(it))?;
        let before = at.checked_sub(1);
        if let Some(month) = month(before) {
            return Some([year, month, day(at.checked_sub(2))]);
        }
        if let Some(month) = month(at.checked_sub(2)) {
            return Some([year, month, day(before)]);
        }
        let month = number(Some(at + 1)).filter(|it| (1..13).contains(it)).unwrap_or_default();
        Some([year, month, if month > 0 { day(Some(at + 2)) } else { 0 }])
    };
    (0..words.len()).find_map(dated)
}

/// For each document, how new it is among those with a date, from -1 to 1.
pub(super) fn ages(dates: &[Option<[u16; 3]>]) -> Vec<f64> {
    let mut all: Vec<[u16; 3]> = dates.iter().copied().flatten().collect();
    all.sort_unstable();
    all.dedup();
    let of = |date: &Option<[u16; 3]>| {
        let place = all.binary_search(&(*date)?).ok()?;
        let last = all.len().checked_sub(1).filter(|it| *it > 0)?;
        Some(2.0 * super::count(place) / super::count(last) - 1.0)
    };
    dates.iter().map(|it| of(it).unwrap_or_default()).collect()
}

/// Whether a question is about now (1) or before (-1).
pub(super) fn asked(question: &str) -> f64 {
    const NOW: &[&str] = &[
        "now",
        "current",
        "currently",
        "latest",
        "newest",
        "today",
        "finally",
        "present",
        "recent",
        "nowadays",
        "new",
        "still",
        "end",
        "moment",
    ];
    const BEFORE: &[&str] = &[
        "before",
        "previously",
        "previous",
        "earlier",
        "former",
        "formerly",
        "old",
        "originally",
        "original",
        "used",
        "past",
        "once",
        "last",
    ];
    let lower = question.to_lowercase();
    let words: Vec<&str> =
        lower.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty()).collect();
    // `How old is it?`, `what is it used for?`, `how long does it last?`
    let is_other = |at: usize| {
        words[..at].contains(&"how")
            || words.get(at + 1).is_some_and(|it| matches!(*it, "for" | "by"))
    };
    let has = |all: &[&str]| {
        let mut found = words.iter().enumerate().filter(|(_, it)| all.contains(it));
        found.any(|(at, it)| !(matches!(*it, "old" | "used" | "last" | "once") && is_other(at)))
    };
    f64::from(u8::from(has(NOW))) - f64::from(u8::from(has(BEFORE)))
}

/// Whether a sentence speaks of something before.
pub(super) fn is_past(sentence: &str) -> bool {
    const WORDS: &[&str] = &[
        "until",
        "before",
        "formerly",
        "previously",
        "earlier",
        "was",
        "were",
        "had",
        "last",
        "instead",
        "used",
        "old",
        "originally",
    ];
    let lower = sentence.to_lowercase();
    lower.split(|it: char| !it.is_alphanumeric()).any(|it| WORDS.contains(&it))
}

/// Whether a sentence names another year, month or day of the week than the question does.
pub(super) fn conflict(question: &str, sentence: &str) -> f64 {
    let (asked, said) = (question.to_lowercase(), sentence.to_lowercase());
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|it: char| !it.is_alphanumeric());
        words.map(|it| it.trim_end_matches('s').to_owned()).collect()
    };
    let (asked, said) = (words(&asked), words(&said));
    let is_year = |it: &str| it.parse::<u16>().is_ok_and(|it| (1900..2100).contains(&it));
    // The verbs are more frequent.
    let is_month = |it: &str| MONTHS.contains(&it) && !matches!(it, "may" | "march");
    let is_day = |it: &str| WEEKDAYS.contains(&it);
    let differs = |is: &dyn Fn(&str) -> bool| {
        let mut there = said.iter().filter(|it| is(it)).peekable();
        let mut wanted = asked.iter().filter(|it| is(it)).peekable();
        wanted.peek().is_some() && there.peek().is_some() && !there.any(|it| asked.contains(it))
    };
    let all: [&dyn Fn(&str) -> bool; 3] = [&is_year, &is_month, &is_day];
    super::count(all.into_iter().filter(|it| differs(*it)).count())
}

/// How far the age of a sentence's document fits to a question, if the question speaks of time.
pub(super) fn fits(read: &Read, direction: f64, source: usize) -> f64 {
    direction * read.ages.get(source).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_name_their_date() {
        for (title, text, expected) in [
            ("minutes_2024-07-08.txt", "", Some([2024, 7, 8])),
            ("Minutes", "Kiel, Tuesday 9 March 2021, 7 pm", Some([2021, 3, 9])),
            ("Minutes", "March 9, 2021", Some([2021, 3, 9])),
            ("Accounts 2023", "For 2019", Some([2023, 0, 0])),
            ("Mill", "It has 12 rooms.", None),
        ] {
            assert_eq!(date(title, text), expected, "{title} {text}");
        }
        let ages = ages(&[Some([2020, 1, 0]), None, Some([2021, 1, 0])]);
        assert_eq!(ages, [-1.0, 0.0, 1.0]);
    }

    #[test]
    fn questions_are_about_now_or_before() {
        assert!(asked("What does it cost now?") > 0.0);
        assert!(asked("What did it cost before?") < 0.0);
        assert!(conflict("Did it pay in 2020?", "It paid 4 in 2019.") > 0.5);
        assert!(conflict("Open on Monday?", "Open on Mondays and Fridays.") < 0.5);
        assert!(conflict("May I come?", "They may until October.") < 0.5);
        for other in ["What does it cost?", "How old must I be?", "What is it used for?"] {
            assert!(asked(other).abs() < f64::EPSILON, "{other}");
        }
    }
}

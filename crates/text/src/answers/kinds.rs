//! What kind of answer a question asks for, and whether a sentence has one.

use std::ops::Range;

use super::{
    amounts::{AGES, LENGTHS, MONEY, OFTEN, SPEEDS, TIMES, WEIGHTS, age},
    located::located,
    shapes::Shape,
};
use crate::claims::{Named, named, numeral};

/// What the answer must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wants {
    Number,
    /// A number with one of these units.
    Amount(&'static [&'static str]),
    Time,
    Name,
    Place,
    Reason,
    /// Something that can be seen by its shape.
    Shaped(Shape),
    Anything,
}

impl Wants {
    pub(super) fn of(question: &str) -> Self {
        const AMOUNTS: &[(&[&str], &[&str])] = &[
            (
                &[
                    "how tall",
                    "how high",
                    "how far",
                    "how wide",
                    "how deep",
                    "how thick",
                    "how thin",
                ],
                LENGTHS,
            ),
            (&["how old"], AGES),
            (&["how heavy"], WEIGHTS),
            (&["how fast"], SPEEDS),
            (&["how long"], TIMES),
            (&["how often", "how frequently"], OFTEN),
        ];
        const NUMBERS: &[&str] = &[
            "how many",
            "how much",
            "how large",
            "how big",
            "how small",
            "how loud",
            "how strong",
            "what percent",
            "what number",
            "what fraction",
            "what share",
            "population of",
            "wie viel",
            "wie viele",
            "wie lange",
            "wie hoch",
            "wie alt",
            "wie groß",
            "wie weit",
            "cuánt",
            "多少",
            "几",
            "what amount",
            "what age",
            "at what age",
            "what proportion",
            "phone number",
            "telephone number",
            "what size",
            "which number",
        ];
        const WHENS: &[&str] = &[
            "when ",
            "what year",
            "which year",
            "what date",
            "which date",
            "what day",
            "which day",
            "what month",
            "which month",
            "since when",
            "what time",
            "what times",
            "which century",
            "what century",
            "wann",
            "welchem jahr",
            "welches jahr",
            "cuándo",
            "qué año",
            "什么时候",
            "哪一年",
            "何时",
            "哪年",
            "until when",
            "deadline",
            "what decade",
            "whens",
            "when's",
            "opening hours",
            "which decade",
            "what season",
        ];
        const NAMES: &[&str] = &[
            "who ",
            "whom ",
            "whose ",
            "what is the name",
            "what was the name",
            "who's ",
            "wer ",
            "wen ",
            "wem ",
            "wessen ",
            "quién",
            "谁",
            "which person",
            "what company",
            "which company",
            "which team",
            "what team",
            "whos ",
            "name of",
            "last name",
            "surname",
            "first name",
            "which brand",
            "what brand",
            "brand of",
        ];
        const PLACES: &[&str] = &[
            "where ",
            "which city",
            "what city",
            "which country",
            "what country",
            "what state",
            "which state",
            "wo ",
            "woher",
            "dónde",
            "哪里",
            "哪个城市",
            "where's ",
            "which town",
            "wheres ",
        ];
        const REASONS: &[&str] =
            &["why ", "for what reason", "what reason", "warum", "por qué", "为什么", "how come"];
        let lower = format!("{} ", question.to_lowercase());
        let begins = |at: usize| !lower[..at].ends_with(char::is_alphanumeric);
        let asks = |all: &[&str]| {
            let has =
                |it: &&str| lower.match_indices(it).any(|(at, _)| !it.is_ascii() || begins(at));
            all.iter().any(has)
        };
        if let Some(shape) = Shape::asked(&lower) {
            return Self::Shaped(shape);
        }
        if let Some((_, units)) = AMOUNTS.iter().find(|it| asks(it.0)) {
            return Self::Amount(units);
        }
        let measured = |nouns: &[&str]| {
            const BEGINNINGS: &[&str] = &[
                "what is the",
                "what was the",
                "what's the",
                "what are the",
                "what were the",
                "which",
                "what",
            ];
            let follows = |it: &str| {
                let at = lower.find(it)?;
                let rest = lower.get(at + it.len()..)?.trim_start();
                let mut words = rest.split(|it: char| !it.is_alphanumeric()).take(4);
                words.any(|word| nouns.contains(&word)).then_some(())
            };
            BEGINNINGS.iter().any(|it| lower.starts_with(it) && follows(it).is_some())
        };
        let is_much = asks(&["how much"]);
        match () {
            () if is_much && (lower.contains("weigh")) => Self::Amount(WEIGHTS),
            () if is_priced(&lower) => Self::Amount(MONEY),
            () if is_much
                && [
                    "cost", "pay", "earn", "spen", "price", "worth", "money", "charge", "salary",
                    "fee",
                ]
                .iter()
                .any(|it| lower.contains(it))
                || asks(&[
                    "what price",
                    "what is the price",
                    "what does it cost",
                    "what was the price",
                    "what cost",
                ]) =>
            {
                Self::Amount(MONEY)
            }
            () if measured(&[
                "budget", "price", "cost", "costs", "salary", "fee", "fine", "rent", "revenue",
            ]) =>
            {
                Self::Amount(MONEY)
            }
            () if measured(&["weight"]) => Self::Amount(WEIGHTS),
            () if measured(&["height", "length", "depth", "width", "distance", "diameter"]) => {
                Self::Amount(LENGTHS)
            }
            () if measured(&["duration"]) => Self::Amount(TIMES),
            () if measured(&["temperature", "number", "percentage", "population", "age"]) => {
                Self::Number
            }
            () if asks(NUMBERS) => Self::Number,
            () if asks(WHENS) => Self::Time,
            () if asks(NAMES) => Self::Name,
            () if asks(PLACES) => Self::Place,
            () if asks(REASONS) => Self::Reason,
            () => Self::Anything,
        }
    }

    /// How far a sentence has what is asked for, apart from what the question says itself: from 0
    /// to 1, and a half if that cannot be seen.
    pub(super) fn found(self, sentence: &str, question: &str) -> f64 {
        let kinds: &[Named] = match self {
            Self::Number | Self::Amount(_) => &[Named::Number, Named::Date],
            Self::Time => &[Named::Date],
            Self::Name | Self::Place => &[Named::Name],
            Self::Reason => return reason(sentence),
            Self::Shaped(shape) => return f64::from(u8::from(shape.is_in(sentence))),
            Self::Anything => return 0.5,
        };
        let lower = question.to_lowercase();
        let is_new = |range: &Range<usize>| {
            let text = sentence.get(range.clone()).unwrap_or_default().to_lowercase();
            text.split(|it: char| !it.is_alphanumeric())
                .any(|it| !it.is_empty() && !lower.contains(it))
        };
        let found = named(sentence).into_iter().filter(|it| kinds.contains(&it.1) && is_new(&it.0));
        let worth = |(range, kind): (Range<usize>, Named)| match self {
            Self::Place => {
                if follows_preposition(sentence, range.start) {
                    0.8
                } else {
                    0.4
                }
            }
            Self::Number => {
                if kind == Named::Number {
                    1.0
                } else {
                    0.4
                }
            }
            Self::Amount(AGES) => age(sentence, &range),
            Self::Amount(units) => {
                if has_unit(sentence, range, units) {
                    1.0
                } else if kind == Named::Number {
                    0.4
                } else {
                    0.1
                }
            }
            _ => 1.0,
        };
        let best = found.map(worth).fold(0.0, f64::max);
        match self {
            Self::Time if best < 1.0 && has_time(sentence) => 0.8,
            Self::Place => best.max(located(sentence, &lower)),
            Self::Amount(OFTEN) => best.max(often(sentence)),
            Self::Amount(MONEY) if best < 1.0 && sentence.to_lowercase().contains("free") => 0.7,
            Self::Amount(AGES) => best,
            Self::Number | Self::Amount(_) if best < 0.4 && has_numeral(sentence, &lower) => 0.4,
            _ => best,
        }
    }

    pub(super) fn is_number(self) -> bool {
        matches!(self, Self::Number | Self::Amount(_))
    }
}

/// Whether a question in lower case asks for a price, as `what did the new hob cost`.
fn is_priced(lower: &str) -> bool {
    const PAYING: &[&str] = &["cost", "costs", "charge", "charges", "pay", "earn", "paid"];
    let mut words = lower.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
    let Some(at) = words.clone().position(|it| it == "what") else { return false };
    let is_asked = words.nth(at + 1).is_some_and(|it| {
        matches!(it, "does" | "did" | "do" | "will" | "would" | "is" | "has" | "s" | "was")
    });
    is_asked && words.any(|it| PAYING.contains(&it))
}

fn reason(sentence: &str) -> f64 {
    const MARKS: &[&str] = &[
        " because",
        " due to ",
        " since ",
        " so that ",
        " in order to ",
        " reason",
        " therefore",
        " caused",
        "the cause",
        " as a result",
        " thanks to ",
        " owing to ",
        " but ",
        " weil ",
        " porque ",
        "因为",
        "由于",
    ];
    let lower = format!(" {} ", sentence.to_lowercase());
    match () {
        () if MARKS.iter().any(|it| lower.contains(it)) => 1.0,
        () if lower.contains(" to ") || lower.contains(" for ") => 0.5,
        () => 0.2,
    }
}

fn follows_preposition(sentence: &str, at: usize) -> bool {
    const PREPOSITIONS: &[&str] = &[
        "in ", "In ", "at ", "At ", "near ", "from ", "to ", "in the ", "at the ", "of ", "bei ",
        "en ", "on the ", "On the ",
    ];
    let before = sentence.get(..at).unwrap_or_default();
    PREPOSITIONS.iter().any(|it| before.ends_with(it))
}

/// Whether a unit stands next to a number.
fn has_unit(sentence: &str, range: Range<usize>, units: &[&str]) -> bool {
    let text = sentence.get(range.clone()).unwrap_or_default();
    let own = text.trim_start_matches(|it: char| !it.is_alphabetic() && it != '%').to_lowercase();
    let before = sentence.get(..range.start).unwrap_or_default().trim_end();
    let after = sentence.get(range.end..).unwrap_or_default();
    let separates =
        |it: char| it.is_whitespace() || matches!(it, '-' | ',' | '.' | ')' | '(' | '|' | ';');
    // In `Year 5 and Year 6`, the second year is not the unit of the first number.
    let joins = |it: &&str| !matches!(*it, "and" | "or" | "to" | "und");
    let near = after.split(separates).filter(|it| !it.is_empty()).take(2).take_while(joins);
    let near = near.map(str::to_lowercase);
    let mut near = near.chain([own]).chain(label(before));
    before.ends_with(['$', '€', '£', '¥']) && units.contains(&"$")
        || near.any(|it| units.contains(&it.as_str()))
        || after.trim_start().starts_with(['€', '$', '£', '%']) && units.contains(&"$")
}

/// The words of the name of a cell, as in `price eur: 4`. What says that it is money is a unit.
fn label(before: &str) -> Vec<String> {
    const PRICES: &[&str] = &["price", "cost", "fee", "total", "budget", "amount", "deposit"];
    let Some(name) = before.strip_suffix(':') else { return Vec::new() };
    let name = name.rsplit(", ").next().unwrap_or_default().to_lowercase();
    let words = name.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
    words.map(|it| if PRICES.contains(&it) { "eur" } else { it }.to_owned()).collect()
}

fn has_time(sentence: &str) -> bool {
    const WORDS: &[&str] = &[
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "mondays",
        "tuesdays",
        "wednesdays",
        "thursdays",
        "fridays",
        "saturdays",
        "sundays",
        "weekdays",
        "weekends",
        "noon",
        "midnight",
        "morning",
        "evening",
        "afternoon",
        "night",
        "daily",
        "spring",
        "summer",
        "autumn",
        "winter",
        "later",
        "ago",
        "day",
        "week",
        "weeks",
        "days",
        "century",
        "am",
        "pm",
        "before",
        "after",
        "hours",
        "years",
        "year",
        "quarter",
    ];
    let lower = sentence.to_lowercase();
    let mut words = lower.split(|it: char| !it.is_alphanumeric() && it != ':');
    words.any(|it| WORDS.contains(&it) || is_clock(it))
}

fn is_clock(word: &str) -> bool {
    word.split_once(':').is_some_and(|(hour, minute)| {
        let is_digits = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
        is_digits(hour) && is_digits(minute)
    })
}

fn often(sentence: &str) -> f64 {
    // Alone they do not say how often.
    const VAGUE: [&str; 4] = ["a", "always", "never", "regularly"];
    let lower = sentence.to_lowercase();
    let has = lower
        .split(|it: char| !it.is_alphanumeric())
        .any(|it| OFTEN.contains(&it) && !VAGUE.contains(&it));
    if has { 1.0 } else { 0.0 }
}

/// Whether a sentence has a number in letters that the question does not have.
fn has_numeral(sentence: &str, question: &str) -> bool {
    let lower = sentence.to_lowercase();
    lower.split(|it: char| !it.is_alphanumeric()).any(|it| {
        !matches!(it, "" | "a" | "an" | "one") && numeral(it).is_some() && !question.contains(it)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_want_a_price_an_age_or_a_name() {
        assert_eq!(Wants::of("What did the new hob cost?"), Wants::Amount(MONEY));
        assert_eq!(Wants::of("What is the name of the cat?"), Wants::Name);
        let age = Wants::of("How old is Ann?");
        assert!(age.found("Ann is 9 years old.", "How old is Ann?") > 0.9);
        assert!(age.found("Every two years, Ann has 3 jobs.", "How old is Ann?") < 0.5);
    }
}

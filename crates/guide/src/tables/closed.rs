//! The closed classes of English words: numbers, months, weekdays, comparisons and negations.

use super::words::Token;

pub(super) const NUMBERS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

/// The ops from a list of numbers to a number, with the words that ask for each.
const TOTALS: [(&str, &[&str]); 4] = [
    (
        "sum",
        &[
            "total",
            "totals",
            "totalled",
            "sum",
            "sums",
            "altogether",
            "combined",
            "together",
            "add",
            "adding",
        ],
    ),
    ("avg", &["average", "averages", "mean", "means", "avg"]),
    ("median", &["median", "medians"]),
    ("stdev", &["deviation", "stdev", "stddev"]),
];

/// The op over numbers that a word asks for.
pub(super) fn total(token: &Token) -> Option<&'static str> {
    let is_it = |words: &[&str]| words.contains(&token.lower.as_str());
    TOTALS.iter().find(|(_, words)| is_it(words)).map(|(op, _)| *op)
}

/// Whether a word says that nothing is repeated.
pub(super) fn is_different(token: &Token) -> bool {
    const WORDS: [&str; 10] = [
        "different",
        "distinct",
        "unique",
        "duplicate",
        "duplicates",
        "repeats",
        "repetition",
        "repetitions",
        "deduplicate",
        "doubles",
    ];
    WORDS.contains(&token.lower.as_str())
}

/// Whether a verb asks for a file.
pub(crate) fn writes(token: &Token) -> bool {
    const WORDS: [&str; 13] = [
        "write", "writes", "written", "save", "saved", "store", "stored", "put", "export", "keep",
        "create", "make", "file",
    ];
    WORDS.contains(&token.lower.as_str())
}

/// Whether a word says that something is not to stay.
pub(super) fn removes(word: &str) -> bool {
    matches!(
        word,
        "no" | "without"
            | "remove"
            | "removing"
            | "drop"
            | "dropping"
            | "delete"
            | "deleting"
            | "skip"
            | "ignore"
            | "ignoring"
            | "exclude"
            | "excluding"
    )
}

/// Words for people, whatever the column is called.
pub(super) const PEOPLE: [&str; 6] = ["who", "whose", "person", "people", "everybody", "everyone"];

/// Words, and how the names of columns shorten them.
const SHORT: [(&str, &str); 33] = [
    ("quantity", "qty"),
    ("quantities", "qty"),
    ("amount", "amt"),
    ("department", "dept"),
    ("address", "addr"),
    ("average", "avg"),
    ("description", "desc"),
    ("telephone", "tel"),
    ("date", "dt"),
    ("temperature", "temp"),
    ("temperatures", "temp"),
    ("maximum", "max"),
    ("minimum", "min"),
    ("latitude", "lat"),
    ("longitude", "lon"),
    ("percentage", "pct"),
    ("number", "num"),
    ("reference", "ref"),
    ("organisation", "org"),
    ("organization", "org"),
    ("distance", "dist"),
    ("duration", "dur"),
    ("weight", "wt"),
    ("height", "ht"),
    ("population", "pop"),
    ("category", "cat"),
    ("manager", "mgr"),
    ("account", "acct"),
    ("balance", "bal"),
    ("transaction", "txn"),
    ("message", "msg"),
    ("version", "ver"),
    ("revenue", "rev"),
];

/// Whether a part of the name of a column is short for a word: `qty` for `quantity`.
pub(super) fn is_short(part: &str, word: &str) -> bool {
    SHORT.contains(&(word, part))
}

/// The side of a superlative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    High,
    Low,
    New,
    Old,
}

pub(super) const MONEY: &[&str] =
    &["price", "cost", "amount", "fee", "rent", "fare", "total", "salary", "wage", "expense"];

const WEIGHT: &[&str] = &["weight", "kg"];

const HEAT: &[&str] = &["temperature", "temp"];

const HEIGHT: &[&str] = &["height", "altitude", "elevation"];

const DISTANCE: &[&str] = &["distance", "km", "miles"];

const DURATION: &[&str] =
    &["ms", "duration", "seconds", "minutes", "latency", "elapsed", "runtime", "time"];

const LENGTH: &[&str] = &[
    "duration", "length", "ms", "seconds", "minutes", "hours", "days", "pages", "words", "time",
    "km",
];

/// Superlatives, with the words of the columns that they are about if they do not fit all numbers.
const SUPERLATIVES: [(&[&str], Side, &[&str]); 19] = [
    (
        &[
            "most", "best", "top", "maximum", "highest", "largest", "biggest", "greatest",
            "busiest", "fullest", "max",
        ],
        Side::High,
        &[],
    ),
    (&["least", "fewest", "minimum", "worst", "lowest", "smallest", "min"], Side::Low, &[]),
    (&["priciest", "dearest", "costliest", "expensive"], Side::High, MONEY),
    (&["cheapest"], Side::Low, MONEY),
    (&["longest"], Side::High, LENGTH),
    (&["shortest"], Side::Low, LENGTH),
    (&["heaviest"], Side::High, WEIGHT),
    (&["lightest"], Side::Low, WEIGHT),
    (&["hottest", "warmest"], Side::High, HEAT),
    (&["coldest", "coolest"], Side::Low, HEAT),
    (&["tallest"], Side::High, HEIGHT),
    (&["slowest"], Side::High, DURATION),
    (&["fastest", "quickest"], Side::Low, DURATION),
    (&["farthest", "furthest"], Side::High, DISTANCE),
    (&["nearest", "closest"], Side::Low, DISTANCE),
    (&["newest", "latest", "recent"], Side::New, &[]),
    (&["youngest"], Side::New, &["age"]),
    (&["oldest"], Side::Old, &["age"]),
    (&["earliest", "first", "urgent", "longest-standing", "longest-serving"], Side::Old, &[]),
];

/// The side of a superlative, and the words of the columns that it is about.
pub(super) fn superlative(token: &Token) -> Option<(Side, &'static [&'static str])> {
    let is_it = |words: &[&str]| words.contains(&token.lower.as_str());
    SUPERLATIVES.iter().find(|(words, ..)| is_it(words)).map(|(_, side, of)| (*side, *of))
}

/// The op for the end of a column that a word asks for, if it is the end of its numbers, whatever
/// they mean: the best time is the lowest, and the most orders are a count.
pub(super) fn end_of_numbers(token: &Token) -> Option<&'static str> {
    match token.lower.as_str() {
        "highest" | "largest" | "biggest" | "greatest" | "maximum" | "max" => Some("max"),
        "lowest" | "smallest" | "minimum" | "min" => Some("min"),
        _ => None,
    }
}

/// The words of the columns that a unit is of.
pub(super) fn unit(word: &str) -> &'static [&'static str] {
    match word {
        "degrees" | "degree" | "celsius" | "fahrenheit" | "°c" => HEAT,
        "kg" | "kilos" | "kilograms" | "grams" => WEIGHT,
        "km" | "kilometres" | "kilometers" | "miles" => DISTANCE,
        "ms" | "milliseconds" | "seconds" | "minutes" => DURATION,
        "euro" | "euros" | "dollars" | "pounds" => MONEY,
        _ => &[],
    }
}

/// The milliseconds of a unit of time, as people write it or as a column is called.
pub(super) fn time_unit(word: &str) -> Option<f64> {
    match word {
        "ms" | "millis" | "milliseconds" | "millisecond" => Some(1.0),
        "s" | "sec" | "secs" | "second" | "seconds" => Some(1_000.0),
        "min" | "mins" | "minute" | "minutes" => Some(60_000.0),
        "h" | "hour" | "hours" => Some(3_600_000.0),
        _ => None,
    }
}

/// A comparison, with its length in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compare {
    More,
    AtLeast,
    Less,
    AtMost,
}

impl Compare {
    pub(super) fn inverted(self) -> Self {
        match self {
            Self::More => Self::AtMost,
            Self::AtLeast => Self::Less,
            Self::Less => Self::AtLeast,
            Self::AtMost => Self::More,
        }
    }

    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::More => ">",
            Self::AtLeast => ">=",
            Self::Less => "<",
            Self::AtMost => "<=",
        }
    }
}

const BEFORE: [(&str, Compare); 31] = [
    ("heavier than", Compare::More),
    ("bigger than", Compare::More),
    ("better than", Compare::More),
    ("lighter than", Compare::Less),
    ("worse than", Compare::Less),
    ("older than", Compare::More),
    ("longer than", Compare::More),
    ("younger than", Compare::Less),
    ("shorter than", Compare::Less),
    ("cheaper than", Compare::Less),
    ("exceeding", Compare::More),
    ("more than", Compare::More),
    ("greater than", Compare::More),
    ("larger than", Compare::More),
    ("higher than", Compare::More),
    ("later than", Compare::More),
    ("over", Compare::More),
    ("above", Compare::More),
    ("after", Compare::More),
    ("at least", Compare::AtLeast),
    ("since", Compare::AtLeast),
    ("less than", Compare::Less),
    ("fewer than", Compare::Less),
    ("lower than", Compare::Less),
    ("smaller than", Compare::Less),
    ("earlier than", Compare::Less),
    ("under", Compare::Less),
    ("below", Compare::Less),
    ("before", Compare::Less),
    ("at most", Compare::AtMost),
    ("until", Compare::AtMost),
];

const BEHIND: [(&str, Compare); 12] = [
    ("or older", Compare::AtLeast),
    ("onwards", Compare::AtLeast),
    ("onward", Compare::AtLeast),
    ("and over", Compare::AtLeast),
    ("or more", Compare::AtLeast),
    ("or later", Compare::AtLeast),
    ("or above", Compare::AtLeast),
    ("or over", Compare::AtLeast),
    ("or less", Compare::AtMost),
    ("or earlier", Compare::AtMost),
    ("or below", Compare::AtMost),
    ("or fewer", Compare::AtMost),
];

/// Words besides the negations that leave something out.
const LEAVING_OUT: [&str; 10] = [
    "skip",
    "ignore",
    "omit",
    "exclude",
    "leaving",
    "unless",
    "except",
    "excluding",
    "missing",
    "lacking",
];

/// The words of the columns that a comparison is about, if it does not fit all numbers.
pub(super) fn compared_by(word: &str) -> &'static [&'static str] {
    match word {
        "longer" | "shorter" => LENGTH,
        "cheaper" => MONEY,
        "heavier" | "lighter" => WEIGHT,
        "older" | "younger" => &["age"],
        _ => &[],
    }
}

/// The comparison that begins at a token, and its length.
pub(super) fn compares(tokens: &[Token], at: usize) -> Option<(Compare, usize)> {
    one_of(&BEFORE, tokens, at)
}

/// The comparison that follows a value, and its length.
pub(super) fn compares_behind(tokens: &[Token], at: usize) -> Option<(Compare, usize)> {
    one_of(&BEHIND, tokens, at)
}

fn one_of(all: &[(&str, Compare)], tokens: &[Token], at: usize) -> Option<(Compare, usize)> {
    all.iter().find_map(|(text, compare)| {
        let words: Vec<&str> = text.split(' ').collect();
        let own = tokens.get(at..at + words.len())?;
        own.iter()
            .zip(&words)
            .all(|(token, word)| token.lower == *word)
            .then_some((*compare, words.len()))
    })
}

pub(crate) fn negates(token: &Token) -> bool {
    crate::closed::negates(&token.lower) || LEAVING_OUT.contains(&token.lower.as_str())
}

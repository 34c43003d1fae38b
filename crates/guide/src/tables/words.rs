//! The tokens of a goal, with its literals: numbers, dates, paths, quoted texts.

use svc_text::{
    dates::MONTHS,
    stems::{Term, Vocabulary},
};

use super::closed::NUMBERS;

/// A word or literal of a goal.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    /// As written, without punctuation around it.
    pub(crate) text: String,
    pub(crate) lower: String,
    pub(crate) term: Option<Term>,
    pub(crate) is_stop: bool,
    pub(crate) literal: Option<Literal>,
    /// Whether punctuation follows that ends a part of the sentence.
    pub(crate) ends: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Number(f64),
    /// A day, a month: from this ISO date to before the other.
    Period(String, String),
    /// A month, or a day of it (else 0), of no year.
    Season(u32, u32),
    Path(String),
    Quoted(String),
}

/// The tokens of a goal.
pub(crate) fn tokens(goal: &str, words: &mut Vocabulary) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = goal.trim();
    while let Some(first) = rest.chars().next() {
        if let Some((inner, len)) = quoted(rest, first) {
            let mut token = token(inner, words);
            token.literal = Some(Literal::Quoted(inner.to_owned()));
            rest = rest[len..].trim_start_matches(|it: char| !it.is_whitespace());
            tokens.push(token);
        } else {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            chunk(&rest[..end], words, &mut tokens);
            rest = &rest[end..];
        }
        rest = rest.trim_start();
    }
    dates(&mut tokens);
    exclusions(&mut tokens);
    tokens
}

/// Joins `not counting`, `leaving out` and `apart from` to one word, and `longest serving`.
fn exclusions(tokens: &mut Vec<Token>) {
    const PAIRS: [(&str, &str); 6] = [
        ("not", "counting"),
        ("leave", "out"),
        ("leaving", "out"),
        ("apart", "from"),
        ("other", "than"),
        ("not", "including"),
    ];
    for at in (1..tokens.len()).rev() {
        if tokens[at - 1].lower == "longest" && matches!(&*tokens[at].lower, "serving" | "standing")
        {
            tokens[at - 1].lower = format!("longest-{}", tokens[at].lower);
            tokens.remove(at);
        }
    }
    let mut at = 0;
    while at + 1 < tokens.len() {
        let is_pair = |it: &(&str, &str)| it.0 == tokens[at].lower && it.1 == tokens[at + 1].lower;
        if PAIRS.iter().any(is_pair) {
            "excluding".clone_into(&mut tokens[at].lower);
            tokens.remove(at + 1);
        }
        at += 1;
    }
}

fn quoted(text: &str, first: char) -> Option<(&str, usize)> {
    let close = match first {
        '"' => '"',
        '“' => '”',
        '‘' => '’',
        '\'' => '\'',
        _ => return None,
    };
    let inner = &text[first.len_utf8()..];
    let is_end = |at: &usize| {
        // `'the boss's car'`: an apostrophe does not quote.
        let behind = inner[at + close.len_utf8()..].chars().next();
        close != '\'' || behind.is_none_or(|it| !it.is_alphanumeric())
    };
    let end = inner.match_indices(close).map(|(at, _)| at).find(is_end)?;
    Some((&inner[..end], first.len_utf8() + end + close.len_utf8()))
}

fn chunk(chunk: &str, words: &mut Vocabulary, tokens: &mut Vec<Token>) {
    let chunk = if chunk.eq_ignore_ascii_case("w/o") { "without" } else { chunk };
    let trimmed = chunk.trim_matches(|it: char| "()[]{}\"'“”‘’,;:!?".contains(it));
    let text = trimmed.trim_end_matches(['.', '?', '!']);
    let text = ["'s", "’s"].iter().find_map(|it| text.strip_suffix(it)).unwrap_or(text);
    let text = if matches!(chunk, "*" | "×") { "times" } else { text };
    if !text.chars().any(char::is_alphanumeric) {
        return;
    }
    let mut token = token(text, words);
    token.ends = chunk.ends_with([',', ';', ':', '.', '?', '!', ')']);
    tokens.push(token);
}

pub(super) fn token(text: &str, words: &mut Vocabulary) -> Token {
    let lower = text.to_lowercase();
    // `e-mail` and `email` are one word.
    let plain = lower.replace('-', "");
    let mut all = words.read(&plain);
    let (first, next) = (all.next(), all.next());
    drop(all);
    let (term, is_stop) = match (first, next) {
        (Some(it), None) => (Some(it.term), it.is_stop),
        _ => (None, false),
    };
    let literal = literal(text, &lower);
    Token { text: text.to_owned(), lower, term, is_stop, literal, ends: false }
}

fn literal(text: &str, lower: &str) -> Option<Literal> {
    if let Some(number) =
        (0_i32..).zip(NUMBERS).find_map(|(number, it)| (it == lower).then_some(number))
    {
        return Some(Literal::Number(number.into()));
    }
    let digits = lower.trim_start_matches(['$', '€', '£']).replace(',', "");
    if digits.starts_with(|it: char| it.is_ascii_digit())
        && let Ok(number) = digits.parse()
    {
        return Some(Literal::Number(number));
    }
    if let Some(day) = iso(text) {
        return Some(day);
    }
    // `ada@example.com` is looked for.
    if text.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.')) {
        return Some(Literal::Quoted(text.to_owned()));
    }
    let is_abbreviation = matches!(lower, "i.e" | "e.g" | "a.m" | "p.m" | "w/o" | "w/" | "and/or");
    let is_path = text.contains('/') && !text.contains("://")
        || text.rsplit_once('.').is_some_and(|(name, extension)| {
            !name.is_empty()
                && (1..=5).contains(&extension.len())
                && extension.chars().all(|it| it.is_ascii_alphanumeric())
                && extension.chars().any(|it| it.is_ascii_alphabetic())
        });
    (is_path && !is_abbreviation).then(|| Literal::Path(text.to_owned()))
}

/// A number in digits or as a word: `5`, `five`.
pub(crate) fn number(lower: &str) -> Option<f64> {
    match literal(lower, lower) {
        Some(Literal::Number(number)) => Some(number),
        _ => None,
    }
}

/// A number without a fraction.
pub(crate) fn whole(number: f64) -> Option<i64> {
    number.to_string().parse().ok()
}

fn iso(text: &str) -> Option<Literal> {
    let mut parts = text.split('-').map(|it| it.parse::<u32>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next());
    let is_whole = (1000..=9999).contains(&year) && parts.next().is_none();
    match day {
        _ if !is_whole => None,
        Some(day) => Some(of_day(year, month, day?)),
        None => Some(of_month(year, month)),
    }
}

pub(super) fn of_day(year: u32, month: u32, day: u32) -> Literal {
    // An exclusive end needs no calendar: no date is between a day and the same day with `~`.
    let day = format!("{year:04}-{month:02}-{day:02}");
    Literal::Period(day.clone(), day)
}

pub(super) fn of_month(year: u32, month: u32) -> Literal {
    let (to_year, to_month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    Literal::Period(format!("{year:04}-{month:02}-01"), format!("{to_year:04}-{to_month:02}-01"))
}

/// Whether a month may follow: `in May`, but not `who may`.
fn leads(word: &str) -> bool {
    const LEADING: [&str; 14] = [
        "in", "of", "since", "before", "after", "until", "till", "during", "from", "between",
        "and", "to", "or", "for",
    ];
    LEADING.contains(&word)
}

/// Joins `1 July 2025`, `July 1, 2025` and `July 2025` to one literal.
fn dates(tokens: &mut Vec<Token>) {
    let mut at = 0;
    while at < tokens.len() {
        let number = |idx: usize| {
            let token = tokens.get(idx)?;
            let ordinal =
                ["st", "nd", "rd", "th"].iter().find_map(|it| token.lower.strip_suffix(it));
            match token.literal {
                Some(Literal::Number(it)) => u32::try_from(whole(it)?).ok(),
                _ => ordinal?.parse().ok(),
            }
        };
        let month = |idx: usize| {
            let lower = &tokens.get(idx)?.lower;
            let is_it =
                |it: &str| it == lower || (lower.len() == 3 && it.starts_with(lower.as_str()));
            (1..).zip(MONTHS).find_map(|(number, it)| is_it(it).then_some(number))
        };
        let is_year = |it: &u32| (1000..=9999).contains(it);
        let is_day = |it: &u32| (1..=31).contains(it);
        let found = if let (Some(day), Some(month), Some(year)) =
            (number(at).filter(is_day), month(at + 1), number(at + 2).filter(is_year))
        {
            Some((3, of_day(year, month, day)))
        } else if let (Some(month), Some(day), Some(year)) =
            (month(at), number(at + 1).filter(is_day), number(at + 2).filter(is_year))
        {
            Some((3, of_day(year, month, day)))
        } else if let (Some(month), Some(year)) = (month(at), number(at + 1).filter(is_year)) {
            Some((2, of_month(year, month)))
        } else if let (Some(day), Some(month)) = (number(at).filter(is_day), month(at + 1)) {
            Some((2, Literal::Season(month, day)))
        } else if let (Some(month), Some(day)) = (month(at), number(at + 1).filter(is_day)) {
            Some((2, Literal::Season(month, day)))
        } else {
            let season = |month: u32| (1, Literal::Season(month, 0));
            month(at).filter(|_| at > 0 && leads(&tokens[at - 1].lower)).map(season)
        };
        if let Some((len, literal)) = found {
            let ends = tokens[at + len - 1].ends;
            let text = tokens[at..at + len].iter().map(|it| it.text.as_str());
            let text = text.collect::<Vec<_>>().join(" ");
            tokens[at].lower = text.to_lowercase();
            tokens[at].text = text;
            (tokens[at].literal, tokens[at].term, tokens[at].ends) = (Some(literal), None, ends);
            tokens.drain(at + 1..at + len);
        }
        at += 1;
    }
}

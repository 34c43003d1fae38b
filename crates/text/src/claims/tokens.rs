//! Splits a sentence into what is compared: words, names, numbers with their units, negations.

use std::{collections::HashSet, ops::Range};

use super::{
    super::{language::Forms, scripts},
    words,
};

/// A number, as it is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number {
    pub value: f64,
    pub unit: Option<&'static str>,
    /// How many digits follow its decimal point.
    pub decimals: u8,
    /// Whether a word such as `about` stands before it.
    pub is_about: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Word,
    /// A word with a capital letter that is not due to its place.
    Name,
    /// The first word of a sentence, which is a name or not.
    First,
    Number(Number),
    Month,
    Not,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub range: Range<usize>,
    /// The word in lower case.
    pub word: Box<str>,
    /// What equal words have in common.
    pub key: Box<str>,
    pub kind: Kind,
    pub is_stop: bool,
    /// Whether a comma or another mark separates it from the token before.
    pub is_apart: bool,
}

impl Token {
    /// What stands between two sentences: nothing is next to it.
    pub(super) fn border() -> Self {
        let (range, kind) = (0..0, Kind::Word);
        Self { range, word: "".into(), key: "".into(), kind, is_stop: true, is_apart: true }
    }

    /// Whether it says something by itself.
    pub(super) fn is_content(&self) -> bool {
        !self.is_stop && self.kind != Kind::Not
    }

    pub(super) fn is_name(&self) -> bool {
        matches!(self.kind, Kind::Name | Kind::First)
    }
}

/// Reads sentences. It knows the words that it saw in lower case, which are not names.
pub(super) struct Reader {
    forms: Forms,
    lower: HashSet<Box<str>>,
    names: HashSet<Box<str>>,
}

impl Reader {
    pub(super) fn new(forms: Forms) -> Self {
        Self { forms, lower: HashSet::new(), names: HashSet::new() }
    }

    /// Remembers which words of a text are written with a capital, and which without.
    pub(super) fn learn(&mut self, sentence: &str) {
        for piece in pieces(sentence) {
            let first = sentence.get(piece.range.clone()).and_then(|it| it.chars().next());
            match first {
                Some(it) if it.is_lowercase() => _ = self.lower.insert(piece.word),
                Some(it) if it.is_uppercase() && !piece.is_first => {
                    self.names.insert(piece.word);
                }
                _ => {}
            }
        }
    }

    /// The tokens of a sentence.
    pub(super) fn read(&self, sentence: &str) -> Vec<Token> {
        let mut tokens: Vec<Token> = Vec::new();
        for piece in pieces(sentence) {
            let mut token = self.token(sentence, piece);
            let is_joined = tokens.last_mut().is_some_and(|last| joins_number(last, &mut token));
            if !is_joined {
                tokens.push(token);
            }
        }
        put_months_first(&mut tokens);
        tokens
    }

    fn token(&self, sentence: &str, piece: Piece) -> Token {
        let Piece { range, word, number, is_apart, is_first, mark } = piece;
        let shown = sentence.get(range.clone()).unwrap_or_default();
        let is_capital = shown.starts_with(char::is_uppercase);
        let is_stop = self.forms.is_stop_word(&word);
        let kind = match number.or_else(|| words::number(&word).map(exact)) {
            Some(number) => {
                Kind::Number(Number { is_about: is_about(sentence, range.start), ..number })
            }
            None if mark == Some(Mark::Not) || words::negates(&word) => Kind::Not,
            None if mark == Some(Mark::Month) => Kind::Month,
            None if is_capital && words::month(&word).is_some() => Kind::Month,
            None if !is_capital || is_stop => Kind::Word,
            None if !is_first || self.names.contains(&word) => Kind::Name,
            None if self.lower.contains(&word) => Kind::Word,
            None => Kind::First,
        };
        let key = if is_stop { word.clone() } else { self.forms.stem(&word).as_ref().into() };
        Token { range, word, key, kind, is_stop, is_apart }
    }
}

/// Orders `7 February` as `February 7`, so that both have the same neighbours.
fn put_months_first(tokens: &mut [Token]) {
    for at in 1..tokens.len() {
        let is_day = matches!(&tokens[at - 1].kind, Kind::Number(it) if it.value < 32.0);
        if is_day && tokens[at].kind == Kind::Month && !tokens[at].is_apart {
            tokens.swap(at - 1, at);
        }
    }
}

fn exact(value: f64) -> Number {
    Number { value, unit: None, decimals: 0, is_about: false }
}

fn is_about(sentence: &str, start: usize) -> bool {
    let before = sentence
        .get(..start)
        .unwrap_or_default()
        .trim_end_matches(|it: char| it.is_whitespace() || words::sign(it).is_some());
    let word = before.rsplit(|it: char| !it.is_alphabetic()).next().unwrap_or_default();
    words::is_about(&word.to_lowercase())
}

/// Adds a magnitude, the rest of a number word or a unit to the number before it. A unit stays a
/// token, but says nothing by itself.
fn joins_number(last: &mut Token, next: &mut Token) -> bool {
    let Token { kind: Kind::Number(number), range, word, .. } = last else { return false };
    if next.is_apart {
        return false;
    }
    if let Some(magnitude) = words::magnitude(&next.word) {
        number.value *= magnitude;
    } else if let Kind::Number(rest) = &next.kind
        && is_rest(number, rest, &next.word)
    {
        number.value += rest.value;
    } else {
        let unit = words::unit(&next.word);
        number.unit = number.unit.or(unit);
        next.is_stop |= unit.is_some();
        return false;
    }
    range.end = next.range.end;
    *word = format!("{word} {}", next.word).into();
    true
}

/// Whether a number word is the last digit of the one before it: `twenty-five`.
fn is_rest(tens: &Number, rest: &Number, word: &str) -> bool {
    let is_open = tens.value % 10.0 == 0.0 && (20.0..100.0).contains(&tens.value);
    is_open && (1.0..10.0).contains(&rest.value) && words::number(word).is_some()
}

/// A word or number of a sentence.
struct Piece {
    range: Range<usize>,
    word: Box<str>,
    number: Option<Number>,
    is_apart: bool,
    is_first: bool,
    mark: Option<Mark>,
}

/// What a piece is, where its letters do not say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Not,
    Month,
}

fn pieces(sentence: &str) -> Vec<Piece> {
    let mut scanner =
        Scanner { text: sentence, at: 0, is_apart: false, is_first: true, found: Vec::new() };
    while let Some(next) = scanner.rest().chars().next() {
        scanner.step(next);
    }
    scanner.found
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    is_apart: bool,
    is_first: bool,
    found: Vec<Piece>,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn step(&mut self, next: char) {
        if next == '['
            && let Some(len) = reference(self.rest())
        {
            self.at += len;
        } else if next.is_ascii_digit() {
            self.number();
        } else if next.is_alphanumeric() {
            self.word();
        } else {
            self.at += next.len_utf8();
            self.is_apart |= matches!(
                next,
                ',' | ';' | ':' | '.' | '!' | '?' | '(' | ')' | '—' | '–' | '，' | '。' | '、'
            );
            self.is_first |= matches!(next, '.' | '!' | '?' | ':' | '"' | '“' | '•');
        }
    }

    fn number(&mut self) {
        if let Some([year, month, day]) = date(self.rest()) {
            let start = self.at;
            self.at += 10;
            self.push(start, words::month_name(month).into(), None, Some(Mark::Month));
            for part in [day, year] {
                self.push(start, part.to_string().into(), Some(exact(f64::from(part))), None);
            }
            return;
        }
        let (number, len) = digits(self.rest());
        let before = self.text.get(..self.at).unwrap_or_default().trim_end();
        let mut unit = before.chars().next_back().and_then(words::sign).filter(|it| *it != "%");
        let start = self.at;
        self.at += len;
        let after = self.rest();
        let tail: String = after.chars().take_while(|it| it.is_alphabetic()).collect();
        let lower = tail.to_lowercase();
        unit = unit.or_else(|| after.trim_start().chars().next().and_then(words::sign));
        let mut number = Number { unit, ..number };
        if matches!(lower.as_str(), "st" | "nd" | "rd" | "th" | "s") {
            self.at += tail.len();
        } else if let Some(it) = short_magnitude(&lower) {
            number.value *= it;
            self.at += tail.len();
        } else if let Some(it) = words::unit(&lower) {
            number.unit = Some(it);
            self.at += tail.len();
        }
        let shown = self.text.get(start..self.at).unwrap_or_default();
        self.push(start, shown.to_lowercase().into(), Some(number), None);
    }

    fn word(&mut self) {
        let start = self.at;
        let len = scripts::words(self.rest()).next().map_or(1, |it| it.end);
        let dense = self.rest().chars().next().is_some_and(scripts::is_dense);
        if dense {
            return self.dense();
        }
        let mut end = start + len;
        // An apostrophe between letters belongs to the word: `don't`, `l'eau`.
        while let Some(rest) = self.text.get(end..)
            && let Some(after) = rest.strip_prefix(['\'', '’'])
            && after.starts_with(char::is_alphabetic)
        {
            let mark = rest.len() - after.len();
            end += mark + scripts::words(after).next().map_or(1, |it| it.end);
        }
        self.at = end;
        let shown = self.text.get(start..end).unwrap_or_default();
        let word = shown.to_lowercase().replace('’', "'");
        match word.strip_suffix("n't") {
            Some(base) if !base.is_empty() => {
                self.push(start, base.into(), None, None);
                self.push(start, word.as_str().into(), None, Some(Mark::Not));
            }
            _ if word == "cannot" => {
                self.push(start, "can".into(), None, None);
                self.push(start, word.as_str().into(), None, Some(Mark::Not));
            }
            _ => {
                let word = word.strip_suffix("'s").unwrap_or(&word);
                let word = word.split_once('\'').map_or(word, |(short, rest)| {
                    if short.chars().count() < 3 { rest } else { word }
                });
                self.push(start, word.into(), None, None);
            }
        }
    }

    /// A run of letters without spaces between words: each pair is a word, each negating letter a
    /// negation.
    fn dense(&mut self) {
        let first = self.rest().chars().next().unwrap_or_default();
        let (start, len) = (self.at, first.len_utf8());
        self.at += len;
        if words::is_negating(first) {
            return self.push(start, first.to_string().into(), None, Some(Mark::Not));
        }
        let next = self.rest().chars().next().filter(|it| scripts::is_dense(*it));
        let word: String = match next {
            Some(next) if !words::is_negating(next) => [first, next].iter().collect(),
            _ => first.to_string(),
        };
        self.push(start, word.into(), None, None);
    }

    fn push(&mut self, start: usize, word: Box<str>, number: Option<Number>, mark: Option<Mark>) {
        let (is_apart, is_first) = (self.is_apart, self.is_first);
        (self.is_apart, self.is_first) = (false, false);
        self.found.push(Piece { range: start..self.at, word, number, is_apart, is_first, mark });
    }
}

/// The year, month and day at the start of `text`, if it is a date such as `2016-02-07`.
fn date(text: &str) -> Option<[u16; 3]> {
    let shown = text.get(..10)?;
    let mut parts = shown.split('-').map(|it| (it.len(), it.parse::<u16>()));
    let mut part = |len| parts.next().filter(|(it, _)| *it == len)?.1.ok();
    let date = [part(4)?, part(2)?, part(2)?];
    ((1..=12).contains(&date[1]) && (1..=31).contains(&date[2])).then_some(date)
}

/// The length of a reference such as `[12]`, which is not part of what is said.
fn reference(text: &str) -> Option<usize> {
    let (inner, _) = text.strip_prefix('[')?.split_once(']')?;
    let is_number =
        !inner.is_empty() && inner.len() < 4 && inner.bytes().all(|it| it.is_ascii_digit());
    is_number.then_some(inner.len() + 2)
}

fn short_magnitude(letters: &str) -> Option<f64> {
    match letters {
        "k" => Some(1e3),
        "bn" => Some(1e9),
        "mn" => Some(1e6),
        _ => None,
    }
}

/// The number at the start of `text`, and its length. Marks between digits group them if three
/// digits follow each, unless it is the only one and a full stop.
fn digits(text: &str) -> (Number, usize) {
    let mut len = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, it)) = chars.next() {
        let next_is_digit = chars.peek().is_some_and(|(_, it)| it.is_ascii_digit());
        if it.is_ascii_digit() || (matches!(it, '.' | ',') && next_is_digit) {
            len = at + 1;
        } else {
            break;
        }
    }
    let shown = text.get(..len).unwrap_or_default();
    let marks = shown.matches(['.', ',']).count();
    let last = shown.rfind(['.', ',']);
    let tail = last.map_or(0, |at| shown.len() - at - 1);
    let is_mixed = shown.contains('.') && shown.contains(',');
    let has_fraction = match last {
        None => false,
        Some(_) if is_mixed || tail != 3 => marks == 1 || is_mixed,
        Some(at) => marks == 1 && shown.as_bytes().get(at) == Some(&b'.'),
    };
    let whole = if has_fraction { last.unwrap_or(len) } else { len };
    let mut plain: String = shown.chars().take(whole).filter(char::is_ascii_digit).collect();
    let mut decimals = 0;
    if has_fraction {
        plain.push('.');
        plain.extend(shown.chars().skip(whole).filter(char::is_ascii_digit));
        decimals = u8::try_from(tail).unwrap_or(u8::MAX);
    }
    let value = plain.parse().unwrap_or_default();
    (Number { decimals, ..exact(value) }, len)
}

#[cfg(test)]
mod tests {
    use super::{super::super::language::Language, *};

    fn read(text: &str) -> Vec<Token> {
        Reader::new(Language::ENGLISH.forms()).read(text)
    }

    fn numbers(text: &str) -> Vec<(f64, Option<&'static str>)> {
        let number = |it: Token| match it.kind {
            Kind::Number(it) => Some((it.value, it.unit)),
            _ => None,
        };
        read(text).into_iter().filter_map(number).collect()
    }

    #[test]
    fn numbers_have_values_and_units() {
        assert_eq!(
            numbers("$5 million, 1,234.5 km, 12%, twenty-five and 3.5bn euros"),
            [
                (5e6, Some("$")),
                (1234.5, Some("km")),
                (12.0, Some("%")),
                (25.0, None),
                (3.5e9, Some("€"))
            ]
        );
        assert_eq!(numbers("two hundred thousand"), [(200_000.0, None)]);
        assert_eq!(
            numbers("1.234.567 and 1,5 and the 20th and 1990s"),
            [(1_234_567.0, None), (1.5, None), (20.0, None), (1990.0, None)]
        );
    }

    #[test]
    fn references_and_marks_are_not_read() {
        let words = |text| read(text).into_iter().map(|it| it.word).collect::<Vec<_>>();
        assert_eq!(words("It is. [1]").concat(), "itis");
        assert_eq!(
            words("He didn't; Denver’s"),
            ["he".into(), "did".into(), "didn't".into(), Box::from("denver")]
        );
        assert_eq!(words("不好").len(), 2);
    }

    #[test]
    fn any_text_is_read() {
        for text in ["", "...", "[[[[", "'''", "１２", "½", "a'b'c'd", "ß’ß", "1.", ",1,,2", "๑๒"]
        {
            for it in read(text) {
                assert!(it.range.end <= text.len() && text.get(it.range).is_some());
            }
        }
        assert!(read(&"9".repeat(1 << 16)).len() == 1);
    }
}

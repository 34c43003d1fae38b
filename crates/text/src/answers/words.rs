//! The words of texts, and numbers for their stems.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use crate::{
    language::{self, Forms, Language},
    scripts,
};

/// The number of a stem.
pub(super) type Term = u32;

/// Longer words are data, not language.
const LONGEST: usize = 64;

/// The words of documents, with numbers for their stems.
pub(super) struct Words {
    forms: Forms,
    pub language: Language,
    numbers: HashMap<Box<str>, Term>,
    /// The most recent word of each stem, and how often it begins with a capital inside of sentences.
    pub known: Vec<Known>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub words: HashSet<Box<str>>,
    pub capitals: u32,
    pub count: u32,
}

/// A word of a text that has a meaning of its own.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub lower: Box<str>,
    pub stem: Box<str>,
    /// How many words stand before it.
    pub at: u32,
    /// Where it stands in the text.
    pub start: usize,
    pub end: usize,
    pub is_capital: bool,
    pub is_stop: bool,
}

impl Word {
    /// Whether it is more than a word of grammar. A single capital inside of a sentence is a name, as
    /// in `house A`.
    pub(super) fn has_meaning(&self) -> bool {
        let is_letter = self.is_capital && self.at > 0 && self.lower.len() == 1;
        !self.is_stop || is_letter && &*self.lower != "i"
    }
}

impl Words {
    pub(super) fn of(language: Language) -> Self {
        let forms = language.forms();
        Self { forms, language, numbers: HashMap::new(), known: Vec::new() }
    }

    pub(super) fn pieces<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Word> + 'a {
        let in_text = whole_numbers(text).filter(|it| it.len() <= LONGEST);
        in_text.zip(0_u32..).filter_map(|(range, at)| {
            let (start, end) = (range.start, range.end);
            let word = text.get(range)?;
            let lower = match word.as_bytes() {
                [b'0'..=b'9', ..] => of_number(word).into(),
                _ => language::lower(word),
            };
            let is_stop = self.forms.is_stop_word(&lower) || lower == "s" || lower == "t";
            let stem = self.forms.stem(&lower).into_owned().into();
            let is_capital = word.starts_with(char::is_uppercase);
            let lower = lower.into_owned().into();
            Some(Word { lower, stem, at, start, end, is_capital, is_stop })
        })
    }

    pub(super) fn term(&self, stem: &str) -> Option<Term> {
        self.numbers.get(stem).copied()
    }

    /// Whether a word in lower case, or another form of it, is in the documents or a stop word.
    pub(super) fn knows(&self, lower: &str) -> bool {
        self.forms.is_stop_word(lower) || self.term(&self.forms.stem(lower)).is_some()
    }

    pub(super) fn read(&mut self, text: &str) -> Vec<(Term, u32)> {
        let pieces: Vec<Word> = self.pieces(text).collect();
        let short = initials(&pieces);
        let all = pieces.into_iter().filter(Word::has_meaning).chain(short);
        all.filter_map(|it| Some((self.add(&it)?, it.at))).collect()
    }

    fn add(&mut self, word: &Word) -> Option<Term> {
        let next = Term::try_from(self.known.len()).ok()?;
        let term = *self.numbers.entry(word.stem.clone()).or_insert(next);
        if term == next {
            self.known.push(Known::default());
        }
        let known = self.known.get_mut(term as usize)?;
        if !known.words.contains(&word.lower) {
            known.words.insert(word.lower.clone());
        }
        if word.at > 0 {
            known.count += 1;
            known.capitals += u32::from(word.is_capital);
        }
        Some(term)
    }
}

/// The words of a text, where `1,200` and `0.5` are one each.
fn whole_numbers(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_digits = |it: &Range<usize>| {
        text.get(it.clone()).is_some_and(|it| it.bytes().all(|it| it.is_ascii_digit()))
    };
    let mut words = scripts::words(text).peekable();
    std::iter::from_fn(move || {
        let mut word = words.next()?;
        // A number that belongs to a name, as in `LX-4`.
        if let Some(next) = words.peek()
            && next.start == word.end + 1
            && text.get(word.end..next.start) == Some("-")
            && is_digits(next)
            && text.get(word.clone()).is_some_and(|it| it.starts_with(char::is_alphabetic))
        {
            word.end = next.end;
            words.next();
            return Some(word);
        }
        while is_digits(&(word.end.saturating_sub(1)..word.end))
            && let Some(next) = words.peek()
            && next.start == word.end + 1
            && matches!(text.get(word.end..next.start), Some("." | ","))
            && is_digits(next)
        {
            word.end = next.end;
            words.next();
        }
        Some(word)
    })
}

/// A number without marks between its digits and without an ending, as in `1950s` and `3rd`.
fn of_number(word: &str) -> String {
    let digits = word.replace(',', "").to_lowercase();
    let end = digits.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(digits.len());
    match digits.get(end..) {
        Some("s" | "st" | "nd" | "rd" | "th") => digits[..end].to_owned(),
        _ => digits,
    }
}

/// What names of several words are shortened to, such as `EU`.
fn initials(words: &[Word]) -> Vec<Word> {
    let mut found = Vec::new();
    let mut name: Vec<&Word> = Vec::new();
    let mut end = |name: &mut Vec<&Word>| {
        if let [first, _, ..] = name[..]
            && name.len() <= 6
        {
            let lower: Box<str> = name.iter().filter_map(|it| it.lower.chars().next()).collect();
            let stem = lower.clone();
            found.push(Word { lower, stem, is_capital: true, is_stop: false, ..(*first).clone() });
        }
        name.clear();
    };
    for word in words {
        match () {
            () if word.is_capital && !word.is_stop => name.push(word),
            () if matches!(&*word.lower, "of" | "the" | "and" | "for") => {}
            () => end(&mut name),
        }
    }
    end(&mut name);
    found
}

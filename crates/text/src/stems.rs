//! Splits text into words, and reduces them to stems, so that `budgets` and `budgeting` are equal.
//!
//! Words are converted to lower case and stemmed with the English Snowball stemmer (Porter 2).

use std::{collections::HashMap, ops::Range};

use rust_stemmers::{Algorithm, Stemmer};

use super::stop_words::is_stop_word;
#[cfg(feature = "languages")]
use super::{
    language::{self, Forms, Language},
    scripts,
};

/// Longer words are data, not language, and have no stem.
const LONGEST: usize = 64;

/// Words that form a question but are not its topic. Our own list.
const QUESTION_WORDS: &str = "a an are be can could define describe did do does explain get give \
    happen happens how i if in is it like many may mean means might much must my need occurs of on or \
    reached shall should tell that the there this to used using want was way we were what when where \
    which who why will work works would you";

/// Returns the words of `text`, as byte ranges: runs of letters and digits, with inner apostrophes.
/// Each ideograph is a word.
pub fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text.get(at..)?.find(char::is_alphanumeric)?;
        at = start + word_len(text.get(start..)?);
        Some(start..at)
    })
}

fn word_len(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((idx, it)) = chars.next() {
        let end = idx + it.len_utf8();
        let next = chars.peek().map(|(_, next)| *next);
        let goes_on = match next {
            _ if is_ideograph(it) => false,
            Some(next) if is_apostrophe(next) => {
                let rest = text.get(end + next.len_utf8()..).unwrap_or_default();
                it.is_alphabetic() && rest.starts_with(char::is_alphabetic)
            }
            Some(next) => {
                (next.is_alphanumeric() && !is_ideograph(next))
                    || ('\u{300}'..='\u{36f}').contains(&next)
            }
            None => false,
        };
        if !goes_on {
            return end;
        }
    }
    text.len()
}

fn is_apostrophe(it: char) -> bool {
    matches!(it, '\'' | '’')
}

/// Whether the character is a word or syllable, in scripts without spaces.
fn is_ideograph(it: char) -> bool {
    matches!(it, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// The number of a stem in a [`Vocabulary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(u32);

/// A word of a text, with its stem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its position, in bytes.
    pub range: Range<usize>,
    pub term: Term,
    /// Whether it carries no meaning for the topic of the text.
    pub is_stop: bool,
}

/// Numbers for stems, so that texts can be compared without comparing strings. Each distinct word
/// is stemmed once.
pub struct Vocabulary {
    stemmer: Stemmer,
    /// The words of another language than English.
    #[cfg(feature = "languages")]
    forms: Option<Forms>,
    words: HashMap<Box<str>, Known>,
    stems: HashMap<Box<str>, Term>,
    lower: String,
}

#[derive(Clone, Copy)]
struct Known {
    term: Term,
    is_stop: bool,
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self {
            stemmer: Stemmer::create(Algorithm::English),
            #[cfg(feature = "languages")]
            forms: None,
            words: HashMap::new(),
            stems: HashMap::new(),
            lower: String::new(),
        }
    }
}

impl Vocabulary {
    /// For texts in a language.
    #[cfg(feature = "languages")]
    pub fn of(language: Language) -> Self {
        let forms = (language != Language::ENGLISH).then(|| language.forms());
        Self { forms, ..Self::default() }
    }

    /// Returns the words of `text` in order. In scripts without spaces between words, they overlap
    /// unless the vocabulary is English.
    pub fn read(&mut self, text: &str) -> impl Iterator<Item = Word> {
        self.words(text).filter_map(move |range| {
            let Known { term, is_stop } = self.know(text.get(range.clone())?)?;
            Some(Word { range, term, is_stop })
        })
    }

    /// Returns the terms of `text` in order, without stop words.
    pub fn terms(&mut self, text: &str) -> Vec<Term> {
        self.read(text).filter(|it| !it.is_stop).map(|it| it.term).collect()
    }

    /// Returns the distinct terms that a question is about, ordered by number.
    ///
    /// Stop words, and words that only form a question (`what happens when ..`), count only
    /// in a question without other words.
    pub fn question(&mut self, text: &str) -> Vec<Term> {
        let frames = self.terms_of_frames();
        let words: Vec<Word> = self.read(text).collect();
        let is_frame = |it: &Word| frames.binary_search(&it.term).is_ok();
        let mut terms = terms_where(&words, |it| !it.is_stop && !is_frame(it));
        if terms.is_empty() {
            terms = terms_where(&words, |it| !is_frame(it));
        }
        if terms.is_empty() {
            terms = terms_where(&words, |_| true);
        }
        terms
    }

    /// Whether a word in lower case, or another form of it, was read.
    pub fn has(&self, word: &str) -> bool {
        self.stems.contains_key(self.stemmer.stem(word).as_ref())
    }

    /// The term of a word in lower case that was read before, in this or another form, and whether
    /// it is a stop word.
    pub fn known(&self, word: &str) -> Option<(Term, bool)> {
        let term = self.stems.get(self.stemmer.stem(word).as_ref())?;
        Some((*term, is_stop_word(word)))
    }

    fn terms_of_frames(&mut self) -> Vec<Term> {
        let mut frames: Vec<Term> = self.read(QUESTION_WORDS).map(|it| it.term).collect();
        frames.sort_unstable();
        frames
    }

    #[cfg(feature = "languages")]
    fn words<'a>(&self, text: &'a str) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let (english, others) = match self.forms {
            None => (Some(words(text)), None),
            Some(_) => (None, Some(scripts::words(text))),
        };
        english.into_iter().flatten().chain(others.into_iter().flatten())
    }

    #[cfg(not(feature = "languages"))]
    #[expect(clippy::unused_self, reason = "with the feature, the language decides")]
    fn words<'a>(&self, text: &'a str) -> impl Iterator<Item = Range<usize>> + use<'a> {
        words(text)
    }

    fn know(&mut self, word: &str) -> Option<Known> {
        if word.len() > LONGEST {
            return None;
        }
        #[cfg(feature = "languages")]
        if let Some(forms) = &self.forms {
            let lower = language::lower(word);
            if let Some(known) = self.words.get(lower.as_ref()) {
                return Some(*known);
            }
            let (stem, is_stop) = (forms.stem(&lower), forms.is_stop_word(&lower));
            return add(&mut self.words, &mut self.stems, &lower, &stem, is_stop);
        }
        self.lower.clear();
        let lower = word.chars().flat_map(char::to_lowercase);
        self.lower.extend(lower.map(|it| if it == '’' { '\'' } else { it }));
        if let Some(known) = self.words.get(self.lower.as_str()) {
            return Some(*known);
        }
        let (stem, is_stop) = (self.stemmer.stem(&self.lower), is_stop_word(&self.lower));
        add(&mut self.words, &mut self.stems, &self.lower, &stem, is_stop)
    }
}

/// Adds a word with its stem.
fn add(
    words: &mut HashMap<Box<str>, Known>,
    stems: &mut HashMap<Box<str>, Term>,
    word: &str,
    stem: &str,
    is_stop: bool,
) -> Option<Known> {
    let next = Term(u32::try_from(stems.len()).ok()?);
    let term = *stems.entry(stem.into()).or_insert(next);
    let known = Known { term, is_stop };
    words.insert(word.into(), known);
    Some(known)
}

fn terms_where(words: &[Word], wanted: impl Fn(&Word) -> bool) -> Vec<Term> {
    let mut terms: Vec<Term> = words.iter().filter(|it| wanted(it)).map(|it| it.term).collect();
    terms.sort_unstable();
    terms.dedup();
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<&str> {
        words(text).map(|it| &text[it]).collect()
    }

    #[test]
    fn words_are_letters_digits_and_inner_apostrophes() {
        assert_eq!(
            shown("Don’t use `max_cost: $0.50`, it's 'x'!"),
            ["Don’t", "use", "max", "cost", "0", "50", "it's", "x"]
        );
        assert_eq!(shown("cafe\u{301} 東京x ..."), ["cafe\u{301}", "東", "京", "x"]);
        assert_eq!(shown("?!,.-"), [""; 0]);
    }

    #[test]
    fn forms_of_a_word_are_one_term() {
        let mut words = Vocabulary::default();
        let terms = words.terms("Budgets enforce the budget, enforced");
        assert_eq!([terms[0], terms[1]], [terms[2], terms[3]]);
        assert_eq!(terms.len(), 4);
    }

    #[test]
    fn a_question_is_what_it_is_about() {
        let mut words = Vocabulary::default();
        assert_eq!(words.question("how are budgets enforced? Budgets!").len(), 2);
        assert_eq!(words.question("what happens to a budget").len(), 1);
        assert_eq!(words.question("what does each do?"), words.question("each"));
        assert_eq!(words.question("what is it?").len(), 3);
        assert_eq!(words.question("..."), []);
    }

    #[test]
    fn any_letters_can_be_stemmed() {
        let mut words = Vocabulary::default();
        let odd = "ŒUVREs ßing Ωmegas éééés y'y's ﬁes ǅed İing 'sses' yyyyied \u{1e9e}ly";
        assert_eq!(words.terms(odd).len(), 11);
        assert_eq!(words.terms(&"x".repeat(1 << 20)), []);
    }
}

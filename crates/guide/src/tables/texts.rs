//! Texts that lines or files have to contain: `that mention the platform team`, `starting with "- "`.

use svc_contract::value::literal;

use super::{
    closed::negates,
    lexicon::{Lexicon, has},
    words::{Literal, Token},
};

/// A text that is looked for, and the tokens that say so.
#[derive(Clone, Debug)]
pub(super) struct Looked {
    pub(super) from: usize,
    pub(super) to: usize,
    text: String,
    place: Place,
    is_quoted: bool,
    is_not: bool,
    /// Whether capital letters do not matter, as the goal says.
    any_case: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Anywhere,
    Start,
    End,
}

/// Words that may stand between a verb and the text that it looks for.
const BETWEEN: [&str; 12] =
    ["the", "a", "an", "any", "word", "words", "text", "phrase", "string", "term", "with", "name"];

/// Verbs behind a text that say that it is there: `does rain occur`, `is Kelby mentioned`.
const BEHIND: [&str; 8] =
    ["appear", "appears", "occur", "occurs", "mentioned", "found", "included", "contained"];

/// The longest phrase without quotes.
const LONGEST: usize = 4;

/// The text that a goal looks for; `None` if there is none, or more than one.
pub(super) fn looked_for(tokens: &[Token], texts: &[&str], lexicon: &Lexicon) -> Option<Looked> {
    let (any_case, cases) = ignores_case(tokens);
    let mut found: Option<Looked> = None;
    let mut at = 0;
    while at < tokens.len() {
        let it = quoted(tokens, at, lexicon)
            .or_else(|| behind_verb(tokens, at, texts, lexicon))
            .or_else(|| before_verb(tokens, at, texts));
        let Some(mut it) = it else {
            at += 1;
            continue;
        };
        if tokens.get(it.to).is_some_and(|it| BEHIND.contains(&it.lower.as_str())) {
            it.to += 1;
        }
        at = it.to;
        // `find the lines that contain "x"` has one text, and `contain "x" or "y"` two.
        if found.is_some() {
            return None;
        }
        let before = it.from.saturating_sub(3)..it.from;
        let not = before.rev().take_while(|at| !tokens[*at].ends).find(|at| negates(&tokens[*at]));
        if let Some(not) = not {
            (it.is_not, it.from) = (true, not);
        }
        it.any_case = any_case;
        if it.to == cases.start {
            it.to = cases.end;
        }
        found = Some(it);
    }
    found
}

/// A text in quotes, with the verb before it if there is one.
fn quoted(tokens: &[Token], at: usize, lexicon: &Lexicon) -> Option<Looked> {
    let Some(Literal::Quoted(text)) = &tokens[at].literal else { return None };
    let mut from = at;
    while from > 0 && !tokens[from - 1].ends && BETWEEN.contains(&tokens[from - 1].lower.as_str()) {
        from -= 1;
    }
    let verb = from.checked_sub(1).filter(|it| !tokens[*it].ends);
    let place = verb.and_then(|it| place(tokens, it, lexicon));
    let (from, place) = match (verb, place) {
        (Some(verb), Some(place)) => (verb, place),
        _ => (from, Place::Anywhere),
    };
    let text = text.clone();
    Some(Looked { text, place, is_quoted: true, ..Looked::of(from, at + 1) })
}

/// The words behind a verb, as far as they occur.
fn behind_verb(tokens: &[Token], at: usize, texts: &[&str], lexicon: &Lexicon) -> Option<Looked> {
    let place = place(tokens, at, lexicon).filter(|_| !tokens[at].ends)?;
    let mut from = at + 1;
    while tokens.get(from).is_some_and(|it| BETWEEN.contains(&it.lower.as_str()) && !it.ends) {
        from += 1;
    }
    let (len, text) =
        (1..=LONGEST).rev().find_map(|len| Some((len, phrase(tokens, from, len, texts)?)))?;
    Some(Looked { text, place, ..Looked::of(at, from + len) })
}

/// The words before a verb, as far as they occur: `in which files does rain appear`.
fn before_verb(tokens: &[Token], at: usize, texts: &[&str]) -> Option<Looked> {
    (1..=LONGEST).rev().find_map(|len| {
        let verb = tokens.get(at + len).filter(|it| BEHIND.contains(&it.lower.as_str()))?;
        let is_asked =
            at > 0 && matches!(tokens[at - 1].lower.as_str(), "is" | "are" | "does" | "do");
        let text = phrase(tokens, at, len, texts).filter(|_| is_asked && !verb.is_stop)?;
        Some(Looked { text, ..Looked::of(at - 1, at + len + 1) })
    })
}

/// Some tokens as a text, if it occurs as a word.
fn phrase(tokens: &[Token], from: usize, len: usize, texts: &[&str]) -> Option<String> {
    let own = tokens.get(from..from + len)?;
    let is_plain = |it: &Token| it.literal.is_none();
    let is_whole = own[..len - 1].iter().all(|it| !it.ends) && own.iter().all(is_plain);
    if !is_whole || own[0].is_stop || own[len - 1].is_stop {
        return None;
    }
    let text = own.iter().map(|it| it.text.as_str()).collect::<Vec<_>>().join(" ");
    let singular = text.strip_suffix('s').map(str::to_owned);
    let looked = |text: String| Looked { text, ..Looked::of(from, from + len) };
    let occurs = |text: &String| {
        let it = looked(text.clone());
        texts.iter().any(|of| it.is_in(of))
    };
    [Some(text), singular].into_iter().flatten().find(occurs)
}

/// Where the verb says that the text is.
fn place(tokens: &[Token], at: usize, lexicon: &Lexicon) -> Option<Place> {
    const HOLDING: [&str; 10] = [
        "contain",
        "contains",
        "containing",
        "mention",
        "mentions",
        "mentioning",
        "has",
        "have",
        "say",
        "says",
    ];
    let token = &tokens[at];
    // `starting with`, but not `the first ERROR line`.
    let is_with = tokens.get(at + 1).is_some_and(|it| it.lower == "with");
    if HOLDING.contains(&token.lower.as_str()) {
        return Some(Place::Anywhere);
    }
    match token {
        _ if token.is_stop || token.lower.starts_with("line") || !is_with => None,
        _ if has(&lexicon.starts, token) => Some(Place::Start),
        _ if has(&lexicon.ends, token) => Some(Place::End),
        _ => None,
    }
}

/// Whether a goal says that capital letters do not matter, and where.
fn ignores_case(tokens: &[Token]) -> (bool, std::ops::Range<usize>) {
    const SAYING: [&[&str]; 6] = [
        &["ignoring", "case"],
        &["regardless", "of", "case"],
        &["upper", "or", "lower", "case"],
        &["lower", "or", "upper", "case"],
        &["big", "or", "small"],
        &["case", "insensitive"],
    ];
    let found = (0..tokens.len()).find_map(|at| {
        let is_it = |words: &&&[&str]| {
            let own = tokens.get(at..at + words.len());
            own.is_some_and(|own| own.iter().zip(**words).all(|(it, word)| it.lower == *word))
        };
        SAYING.iter().find(is_it).map(|it| at..at + it.len())
    });
    (found.is_some(), found.unwrap_or(usize::MAX..usize::MAX))
}

impl Looked {
    /// The words from a place on, as far as they occur in a text.
    pub(super) fn word(tokens: &[Token], at: usize, texts: &[&str]) -> Option<Self> {
        let found = |len: usize| Some((len, phrase(tokens, at, len, texts)?));
        let (len, text) = (1..=LONGEST).rev().find_map(found)?;
        Some(Self { text, ..Self::of(at, at + len) })
    }

    fn of(from: usize, to: usize) -> Self {
        let (text, place) = (String::new(), Place::Anywhere);
        Self { from, to, text, place, is_quoted: false, is_not: false, any_case: false }
    }

    /// Whether a text without quotes means words of any case: `URGENT` and `Kelby` do not.
    fn ignores_case(&self) -> bool {
        self.any_case || !self.is_quoted && !self.text.contains(char::is_uppercase)
    }

    /// Whether a text contains what is looked for, as a word or its plural.
    fn is_in(&self, of: &str) -> bool {
        let lower = |it: &str| if self.ignores_case() { it.to_lowercase() } else { it.to_owned() };
        let (of, text) = (lower(of), lower(&self.text));
        of.match_indices(&text).any(|(at, _)| {
            let is_edge = |it: &str| !it.starts_with(char::is_alphanumeric);
            let rest = &of[at + text.len()..];
            let is_start = !of[..at].ends_with(char::is_alphanumeric);
            is_start
                && (is_edge(rest)
                    || ["s", "es"].iter().any(|it| rest.strip_prefix(it).is_some_and(is_edge)))
        })
    }

    /// The condition on a value, in the syntax of scripts. The values decide how it is written.
    pub(super) fn condition(&self, cell: &str, values: &[&str]) -> String {
        let text = literal::text(&self.text);
        let is_exact = |it: &&str| it.contains(&self.text) == self.is_in(it);
        let test = match self.place {
            Place::Start => format!("starts_with({cell}, prefix: {text})"),
            Place::End => format!("ends_with({cell}, suffix: {text})"),
            Place::Anywhere if self.is_quoted && !self.any_case || values.iter().all(is_exact) => {
                format!("contains({cell}, item: {text})")
            }
            Place::Anywhere => format!("matches({cell}, pattern: {})", self.pattern()),
        };
        if self.is_not { format!("not {test}") } else { test }
    }

    /// The words, not parts of others, as a regular expression.
    fn pattern(&self) -> String {
        let mut pattern = String::from(if self.ignores_case() { "(?i)" } else { "" });
        let edge =
            |it: Option<char>| if it.is_some_and(char::is_alphanumeric) { "\\b" } else { "" };
        pattern += edge(self.text.chars().next());
        for it in self.text.chars() {
            if it.is_ascii_punctuation() {
                pattern.push('\\');
            }
            pattern.push(it);
        }
        if !self.is_quoted {
            pattern += "(s|es)?";
        }
        pattern += edge(self.text.chars().next_back());
        if pattern.contains('\'') { literal::text(&pattern) } else { format!("'{pattern}'") }
    }

    /// Whether no line contains it twice, so that lines are places.
    pub(super) fn is_once(&self, lines: &[&str]) -> bool {
        let lower = |it: &str| it.to_lowercase();
        lines.iter().all(|it| lower(it).matches(&lower(&self.text)).count() <= 1)
    }
}

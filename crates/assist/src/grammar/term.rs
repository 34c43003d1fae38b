//! The parts of a grammar, independent of a notation.

use std::collections::BTreeSet;

/// A rule with its name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) body: Term,
}

/// The kind of gaps between the parts of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Whitespace and comments.
    Spaced,
    /// Nothing.
    Tight,
    /// Nothing, and its parts are characters: a word of the language.
    Lexical,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Term {
    Text(String),
    Set(Set),
    Rule(String),
    Seq(Vec<Term>),
    Alt(Vec<Term>),
    Opt(Box<Term>),
    Star(Box<Term>),
    Plus(Box<Term>),
    /// A lower-case name that is not one of these words.
    NameBut(BTreeSet<String>),
    /// Whitespace and comments, or nothing.
    Space,
    /// At least one whitespace character or comment.
    Gap,
}

/// Some characters, or all characters except them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Set {
    pub(super) ranges: Vec<(char, char)>,
    pub(super) negated: bool,
}

/// The characters of words.
pub(super) const WORD: [(char, char); 4] = [('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];

/// The first characters of names.
pub(super) const FIRST: [(char, char); 2] = [('_', '_'), ('a', 'z')];

impl Set {
    pub(super) fn of(ranges: &[(char, char)]) -> Self {
        Self { ranges: ranges.to_vec(), negated: false }
    }

    pub(super) fn contains(&self, it: char) -> bool {
        self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&it)) != self.negated
    }

    /// The same set without some characters.
    pub(super) fn without(&self, gone: &BTreeSet<char>) -> Self {
        let mut ranges = self.ranges.clone();
        for gone in gone {
            let cut = |(from, to): (char, char)| {
                let before = (from < *gone).then(|| (from, neighbour(*gone, -1).min(to)));
                let after = (to > *gone).then(|| (neighbour(*gone, 1).max(from), to));
                before.into_iter().chain(after)
            };
            let hit = |(from, to): &(char, char)| (*from..=*to).contains(gone);
            let (whole, rest): (Vec<_>, Vec<_>) = ranges.into_iter().partition(hit);
            ranges = rest.into_iter().chain(whole.into_iter().flat_map(cut)).collect();
        }
        ranges.sort_unstable();
        Self { ranges, negated: self.negated }
    }
}

/// The neighbour of an ASCII character.
fn neighbour(it: char, by: i8) -> char {
    u8::try_from(it).ok().and_then(|it| it.checked_add_signed(by)).map_or(it, char::from)
}

impl Term {
    /// Terms in a notation, joined by a sign.
    pub(super) fn joined<'t>(
        terms: impl IntoIterator<Item = &'t Self>,
        sign: &str,
        write: fn(&Self) -> String,
    ) -> String {
        terms.into_iter().map(write).collect::<Vec<_>>().join(sign)
    }

    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    pub(super) fn rule(name: &str) -> Self {
        Self::Rule(name.to_owned())
    }

    pub(super) fn opt(self) -> Self {
        Self::Opt(Box::new(self))
    }

    pub(super) fn star(self) -> Self {
        Self::Star(Box::new(self))
    }

    /// The empty term.
    pub(super) const fn empty() -> Self {
        Self::Seq(Vec::new())
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Seq(all) if all.is_empty())
    }

    /// The direct parts of the term.
    pub(super) fn parts(&self) -> &[Self] {
        match self {
            Self::Seq(all) | Self::Alt(all) => all,
            Self::Opt(it) | Self::Star(it) | Self::Plus(it) => std::slice::from_ref(it),
            _ => &[],
        }
    }

    /// The names of all rules in the term.
    pub(super) fn rules(&self) -> Vec<&str> {
        match self {
            Self::Rule(name) => vec![name],
            it => it.parts().iter().flat_map(Self::rules).collect(),
        }
    }

    /// A name that is not one of some words, in terms of characters: `l`, then not `e`, or an
    /// `e` and then not `t`, and so on.
    pub(super) fn spelt_out(words: &BTreeSet<String>) -> Self {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        beyond(&words, &Set::of(&FIRST))
    }
}

/// Text that is not one of some words: it begins with a character that none of them begins
/// with, or continues differently from those that begin with the same character.
fn beyond(words: &[&str], first: &Set) -> Term {
    if let [only] = words
        && only.len() > 1
    {
        return beyond_one(only, first);
    }
    let heads: BTreeSet<char> = words.iter().filter_map(|it| it.chars().next()).collect();
    let word = Set::of(&WORD);
    let other = Term::Seq(vec![Term::Set(first.without(&heads)), Term::Set(word.clone()).star()]);
    let mut ways = vec![other];
    for head in heads.iter().filter(|it| first.contains(**it)) {
        let rests: Vec<&str> = words.iter().filter_map(|it| it.strip_prefix(*head)).collect();
        let more = beyond(&rests, &word);
        let more = if rests.contains(&"") { more } else { more.opt() };
        ways.push(Term::Seq(vec![Term::Text(head.to_string()), more]));
    }
    if ways.len() == 1 { ways.remove(0) } else { Term::Alt(ways) }
}

/// The same for a single word, without nesting, because readers of grammars limit the depth of
/// brackets. Such a text is longer than the word, or a prefix of it followed by another
/// character, or just a prefix. The longest alternative comes first, for readers that take the
/// first match.
fn beyond_one(only: &str, first: &Set) -> Term {
    let word = Set::of(&WORD);
    let longer = Term::Plus(Box::new(Term::Set(word.clone())));
    let mut ways = vec![Term::Seq(vec![Term::Text(only.to_owned()), longer])];
    for (idx, it) in only.char_indices().rev() {
        let allowed = if idx == 0 { first } else { &word };
        let start = (idx > 0).then(|| Term::Text(only[..idx].to_owned()));
        let other = [Term::Set(allowed.without(&[it].into())), Term::Set(word.clone()).star()];
        ways.push(Term::Seq(start.iter().cloned().chain(other).collect()));
        ways.extend(start);
    }
    Term::Alt(ways)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{super::lark, Set, Term};

    #[test]
    fn names_are_all_but_the_words() {
        let words: BTreeSet<String> = ["let", "letter", "if"].map(str::to_owned).into();
        let pattern = format!("^(?:{})$", lark::pattern(&Term::spelt_out(&words), &[]));
        let names = regex::Regex::new(&pattern).unwrap();
        for name in ["l", "le", "lets", "lett", "lette", "letters", "i", "iff", "_", "x1", "lit"] {
            assert!(names.is_match(name), "{name}");
        }
        for other in ["let", "letter", "if", "", "1", "Let", "a b"] {
            assert!(!names.is_match(other), "{other}");
        }
    }

    #[test]
    fn characters_are_taken_out_of_ranges() {
        let set = Set::of(&[('a', 'd'), ('x', 'x')]);
        let left = set.without(&['a', 'c', 'x'].into());
        assert_eq!(left.ranges, [('b', 'b'), ('d', 'd')]);
    }
}

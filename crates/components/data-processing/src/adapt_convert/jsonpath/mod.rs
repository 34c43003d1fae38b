//! `JSONPath` of RFC 9535 over values of the language.
//!
//! It is not a crate because the usual ones read a tree of their own, in which the keys are sorted,
//! find their functions by a registry at link time, or need features of `pest` that slow the
//! grammar of the language down.

mod eval;
mod parse;

pub(super) use eval::find;
pub(super) use parse::parse;

use regex::Regex;
use svc_contract::value::{Text, Value};

/// A query: where it starts, and its segments in order.
#[derive(Debug)]
pub(super) struct Query {
    /// Whether it starts at `$`, not at `@`.
    from_root: bool,
    segments: Vec<Segment>,
}

#[derive(Debug)]
struct Segment {
    /// Whether it also applies to everything below.
    descends: bool,
    selectors: Vec<Selector>,
}

#[derive(Debug)]
enum Selector {
    Name(Text),
    Wildcard,
    Index(i64),
    Slice { start: Option<i64>, end: Option<i64>, step: i64 },
    Filter(Logic),
}

#[derive(Debug)]
enum Logic {
    Any(Vec<Logic>),
    All(Vec<Logic>),
    Not(Box<Logic>),
    Exists(Query),
    Compare(Operand, Compare, Operand),
    /// `match` if it is of the whole text, else `search`.
    Matches {
        text: Operand,
        pattern: Pattern,
        is_whole: bool,
    },
}

#[derive(Debug)]
enum Pattern {
    /// A literal, which is compiled once; `None` if it is not a pattern, so that it matches nothing.
    Fixed(Option<Box<Regex>>),
    Computed(Operand),
}

#[derive(Clone, Copy, Debug)]
enum Compare {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

#[derive(Debug)]
enum Operand {
    Literal(Value),
    /// A query with at most one result.
    One(Query),
    Length(Box<Operand>),
    Count(Query),
    Value(Query),
}

/// A pattern of RFC 9485 as one of the crate `regex`: in it, a dot matches no line end.
fn pattern(text: &str, is_whole: bool) -> Option<Box<Regex>> {
    const LARGEST: usize = 1 << 20;
    let mut out = String::with_capacity(text.len() + 8);
    let mut is_class = false;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                out.push(letter);
                out.extend(letters.next());
            }
            '.' if !is_class => out.push_str("[^\\n\\r]"),
            _ => {
                is_class = (is_class || letter == '[') && letter != ']';
                out.push(letter);
            }
        }
    }
    let out = if is_whole { format!("^(?:{out})$") } else { out };
    let built = regex::RegexBuilder::new(&out).size_limit(LARGEST).build();
    built.ok().map(Box::new)
}

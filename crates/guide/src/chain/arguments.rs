//! Takes the arguments of an op from the values and words of a goal, by their types.

use svc_contract::{
    registry::{OpRef, Param, Scheme},
    value::literal,
};
use svc_text::stems::{Term, Vocabulary};

use super::goal::{Given, Goal, Kind, Mask, bit, bits};
use crate::tables::words::Token;

/// A number may be this many words away from the word that names its param.
const NEAR: usize = 2;

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments {
    pub(super) written: Vec<String>,
    /// The values that are used, by their positions in `givens`.
    pub(super) used: Mask,
    /// The words that chose an argument.
    pub(super) covers: Mask,
}

/// What a file is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    /// Any value of its format.
    Any,
    /// A value of the type of what is in it.
    Typed,
}

/// The stages that read a file.
pub(super) type Reads<'a> = &'a dyn Fn(&Given, Form) -> Option<String>;

/// The arguments of an op besides its input; `None` if the goal does not have one that is needed.
pub(super) fn arguments(
    op: OpRef,
    goal: &Goal,
    used: Mask,
    reads: Reads<'_>,
    words: &mut Vocabulary,
) -> Option<Arguments> {
    let mut all = Arguments { used, ..Arguments::default() };
    let input = op.op.input().map(|it| it.name);
    // A value belongs to the param that needs it, before others may have it.
    let mut params: Vec<&Param> = op.op.params.iter().filter(|it| Some(it.name) != input).collect();
    params.sort_by_key(|it| it.default.is_some());
    for param in params {
        let mut filling = Filling { goal, param, reads, words: &mut *words };
        match filling.argument(&all) {
            Some((text, used, covers)) => {
                all.written.push(format!("{}: {text}", param.name));
                all.used |= used;
                all.covers |= covers;
            }
            None if param.default.is_some() => {}
            None => return None,
        }
    }
    Some(all)
}

struct Filling<'a> {
    goal: &'a Goal,
    param: &'a Param,
    reads: Reads<'a>,
    words: &'a mut Vocabulary,
}

impl Filling<'_> {
    /// The text of the argument, the values that it uses, and the words that it covers.
    fn argument(&mut self, all: &Arguments) -> Option<(String, Mask, Mask)> {
        let scheme = inner(self.param.scheme);
        if let Scheme::Enum(variants) = scheme {
            return self.variant(variants);
        }
        if matches!(scheme, Scheme::Bool) {
            return self.switch();
        }
        let named = self.named();
        let free = self.goal.givens.iter().enumerate().filter(|(idx, _)| all.used & bit(*idx) == 0);
        let fitting =
            free.filter_map(|(idx, it)| Some((idx, it, fit(it, self.param, scheme, self.reads)?)));
        let best = fitting.filter_map(|(idx, given, text)| {
            let near = self.near(given, &named);
            let is_needed = self.param.default.is_none();
            // A number means what the word next to it says; a text can only be one thing.
            let is_loose = !matches!(given.kind, Kind::Number | Kind::Date | Kind::List);
            (near != 0 || is_needed || is_loose).then_some((idx, text, near))
        });
        let best = best.max_by_key(|(idx, _, near)| (*near != 0, usize::MAX - idx));
        match best {
            Some((idx, text, near)) => Some((text, bit(idx), near & self.goal.content)),
            None => self.separator(),
        }
    }

    /// The sign that a word names: `on commas`.
    fn separator(&self) -> Option<(String, Mask, Mask)> {
        const SIGNS: [(&str, &str); 9] = [
            ("comma", ","),
            ("semicolon", ";"),
            ("colon", ":"),
            ("space", " "),
            ("tab", "\t"),
            ("dash", "-"),
            ("hyphen", "-"),
            ("slash", "/"),
            ("newline", "\n"),
        ];
        if self.param.name != "sep" {
            return None;
        }
        let named = |(at, token): (usize, &Token)| {
            let name = token.lower.strip_suffix(['s']).unwrap_or(&token.lower);
            let (_, sign) = SIGNS.iter().find(|(it, _)| *it == name)?;
            Some((literal::text(sign), 0, bit(at) & self.goal.content))
        };
        self.goal.tokens.iter().enumerate().find_map(named)
    }

    /// The words that name the param: those of its name, and of the first sentence about it.
    fn named(&mut self) -> Vec<Term> {
        let doc = self.param.doc.split(['.', ':', ';']).next().unwrap_or_default();
        let text = format!("{} {doc}", self.param.name.replace('_', " "));
        self.words.terms(&text)
    }

    /// The tokens next to a value that name the param: words of its name and its description, and
    /// `the best 3` for a maximum.
    fn near(&self, given: &Given, named: &[Term]) -> Mask {
        let tokens = &self.goal.tokens;
        let is_best = |it: &str| matches!(it, "best" | "top" | "first" | "most");
        let before = given.at.checked_sub(1).filter(|it| is_best(&tokens[*it].lower));
        if let (Some(at), true) = (before, self.param.doc.contains("maximum number")) {
            return bit(at);
        }
        let behind = given.end..(given.end + NEAR).min(tokens.len());
        let places = (given.at.saturating_sub(NEAR)..given.at).chain(behind);
        let names = |it: &usize| tokens[*it].term.is_some_and(|term| named.contains(&term));
        bits(places.filter(names))
    }

    /// The variant that a word of the goal names.
    fn variant(&mut self, variants: &[&str]) -> Option<(String, Mask, Mask)> {
        variants.iter().find_map(|variant| {
            let terms = self.words.terms(&variant.replace('_', " "));
            let at = self.places(&terms)?;
            let named = self.goal.givens.iter().enumerate();
            let named = named.filter(|(_, it)| at & bits(it.at..it.end) != 0);
            let used = bits(named.map(|(idx, _)| idx));
            Some((literal::text(variant), used, at & self.goal.content))
        })
    }

    /// Whether the goal says the name of a switch.
    fn switch(&mut self) -> Option<(String, Mask, Mask)> {
        let terms = self.words.terms(&self.param.name.replace('_', " "));
        let places = self.places(&terms)? & self.goal.content;
        (places != 0).then(|| ("true".to_owned(), 0, places))
    }

    /// The places of all terms, if the goal has each.
    fn places(&self, terms: &[Term]) -> Option<Mask> {
        let of = |term: &Term| {
            let said = |at: &usize| self.goal.tokens[*at].term == Some(*term);
            let all = (0..self.goal.tokens.len()).filter(said);
            all.map(bit).reduce(|one, other| one | other)
        };
        let places: Option<Vec<Mask>> = terms.iter().map(of).collect();
        places.filter(|it| !it.is_empty()).map(|it| it.into_iter().fold(0, |a, b| a | b))
    }
}

/// The record of values that an op takes as its input: values named like fields first, then the
/// others in the order of the goal.
pub(super) fn record(op: OpRef, goal: &Goal, reads: Reads<'_>) -> Option<(String, Mask)> {
    let input = op.op.input()?;
    let Scheme::Record(_, fields) = inner(input.scheme) else { return None };
    let needed = fields.iter().filter(|it| !matches!(it.scheme, Scheme::Optional(_)));
    let needed: Vec<_> = needed.collect();
    let mut chosen: Vec<Option<(usize, String)>> = vec![None; needed.len()];
    for by_name in [true, false] {
        for (place, field) in needed.iter().enumerate() {
            let param = Param { name: field.name, doc: field.doc, ..*input };
            let is_free = |idx: usize, all: &[Option<(usize, String)>]| {
                all.iter().flatten().all(|(used, _)| *used != idx)
            };
            let mut fitting = goal.givens.iter().enumerate().filter_map(|(idx, it)| {
                let is_named = it.text.to_lowercase().contains(field.name);
                let is_it = is_free(idx, &chosen) && (is_named || !by_name);
                is_it
                    .then(|| fit(it, &param, inner(field.scheme), reads))
                    .flatten()
                    .map(|it| (idx, it))
            });
            if chosen[place].is_none() {
                let next = fitting.next();
                drop(fitting);
                chosen[place] = next;
            }
        }
    }
    let all: Vec<(usize, String)> = chosen.into_iter().collect::<Option<_>>()?;
    let used = bits(all.iter().map(|(idx, _)| *idx));
    let written =
        needed.iter().zip(&all).map(|(field, (_, text))| format!("{}: {text}", field.name));
    let written: Vec<String> = written.collect();
    (written.len() > 1).then(|| (format!("{{ {} }}", written.join(", ")), used))
}

/// A value as a param takes it.
fn fit(given: &Given, param: &Param, scheme: Scheme, reads: Reads<'_>) -> Option<String> {
    let speaks_of = |what: &str| param.doc.contains(what);
    let plain = match (given.kind, scheme) {
        (_, Scheme::OneOf(all)) => {
            return all.iter().find_map(|it| fit(given, param, inner(*it), reads));
        }
        (Kind::Zone, _) => speaks_of("time zone") && is_text(scheme),
        (Kind::Clock, _) => speaks_of("time of day") && is_text(scheme),
        (Kind::Glob, Scheme::Text) => param.name == "glob",
        (Kind::Text | Kind::Url, Scheme::Text | Scheme::TextOf(_))
        | (Kind::Text, Scheme::Var(_) | Scheme::Ordered(_) | Scheme::Json)
        | (Kind::Path | Kind::Glob, Scheme::Path)
        | (
            Kind::Number,
            Scheme::Float
            | Scheme::FloatRange(..)
            | Scheme::Amount(_)
            | Scheme::Ordered(_)
            | Scheme::Var(_),
        )
        | (Kind::List, Scheme::List(..) | Scheme::Var(_))
        | (Kind::Money, Scheme::Money | Scheme::Amount(_))
        | (Kind::Duration, Scheme::Duration | Scheme::Amount(_))
        | (Kind::Size, Scheme::Size | Scheme::Amount(_))
        | (Kind::Date, Scheme::Date | Scheme::Ordered(_)) => true,
        (Kind::Number, Scheme::Int | Scheme::IntRange(..)) => !given.text.contains('.'),
        _ => false,
    };
    if plain {
        return Some(given.text.clone());
    }
    // What is in a further file.
    if given.kind != Kind::Path || param.default.is_some() {
        return None;
    }
    match scheme {
        Scheme::Text => reads(given, Form::Text).map(|it| format!("({it})")),
        Scheme::List(Scheme::Text, _) => {
            reads(given, Form::Text).map(|it| format!("({it} >> lines)"))
        }
        Scheme::Json | Scheme::Map(_) | Scheme::Var(_) => {
            reads(given, Form::Any).map(|it| format!("({it})"))
        }
        Scheme::List(..) => reads(given, Form::Typed).map(|it| format!("({it})")),
        _ => None,
    }
}

fn inner(scheme: Scheme) -> Scheme {
    match scheme {
        Scheme::Optional(it) => inner(*it),
        other => other,
    }
}

fn is_text(scheme: Scheme) -> bool {
    matches!(scheme, Scheme::Text | Scheme::TextOf(_))
}

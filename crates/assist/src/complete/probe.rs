//! Queries the checker about the place being written: puts a typed hole there, and checks the
//! script with it.

use svc_contract::value::Type;
use svc_lang::{
    check::{Facts, HoleFact},
    diag::Span,
};

use crate::{
    Draft,
    place::{Expected, Place},
};

/// A script with a hole at the cursor, and the facts about it.
pub(super) struct Probe {
    pub(super) hole: Option<HoleFact>,
    pub(super) facts: Facts,
}

/// Prefixes of declarations, at the beginning of a line.
const DECLARATIONS: [&str; 8] =
    ["param ", "secret ", "type ", "use ", "flow ", "test ", "mock ", "let "];

impl Probe {
    /// Checks the script with a hole at a place. If the script is too broken, the text behind
    /// the place is left out.
    pub(super) fn new(draft: &Draft<'_>, place: &Place<'_>, expected: Expected) -> Self {
        let hole = if expected == Expected::Stage { "?" } else { "(?)" };
        let (before, behind) = (&place.text[..place.start], &place.text[place.end_of_call()..]);
        let whole = Self::of(draft, format!("{before}{hole}{behind}"), place.start);
        if whole.hole.is_some() {
            return whole;
        }
        let (closers, rest) = (place.closers(), next_declaration(behind));
        let cut = Self::of(draft, format!("{before}{hole}{closers}{rest}"), place.start);
        if cut.hole.is_some() { cut } else { whole }
    }

    fn of(draft: &Draft<'_>, text: String, at: usize) -> Self {
        let mut facts = draft.analyse(text).facts;
        let found = facts.holes.iter().position(|it| it.span.start.abs_diff(at) <= 1);
        Self { hole: found.map(|it| facts.holes.swap_remove(it)), facts }
    }

    /// The type of the input at the place, if there is an input.
    pub(super) fn enters(&self) -> Option<&Type> {
        self.hole.as_ref()?.enters.as_ref().filter(|it| !it.is_unknown())
    }

    /// The expected type at the place, as far as it is known.
    pub(super) fn expected(&self) -> Option<&Type> {
        self.hole.as_ref()?.expected.as_ref().filter(|it| !it.is_unknown())
    }

    /// The type of the value that a name refers to at the place.
    pub(super) fn value(&self, name: &str) -> Option<&Type> {
        let hole = self.hole.as_ref()?;
        if name == "it" {
            return hole.enters.as_ref();
        }
        let mut innermost_first = hole.values.iter().rev();
        innermost_first.find(|(it, _)| it.as_ref() == name).map(|(_, ty)| ty)
    }
}

/// The text from the next declaration on.
fn next_declaration(text: &str) -> &str {
    let starts = text.match_indices('\n').map(|(idx, _)| idx);
    let declares = |idx: &usize| DECLARATIONS.iter().any(|it| text[idx + 1..].starts_with(it));
    starts.into_iter().find(declares).map_or("", |idx| &text[idx..])
}

/// The type of the value of a `match` whose arms are being written.
pub(super) fn matched(draft: &Draft<'_>, place: &Place<'_>, open: usize) -> Option<Type> {
    let subject = place.matched(open)?;
    let (before, behind) = (&place.text[..place.start], &place.text[place.word.end..]);
    let goes_on = behind.trim_start().starts_with("=>") || behind.trim_start().starts_with('|');
    let arm = if goes_on { "_" } else { "_ => null" };
    let whole = format!("{before}{arm}{behind}");
    let cut = format!("{before}_ => null{}{}", place.closers(), next_declaration(behind));
    [whole, cut].into_iter().find_map(|text| type_of(draft, text, subject))
}

/// The type of the expression at a span of a text.
pub(super) fn type_of(draft: &Draft<'_>, text: String, span: Span) -> Option<Type> {
    let facts = draft.analyse(text).facts;
    let node = facts.nodes.into_iter().find(|it| it.span == span && !it.gives.is_unknown());
    node.map(|it| it.gives)
}

/// The type of the value before the dot that a place begins with.
pub(super) fn selected(draft: &Draft<'_>, place: &Place<'_>) -> Option<Type> {
    let (before, behind) = (&place.text[..place.start], &place.text[place.word.end..]);
    let whole = format!("{before}{behind}");
    let cut = format!("{before}{}{}", place.closers(), next_declaration(behind));
    [whole, cut].into_iter().find_map(|text| {
        let facts = draft.analyse(text).facts;
        let ending = facts.nodes.into_iter().filter(|it| it.span.end == place.start);
        let known = ending.filter(|it| !it.gives.is_unknown());
        known.min_by_key(|it| it.span.end - it.span.start).map(|it| it.gives)
    })
}

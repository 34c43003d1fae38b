//! What can be written in place of a hole, ready to insert.

use svc_lang::{
    check::{Candidate, HoleFact},
    diag::Span,
};

use super::{Callable, Draft};

/// The most components that are offered for one hole.
const MOST_OFFERED: usize = 8;

/// A text that fills a hole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fill {
    /// The hole with its types.
    pub span: Span,
    /// A stage or value. Its missing parts are holes.
    pub text: String,
}

/// The hole whose `?` and name are at a place.
pub(super) fn hole_at<'a>(draft: &Draft<'a>, at: usize) -> Option<&'a HoleFact> {
    let (facts, text) = (&draft.analysis.facts, draft.text());
    facts.holes.iter().find(|it| {
        let hole = &text[it.span.range()];
        let named = hole.find(|it: char| it.is_whitespace() || it == ':').unwrap_or(hole.len());
        // An editor replaces text of one line.
        let is_at = (it.span.start..=it.span.start + named).contains(&at) || ends_at(it, hole, at);
        is_at && !hole.contains('\n')
    })
}

/// Whether a place is behind the types of a hole, and no word is being written there.
fn ends_at(hole: &HoleFact, text: &str, at: usize) -> bool {
    at == hole.span.end && text.ends_with([']', '}', '>'])
}

/// What fills the holes that a part of the text touches, best first.
pub fn fills(draft: &Draft<'_>, part: Span) -> Vec<Fill> {
    let holes = draft.analysis.facts.holes.iter();
    let touched = holes.filter(|it| it.span.start <= part.end && part.start <= it.span.end);
    let of = |hole: &HoleFact| -> Vec<Fill> {
        let direct = hole.candidates.iter().filter(|it| it.is_direct());
        let texts = direct.filter_map(|it| written(draft, hole, it)).take(MOST_OFFERED);
        let blocks = hole.blocks.iter().map(|it| format!("{it} {{ ? }}"));
        let texts = blocks.chain(texts);
        texts.map(|text| Fill { span: hole.span, text }).collect()
    };
    touched.flat_map(of).collect()
}

/// A candidate with a hole for each required argument.
fn written(draft: &Draft<'_>, hole: &HoleFact, candidate: &Candidate) -> Option<String> {
    let name = &candidate.name;
    if candidate.is_whole || hole.values.iter().any(|(it, _)| it.as_ref() == name) {
        return Some(name.clone());
    }
    let callable = Callable::named(name, &draft.analysis.facts, draft.engine.registry())?;
    let is_asked = matches!(&callable, Callable::Op(op) if op.op.generic.is_whole());
    let ty = match hole.expected.as_ref().filter(|_| is_asked) {
        Some(ty) if ty.has_unknown() => return None,
        Some(ty) => format!("<{ty}>"),
        None => String::new(),
    };
    let ports = callable.ports().into_iter().skip(1).filter(|it| it.is_required);
    let args: Vec<String> = ports.map(|it| format!("{0}: ?{0}", it.name)).collect();
    let is_call = !args.is_empty() || !ty.is_empty();
    let args = if is_call { format!("({})", args.join(", ")) } else { String::new() };
    Some(format!("{name}{ty}{args}"))
}

//! The call around a place.

use svc_lang::{
    diag::Span,
    syntax::token::{Token, TokenKind, lex},
};

use super::open;

/// The name before a `(`, and whether `>>` precedes it.
pub(super) fn callee(text: &str, tokens: &[Token], open: usize) -> (Span, bool) {
    let shown = |idx: usize| &text[tokens[idx].span.range()];
    let mut first = open;
    // A type argument may stand between the name and the arguments: `ask<Note>(`.
    if first > 0 && shown(first - 1) == ">" {
        first = (0..first).rev().find(|it| shown(*it) == "<").unwrap_or(first);
    }
    let end = first.checked_sub(1).map_or(0, |it| tokens[it].span.end);
    let adjoins = |idx: usize| tokens[idx - 1].span.end == tokens[idx].span.start;
    let is_part = |idx: usize| tokens[idx].kind == TokenKind::Word || shown(idx) == ".";
    while first > 0 && is_part(first - 1) && (end == tokens[first - 1].span.end || adjoins(first)) {
        first -= 1;
    }
    let start = tokens.get(first).map_or(end, |it| it.span.start);
    let is_stage = first.checked_sub(1).is_some_and(|it| matches!(shown(it), ">>" | "|>"));
    (Span::new(start.min(end), end), is_stage)
}

/// The call around a place: its name, and the argument that is being written.
pub struct Call<'a> {
    pub name: &'a str,
    pub is_stage: bool,
    /// The number of arguments before the place.
    pub idx: usize,
    /// The name of the argument, if it has one.
    pub argument: Option<&'a str>,
}

/// The innermost call around a place.
pub fn call_at(text: &str, at: usize) -> Option<Call<'_>> {
    let tokens = lex(text).tokens;
    let before = &tokens[..tokens.partition_point(|it| it.span.start < at)];
    let shown = |idx: usize| &text[before[idx].span.range()];
    let is_call = |idx: &usize| {
        let adjoins = *idx > 0 && before[idx - 1].span.end == before[*idx].span.start;
        let named = adjoins && (before[idx - 1].kind == TokenKind::Word || shown(idx - 1) == ">");
        shown(*idx) == "(" && named && (*idx < 2 || shown(idx - 2) != "flow")
    };
    let open = open(before).into_iter().rev().find(is_call)?;
    let (mut depth, mut idx, mut begins) = (0_usize, 0, open + 1);
    for (at, token) in before.iter().enumerate().skip(open + 1) {
        match token.kind {
            TokenKind::Open(_) | TokenKind::TextOpen => depth += 1,
            TokenKind::Close(_) | TokenKind::TextClose => depth = depth.saturating_sub(1),
            TokenKind::Sign if depth == 0 && shown(at) == "," => (idx, begins) = (idx + 1, at + 1),
            _ => {}
        }
    }
    let is_named = begins + 1 < before.len() && shown(begins + 1) == ":";
    let (name, is_stage) = callee(text, before, open);
    Some(Call {
        name: &text[name.range()],
        is_stage,
        idx,
        argument: is_named.then(|| shown(begins)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_call_around_a_place_is_found() {
        let text = "x >> take(n: len(a, ";
        let call = call_at(text, text.len()).unwrap();
        assert_eq!((call.name, call.is_stage, call.idx), ("len", false, 1));
        let call = call_at(text, 13).unwrap();
        assert_eq!((call.name, call.is_stage, call.argument), ("take", true, Some("n")));
        assert!(call_at("x >> (a", 7).is_none());
        let typed = "x >> ask<Note>(";
        assert_eq!(call_at(typed, typed.len()).unwrap().name, "ask");
    }
}

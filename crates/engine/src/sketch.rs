//! Sketches: scripts whose wrong stages are holes.

use svc_lang::{
    diag::{Code, Report, Span},
    syntax::{
        self,
        token::{Token, TokenKind, lex},
    },
};

/// The maximum number of stages that become holes.
const MOST_HOLES: usize = 20;

/// A hole, as a script writes it.
const HOLE: &str = "?";

/// The script with a hole in place of each stage with an error; `None` if errors remain that no
/// hole removes.
pub(super) fn of(script: &str, check: impl Fn(&str) -> Report) -> Option<String> {
    let mut text = script.to_owned();
    for _ in 0..MOST_HOLES {
        let report = check(&text);
        let Some(wrong) = report.errors().find(|it| it.code != Code::E224) else {
            return Some(syntax::format(&text).text);
        };
        let at = wrong.labels.first()?.span;
        let stage = stage(&text, at)?;
        if text.get(stage.start..stage.end)? == HOLE {
            return None;
        }
        text.replace_range(stage.start..stage.end, HOLE);
    }
    None
}

/// The stage around a place: from the sign before it to the sign behind it, in its own brackets.
fn stage(text: &str, at: Span) -> Option<Span> {
    let tokens = lex(text).tokens;
    let first = tokens.iter().position(|it| it.span.end > at.start)?;
    let start = start(text, &tokens, first);
    let end = end(text, &tokens, start, first);
    Some(tokens.get(start)?.span.to(tokens.get(end)?.span))
}

fn is_sign(text: &str, token: &Token) -> bool {
    matches!(text.get(token.span.start..token.span.end), Some(">>" | "=" | "->" | ","))
}

fn start(text: &str, tokens: &[Token], from: usize) -> usize {
    let mut depth = 0_usize;
    let mut idx = from;
    while idx > 0 {
        let before = &tokens[idx - 1];
        match before.kind {
            TokenKind::Close(_) | TokenKind::TextClose => depth += 1,
            TokenKind::Open(_) | TokenKind::TextOpen if depth == 0 => break,
            TokenKind::Open(_) | TokenKind::TextOpen => depth -= 1,
            _ if depth == 0 && is_sign(text, before) => break,
            _ => {}
        }
        if depth == 0 && tokens[idx].starts_line {
            break;
        }
        idx -= 1;
    }
    idx
}

fn end(text: &str, tokens: &[Token], start: usize, from: usize) -> usize {
    let mut depth = 0_usize;
    let mut idx = start;
    while idx + 1 < tokens.len() {
        match tokens[idx].kind {
            TokenKind::Open(_) | TokenKind::TextOpen => depth += 1,
            TokenKind::Close(_) | TokenKind::TextClose => depth = depth.saturating_sub(1),
            _ => {}
        }
        let next = &tokens[idx + 1];
        let closes = matches!(next.kind, TokenKind::Close(_) | TokenKind::TextClose);
        let ends = closes || is_sign(text, next) || next.starts_line;
        if depth == 0 && idx >= from && ends {
            break;
        }
        idx += 1;
    }
    idx
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_ends_at_its_signs() {
        let text = "\"a\" >> wrods(x: 1) >> len\nlet b = 1 >> each { wrong(it) }\nb";
        let of = |word: &str| {
            let at = text.find(word).unwrap();
            let span = stage(text, Span { start: at, end: at + 1 }).unwrap();
            &text[span.start..span.end]
        };
        assert_eq!(of("wrods"), "wrods(x: 1)");
        assert_eq!(of("len"), "len");
        assert_eq!(of("wrong"), "wrong(it)");
    }
}

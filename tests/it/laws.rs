//! What formatting may never change, for the tests and for the fuzzer.

use svc_lang::syntax::{format, parse, token};

/// Formats a text and returns the result, after checking that its meaning is unchanged.
#[track_caller]
pub(crate) fn assert_format_is_lawful(text: &str) -> String {
    let once = format(text).text;
    assert_same("formatting twice", text, &once, &format(&once).text);
    let meant = in_our_words(text);
    assert_same("the tokens", text, &signs(&meant), &signs(&once));
    assert_same("the comments", text, &comments(&meant), &comments(&once));
    assert_same("the tree", text, &tree(&meant), &tree(&once));
    once
}

#[track_caller]
fn assert_same(what: &str, text: &str, before: &str, after: &str) {
    if before != after {
        let at = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
        let around = |it: &str| {
            let from = it.floor_char_boundary(at.saturating_sub(150));
            it[from..it.ceil_char_boundary(at + 150).min(it.len())].to_owned()
        };
        panic!("{what} of\n{text}\n--- was\n{}\n--- is\n{}", around(before), around(after));
    }
}

/// Normalizes the bounds that formatting renames.
fn in_our_words(text: &str) -> String {
    let text = renamed(text, "timeout_sec: ", |number| format!("timeout: {number}s"));
    renamed(&text, "max_budget_usd: 0.5", |rest| format!("max_cost: $0.5{rest}0"))
}

/// Applies `rename` to every `key` and the digits after it.
fn renamed(text: &str, key: &str, rename: fn(&str) -> String) -> String {
    let mut pieces = text.split(key);
    let mut all = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let digits = piece.find(|it: char| !it.is_ascii_digit()).unwrap_or(piece.len());
        all.push_str(&rename(&piece[..digits]));
        all.push_str(&piece[digits..]);
    }
    all
}

/// Everything except commas, comments and gaps.
fn signs(text: &str) -> String {
    let pieces = token::lex(text).tokens.into_iter().map(|it| &text[it.span.range()]);
    pieces.filter(|it| *it != ",").collect()
}

/// Every comment, and the amount of script before it.
fn comments(text: &str) -> String {
    let lexed = token::lex(text);
    let mut all = String::new();
    let (mut before, mut tokens) = (0, lexed.tokens.iter().peekable());
    for comment in &lexed.comments {
        while let Some(token) = tokens.next_if(|it| it.span.start < comment.start) {
            let piece = &text[token.span.range()];
            before += if piece == "," { 0 } else { piece.len() };
        }
        all.push_str(&format!("{before}: {}\n", text[comment.range()].trim_end()));
    }
    all
}

/// The tree without positions.
fn tree(text: &str) -> String {
    let shown = format!("{:?}", parse(text).program);
    let mut pieces = shown.split("Span { start: ");
    let mut bare = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        bare.push_str(piece.split_once('}').map_or(piece, |(_, rest)| rest));
    }
    bare
}

//! What formatting may never change, for the tests and for the fuzzer.

use svc::syntax::{format, parse, token};

/// Formats a text and gives the result, which keeps what the text says.
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
    assert!(before == after, "{what}\n--- of\n{text}\n--- was\n{before}\n--- is\n{after}");
}

/// The text with the bounds that formatting renames.
fn in_our_words(text: &str) -> String {
    text.replace("timeout_sec: 20,", "timeout: 20s,")
        .replace("timeout_sec: 20 }", "timeout: 20s }")
        .replace("max_budget_usd: 0.5 }", "max_cost: $0.50 }")
}

/// All that is not a comma, a comment or a gap.
fn signs(text: &str) -> String {
    let pieces = token::lex(text).tokens.into_iter().map(|it| &text[it.span.range()]);
    pieces.filter(|it| *it != ",").collect()
}

/// Every comment, and how much of the script stands before it.
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

/// The tree without its places.
fn tree(text: &str) -> String {
    let shown = format!("{:?}", parse(text).program);
    let mut pieces = shown.split("Span { start: ");
    let mut bare = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        bare.push_str(piece.split_once('}').map_or(piece, |(_, rest)| rest));
    }
    bare
}

//! Documents as one text for prompts.

use svc_contract::{
    registry::{Example, Inline, Items, Measure, Op, OpError, Scheme, documents::Doc, params},
    value::{Record, Value},
};
use svc_text::tokens::{BYTES_PER_TOKEN, bytes};

params! {
    /// Writes documents one after another, numbered, each under its title and path.
    ///
    /// A document is `[1] title (path)` on a line, followed by its text. An empty line separates
    /// documents. The first document that does not fit is cut between words and ends in `…`; those
    /// after it are omitted.
    pub(super) struct ToText {
        /// The documents or passages.
        docs: Items<Doc>,
        /// The maximum number of tokens of the text, estimated at four bytes per token.
        #[range(1..=10_000_000)]
        max_tokens: i64 = 100_000,
    }
}

impl Op for ToText {
    const NAME: &'static str = "to_text";
    const YIELDS: Scheme = Scheme::Text;
    const OUTPUT: Measure = Measure::Arg("max_tokens", BYTES_PER_TOKEN);
    const SAYS: &'static [&'static str] = &[
        "put documents into a prompt",
        "one text out of many documents",
        "one block of context from several sources",
        "number the sources under their titles",
        "string together pages up to a token limit",
        "format search results as plain context",
        "flatten hits into a readable string",
        "stitch sources together for an llm",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A prompt's context",
            r#"[{ id: "a", title: "Caps", path: "docs/a.md", text: "Budgets are kept." }]
  >> docs_to_text"#,
            r#""[1] Caps (docs/a.md)\nBudgets are kept.""#,
        ),
        Example::ok(
            "A token limit",
            r#"[{ id: "a", title: "A", path: "a.md", text: "one two three four" }]
  >> docs_to_text(max_tokens: 6)"#,
            r#""[1] A (a.md)\none two…""#,
        ),
        Example::ok("No documents", "[] >> docs_to_text", r#""""#),
    ];
}

impl Inline for ToText {
    fn run(self) -> Result<Value, OpError> {
        let most = usize::try_from(self.max_tokens).map_or(usize::MAX, bytes);
        let mut out = String::new();
        for (idx, doc) in self.docs.0.iter().enumerate() {
            let Some(doc) = doc.as_record() else {
                let kind = doc.kind();
                let message =
                    format!("expected [Doc] for `docs`, found {kind} as item {}", idx + 1);
                return Err(OpError::invalid_input(message));
            };
            if !write(&mut out, idx + 1, doc, most) {
                break;
            }
        }
        Ok(out.into())
    }
}

/// Adds a document, or as much of it as fits; returns whether all of it fit.
fn write(out: &mut String, number: usize, doc: &Record, most: usize) -> bool {
    let field = |name| doc.get(name).and_then(Value::as_str).unwrap_or_default().trim();
    let gap = if out.is_empty() { "" } else { "\n\n" };
    let head = match (field("title"), field("path")) {
        ("", "") => format!("{gap}[{number}]\n"),
        (title, path) if title.is_empty() || title == path => format!("{gap}[{number}] {path}\n"),
        (title, "") => format!("{gap}[{number}] {title}\n"),
        (title, path) => format!("{gap}[{number}] {title} ({path})\n"),
    };
    let body = field("text");
    let room = most.saturating_sub(out.len() + head.len());
    if head.len() + body.len() <= most.saturating_sub(out.len()) {
        out.extend([head.as_str(), body]);
        return true;
    }
    let part = beginning(body, room);
    if !part.is_empty() {
        out.extend([head.as_str(), part, "…"]);
    }
    false
}

/// Returns the first words of `text` that fit into `room` with an ellipsis.
fn beginning(text: &str, room: usize) -> &str {
    let end = text.floor_char_boundary(room.saturating_sub("…".len()));
    let part = text.get(..end).unwrap_or_default();
    let cut = part.rfind(char::is_whitespace).and_then(|it| part.get(..it));
    cut.unwrap_or_default().trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{decode, hit};

    fn run(docs: Vec<Value>, max_tokens: i64) -> String {
        let op = decode::<ToText>(docs.into(), &[("max_tokens", max_tokens.into())]);
        op.run().unwrap().as_str().unwrap().to_owned()
    }

    #[test]
    fn documents_are_numbered_and_kept_within_the_budget() {
        let docs = || {
            vec![
                hit("a.md", "A", "one two three four\n", "", 0.0),
                hit("b.md", "b.md", "ü ü", "", 0.0),
            ]
        };
        let whole = "[1] A (a.md)\none two three four\n\n[2] b.md\nü ü";
        assert_eq!(run(docs(), 1_000), whole);
        for max in 1..20 {
            let text = run(docs(), max);
            assert!(svc_text::tokens::tokens(&text) <= usize::try_from(max).unwrap(), "{text}");
        }
        assert_eq!(run(docs(), 6), "[1] A (a.md)\none two…");
        assert_eq!(run(docs(), 1), "");
        assert_eq!(run(vec![], 1), "");
    }
}

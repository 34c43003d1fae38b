//! Renders the explanation of a word of the language as text.

use svc_lang::constructs::Construct;

use super::{
    prose,
    terminal::{Ink, Stream},
};

/// The whole explanation: what it does, its forms, an example with its result, what fails.
pub(super) fn page(construct: &Construct, out: Stream) -> String {
    let Construct { words, summary, form, example, result, fails, chapter, .. } = *construct;
    let head = out.paint(&words.join(", "), Ink::Bold);
    let titled = |title: &str, text: &str| {
        format!("{}\n{}", out.paint(title, Ink::Bold), prose::block(text))
    };
    [
        format!("{head}  {}", prose::page(summary, out)),
        titled("form", form),
        titled("example", example),
        titled("result", result),
        prose::page(fails, out),
        format!("see docs/{chapter}\n"),
    ]
    .join("\n")
}

//! Markdown as its readers see it.

use pulldown_cmark::{BrokenLink, CowStr, Event, LinkType, Options, Parser, TagEnd};

/// Returns the text of Markdown on one line: without marks of emphasis, links and HTML, with code
/// in its backticks.
pub fn plain(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    // The definition of `[text][name]` may be elsewhere in the document.
    let resolve = |link: BrokenLink<'_>| {
        let is_link = matches!(link.link_type, LinkType::Reference | LinkType::ReferenceUnknown);
        is_link.then_some((CowStr::Borrowed(""), CowStr::Borrowed("")))
    };
    let parser = Parser::new_with_broken_link_callback(markdown, Options::empty(), Some(resolve));
    for event in parser {
        match event {
            Event::Text(it) => out.push_str(&it),
            Event::Code(it) => out.extend(["`", &it, "`"]),
            Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::End(TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item) => out.push(' '),
            _ => {}
        }
    }
    on_one_line(&without_stray_marks(&out))
}

/// Removes the remaining mark of a bold span that extends over several sentences.
fn without_stray_marks(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(idx, it)| if idx % 2 == 0 { it.replace("**", "") } else { it.into() });
    parts.collect::<Vec<_>>().join("`")
}

/// Replaces each run of white space with one space, and trims the ends.
pub fn on_one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_and_words_stay() {
        assert_eq!(
            plain("A **bold** _word_ in\r\n`code *x*` and [a link](http://x.y) or [two][ref]."),
            "A bold word in `code *x*` and a link or two."
        );
        assert_eq!(
            plain("snake_case 2 * 3 * 4, xs[0] &amp; \\*"),
            "snake_case 2 * 3 * 4, xs[0] & *"
        );
        assert_eq!(plain("**Half. open"), "Half. open");
        assert_eq!(plain("> quoted\n> text <b>here</b>"), "quoted text here");
        assert_eq!(plain("![logo](a.png) ✓ ü"), "logo ✓ ü");
        assert_eq!(plain(" \n"), "");
    }
}

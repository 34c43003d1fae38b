//! Markdown as text and as sections.

use svc_contract::{
    registry::{Example, Max, Op, Scheme, params, record},
    value::Text,
};

params! {
    /// Returns the text of Markdown as its readers see it: without marks, links and HTML.
    ///
    /// Paragraphs, headings, items and rows of tables are lines of their own, with an empty line
    /// between paragraphs; code stays as it is.
    pub(super) struct MarkdownText {
        /// The Markdown (`CommonMark`, with tables).
        markdown: Text,
    }
}

impl Op for MarkdownText {
    const NAME: &'static str = "markdown_text";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &[
        "plain text of markdown",
        "strip the formatting of a readme",
        "remove asterisks and links",
        "markdown without marks",
        "get rid of hashes, stars and backticks",
        "prose without markup",
        "unformatted text of an md document",
        "remove hashes and asterisks from a note",
    ];
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "A heading and a link",
        r##""# Title\n\nA *bold* [link](https://a.org)." >> markdown_text"##,
        r#""Title\n\nA bold link.""#,
    )];
}

record! {
    /// A heading of Markdown and what stands under it.
    struct Section {
        /// The text of the heading; empty before the first heading.
        title: Text,
        /// The level of the heading, from 1 to 6; 0 before the first heading.
        level: i64,
        /// The Markdown up to the next heading.
        text: Text,
    }
}

params! {
    /// Cuts Markdown at its headings.
    ///
    /// A section ends at the next heading of any level. What stands before the first heading is a
    /// section without a title, if there is any. Front matter between two lines of `---` at the start
    /// is left out.
    pub(super) struct Sections {
        /// The Markdown (`CommonMark`).
        markdown: Text,
    }
}

impl Op for Sections {
    const NAME: &'static str = "markdown_sections";
    const YIELDS: Scheme =
        Scheme::List(&<Section as svc_contract::registry::Field>::SCHEME, Max::Unknown);
    const SAYS: &'static [&'static str] = &[
        "split markdown at its headings",
        "chapters of a readme",
        "table of contents of a markdown file",
        "the section under a heading",
        "outline of an md document by its headers",
        "break a readme apart by chapter",
        "what is written under a certain title",
    ];
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "Two sections",
        r##""# A\none\n## B *b*\ntwo" >> markdown_sections"##,
        r#"[{"title":"A","level":1,"text":"one"},{"title":"B b","level":2,"text":"two"}]"#,
    )];
}

#[cfg(feature = "formats")]
mod body {
    use std::ops::Range;

    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
    use svc_contract::{
        registry::{Compute, Cx, Field as _, OpError},
        value::Value,
    };

    use super::{MarkdownText, Section, Sections};

    const OPTIONS: Options =
        Options::ENABLE_TABLES.union(Options::ENABLE_YAML_STYLE_METADATA_BLOCKS);

    impl Compute for MarkdownText {
        fn run(self, cx: &Cx) -> Result<Value, OpError> {
            let mut out = String::with_capacity(self.markdown.len());
            let mut is_hidden = false;
            for (number, event) in Parser::new_ext(&self.markdown, OPTIONS).enumerate() {
                if number.is_multiple_of(1_000) {
                    cx.check()?;
                }
                match event {
                    Event::Start(Tag::MetadataBlock(_)) => is_hidden = true,
                    Event::End(TagEnd::MetadataBlock(_)) => is_hidden = false,
                    Event::Text(it) | Event::Code(it) if !is_hidden => out.push_str(&it),
                    Event::SoftBreak | Event::HardBreak => out.push('\n'),
                    Event::End(TagEnd::TableCell) => out.push('\t'),
                    Event::End(TagEnd::Item | TagEnd::TableRow | TagEnd::TableHead) => {
                        end_line(&mut out, 1);
                    }
                    Event::End(
                        TagEnd::Paragraph
                        | TagEnd::Heading(_)
                        | TagEnd::CodeBlock
                        | TagEnd::List(_),
                    ) => end_line(&mut out, 2),
                    _ => {}
                }
            }
            Ok(out.trim().into())
        }
    }

    /// Ends a line with at least `ends` line ends in all.
    fn end_line(out: &mut String, ends: usize) {
        let text = out.trim_end_matches(['\n', '\t']).len();
        let there = out[text..].matches('\n').count();
        out.truncate(text);
        if text > 0 {
            out.extend(std::iter::repeat_n('\n', ends.max(there)));
        }
    }

    impl Compute for Sections {
        fn run(self, cx: &Cx) -> Result<Value, OpError> {
            let text = |range: Range<usize>| self.markdown[range].trim().into();
            let headings = headings(&self.markdown);
            cx.check()?;
            let start = headings.start;
            let ends = headings.all.iter().map(|it| it.place.start).chain([self.markdown.len()]);
            let mut sections = Vec::new();
            let mut open = (String::new(), 0, start);
            for (idx, end) in ends.enumerate() {
                let (title, level, from) = open;
                let section = Section {
                    title: title.as_str().into(),
                    level,
                    text: text(from..end.max(from)),
                };
                if level > 0 || !section.text.is_empty() {
                    sections.push(section.encode());
                }
                let Some(next) = headings.all.get(idx) else { break };
                open = (next.title.trim().to_owned(), next.level, next.place.end);
            }
            Ok(Value::from(sections))
        }
    }

    struct Heading {
        title: String,
        level: i64,
        place: Range<usize>,
    }

    struct Headings {
        /// The end of the front matter.
        start: usize,
        all: Vec<Heading>,
    }

    /// The headings of a document, without those in quotes and lists.
    fn headings(markdown: &str) -> Headings {
        let mut found = Headings { start: 0, all: Vec::new() };
        let (mut depth, mut is_inside) = (0_usize, false);
        for (event, place) in Parser::new_ext(markdown, OPTIONS).into_offset_iter() {
            match event {
                Event::End(TagEnd::MetadataBlock(_)) => found.start = place.end,
                Event::Start(Tag::BlockQuote(_) | Tag::List(_)) => depth += 1,
                Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_)) => {
                    depth = depth.saturating_sub(1);
                }
                Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                    is_inside = true;
                    let level = i64::from(level as u8);
                    found.all.push(Heading { title: String::new(), level, place });
                }
                Event::End(TagEnd::Heading(_)) => is_inside = false,
                Event::Text(it) | Event::Code(it) if is_inside => {
                    if let Some(heading) = found.all.last_mut() {
                        heading.title.push_str(&it);
                    }
                }
                Event::SoftBreak | Event::HardBreak if is_inside => {
                    if let Some(heading) = found.all.last_mut() {
                        heading.title.push(' ');
                    }
                }
                _ => {}
            }
        }
        found
    }

    #[cfg(test)]
    mod tests {
        use crate::testing::computes;

        use super::*;

        #[test]
        fn readers_see_no_marks() {
            computes::<MarkdownText>(r#"[""]"#, r#""""#);
            computes::<MarkdownText>(
                r#"["- a\n- b `c`\n\n> d\n\n| x | y |\n|---|---|\n| 1 | **2** |\n\n```\ncode *x*\n```"]"#,
                r#""a\nb c\n\nd\n\nx\ty\n1\t2\ncode *x*""#,
            );
        }

        #[test]
        fn sections_end_at_headings() {
            computes::<Sections>(r#"[""]"#, "[]");
            computes::<Sections>(
                r#"["---\ntitle: x\n---\nintro\n\nSet\ntext\n===\n\n> # no\n\n```\n# no\n```\n### C\n"]"#,
                r#"[{"title":"","level":0,"text":"intro"},{"title":"Set text","level":1,"text":"> # no\n\n```\n# no\n```"},{"title":"C","level":3,"text":""}]"#,
            );
        }
    }
}

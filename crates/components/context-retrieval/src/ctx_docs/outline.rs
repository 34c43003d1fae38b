//! The headings of Markdown.

use svc_contract::{
    registry::{Compute, Cx, ErrorKind, Example, Field, Max, Op, OpError, Scheme, params, record},
    value::{Text, Value},
};
use svc_documents::{self as extract, MarkdownHeading};

record! {
    /// A heading of Markdown.
    struct OutlineHeading {
        /// Its level, from 1, the outermost, to 6.
        level: i64,
        /// Its words, without marks.
        text: Text,
        /// The headings above it, outermost first.
        path: Vec<Text>,
        /// Where it starts, in bytes.
        start: i64,
        /// Where it ends, in bytes.
        end: i64,
    }
}

params! {
    /// Returns the headings of Markdown, each with the headings above it and its place.
    ///
    /// Headings in quotes, lists, code and HTML are left out, and so is front matter between two lines
    /// of `---`. A text of more than 500 bytes is cut and ends in `…`. `markdown_sections` returns what
    /// stands under the headings. For HTML, use `html_to_markdown` first.
    ///
    /// A text that is larger than 16 MiB, or takes too much time or memory, is an error of kind
    /// `invalid_input`. A text of more than 16 KiB is read in a process of its own with limits.
    pub(super) struct Outline {
        /// The Markdown.
        markdown: Text,
    }
}

impl Op for Outline {
    const NAME: &'static str = "outline";
    const YIELDS: Scheme = Scheme::List(&OutlineHeading::SCHEME, Max::Unknown);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unsupported, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "headings of a markdown document with their levels",
        "table of contents with nesting",
        "hierarchy of the titles in a text",
        "under which headings does a title stand",
        "structure of a long md file",
        "positions of headings in a document",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The headings above a heading",
            r##""# Guide\n\n## Caps\n\nText." >> markdown_outline"##,
            r#"[{"level":1,"text":"Guide","path":[],"start":0,"end":7},{"level":2,"text":"Caps","path":["Guide"],"start":9,"end":16}]"#,
        ),
        Example::ok("No headings", r##""#tag" >> markdown_outline"##, "[]"),
    ];
}

impl Compute for Outline {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let is_stopped = || cx.check().is_err();
        let found = extract::markdown_headings(&self.markdown, cx.host(), &is_stopped);
        // If the call was cancelled, that is the failure.
        cx.check()?;
        let found = found.map_err(|why| why.error("the Markdown"))?;
        let mut above: Vec<(i64, Text)> = Vec::new();
        let heading = |it: MarkdownHeading| {
            above.retain(|(level, _)| *level < it.level);
            let path = above.iter().map(|(_, text)| text.clone()).collect();
            let text = Text::from(it.text);
            above.push((it.level, text.clone()));
            let (start, end) = (it.range.start, it.range.end);
            OutlineHeading { level: it.level, text, path, start, end }.encode()
        };
        Ok(Value::List(found.into_iter().map(heading).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cx, decode};

    fn paths(markdown: &str) -> Vec<(String, String)> {
        let found = decode::<Outline>(Value::text(markdown), &[]).run(&cx()).unwrap();
        let field = |it: &Value, name: &str| it.as_record().unwrap().get(name).unwrap().to_string();
        let all = found.as_list().unwrap().iter();
        all.map(|it| (field(it, "text"), field(it, "path"))).collect()
    }

    #[test]
    fn a_path_has_the_headings_above() {
        let markdown = "---\ntitle: x\n---\n\n### Deep\n\nOne *b*\n=====\n\n> # no\n\n- # no\n\n### C `d`\n\n## E\n";
        let expected =
            [("Deep", "[]"), ("One b", "[]"), ("C d", r#"["One b"]"#), ("E", r#"["One b"]"#)];
        let found = paths(markdown);
        let found: Vec<_> = found.iter().map(|(a, b)| (a.trim_matches('"'), b.as_str())).collect();
        assert_eq!(found, expected);
        assert_eq!(paths(""), []);
    }
}

//! The links of Markdown.

use svc_contract::{
    registry::{Compute, Cx, ErrorKind, Example, Field, Max, Op, OpError, Scheme, params, record},
    value::{Text, Value},
};
use svc_documents::{self as extract, MarkdownLink};

record! {
    /// A link or a picture of Markdown.
    struct DocLink {
        /// Its words, without marks; of a picture, its description.
        text: Text,
        /// Its address as the text has it, which may be relative.
        url: Text,
        /// Its title; empty if it has none.
        title: Text,
        /// Whether it is a picture.
        image: bool,
        /// Where it starts, in bytes.
        start: i64,
        /// Where it ends, in bytes.
        end: i64,
    }
}

params! {
    /// Returns the links and pictures of Markdown, in their order, with their places.
    ///
    /// They are links in place (`[text](url)`), by name (`[text][name]`), and addresses in `<` and `>`.
    /// A link by a name that is not defined, an address without brackets, and links in code and HTML are
    /// text. Words of more than 500 bytes are cut and end in `…`. The links of a page are in
    /// `page_metadata`.
    ///
    /// A text that is larger than 16 MiB, or takes too much time or memory, is an error of kind
    /// `invalid_input`. A text of more than 16 KiB is read in a process of its own with limits.
    pub(super) struct Links {
        /// The Markdown.
        markdown: Text,
    }
}

impl Op for Links {
    const NAME: &'static str = "links";
    const YIELDS: Scheme = Scheme::List(&DocLink::SCHEME, Max::Unknown);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unsupported, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "links of a markdown file",
        "addresses that a readme refers to",
        "images in a markdown document",
        "list the urls in an md text",
        "check a readme for its hyperlinks",
        "where do the links of a note point to",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A link by name, and a picture",
            r#""![a map](m.png) of [Ulm][u]\n\n[u]: https://ulm.de 'The town'" >> markdown_links
  >> each { { text: .text, url: .url, title: .title, image: .image } }"#,
            r#"[{"text":"a map","url":"m.png","title":"","image":true},{"text":"Ulm","url":"https://ulm.de","title":"The town","image":false}]"#,
        ),
        Example::ok("Links in code are text", r#""`[a](b)`" >> markdown_links"#, "[]"),
    ];
}

impl Compute for Links {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let is_stopped = || cx.check().is_err();
        let found = extract::markdown_links(&self.markdown, cx.host(), &is_stopped);
        // If the call was cancelled, that is the failure.
        cx.check()?;
        let found = found.map_err(|why| why.error("the Markdown"))?;
        let link = |it: MarkdownLink| {
            let (start, end) = (it.range.start, it.range.end);
            let (text, url, title) = (it.text.into(), it.url.into(), it.title.into());
            DocLink { text, url, title, image: it.is_image, start, end }.encode()
        };
        Ok(Value::List(found.into_iter().map(link).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cx, decode};

    #[test]
    fn each_link_has_its_place() {
        let markdown = "é [a *b*](c) <https://d.e> <f@g.h> [![i](j)](k)\n\n| [l](m) |\n|---|\n";
        let found = decode::<Links>(Value::text(markdown), &[]).run(&cx()).unwrap();
        let shown = |it: &Value| {
            let it = it.as_record().unwrap();
            let place = |name| match it.get(name) {
                Some(Value::Int(it)) => usize::try_from(*it).unwrap(),
                _ => panic!(),
            };
            let text = |name| it.get(name).and_then(Value::as_str).unwrap().to_owned();
            (text("text"), text("url"), markdown[place("start")..place("end")].to_owned())
        };
        let found: Vec<_> = found.as_list().unwrap().iter().map(shown).collect();
        let expected = [
            ("a b", "c", "[a *b*](c)"),
            ("https://d.e", "https://d.e", "<https://d.e>"),
            ("f@g.h", "mailto:f@g.h", "<f@g.h>"),
            ("i", "k", "[![i](j)](k)"),
            ("i", "j", "![i](j)"),
            ("l", "m", "[l](m)"),
        ];
        assert_eq!(found, expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())));
    }
}

//! Reads PDFs: their pages, their tables, and what they say about themselves.

mod tables;

use svc_contract::{
    registry::{
        Bias, Cases, CheckCall, Component, Compute, Cx, Effect, ErrorKind, Example, Field, Op,
        OpError, Scheme, Scope, Size, compute, params, record,
    },
    value::{Text, Value},
};
use svc_documents as extract;
use svc_text::pages::BREAK;

use crate::Input;

pub(super) const COMPONENT: Component = Component {
    name: "ctx_pdf",
    cluster: "context-retrieval",
    summary: "Reads the pages, the tables and the metadata of PDFs.",
    version: 2,
    bias: Bias::new(
        "the text of each page in the order of its content; tables by lines, else by gaps",
        &["a PDF has a text layer", "text is stored in reading order", "gaps part columns"],
    )
    .judged_by(CASES),
    aliases: &[("read_pdf", "infer"), ("pdf_tables", "tables")],
    ops: &[compute::<Infer>(), compute::<tables::Tables>(), compute::<Info>()],
};

const CASES: Cases = cases!("ctx_pdf.jsonl");

/// The default maximum size of a file.
const MAX_SIZE: Size = Size(20 << 20);

/// A PDF of two pages, for examples.
const SAMPLE: &str = include_str!("sample.pdf");

record! {
    /// A page of a document.
    struct Page {
        /// Its number, from 1.
        number: i64,
        /// Its text; empty if it has none.
        text: Text,
    }
}

record! {
    /// The content of a PDF.
    struct PdfText {
        /// The text of all pages, with a form feed on a line of its own between pages.
        text: Text,
        /// The pages that were read.
        pages: Vec<Page>,
        /// The declared title; empty if there is none.
        title: Text,
    }
}

record! {
    /// What a PDF says about itself.
    struct PdfInfo {
        /// The number of pages; 0 if it is encrypted.
        pages: i64,
        /// Whether a password is needed.
        encrypted: bool,
        /// Whether its pages are images without text.
        scanned: bool,
        /// Its declared metadata, such as `author`, as an object of strings.
        metadata: Value,
    }
}

params! {
    /// Reads the text of a PDF, page by page.
    ///
    /// Text in images is not recognised: of a scanned file, all pages are empty, and a notice says so. An
    /// encrypted file is an error of kind `unsupported`. A file that is not a PDF, is damaged or is
    /// larger than `max_size`, and a page that the PDF does not have, are errors of kind
    /// `invalid_input`. A page that cannot be read is empty, with a notice. The file is read in a
    /// process of its own with limits of memory and time.
    struct Infer {
        /// The PDF: a path, a file in memory, or its content.
        from: Input,
        /// The pages to read, such as `1-3,7` or `12-`. By default, all.
        pages: Option<Text> = None,
        /// The maximum size of the file.
        max_size: Size = MAX_SIZE,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = PdfText::SCHEME;
    const CHECK: Option<CheckCall> = Some(|call| call.test("pages", |it: Text| ranges(&it)));
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("from"))];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Unsupported, ErrorKind::Denied, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "pages of a pdf",
        "read page 3 of a pdf",
        "text of some pages of a paper in pdf",
        "split a pdf into its pages",
        "first pages of a pdf only",
        "title and page texts of a .pdf",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "One page",
            r#"path("invoice.pdf") >> read_pdf(pages: "2") >> .pages"#,
            r#"[{"number":2,"text":"Total 12.50"}]"#,
        )
        .with(&[("invoice.pdf", SAMPLE)]),
        Example::err(
            "A page that is not there",
            r#"path("invoice.pdf") >> read_pdf(pages: "3")"#,
            "`invoice.pdf` has no page 3, it has 2 pages",
        )
        .with(&[("invoice.pdf", SAMPLE)]),
        Example::err(
            "Not a range of pages",
            r#"path("invoice.pdf") >> read_pdf(pages: "two")"#,
            "invalid pages `two`",
        )
        .with(&[("invoice.pdf", SAMPLE)]),
    ];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let ranges = self.pages.as_deref().map_or(Ok(Vec::new()), ranges)?;
        let (name, content) = self.from.read(self.max_size, cx)?;
        cx.check()?;
        let found = extract::pdf_pages(&content, &ranges, cx.host(), &|| cx.check().is_err());
        // If the call was cancelled, that is the failure.
        cx.check()?;
        let found = found.map_err(|why| why.error(&name))?;
        has_pages(&name, &ranges, found.count)?;
        found.notices.iter().for_each(|it| cx.notice(format!("{name}: {it}")));
        if found.pages.iter().all(|(_, text)| text.is_empty()) {
            cx.notice(format!("{name} contains no text on these pages: it may be scanned"));
        }
        let texts: Vec<&str> = found.pages.iter().map(|(_, text)| text.as_ref()).collect();
        let text = texts.join(BREAK).into();
        let page = |(number, text)| Page { number, text };
        let pages = found.pages.into_iter().map(page).collect();
        Ok(PdfText { text, pages, title: found.title.unwrap_or_default() }.encode())
    }
}

/// Tests that a PDF with this many pages has the wanted ones.
fn has_pages(name: &str, ranges: &[(i64, i64)], count: i64) -> Result<(), OpError> {
    let Some((first, _)) = ranges.iter().find(|(first, _)| *first > count) else { return Ok(()) };
    let pages = if count == 1 { "page" } else { "pages" };
    let message = format!("{name} has no page {first}, it has {count} {pages}");
    Err(OpError::invalid_input(message))
}

/// The ranges of a list of pages: `1-3,7`.
fn ranges(text: &str) -> Result<Vec<(i64, i64)>, OpError> {
    let number = |it: &str| it.trim().parse::<i64>().ok().filter(|it| *it > 0);
    let range = |it: &str| match it.split_once('-') {
        None => number(it).map(|it| (it, it)),
        Some((first, last)) if last.trim().is_empty() => Some((number(first)?, i64::MAX)),
        Some((first, last)) => {
            let (first, last) = (number(first)?, number(last)?);
            (first <= last).then_some((first, last))
        }
    };
    text.split(',').map(range).collect::<Option<_>>().ok_or_else(|| {
        let shown: String = text.chars().take(80).collect();
        OpError::invalid_input(format!("invalid pages `{shown}`"))
            .help("write numbers from 1 and ranges, such as `1-3,7` or `12-`")
    })
}

params! {
    /// Returns the number of pages and the metadata of a PDF, and whether it is encrypted or
    /// scanned.
    ///
    /// Names of metadata are in lower case. A file that is not a PDF, is damaged or is larger than
    /// `max_size` is an error of kind `invalid_input`.
    struct Info {
        /// The PDF: a path, a file in memory, or its content.
        from: Input,
        /// The maximum size of the file.
        max_size: Size = MAX_SIZE,
    }
}

impl Op for Info {
    const NAME: &'static str = "info";
    const YIELDS: Scheme = PdfInfo::SCHEME;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("from"))];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Unsupported, ErrorKind::Denied, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "how many pages does a pdf have",
        "author and metadata of a pdf",
        "is this pdf scanned",
        "does a pdf need a password",
        "properties of a .pdf file",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The number of pages",
            r#"path("invoice.pdf") >> ctx_pdf.info >> { pages: .pages, scanned: .scanned }"#,
            r#"{"pages":2,"scanned":false}"#,
        )
        .with(&[("invoice.pdf", SAMPLE)]),
        Example::err(
            "Not a PDF",
            r#"path("note.txt") >> ctx_pdf.info"#,
            "cannot read `note.txt`: it is not a readable PDF",
        )
        .with(&[("note.txt", "buy milk")]),
    ];
}

impl Compute for Info {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let (name, content) = self.from.read(self.max_size, cx)?;
        cx.check()?;
        let found = extract::pdf_info(&content, cx.host(), &|| cx.check().is_err());
        // If the call was cancelled, that is the failure.
        cx.check()?;
        let found = found.map_err(|why| why.error(&name))?;
        let (encrypted, scanned) = (found.is_encrypted, found.is_scanned);
        Ok(PdfInfo { pages: found.pages, encrypted, scanned, metadata: found.metadata }.encode())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_numbers_and_ranges() {
        assert_eq!(ranges("1-3, 7").unwrap(), [(1, 3), (7, 7)]);
        assert_eq!(ranges("12-").unwrap(), [(12, i64::MAX)]);
        for text in ["", "0", "3-1", "a", "1,,2", "-3", "1-2-3", "99999999999999999999"] {
            assert!(ranges(text).unwrap_err().help.is_some(), "{text}");
        }
    }
}

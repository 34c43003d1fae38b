//! Extracts the text of PDF files.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use svc_contract::{
    host,
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field, Op, OpError, Scheme, Scope, Size,
        documents::Doc, params,
    },
    value::{Text, Value},
};
use svc_documents::{self as extract, Document, Sink, Unreadable};
use svc_text::pages as marks;

use super::{MAX_SIZE, io_error};

/// A PDF of two pages, for examples and tests.
pub(super) const SAMPLE: &str = include_str!("sample.pdf");

/// A PDF to read: a path, a document, or the content of a file.
#[derive(Clone, Debug)]
enum Input {
    Path(PathBuf),
    /// A document: its path, and its text if it has any.
    Doc(PathBuf, Text),
    Bytes(Arc<[u8]>),
}

impl Field for Input {
    const SCHEME: Scheme = Scheme::OneOf(&[Scheme::Path, Doc::SCHEME, Scheme::Bytes]);

    fn decode(value: Value) -> Option<Self> {
        Some(match value {
            Value::Path(it) => Self::Path(it.as_ref().into()),
            Value::Bytes(it) => Self::Bytes(it),
            other => {
                let doc = Doc::decode(other)?;
                Self::Doc(doc.path.as_ref().into(), doc.text)
            }
        })
    }

    fn encode(self) -> Value {
        match self {
            Self::Path(path) | Self::Doc(path, _) => path.encode(),
            Self::Bytes(it) => Value::Bytes(it),
        }
    }
}

params! {
    /// Returns the text of a PDF, page by page, with an empty line between pages.
    ///
    /// For a document with text, as returned by `read_files`, the result is that text; a document
    /// with an empty text is read again, to report the reason. Text in images is not recognised: a
    /// scanned file is an error of kind `unsupported`, and so is an encrypted one. A file that is
    /// not a PDF, is damaged, or is larger than `max_size` is an error of kind `invalid_input`. A
    /// page that cannot be read is skipped with a notice.
    pub(super) struct PdfText {
        /// The file, a document of `read_files`, or the content of a file.
        from: Input,
        /// The maximum size of the file.
        max_size: Size = MAX_SIZE,
    }
}

impl Op for PdfText {
    const NAME: &'static str = "pdf_text";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("from"))];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Unsupported, ErrorKind::Denied, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "get the text of a pdf",
        "read a pdf",
        "extract words from an invoice in pdf",
        "what a contract in pdf says",
        "turn pdf pages into plain text",
        "get the wording out of a paper",
        "convert .pdf to text",
        "words in a pdf",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "An invoice",
            r#"path("invoice.pdf") >> pdf_text"#,
            r#""Invoice of ACME\n\nTotal 12.50""#,
        )
        .with(&[("invoice.pdf", SAMPLE)]),
        Example::ok(
            "The readable PDFs of a folder",
            r#"read_files(folder: "in", glob: "*.pdf") >> each? { pdf_text >> len } >> compact"#,
            "[28]",
        )
        .with(&[("in/a.pdf", SAMPLE), ("in/b.pdf", "%PDF-1.5 cut off")]),
        Example::err(
            "Not a PDF",
            r#"path("note.txt") >> pdf_text"#,
            "cannot extract text from `note.txt`: it is not a PDF",
        )
        .with(&[("note.txt", "buy milk")]),
    ];
}

impl Compute for PdfText {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let (name, content) = match self.from {
            Input::Doc(_, text) if !text.trim().is_empty() => {
                return Ok(marks::without_marks(&text).into());
            }
            Input::Bytes(content) => ("the content".to_owned(), content),
            Input::Path(path) | Input::Doc(path, _) => {
                let content = host::read(cx.host(), &path, self.max_size.0);
                let content = content.map_err(|err| io_error(err, &path))?;
                (shown(&path), content.into())
            }
        };
        cx.check()?;
        let read = pages(cx, &name, &content);
        // If the call was cancelled, that is the failure.
        cx.check()?;
        read.map(|it| marks::without_marks(&it.text).into()).map_err(|why| error(&name, &why))
    }
}

fn shown(path: &Path) -> String {
    format!("`{}`", path.display())
}

fn error(name: &str, why: &Unreadable) -> OpError {
    let message = format!("cannot extract text from {name}: {why}");
    match why {
        Unreadable::Encrypted => OpError::new(ErrorKind::Unsupported, message)
            .help("remove the password first, for example by printing the file to a new PDF"),
        Unreadable::Textless => OpError::new(ErrorKind::Unsupported, message)
            .help("run it through text recognition (OCR) first if it is scanned"),
        Unreadable::Damaged(_) => OpError::invalid_input(message),
        Unreadable::Unsupported => OpError::new(ErrorKind::Unsupported, message).help(
            "run it with the `svc` program, or set up a worker process as in docs/embedding.md",
        ),
        Unreadable::Unread(_) => OpError::failed(message),
    }
}

/// Whether the content starts like a PDF.
pub(super) fn is_pdf(content: &[u8]) -> bool {
    content.starts_with(b"%PDF-")
}

/// Returns a PDF with the text of all pages and marks between them. Pages that cannot be read become
/// notices.
pub(super) fn pages(cx: &Cx, name: &str, content: &[u8]) -> Result<Document, Unreadable> {
    if !is_pdf(content) {
        return Err(Unreadable::Damaged("it is not a PDF".to_owned()));
    }
    extract::pdf(name, content, cx.host(), &mut Pages { cx, name })
}

/// Forwards messages about single pages as notices.
struct Pages<'a> {
    cx: &'a Cx,
    name: &'a str,
}

impl Sink for Pages<'_> {
    fn document(&mut self, _: Document) {}

    fn notice(&mut self, _: Option<u64>, message: String) {
        self.cx.notice(format!("{}: {message}", self.name));
    }

    fn is_stopped(&self) -> bool {
        self.cx.check().is_err()
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use crate::testing::{World, working_host};

    use super::*;

    const WANTED: &str = "Invoice of ACME\n\nTotal 12.50";

    fn world() -> World {
        let empty = SAMPLE.replace("Invoice of ACME", "               ");
        let host = working_host()
            .file("a.pdf", SAMPLE)
            .file("scan.pdf", empty.replace("Total 12.50", "           "))
            .file("cut.pdf", &SAMPLE[..200])
            .file("note.txt", "x")
            .failing("secret.pdf", io::ErrorKind::PermissionDenied);
        World::new(host)
    }

    fn doc(path: &str, text: &str) -> Value {
        Doc::new(path.into(), path.into(), path.into(), text.into()).encode()
    }

    fn error_of(from: Value) -> OpError {
        world().call::<PdfText>(vec![from]).unwrap_err()
    }

    #[test]
    fn paths_documents_and_contents_are_read() {
        let contents = Value::Bytes(SAMPLE.as_bytes().into());
        for from in [Value::Path("a.pdf".into()), doc("a.pdf", " "), contents] {
            assert_eq!(world().call::<PdfText>(vec![from]).unwrap(), WANTED.into());
        }
        let known = world().call::<PdfText>(vec![doc("gone.pdf", "known")]).unwrap();
        assert_eq!(known, "known".into());
    }

    #[test]
    fn what_gives_no_text_says_why() {
        let scan = error_of(doc("scan.pdf", ""));
        assert_eq!(scan.kind, ErrorKind::Unsupported);
        assert_eq!(scan.message, "cannot extract text from `scan.pdf`: it contains no text");
        assert!(scan.help.unwrap().contains("scanned"));
        let cut = error_of(Value::Path("cut.pdf".into()));
        assert_eq!(cut.kind, ErrorKind::InvalidInput);
        assert!(cut.message.contains("not a readable PDF"), "{cut}");
        let note = error_of(Value::Path("note.txt".into()));
        assert_eq!(note.message, "cannot extract text from `note.txt`: it is not a PDF");
        assert_eq!(error_of(Value::Path("gone.pdf".into())).kind, ErrorKind::NotFound);
        assert_eq!(error_of(Value::Path("secret.pdf".into())).kind, ErrorKind::Denied);
        let encrypted = error("`x`", &Unreadable::Encrypted);
        assert_eq!(encrypted.kind, ErrorKind::Unsupported);
        assert!(encrypted.help.is_some());
    }

    #[test]
    fn large_files_are_refused_and_a_cancelled_call_ends() {
        let args = vec![Value::Path("a.pdf".into()), Value::Size(10)];
        let err = world().call::<PdfText>(args).unwrap_err();
        assert_eq!(err.message, "cannot use `a.pdf`: larger than 10B");
        let world = world();
        world.cancel.cancel();
        let err = world.call::<PdfText>(vec![Value::Path("a.pdf".into())]).unwrap_err();
        assert_eq!(err.kind, ErrorKind::Cancelled);
    }
}

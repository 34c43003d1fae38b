//! Reads many files as documents.

use std::{
    io,
    path::{Path, PathBuf},
};

use svc_contract::{
    host::{self, DirEntry, Stat},
    registry::{
        CheckCall, Compute, Cx, Effect, ErrorKind, Example, Field, Max, Op, OpError, Scheme, Scope,
        Size, documents::Doc, params,
    },
    value::{Text, Value, units},
};
use svc_documents::{self as extract, Document, Sink};

use super::{MAX_SIZE, glob::Glob, io_error, pdf, read::ERRORS};

/// The limit of all texts together; a folder with more is too large for one list.
const MOST_TEXT: u64 = 1 << 30;

params! {
    /// Reads the documents of a folder and its subfolders, in the order of their paths.
    ///
    /// Reads text in UTF-8, UTF-16 with a byte order mark or an older encoding, which is guessed and
    /// named in a notice; the articles of web pages (HTML), or all visible text if they have none;
    /// PDF; DOCX, PPTX, XLSX, ODT, ODP, ODS and EPUB; mail (EML, mbox), each
    /// message and attachment as a document; and what is in ZIP and GZIP, as `a.zip/b.txt`. A form
    /// feed on a line of its own ends a page of a PDF or document, a slide, a sheet or a chapter.
    /// Such documents are read in a process of its own with limits of memory and time.
    ///
    /// `meta` has what a document says about itself, such as `author` and `created`, the front
    /// matter of Markdown (which stays in the text), and `modified` and `size` of the file.
    ///
    /// A PDF without text, because it is scanned, encrypted or damaged, becomes a document with an
    /// empty text and a notice; `pdf_text` fails on it with the reason. Hidden files and files that
    /// ignore files (`.gitignore`, `.ignore`) exclude are skipped. Files that are larger than
    /// `max_size`, are not text or cannot be read are skipped, each with a notice. Documents after
    /// the first `max_files` are left out, also with a notice. Fails if the texts are larger than 1 GiB
    /// together. If `folder` is a file, it is read whatever its name, and a failure to read it is a
    /// failure of the op.
    pub(super) struct ReadFiles {
        /// The folder, or one file.
        folder: PathBuf,
        /// The files to read: `*` and `?` match parts of a name, `{md,txt}` either name, `**/` any
        /// folders. A glob without a `/` is matched with the file's name, one with a `/` with its
        /// path relative to the folder.
        glob: Text = "*".into(),
        /// The maximum number of documents.
        #[range(1..=100_000)]
        max_files: i64 = 1_000,
        /// The maximum size of a file to read.
        max_size: Size = MAX_SIZE,
    }
}

impl Op for ReadFiles {
    const NAME: &'static str = "read_files";
    const YIELDS: Scheme = Scheme::List(&Doc::SCHEME, Max::Arg("max_files"));
    const CHECK: Option<CheckCall> = Some(|call| call.test("glob", |it: Text| Glob::new(&it)));
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("folder"))];
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "read all files in a folder",
        "load every markdown document of a directory",
        "go through my notes",
        "files that match a glob",
        "documents in all subfolders",
        "list the text files of a directory",
        "every document in this directory, with contents",
        "all notes at once",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The Markdown files",
            r#"read_files(folder: "docs", glob: "*.md") >> each { .title }"#,
            r#"["a.md","b.md"]"#,
        )
        .with(&[("docs/a.md", "A"), ("docs/b.txt", "B"), ("docs/more/b.md", "C")]),
        Example::ok("One file", r#"read_files(folder: "a.md") >> each { .text }"#, r#"["A"]"#)
            .with(&[("a.md", "A")]),
        Example::err("No such folder", r#"read_files(folder: "nowhere")"#, "it does not exist"),
    ];
}

impl Compute for ReadFiles {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let glob = Glob::new(&self.glob)?;
        let most = usize::try_from(self.max_files).unwrap_or_default();
        let stat = cx.host().stat(&self.folder).map_err(|err| io_error(err, &self.folder))?;
        if !stat.is_dir {
            let mut docs = self.read_one(cx, &stat)?;
            if docs.len() > most {
                docs.truncate(most);
                self.is_full(cx);
            }
            return Ok(docs.encode());
        }
        let mut docs = Vec::new();
        let mut left = MOST_TEXT;
        for found in walk(cx, &self.folder)? {
            cx.check()?;
            let Some((path, entry)) = wanted(cx, &self.folder, found, &glob) else { continue };
            if docs.len() == most {
                self.is_full(cx);
                break;
            }
            let read = self.read(cx, &path, &entry);
            cx.check()?;
            for doc in read.into_iter().flatten() {
                if docs.len() == most {
                    self.is_full(cx);
                    return Ok(docs.encode());
                }
                left = left.checked_sub(doc.text.len() as u64).ok_or_else(too_much)?;
                docs.push(doc);
            }
            cx.progress("files", docs.len() as u64, None);
        }
        Ok(docs.encode())
    }
}

/// A result of a walk: a file with its path relative to the folder, or a failure.
pub(super) type Found = io::Result<(PathBuf, DirEntry)>;

/// The files of a folder and its subfolders.
pub(super) fn walk(cx: &Cx, folder: &Path) -> Result<impl Iterator<Item = Found>, OpError> {
    // Walks from an absolute root, so that every host reports the path below it in the same way.
    let here = cx.host().current_dir().map_err(|err| io_error(err, folder))?;
    let root = here.join(folder);
    Ok(cx.host().walk(&root).map(move |found| {
        let entry = found?;
        let path = entry.path.strip_prefix(&root).unwrap_or(&entry.path).to_owned();
        Ok((path, entry))
    }))
}

/// The path and entry of a file that matches the glob; a failure becomes a notice.
pub(super) fn wanted(
    cx: &Cx,
    folder: &Path,
    found: Found,
    glob: &Glob,
) -> Option<(PathBuf, DirEntry)> {
    match found {
        Ok((inner, entry)) if glob.names(&inner) => Some((folder.join(inner), entry)),
        Ok(_) => None,
        Err(err) => {
            cx.notice(format!("skipped a file in `{}`: {err}", folder.display()));
            None
        }
    }
}

impl ReadFiles {
    fn is_full(&self, cx: &Cx) {
        let (folder, most) = (self.folder.display(), self.max_files);
        cx.notice(format!("`{folder}` has more than {most} files; the rest is left out"));
    }

    /// The documents of the one file that `folder` names.
    fn read_one(&self, cx: &Cx, stat: &Stat) -> Result<Vec<Doc>, OpError> {
        let path = &self.folder;
        let content =
            host::read(cx.host(), path, self.max_size.0).map_err(|err| io_error(err, path))?;
        let docs = docs_of(cx, path, content).map(|docs| with_file(docs, stat));
        docs.map_err(|why| OpError::invalid_input(format!("`{}` {why}", path.display())))
    }

    /// The documents of a file; a file without any becomes a notice.
    fn read(&self, cx: &Cx, path: &Path, entry: &DirEntry) -> Option<Vec<Doc>> {
        let limit = self.max_size.0;
        let docs = if entry.stat.size > limit {
            Err(format!("larger than {}", units::show_size(limit)))
        } else {
            host::read(cx.host(), &entry.path, limit)
                .map_err(|err| err.to_string())
                .and_then(|content| docs_of(cx, path, content).map_err(|why| format!("it {why}")))
                .map(|docs| with_file(docs, &entry.stat))
        };
        docs.inspect_err(|why| cx.notice(format!("skipped `{}`: {why}", path.display()))).ok()
    }
}

/// The documents of a file, with its properties.
fn with_file(docs: Vec<Doc>, stat: &Stat) -> Vec<Doc> {
    let meta = |it: &Doc| {
        let known = it.meta.as_ref().unwrap_or(&Value::Null);
        Some(extract::of_file(known, stat.modified, stat.size))
    };
    docs.into_iter().map(|it| Doc { meta: meta(&it), ..it }).collect()
}

/// The documents of a file: plain text unchanged, a PDF page by page, and others as they are read.
/// Otherwise why there are none, as what the file is: `is binary data, not text`.
fn docs_of(cx: &Cx, path: &Path, content: Vec<u8>) -> Result<Vec<Doc>, String> {
    let name = path.to_string_lossy();
    if pdf::is_pdf(&content) {
        let read = pdf::pages(cx, &name, &content).map(|it| (it.text, it.meta));
        let (text, meta) = read.unwrap_or_else(|why| {
            if cx.check().is_ok() {
                cx.notice(format!("cannot extract text from `{name}`: {why}"));
            }
            (String::new(), Value::Null)
        });
        return Ok(vec![doc(path, None, text, meta)]);
    }
    let mut found = Read { cx, path, docs: Vec::new(), why: None };
    if !extract::is_packed(&name, &content) {
        let text = extract::text(content, &mut found);
        let text = text.ok_or_else(|| "is binary data, not text".to_owned())?;
        if is_web_page(path) {
            let page =
                extract::web_page(&text, extract::ArticleRules::default(), &|| cx.check().is_err());
            let page = page.map_err(|why| format!("cannot be read as a web page: {why}"))?;
            let meta = page.metadata.fields();
            return Ok(vec![doc(path, page.metadata.title, page.text, meta)]);
        }
        let meta = if is_markdown(path) { extract::front_matter(&text) } else { Value::Null };
        return Ok(vec![doc(path, None, text, meta)]);
    }
    let (size, input) = (content.len() as u64, &mut &*content);
    let source = extract::Source { name: &name, size, input, host: cx.host() };
    extract::extract(source, &mut found).map_err(|err| format!("cannot be read: {err}"))?;
    match found.why.filter(|_| found.docs.is_empty()) {
        Some(why) => Err(match why.strip_prefix("it ") {
            Some(why) => why.to_owned(),
            None => format!("cannot be read: {why}"),
        }),
        None => Ok(found.docs),
    }
}

fn is_web_page(path: &Path) -> bool {
    matches!(ending(path).as_str(), "html" | "htm" | "xhtml")
}

fn is_markdown(path: &Path) -> bool {
    matches!(ending(path).as_str(), "md" | "markdown")
}

fn ending(path: &Path) -> String {
    path.extension().map(|it| it.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// The documents that were found in a file, and why it was skipped.
struct Read<'a> {
    cx: &'a Cx,
    path: &'a Path,
    docs: Vec<Doc>,
    why: Option<String>,
}

impl Sink for Read<'_> {
    fn document(&mut self, it: Document) {
        let name = self.path.to_string_lossy();
        let is_inside = it.id.strip_prefix(&*name).is_some_and(|it| it.starts_with('/'));
        let path = if is_inside { it.id.as_str().into() } else { Text::from(&*name) };
        self.docs.push(Doc {
            id: it.id.into(),
            title: it.title.into(),
            path,
            text: it.text.into(),
            meta: Some(it.meta),
        });
    }

    fn notice(&mut self, _: Option<u64>, message: String) {
        match message.strip_prefix("skipped: ") {
            Some(why) => self.why = Some(why.to_owned()),
            None => self.cx.notice(format!("`{}`: {message}", self.path.display())),
        }
    }

    fn is_stopped(&self) -> bool {
        self.cx.check().is_err()
    }
}

fn doc(path: &Path, title: Option<String>, text: String, meta: Value) -> Doc {
    let name = path.file_name().map_or_else(|| path.to_string_lossy(), |it| it.to_string_lossy());
    let title = title.map_or_else(|| name.into(), Text::from);
    let path: Text = path.to_string_lossy().into();
    Doc { id: path.clone(), title, path, text: text.into(), meta: Some(meta) }
}

fn too_much() -> OpError {
    let most = units::show_size(MOST_TEXT);
    OpError::failed(format!("the files are larger than {most} together"))
        .help("use a narrower `glob` or a smaller `max_size`")
}

#[cfg(test)]
mod tests {
    use crate::testing::World;

    use super::*;
    use svc_contract::host::Host;
    use svc_host_os::{OsHost, test::TestHost};

    fn read(host: TestHost, rest: Vec<Value>) -> (Result<Value, OpError>, Vec<String>) {
        let world = World::new(host);
        let mut args = vec![Value::Path("docs".into())];
        args.extend(rest);
        (world.call::<ReadFiles>(args), world.notices())
    }

    fn paths(host: TestHost, rest: Vec<Value>) -> Vec<String> {
        let docs = read(host, rest).0.unwrap();
        let path = |it: &Value| it.as_record().and_then(|it| it.get("path")).unwrap().to_string();
        docs.as_list().unwrap().iter().map(path).collect()
    }

    fn tree() -> TestHost {
        TestHost::new()
            .file("docs/b.md", "B")
            .file("docs/a/z.md", "Z")
            .file("docs/a.txt", "A")
            .file("elsewhere/c.md", "C")
    }

    #[test]
    fn files_come_in_the_order_of_their_paths() {
        assert_eq!(paths(tree(), vec![]), ["docs/a/z.md", "docs/a.txt", "docs/b.md"]);
    }

    #[test]
    fn globs_start_from_the_folder() {
        assert_eq!(paths(tree(), vec!["*.md".into()]), ["docs/a/z.md", "docs/b.md"]);
        assert_eq!(paths(tree(), vec!["a/*.md".into()]), ["docs/a/z.md"]);
        assert_eq!(paths(tree(), vec!["docs/**".into()]).len(), 0);
    }

    #[test]
    fn a_document_is_its_file() {
        let docs = read(TestHost::new().file("docs/a.md", "\u{feff}# A"), vec![]).0.unwrap();
        let wanted = r##"[{"id":"docs/a.md","title":"a.md","path":"docs/a.md","text":"# A","meta":{"modified":"1970-01-01T00:00:00Z","size":6}}]"##;
        assert_eq!(docs.to_string(), wanted);
    }

    #[test]
    fn a_web_page_is_its_text() {
        let page = "<title>Caps</title><nav>Home</nav><p>A cap is <b>kept</b>.";
        let host = TestHost::new().file("docs/a.HTML", page).file("docs/b.txt", page);
        let docs = read(host, vec![]).0.unwrap();
        let of = |idx: usize, field: &str| {
            docs.as_list()
                .unwrap()
                .get(idx)
                .unwrap()
                .as_record()
                .unwrap()
                .get(field)
                .unwrap()
                .to_string()
        };
        assert_eq!((&*of(0, "title"), &*of(0, "text")), ("Caps", "A cap is kept."));
        assert_eq!(of(1, "text"), Value::from(page).to_string());
        let deep = TestHost::new().file("docs/a.html", "<div>".repeat(100_000));
        let (docs, notices) = read(deep, vec![]);
        assert!(docs.unwrap().as_list().unwrap().is_empty());
        assert!(notices[0].contains("nested too deeply"), "{notices:?}");
    }

    #[test]
    fn what_is_left_out_is_named() {
        let host = tree()
            .working_in_test("testing::works_where_it_is_a_worker")
            .file("docs/big.txt", "x".repeat(100))
            .file("docs/c.bin", vec![0])
            .file("docs/d.bin", vec![0xff; 98])
            .file("docs/d.docx", "no archive")
            .failing("docs/e.txt", io::ErrorKind::PermissionDenied)
            .file("docs/e.txt", "");
        let (docs, notices) = read(host, vec!["*".into(), 1_000.into(), Value::Size(99)]);
        assert_eq!(docs.unwrap().as_list().unwrap().len(), 3);
        assert_eq!(
            notices,
            [
                "skipped `docs/big.txt`: larger than 99B",
                "skipped `docs/c.bin`: it is binary data, not text",
                "skipped `docs/d.bin`: it is binary data, not text",
                "skipped `docs/d.docx`: it is not an office document",
                "skipped `docs/e.txt`: permission denied",
            ]
        );
    }

    #[test]
    fn a_pdf_is_its_pages_and_one_without_text_is_reported() {
        let host = crate::testing::working_host()
            .file("docs/a.pdf", pdf::SAMPLE)
            .file("docs/b.pdf", "%PDF-1.5 cut off");
        let (docs, notices) = read(host, vec!["*.pdf".into()]);
        let text = |it: &Value| it.as_record().and_then(|it| it.get("text")).unwrap().to_string();
        let texts: Vec<String> = docs.unwrap().as_list().unwrap().iter().map(text).collect();
        assert_eq!(texts, ["Invoice of ACME\n\u{c}\nTotal 12.50", ""]);
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert!(
            notices[0]
                .starts_with("cannot extract text from `docs/b.pdf`: it is not a readable PDF")
        );
    }

    #[test]
    fn too_many_files_are_reported() {
        let (docs, notices) = read(tree(), vec!["*".into(), 2.into()]);
        assert_eq!(docs.unwrap().as_list().unwrap().len(), 2);
        assert_eq!(notices, ["`docs` has more than 2 files; the rest is left out"]);
        assert_eq!(read(tree(), vec!["*".into(), 3.into()]).1.len(), 0);
    }

    #[test]
    fn a_named_file_is_read_or_fails() {
        let docs = read(TestHost::new().file("docs", "x"), vec!["*.md".into()]).0.unwrap();
        assert_eq!(docs.as_list().unwrap().len(), 1);
        let err = read(TestHost::new().file("docs", vec![0]), vec![]).0.unwrap_err();
        assert_eq!(err.kind, ErrorKind::InvalidInput);
        let err = read(TestHost::new(), vec![]).0.unwrap_err();
        assert_eq!(err.kind, ErrorKind::NotFound);
    }

    #[test]
    fn a_cancelled_read_ends() {
        let world = World::new(tree());
        world.cancel.cancel();
        let err = world.call::<ReadFiles>(vec![Value::Path("docs".into())]).unwrap_err();
        assert_eq!(err.kind, ErrorKind::Cancelled);
    }

    #[test]
    #[cfg(unix)]
    fn the_real_world_gives_the_same() {
        use std::os::unix::{fs::symlink, net::UnixListener};

        let folder = tempfile::tempdir().unwrap();
        let inside = |name: &str| folder.path().join(name);
        for (name, text) in [("b.md", "B"), ("a/z.md", "Z"), ("a.txt", "A"), (".hidden", "H")] {
            OsHost::default().write(&inside(name), text.as_bytes()).unwrap();
        }
        // Neither is a file, so neither needs a notice.
        symlink(inside("a"), inside("link")).unwrap();
        let _socket = UnixListener::bind(inside("socket")).unwrap();

        let world = World::default();
        let op = ReadFiles {
            folder: folder.path().into(),
            glob: "*".into(),
            max_files: 10,
            max_size: MAX_SIZE,
        };
        let docs = op.run(&world.cx_of(std::sync::Arc::new(OsHost::default()))).unwrap();
        let text = |it: &Value| it.as_record().and_then(|it| it.get("text")).unwrap().to_string();
        let texts: Vec<String> = docs.as_list().unwrap().iter().map(text).collect();
        assert_eq!(texts, ["Z", "A", "B"]);
        assert_eq!(world.notices(), Vec::<String>::new());
    }
}

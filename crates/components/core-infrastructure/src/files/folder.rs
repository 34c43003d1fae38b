//! Reads many files as documents.

use std::{
    io,
    path::{Path, PathBuf},
};

use svc_contract::{
    host::{self, DirEntry},
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field, Max, Op, OpError, Scheme, Scope, Size,
        documents::Doc, params,
    },
    value::{Text, Value, units},
};

use super::{MAX_SIZE, glob::Glob, io_error, pdf, read::ERRORS, text_of};

/// The limit of all texts together; a folder with more is too large for one list.
const MOST_TEXT: u64 = 1 << 30;

params! {
    /// Reads the text files, web pages and PDFs of a folder and its subfolders, in the order of their
    /// paths.
    ///
    /// The text of a web page (`.html`) is its article without markup, or all visible text if it has
    /// none, and its title is that of the page; `read_text` returns the file as it is.
    /// The text of a PDF is the text of its pages, as returned by `pdf_text`. A PDF without text,
    /// because it is scanned, encrypted or damaged, becomes a document with an empty text and a
    /// notice; `pdf_text` fails on it with the reason. Hidden files and files that ignore files
    /// (`.gitignore`, `.ignore`) exclude are skipped. Files that are larger than `max_size`, are
    /// not UTF-8 text or cannot be read are skipped, each with a notice. Files after the first
    /// `max_files` are left out, also with a notice. Fails if the texts are larger than 1 GiB
    /// together. If `folder` is a file, it is read whatever its name, and a failure to read it is a
    /// failure of the op.
    pub(super) struct ReadFiles {
        /// The folder, or one file.
        folder: PathBuf,
        /// The files to read: `*` and `?` match parts of a name, `{md,txt}` either name, `**/` any
        /// folders. A glob without a `/` is matched with the file's name, one with a `/` with its
        /// path relative to the folder.
        glob: Text = "*".into(),
        /// The maximum number of files to read.
        #[range(1..=100_000)]
        max_files: i64 = 1_000,
        /// The maximum size of a file to read.
        max_size: Size = MAX_SIZE,
    }
}

impl Op for ReadFiles {
    const NAME: &'static str = "read_files";
    const YIELDS: Scheme = Scheme::List(&Doc::SCHEME, Max::Arg("max_files"));
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
        let stat = cx.host().stat(&self.folder).map_err(|err| io_error(err, &self.folder))?;
        if !stat.is_dir {
            let text = self.read_one(cx)?;
            return Ok(vec![doc(&self.folder, text)].encode());
        }
        let most = usize::try_from(self.max_files).unwrap_or_default();
        let mut docs = Vec::new();
        let mut left = MOST_TEXT;
        for found in walk(cx, &self.folder)? {
            cx.check()?;
            let Some((path, entry)) = wanted(cx, &self.folder, found, &glob) else { continue };
            if docs.len() == most {
                let folder = self.folder.display();
                cx.notice(format!("`{folder}` has more than {most} files; the rest is left out"));
                break;
            }
            let read = self.read(cx, &path, &entry);
            cx.check()?;
            let Some(content) = read else { continue };
            left = left.checked_sub(content.text.len() as u64).ok_or_else(too_much)?;
            docs.push(doc(&path, content));
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
    /// The content of the one file that `folder` names.
    fn read_one(&self, cx: &Cx) -> Result<Content, OpError> {
        let path = &self.folder;
        let content =
            host::read(cx.host(), path, self.max_size.0).map_err(|err| io_error(err, path))?;
        let content = content_of(cx, path, content);
        content.map_err(|why| OpError::invalid_input(format!("`{}` {why}", path.display())))
    }

    /// The content of a file; a file without text becomes a notice.
    fn read(&self, cx: &Cx, path: &Path, entry: &DirEntry) -> Option<Content> {
        let limit = self.max_size.0;
        let text = if entry.stat.size > limit {
            Err(format!("larger than {}", units::show_size(limit)))
        } else {
            host::read(cx.host(), &entry.path, limit).map_err(|err| err.to_string()).and_then(
                |content| content_of(cx, path, content).map_err(|why| format!("it {why}")),
            )
        };
        text.inspect_err(|why| cx.notice(format!("skipped `{}`: {why}", path.display()))).ok()
    }
}

/// The title and the text of a file.
struct Content {
    title: Option<String>,
    text: String,
}

/// The content of a file: plain text unchanged, the article of a web page, a PDF page by page.
fn content_of(cx: &Cx, path: &Path, content: Vec<u8>) -> Result<Content, String> {
    if pdf::is_pdf(&content) {
        return Ok(Content { title: None, text: text_of_pdf(cx, path, &content) });
    }
    let text = text_of(content)?;
    if !is_web_page(path) {
        return Ok(Content { title: None, text });
    }
    let page = svc_documents::web_page(&text, &|| cx.check().is_err());
    let page = page.map_err(|why| format!("cannot be read as a web page: {why}"))?;
    Ok(Content { title: page.metadata.title, text: page.text })
}

fn is_web_page(path: &Path) -> bool {
    let ending = path.extension().map(|it| it.to_string_lossy().to_ascii_lowercase());
    ending.is_some_and(|it| matches!(it.as_str(), "html" | "htm" | "xhtml"))
}

fn text_of_pdf(cx: &Cx, path: &Path, content: &[u8]) -> String {
    let name = path.to_string_lossy();
    pdf::text(cx, &name, content).unwrap_or_else(|why| {
        if cx.check().is_ok() {
            cx.notice(format!("cannot extract text from `{name}`: {why}"));
        }
        String::new()
    })
}

fn doc(path: &Path, content: Content) -> Doc {
    let name = path.file_name().map_or_else(|| path.to_string_lossy(), |it| it.to_string_lossy());
    let title = content.title.map_or_else(|| name.into(), Text::from);
    let path: Text = path.to_string_lossy().into();
    Doc { id: path.clone(), title, path, text: content.text.into() }
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
        let wanted = r##"[{"id":"docs/a.md","title":"a.md","path":"docs/a.md","text":"# A"}]"##;
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
            .file("docs/big.txt", "x".repeat(100))
            .file("docs/c.bin", vec![0])
            .file("docs/d.txt", vec![0xff])
            .failing("docs/e.txt", io::ErrorKind::PermissionDenied)
            .file("docs/e.txt", "");
        let (docs, notices) = read(host, vec!["*".into(), 1_000.into(), Value::Size(99)]);
        assert_eq!(docs.unwrap().as_list().unwrap().len(), 3);
        assert_eq!(
            notices,
            [
                "skipped `docs/big.txt`: larger than 99B",
                "skipped `docs/c.bin`: it is binary data, not text",
                "skipped `docs/d.txt`: it is not valid UTF-8 (invalid byte at offset 0)",
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
        assert_eq!(texts, ["Invoice of ACME\n\nTotal 12.50", ""]);
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

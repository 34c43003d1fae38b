//! Lists the files of a folder, with their sizes and times.

use std::path::PathBuf;

use svc_contract::{
    record,
    registry::{
        CheckCall, Compute, Cx, Effect, ErrorKind, Example, Field, Max, Op, OpError, Scheme, Scope,
        Size, params,
    },
    value::{Text, Value},
};
use svc_text::dates::rfc3339;

use super::{
    folder::{walk, wanted},
    glob::Glob,
    io_error,
};

record! {
    /// A file of a folder.
    struct FileInfo {
        /// Its name.
        name: Text,
        /// Its path.
        path: PathBuf,
        /// Its size.
        size: Size,
        /// The time of its last change in UTC: `2026-01-31T23:59:59Z`.
        modified: Text,
    }
}

params! {
    /// Lists the files of a folder and its subfolders in the order of their paths, without reading
    /// them: name, path, size and the time of the last change.
    ///
    /// Hidden files and files that ignore files (`.gitignore`, `.ignore`) exclude are skipped. Files
    /// after the first `max_files` are left out with a notice.
    pub(super) struct ListFiles {
        /// The folder.
        folder: PathBuf,
        /// The files to list: `*` and `?` match parts of a name, `{md,txt}` either name, `**/` any
        /// folders. A glob without a `/` is matched with the file's name, one with a `/` with its
        /// path relative to the folder.
        glob: Text = "*".into(),
        /// The maximum number of files to list.
        #[range(1..=1_000_000)]
        max_files: i64 = 10_000,
    }
}

impl Op for ListFiles {
    const NAME: &'static str = "list_files";
    const YIELDS: Scheme = Scheme::List(&FileInfo::SCHEME, Max::Arg("max_files"));
    const CHECK: Option<CheckCall> = Some(|call| call.test("glob", |it: Text| Glob::new(&it)));
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("folder"))];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "list the files of a folder",
        "the largest files in a directory",
        "which files changed last",
        "file names and sizes",
        "directory listing, like ls or dir",
        "paths of all documents in a folder tree",
        "how big and how old are my files",
        "what there is in a directory",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Names and sizes",
            r#"list_files(folder: "docs", glob: "*.md") >> each { { name: .name, size: .size } }"#,
            r#"[{"name":"a.md","size":1},{"name":"b.md","size":2}]"#,
        )
        .with(&[("docs/a.md", "A"), ("docs/b.txt", "B"), ("docs/more/b.md", "CC")]),
        Example::err("No such folder", r#"list_files(folder: "nowhere")"#, "it does not exist"),
    ];
}

impl Compute for ListFiles {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let glob = Glob::new(&self.glob)?;
        let stat = cx.host().stat(&self.folder).map_err(|err| io_error(err, &self.folder))?;
        if !stat.is_dir {
            let message = format!("cannot list `{}`: it is not a folder", self.folder.display());
            return Err(OpError::invalid_input(message).help("name a folder"));
        }
        let most = usize::try_from(self.max_files).unwrap_or_default();
        let mut files = Vec::new();
        for found in walk(cx, &self.folder)? {
            cx.check()?;
            let Some((path, entry)) = wanted(cx, &self.folder, found, &glob) else { continue };
            if files.len() == most {
                let folder = self.folder.display();
                cx.notice(format!("`{folder}` has more than {most} files; the rest is left out"));
                break;
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy().into();
            let millis = i64::try_from(entry.stat.modified / 1_000_000).unwrap_or_default();
            let (size, modified) = (Size(entry.stat.size), rfc3339(millis).into());
            files.push(FileInfo { name, path, size, modified });
        }
        Ok(files.encode())
    }
}

//! Copies, moves and deletes files.

use std::path::PathBuf;

use svc_contract::{
    host,
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field, Op, OpError, Scheme, Scope, Size, params,
    },
    value::Value,
};

use super::{io_error, test_name};

const ERRORS: &[ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Failed];

params! {
    /// Copies the content of a file to another file, and returns the path of the copy.
    ///
    /// Missing folders are created, and an existing file is replaced atomically: at no time does it
    /// contain only a part of the content.
    pub(super) struct CopyFile {
        /// The file to copy.
        path: PathBuf,
        /// The file to write to.
        to: PathBuf,
        /// The maximum size of the file.
        max_size: Size = Size(100 << 20),
    }
}

impl Op for CopyFile {
    const NAME: &'static str = "copy_file";
    const YIELDS: Scheme = Scheme::Path;
    const EFFECTS: &'static [Effect] = &[
        Effect::Reads(Scope::Path("path")),
        Effect::Writes { scope: Scope::Path("to"), idempotent: true },
    ];
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "copy a file",
        "duplicate a file on disk",
        "back up a file under another name",
        "make a second copy, like cp",
        "keep a second version of a document",
        "make a backup of it",
        "same content under a new path",
        "same file twice",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A backup",
            r#"copy_file(path: "a.txt", to: "old/a.txt") >> read_text"#,
            r#""A""#,
        )
        .with(&[("a.txt", "A")]),
        Example::err(
            "No such file",
            r#"copy_file(path: "none.txt", to: "a.txt")"#,
            "it does not exist",
        ),
    ];
}

impl Compute for CopyFile {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        test_name(&self.to)?;
        let content = host::read(cx.host(), &self.path, self.max_size.0)
            .map_err(|err| io_error(err, &self.path))?;
        cx.check()?;
        cx.host().write(&self.to, &content).map_err(|err| io_error(err, &self.to))?;
        Ok(self.to.encode())
    }
}

params! {
    /// Moves a file, or renames it, and returns its new path.
    ///
    /// Missing folders are created, and an existing file of that name is replaced. The move is atomic,
    /// and so it stays on one file system. It is never repeated: a second attempt would not find the
    /// file.
    pub(super) struct MoveFile {
        /// The file to move.
        path: PathBuf,
        /// Its new path.
        to: PathBuf,
    }
}

impl Op for MoveFile {
    const NAME: &'static str = "move_file";
    const YIELDS: Scheme = Scheme::Path;
    const EFFECTS: &'static [Effect] = &[
        Effect::Writes { scope: Scope::Path("path"), idempotent: false },
        Effect::Writes { scope: Scope::Path("to"), idempotent: false },
    ];
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "move a file to another folder",
        "rename a file",
        "archive processed files",
        "put a document elsewhere, like mv",
        "give a file a different name",
        "tidy finished documents away into another directory",
        "put a file somewhere else",
        "call a file something else",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Into another folder",
            r#"move_file(path: "in/a.txt", to: "done/a.txt") >> read_text"#,
            r#""A""#,
        )
        .with(&[("in/a.txt", "A")]),
        Example::err(
            "No such file",
            r#"move_file(path: "none.txt", to: "a.txt")"#,
            "it does not exist",
        ),
    ];
}

impl Compute for MoveFile {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        test_name(&self.path)?;
        test_name(&self.to)?;
        cx.host().rename(&self.path, &self.to).map_err(|err| io_error(err, &self.path))?;
        Ok(self.to.encode())
    }
}

params! {
    /// Deletes a file, and returns its path.
    ///
    /// A folder is refused. Of a symbolic link, the link is deleted. It is never repeated: a second
    /// attempt would not find the file.
    pub(super) struct DeleteFile {
        /// The file to delete.
        path: PathBuf,
    }
}

impl Op for DeleteFile {
    const NAME: &'static str = "delete_file";
    const YIELDS: Scheme = Scheme::Path;
    const EFFECTS: &'static [Effect] =
        &[Effect::Writes { scope: Scope::Path("path"), idempotent: false }];
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "delete a file",
        "remove a file from disk",
        "get rid of an old file",
        "erase it, like rm",
        "throw a document away",
        "clean up what you do not need any more",
        "unlink",
        "get a file out of the way for good",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A file", r#"delete_file(path: "a.txt")"#, r#""a.txt""#)
            .with(&[("a.txt", "A")]),
        Example::err("No such file", r#"delete_file(path: "none.txt")"#, "it does not exist"),
    ];
}

impl Compute for DeleteFile {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        test_name(&self.path)?;
        cx.host().remove(&self.path).map_err(|err| io_error(err, &self.path))?;
        Ok(self.path.encode())
    }
}

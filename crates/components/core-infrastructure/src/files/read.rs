//! Reads one file as text or JSON.

use std::path::PathBuf;

use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Generic, Op, OpError, Scheme, Scope, Size, params,
    },
    value::Value,
};

use super::{super::read_json, MAX_SIZE, read_text};

/// The kinds of error of the ops that read a file.
pub(super) const ERRORS: &[ErrorKind] =
    &[ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Failed];

params! {
    /// Reads a UTF-8 text file; a byte order mark is not part of the text.
    ///
    /// A file that is not text, or is larger than `max_size`, is an error of kind `invalid_input`.
    pub(super) struct ReadText {
        /// The file to read.
        path: PathBuf,
        /// The maximum size of the file.
        max_size: Size = MAX_SIZE,
    }
}

impl Op for ReadText {
    const NAME: &'static str = "read_text";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("path"))];
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "read a text file",
        "open a single file",
        "load the content of notes.txt",
        "contents of a log file",
        "what a file says",
        "slurp a .txt, .md or .log as a string",
        "what is written in a file",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A note", r#"read_text(path: "note.txt")"#, r#""buy milk\n""#)
            .with(&[("note.txt", "buy milk\n")]),
        Example::err("No such file", r#"read_text(path: "nothing.txt")"#, "it does not exist"),
    ];
}

impl Compute for ReadText {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        Ok(read_text(cx, &self.path, self.max_size)?.into())
    }
}

params! {
    /// Reads a UTF-8 JSON file.
    ///
    /// `read_json<T>` also checks that the content is a `T`, which is then the type of the result.
    /// A file that is not JSON, or is larger than `max_size`, is an error of kind `invalid_input`.
    pub(super) struct ReadJson {
        /// The file to read.
        path: PathBuf,
        /// The maximum size of the file.
        max_size: Size = MAX_SIZE,
    }
}

impl Op for ReadJson {
    const NAME: &'static str = "read_json";
    const YIELDS: Scheme = Scheme::Json;
    const GENERIC: Generic = Generic::Tested;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("path"))];
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "read a json file",
        "load settings from config.json",
        "open a json document on disk",
        "import data saved as json",
        "records in a .json file",
        "settings in a .json on disk",
        "load an object that was saved earlier",
        "open package.json",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Numbers", r#"read_json<[int]>(path: "n.json") >> sum"#, "6")
            .with(&[("n.json", "[1, 2, 3]")]),
        Example::err("Invalid JSON", r#"read_json(path: "n.json")"#, "at line 1, column 4")
            .with(&[("n.json", "[1,\n")]),
    ];
}

impl Compute for ReadJson {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let text = read_text(cx, &self.path, self.max_size)?;
        read_json(&text).map_err(|err| {
            let message = format!("`{}`: {}", self.path.display(), err.message);
            OpError { message, ..err }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use crate::testing::World;

    use super::*;
    use svc_host_os::test::TestHost;

    fn world() -> World {
        let host = TestHost::new()
            .file("a.txt", "ä\r\n")
            .file("bom.json", "\u{feff}{\"a\": 1}")
            .file("b.bin", vec![1, 0, 2])
            .file("latin.txt", vec![b'a', 0xe4])
            .failing("secret.txt", io::ErrorKind::PermissionDenied)
            .failing("folder", io::ErrorKind::IsADirectory);
        World::new(host)
    }

    fn error<O: Compute>(path: &str) -> OpError {
        world().call::<O>(vec![Value::Path(path.into())]).unwrap_err()
    }

    #[test]
    fn files_are_read_as_they_are() {
        let path = Value::Path("a.txt".into());
        assert_eq!(world().call::<ReadText>(vec![path]).unwrap(), "ä\r\n".into());
        let read = world().call::<ReadJson>(vec![Value::Path("bom.json".into())]).unwrap();
        assert_eq!(read.to_string(), r#"{"a":1}"#);
    }

    #[test]
    fn failures_name_the_file_and_the_next_step() {
        let missing = error::<ReadText>("no.txt");
        assert_eq!(missing.kind, ErrorKind::NotFound);
        assert_eq!(missing.message, "cannot use `no.txt`: it does not exist");
        assert!(missing.help.is_some());
        assert_eq!(error::<ReadText>("secret.txt").kind, ErrorKind::Denied);
        assert!(error::<ReadText>("folder").help.unwrap().contains("read_files"));
        assert_eq!(error::<ReadText>("b.bin").message, "`b.bin` is binary data, not text");
        assert!(
            error::<ReadText>("latin.txt").message.contains("UTF-8 (invalid byte at offset 1)")
        );
        assert!(error::<ReadJson>("a.txt").message.starts_with("`a.txt`: invalid JSON"));
    }

    #[test]
    fn large_files_are_refused() {
        let args = vec![Value::Path("a.txt".into()), Value::Size(3)];
        let err = world().call::<ReadText>(args).unwrap_err();
        assert_eq!(err.message, "cannot use `a.txt`: larger than 3B");
        assert_eq!(err.kind, ErrorKind::InvalidInput);
    }
}

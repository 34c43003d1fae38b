//! Writes text and JSON to files.

use std::{
    io,
    path::{Path, PathBuf},
};

use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field, Op, OpError, Scheme, Scope, Var, params,
    },
    value::{Text, Value, json, memory},
};

use super::io_error;

const EFFECTS: &[Effect] = &[Effect::Writes { scope: Scope::Path("to"), idempotent: true }];

const ERRORS: &[ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Failed];

params! {
    /// Writes text to a file, unchanged and in UTF-8, and returns the file's path.
    ///
    /// Missing folders are created. An existing file is replaced atomically: at no time does it
    /// contain only a part of the new text.
    pub(super) struct WriteFile {
        /// The text to write.
        text: Text,
        /// The file to write to.
        to: PathBuf,
    }
}

impl Op for WriteFile {
    const NAME: &'static str = "write_file";
    const YIELDS: Scheme = Scheme::Path;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "save text to a file",
        "write the result to disk",
        "put the output in a file",
        "create a text file",
        "export as plain text",
        "overwrite a note",
        "put a string on disk",
        "put it in a file",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Write and read",
            r#""hello" >> write_file(to: "out/a.txt") >> read_text"#,
            r#""hello""#,
        ),
        Example::err("No file name", r#""x" >> write_file(to: "/")"#, "cannot use `/`"),
    ];
}

impl Compute for WriteFile {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        write(cx, &self.to, self.text.as_bytes())
    }
}

params! {
    /// Writes any value as JSON to a file and returns the file's path.
    ///
    /// Units are written as by `to_json`; the file ends with a line end. Missing folders are
    /// created, and an existing file is replaced atomically.
    pub(super) struct SaveJson {
        /// The value to write.
        value: Var<'T'>,
        /// The file to write to.
        to: PathBuf,
        /// Whether to write several lines, indented by two spaces.
        pretty: bool = true,
    }
}

impl Op for SaveJson {
    const NAME: &'static str = "save_json";
    const YIELDS: Scheme = Scheme::Path;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "save data as a json file",
        "write records to out.json",
        "export results in json",
        "store a list on disk for later",
        "dump everything into a .json file",
        "persist an object or array on disk",
        "cache data between runs",
        "write a .json document",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Write and read",
            r#"[{ a: 1 }] >> save_json(to: "a.json") >> read_json"#,
            r#"[{"a":1}]"#,
        ),
        Example::err("No file name", r#"[1] >> save_json(to: "/")"#, "cannot use `/`"),
    ];
}

impl Compute for SaveJson {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let value = &self.value.0;
        let text = json::write_within(value, self.pretty, usize::MAX - 1);
        let Some(mut text) = text else {
            memory::check()?;
            return Err(OpError::bug("cannot write a value"));
        };
        text.push('\n');
        write(cx, &self.to, text.as_bytes())
    }
}

fn write(cx: &Cx, to: &Path, content: &[u8]) -> Result<Value, OpError> {
    super::test_name(to)?;
    cx.host().write(to, content).map_err(|err| match err.kind() {
        io::ErrorKind::IsADirectory => OpError::io(err, to).help("name a file in it"),
        _ => io_error(err, to),
    })?;
    Ok(to.to_owned().encode())
}

#[cfg(test)]
mod tests {
    use crate::testing::World;

    use super::*;
    use svc_host_os::test::TestHost;

    fn to(path: &str) -> Value {
        Value::Path(path.into())
    }

    #[test]
    fn content_is_written_as_it_is() {
        let world = World::default();
        let path = world.call::<WriteFile>(vec!["ä\r\n".into(), to("a/b.txt")]).unwrap();
        assert!(matches!(path, Value::Path(it) if &*it == "a/b.txt"));
        assert_eq!(world.host.content("a/b.txt").unwrap(), "ä\r\n".as_bytes());
        world.call::<WriteFile>(vec!["".into(), to("a/b.txt")]).unwrap();
        assert_eq!(world.host.content("a/b.txt").unwrap(), b"");
    }

    #[test]
    fn json_ends_with_a_line_end() {
        let world = World::default();
        world.call::<SaveJson>(vec![vec![Value::Null].into(), to("a.json")]).unwrap();
        assert_eq!(world.host.content("a.json").unwrap(), b"[\n  null\n]\n");
        world.call::<SaveJson>(vec![1.into(), to("a.json"), false.into()]).unwrap();
        assert_eq!(world.host.content("a.json").unwrap(), b"1\n");
    }

    #[test]
    fn failures_name_the_file() {
        let full = TestHost::new().failing("a.txt", io::ErrorKind::StorageFull);
        let err = World::new(full).call::<WriteFile>(vec!["x".into(), to("a.txt")]).unwrap_err();
        assert_eq!(err.message, "cannot use `a.txt`: no space left");
        assert!(err.help.is_some());
        let folder = TestHost::new().failing("out", io::ErrorKind::IsADirectory);
        let err = World::new(folder).call::<WriteFile>(vec!["x".into(), to("out")]).unwrap_err();
        assert_eq!(err.help.as_deref(), Some("name a file in it"));
        for nameless in ["/", "..", ""] {
            let args = vec!["x".into(), to(nameless)];
            let err = World::default().call::<WriteFile>(args).unwrap_err();
            assert_eq!(err.kind, ErrorKind::InvalidInput);
        }
    }
}

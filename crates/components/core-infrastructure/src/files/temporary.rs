//! Temporary files.

use std::path::Path;

use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field, Op, OpError, Scheme, Scope, params,
    },
    value::{Text, Value},
};

use super::io_error;

params! {
    /// Writes text to a new file in the system's folder for temporary files, and returns its path.
    ///
    /// Its name is not guessable, and only the current user can read it. It stays until
    /// `delete_file` or the system removes it.
    pub(super) struct TempFile {
        /// The text to write.
        text: Text,
        /// The end of its name, such as `.csv`.
        suffix: Text = ".txt".into(),
    }
}

impl Op for TempFile {
    const NAME: &'static str = "temp_file";
    const YIELDS: Scheme = Scheme::Path;
    const EFFECTS: &'static [Effect] =
        &[Effect::Writes { scope: Scope::Named("temp"), idempotent: true }];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Unsupported, ErrorKind::Denied, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "a temporary file",
        "put text into a scratch file for another program",
        "a file that is only needed for a moment",
        "scratch space on disk that goes away",
        "intermediate file handed to another tool",
        "throwaway file with some content",
        "tmp",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Written and read",
            r#""a,b" >> temp_file(suffix: ".csv") >> read_text"#,
            r#""a,b""#,
        ),
        Example::err(
            "A suffix that leaves the folder",
            r#""a" >> temp_file(suffix: "/../b")"#,
            "invalid suffix",
        ),
    ];
}

impl Compute for TempFile {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        if self.suffix.contains(['/', '\\', '\0']) {
            let message = format!("invalid suffix `{}`: it must not contain `/`", self.suffix);
            return Err(OpError::invalid_input(message).help("write it like `.csv`"));
        }
        let written = cx.host().write_temporary(&self.suffix, self.text.as_bytes());
        written
            .map(Field::encode)
            .map_err(|err| io_error(err, Path::new("the folder for temporary files")))
    }
}

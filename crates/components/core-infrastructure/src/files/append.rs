//! Appends to a file.

use std::{io, path::PathBuf};

use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field, Op, OpError, Scheme, Scope, Size, params,
    },
    value::{Text, Value, units},
};

use super::io_error;

params! {
    /// Appends a line of text to a file, and returns the file's path.
    ///
    /// The text is in UTF-8, and a line end follows it unless it ends with one. A missing file and
    /// missing folders are created. The file is replaced as a whole: at no time does it contain only
    /// a part of the text, and calls at the same time lose nothing. To append many lines, join them
    /// and append them at once. It is never repeated: a second attempt would append a second time.
    pub(super) struct AppendFile {
        /// The text to append.
        text: Text,
        /// The file to append to.
        to: PathBuf,
        /// The maximum size of the file with the text.
        max_size: Size = Size(100 << 20),
    }
}

impl Op for AppendFile {
    const NAME: &'static str = "append_file";
    const YIELDS: Scheme = Scheme::Path;
    const EFFECTS: &'static [Effect] =
        &[Effect::Writes { scope: Scope::Path("to"), idempotent: false }];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "add a line to a file",
        "append to a log",
        "write to the end of a file",
        "add text at the bottom without overwriting",
        "log another entry",
        "extend a file that exists",
        "one more row in a log",
        "one more line at the end",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A line more",
            r#""b" >> append_file(to: "log.txt") >> read_text"#,
            r#""a\nb\n""#,
        )
        .with(&[("log.txt", "a\n")]),
        Example::err("No file name", r#""x" >> append_file(to: "/")"#, "not a file name"),
    ];
}

impl Compute for AppendFile {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        super::test_name(&self.to)?;
        let mut text = self.text.as_ref().to_owned();
        if !text.ends_with('\n') {
            text.push('\n');
        }
        let most = self.max_size.0;
        cx.host().append(&self.to, text.as_bytes(), most).map_err(|err| match err.kind() {
            io::ErrorKind::FileTooLarge if err.raw_os_error().is_none() => {
                let (path, most) = (self.to.display(), units::show_size(most));
                let message = format!("cannot append to `{path}`: it would be larger than {most}");
                OpError::invalid_input(message).help("start another file, or raise `max_size`")
            }
            _ => io_error(err, &self.to),
        })?;
        Ok(self.to.encode())
    }
}

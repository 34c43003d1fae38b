//! Reads one file whatever is in it.

use std::path::PathBuf;

use svc_contract::{
    host,
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field as _, Op, OpError, Scheme, Scope, Size,
        documents::File, params,
    },
    value::Value,
};

use super::{io_error, read::ERRORS};

params! {
    /// Reads a file into memory, whatever is in it: an archive, a picture, a workbook.
    ///
    /// `name` is the path as it was given. `.bytes >> to_base64 >> from_base64` is the text of a file in
    /// UTF-8; `read_text` is shorter where the file is on disk. A file that is larger than `max_size`
    /// is an error of kind `invalid_input`.
    pub(super) struct ReadBytes {
        /// The file to read.
        path: PathBuf,
        /// The maximum size of the file.
        max_size: Size = Size(64 << 20),
    }
}

impl Op for ReadBytes {
    const NAME: &'static str = "read_bytes";
    const YIELDS: Scheme = File::SCHEME;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("path"))];
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "read a binary file",
        "load a zip or tar.gz from disk",
        "the raw content of a picture",
        "open an archive that lies in a folder",
        "bytes of a file, to hash or encode them",
        "get a non-text file into memory",
        "load an attachment for an upload",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A file of three bytes",
            r#"read_bytes(path: "a.bin")"#,
            r#"{"name":"a.bin","mime":"application/octet-stream","bytes":"616263"}"#,
        )
        .with(&[("a.bin", "abc")]),
        Example::err("No such file", r#"read_bytes(path: "b.zip")"#, "it does not exist"),
    ];
}

impl Compute for ReadBytes {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let content = host::read(cx.host(), &self.path, self.max_size.0);
        let bytes = content.map_err(|err| io_error(err, &self.path))?.into();
        let mime = mime_guess::from_path(&self.path).first_or_octet_stream();
        let mime = mime.essence_str().into();
        let name = self.path.to_string_lossy().into();
        Ok(File { name, mime, bytes }.encode())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::World;

    use super::*;
    use svc_host_os::test::TestHost;

    #[test]
    fn content_that_is_not_text_is_read_and_too_much_is_refused() {
        let world = World::new(TestHost::new().file("in/a.zip", vec![0, 0xff, 1]));
        let path = || Value::Path("in/a.zip".into());
        let file = world.call::<ReadBytes>(vec![path()]).unwrap();
        let wanted = r#"{"name":"in/a.zip","mime":"application/zip","bytes":"00ff01"}"#;
        assert_eq!(file.to_string(), wanted);
        let err = world.call::<ReadBytes>(vec![path(), Value::Size(2)]).unwrap_err();
        assert_eq!(err.message, "cannot use `in/a.zip`: larger than 2B");
        assert_eq!(err.kind, ErrorKind::InvalidInput);
    }
}

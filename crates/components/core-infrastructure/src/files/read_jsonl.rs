//! Reads files with one JSON value per line.

use std::path::PathBuf;

use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Max, Op, OpError, Scheme, Scope, Size, params,
    },
    value::Value,
};

use super::{super::read_json, read::ERRORS, read_text};

params! {
    /// Reads a UTF-8 JSON Lines file: one JSON value per line; blank lines are skipped.
    ///
    /// `each { it as T }` converts the items to a type. A line that is not JSON, and a file larger
    /// than `max_size`, are errors of kind `invalid_input`. Values after the first `max_items` are
    /// left out, with a notice.
    pub(super) struct ReadJsonl {
        /// The file to read.
        path: PathBuf,
        /// The maximum number of values to read.
        #[range(1..=10_000_000)]
        max_items: i64 = 1_000_000,
        /// The maximum size of the file.
        max_size: Size = Size(100 << 20),
    }
}

impl Op for ReadJsonl {
    const NAME: &'static str = "read_jsonl";
    const YIELDS: Scheme = Scheme::List(&Scheme::Json, Max::Arg("max_items"));
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("path"))];
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const SAYS: &'static [&'static str] = &[
        "file with one json object on every line",
        "load a jsonl data set",
        "ndjson with one record per line",
        "go through a log of json events",
        "newline-delimited json",
        "load a .jsonl or .ndjson export",
        "stream of json records from disk",
        "events saved one per line",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Two records", r#"read_jsonl(path: "x.jsonl")"#, r#"[{"n":1},{"n":2}]"#)
            .with(&[("x.jsonl", "{\"n\": 1}\n\n{\"n\": 2}\n")]),
        Example::err("An invalid line", r#"read_jsonl(path: "x.jsonl")"#, "line 2 of `")
            .with(&[("x.jsonl", "1\n{\n")]),
    ];
}

impl Compute for ReadJsonl {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let text = read_text(cx, &self.path, self.max_size)?;
        let most = usize::try_from(self.max_items).unwrap_or_default();
        let mut items = Vec::new();
        for (idx, line) in text.lines().enumerate().filter(|(_, it)| !it.trim().is_empty()) {
            cx.check()?;
            if items.len() == most {
                let path = self.path.display();
                cx.notice(format!("`{path}` has more than {most} items; the rest is left out"));
                break;
            }
            items.push(read_json(line).map_err(|err| self.at_line(idx + 1, err))?);
        }
        Ok(items.into())
    }
}

impl ReadJsonl {
    fn at_line(&self, line: usize, err: OpError) -> OpError {
        let message = format!("line {line} of `{}`: {}", self.path.display(), err.message);
        OpError { message, ..err }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::World;

    use super::*;
    use svc_host_os::test::TestHost;

    fn read(content: &str, max_items: i64) -> (Result<Value, OpError>, Vec<String>) {
        let world = World::new(TestHost::new().file("x.jsonl", content));
        let args = vec![Value::Path("x.jsonl".into()), max_items.into()];
        (world.call::<ReadJsonl>(args), world.notices())
    }

    #[test]
    fn lines_are_values() {
        assert_eq!(read("", 5).0.unwrap().to_string(), "[]");
        assert_eq!(read("\n1\r\n  \n\"a\"", 5).0.unwrap().to_string(), r#"[1,"a"]"#);
        let err = read("1\n\nx\n", 5).0.unwrap_err();
        assert!(err.message.starts_with("line 3 of `x.jsonl`: invalid JSON"), "{err}");
    }

    #[test]
    fn skipped_lines_are_reported() {
        assert_eq!(read("1\n2\n", 2).1, Vec::<String>::new());
        let (items, notices) = read("1\n2\n3\n", 2);
        assert_eq!(items.unwrap().to_string(), "[1,2]");
        assert_eq!(notices, ["`x.jsonl` has more than 2 items; the rest is left out"]);
    }
}

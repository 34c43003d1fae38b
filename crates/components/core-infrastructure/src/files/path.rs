//! Converts strings to paths at run time.

use svc_contract::{
    registry::{Example, Inline, Op, OpError, Scheme, params},
    value::{Text, Value},
};

params! {
    /// Converts a string to a path while the script runs.
    ///
    /// A string literal is a path already where a path is expected. An empty string and a string
    /// with a zero character are errors of kind `invalid_input`. The file need not exist.
    pub(super) struct ToPath {
        /// The path as text.
        text: Text,
    }
}

impl Op for ToPath {
    const NAME: &'static str = "path";
    const YIELDS: Scheme = Scheme::Path;
    const SAYS: &'static [&'static str] = &[
        "turn a string into a path",
        "use a text as a file name",
        "file name that comes from user input",
        "convert a name to a path",
        "path that is only known at run time",
        "a filename out of a variable",
        "cast a string to the path type",
        "computed location of a file",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A name from input",
            r#""note.txt\n" >> trim >> path >> read_text"#,
            r#""buy milk""#,
        )
        .with(&[("note.txt", "buy milk")]),
        Example::err("An empty string", r#""" >> trim >> path"#, "is not a path"),
    ];
}

impl Inline for ToPath {
    fn run(self) -> Result<Value, OpError> {
        if self.text.is_empty() || self.text.contains('\0') {
            return Err(OpError::invalid_input(format!("{:?} is not a path", &*self.text)));
        }
        Ok(Value::Path(self.text))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{call, fails, gives};

    use super::*;

    #[test]
    fn text_becomes_a_path() {
        gives::<ToPath>(r#"["a/../b c"]"#, r#""a/../b c""#);
        assert!(matches!(call::<ToPath>(vec!["a".into()]), Ok(Value::Path(_))));
        fails::<ToPath>(r#"[""]"#);
        fails::<ToPath>(r#"["a\u0000"]"#);
    }
}

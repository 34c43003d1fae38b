//! Paths that are made while a script runs.

use svc_contract::{
    registry::{Example, Inline, Op, OpError, Scheme, params},
    value::{Text, Value},
};

params! {
    /// Makes a path of a string that is made while the script runs.
    ///
    /// A string literal is a path by itself where one is due. An empty string and one
    /// with a zero character are errors of kind `invalid_input`. The file need not exist.
    pub(super) struct ToPath {
        /// The path as text.
        text: Text,
    }
}

impl Op for ToPath {
    const NAME: &'static str = "path";
    const YIELDS: Scheme = Scheme::Path;
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A name that is read",
            r#""note.txt\n" >> trim >> path >> read_text"#,
            r#""buy milk""#,
        )
        .with(&[("note.txt", "buy milk")]),
        Example::err("Nothing", r#""" >> trim >> path"#, "is no path"),
    ];
}

impl Inline for ToPath {
    fn run(self) -> Result<Value, OpError> {
        if self.text.is_empty() || self.text.contains('\0') {
            return Err(OpError::invalid_input(format!("{:?} is no path", &*self.text)));
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

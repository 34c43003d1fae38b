//! Returns the item at an end of a list.

use svc_contract::{
    registry::{ErrorKind, Example, Inline, Items, Op, OpError, Scheme, Var, params},
    value::Value,
};

params! {
    /// Returns the first item of a list.
    ///
    /// Fails if the list is empty; `xs[0]` returns null instead.
    pub(super) struct First {
        /// The list to take from.
        items: Items<Var<'T'>>,
    }
}

impl Op for First {
    const NAME: &'static str = "first";
    const YIELDS: Scheme = Scheme::Var('T');
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "the first item of a list",
        "the one at the front",
        "pick just the top result",
        "the leading entry alone",
        "head of a list",
        "initial element of an array",
        "get whatever comes first",
        "the one on top of the list",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("The first", r#"["a", "b"] >> first"#, r#""a""#),
        Example::err("An empty list", "[1] >> skip(n: 1) >> first", "the list is empty"),
    ];
}

impl Inline for First {
    fn run(self) -> Result<Value, OpError> {
        let item = self.items.0.get(0).cloned();
        item.ok_or_else(|| empty("first item").help("use `xs[0]` to get null instead"))
    }
}

params! {
    /// Returns the last item of a list.
    ///
    /// Fails if the list is empty; `reverse(xs)[0]` returns null instead.
    pub(super) struct Last {
        /// The list to take from.
        items: Items<Var<'T'>>,
    }
}

impl Op for Last {
    const NAME: &'static str = "last";
    const YIELDS: Scheme = Scheme::Var('T');
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "the last item of a list",
        "the one at the end",
        "the most recent line of a log",
        "the bottom row",
        "tail element",
        "final element of an array",
        "get whatever comes at the very end",
        "whatever came in latest",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("The last", r#"["a", "b"] >> last"#, r#""b""#),
        Example::err("An empty list", "[1] >> skip(n: 1) >> last", "the list is empty"),
    ];
}

impl Inline for Last {
    fn run(self) -> Result<Value, OpError> {
        let item = self.items.0.iter().next_back().cloned();
        item.ok_or_else(|| empty("last item").help("use `reverse(xs)[0]` to get null instead"))
    }
}

/// The error of an op that an empty list has no result for.
pub(super) fn empty(what: &str) -> OpError {
    OpError::failed(format!("the list is empty, so it has no {what}"))
}

#[cfg(test)]
mod tests {
    use crate::testing::{fails, gives};

    use super::*;

    #[test]
    fn an_empty_list_has_no_ends() {
        gives::<First>("[[null, 1]]", "null");
        gives::<Last>("[[1]]", "1");
        let err = fails::<First>("[[]]");
        assert_eq!(err.kind, ErrorKind::Failed);
        assert_eq!(err.message, "the list is empty, so it has no first item");
        assert!(err.help.unwrap().contains("xs[0]"));
        assert_eq!(fails::<Last>("[[]]").kind, ErrorKind::Failed);
    }
}

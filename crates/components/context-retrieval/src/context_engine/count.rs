//! The tokens of a text.

use svc_contract::{
    registry::{Example, Field, Inline, Op, OpError, Scheme, params, record},
    value::{Text, Value},
};
use svc_text::tokens::tokens;

record! {
    /// The number of tokens of a text.
    struct Counted {
        /// The tokens.
        tokens: i64,
        /// How they were counted: `estimate`, at four bytes per token.
        by: Text,
    }
}

params! {
    /// Estimates the number of tokens of a text for a language model, as caps and plans count them.
    ///
    /// A token is four bytes, rounded up: English prose has four to five bytes per token, so the
    /// estimate is a little too high, and that of code, digits and rare words may be too low. The
    /// vocabularies of models are not part of the program, so the estimate is the same for all of
    /// them, and `by` says that it is one.
    pub(super) struct CountTokens {
        /// The text.
        text: Text,
    }
}

impl Op for CountTokens {
    const NAME: &'static str = "count_tokens";
    const YIELDS: Scheme = Counted::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "count the tokens of a text",
        "how many tokens does a prompt have",
        "does a text fit into the context window",
        "estimate the token usage of a document",
        "tiktoken for a string",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A sentence",
            r#""Budgets are kept." >> count_tokens"#,
            r#"{"tokens":5,"by":"estimate"}"#,
        ),
        Example::ok("Nothing", r#"count_tokens("").tokens"#, "0"),
    ];
}

impl Inline for CountTokens {
    fn run(self) -> Result<Value, OpError> {
        let tokens = i64::try_from(tokens(&self.text)).unwrap_or(i64::MAX);
        Ok(Counted { tokens, by: "estimate".into() }.encode())
    }
}

//! Answers questions from the documentation, with sources.

use svc_contract::{
    registry::{
        Cx, Effect, ErrorKind, Example, Field, Io, Op, OpError, Scheme, Tool, Writer, params,
    },
    value::{Text, Value},
};
use svc_guide::{Documented, answered};

use super::EFFECTS;

params! {
    /// Answers a question about svc from its own documentation, with sources.
    ///
    /// Without a `writer` the answer consists of sentences of the documentation, unchanged, and is
    /// the same every time. A `writer`, such as `ask`, gets those passages and writes the answer
    /// from them; if it cites none of them, it is asked again.
    pub(super) struct Ask {
        /// The question.
        query: Text,
        /// The maximum number of passages in the answer.
        #[range(1..=20)]
        top_k: usize = 3,
        /// The maximum number of calls of the writer.
        #[range(1..=3)]
        rounds: usize = 2,
        /// The writer of the answer: a flow or component from text to text.
        writer: Option<Writer> = None,
    }
}

impl Op for Ask {
    const NAME: &'static str = "ask";
    const YIELDS: Scheme = Documented::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const ERRORS: &'static [ErrorKind] = ErrorKind::ALL;
    const SAYS: &'static [&'static str] = &[
        "answer a question about svc",
        "what does the documentation say",
        "look it up in the manual",
        "help with the language",
        "why does a script behave like this",
        "meaning of a keyword",
        "documentation search for my own question",
        "explain this feature to me",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("guide_ask"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Whether there is an answer",
            r#""how do I mock a component in a test?" >> guide_ask(top_k: 1) >> .ok"#,
            "true",
        ),
        Example::ok(
            "An answer written by a model",
            r#""how do I mock a component?" >> guide_ask(writer: ask) >> .answer"#,
            r#""With `mock`. [1]""#,
        )
        .answered(
            &[("SVC_MODEL", "ollama/llama3.2")],
            &[r#"{"message":{"content":"With `mock`. [1]"},"done":true}"#],
        ),
        Example::err(
            "No model to write it",
            r#""how do I mock a component?" >> guide_ask(writer: ask)"#,
            "no language model",
        ),
        Example::ok("No passage found", r#""xyzzy" >> guide_ask >> .sources"#, "[]"),
    ];
}

impl Io for Ask {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let found = answered(&self.query, self.top_k, cx.catalog()?.topics());
        match &self.writer {
            Some(writer) if found.ok => {
                let answer = found.written(&self.query, writer, self.rounds).await?;
                Ok(Documented { answer, ..found }.encode())
            }
            _ => Ok(found.encode()),
        }
    }
}

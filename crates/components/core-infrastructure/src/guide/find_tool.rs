//! Finds the op for a task.

use svc_contract::{
    registry::{self, Compute, Cx, Effect, Example, Field, Max, Op, OpError, Scheme, params},
    value::{Text, Value},
};
use svc_guide::{Tool, tools};

use super::EFFECTS;

params! {
    /// Finds the ops for a task, best first, each with an example.
    pub(super) struct FindTool {
        /// The task, in plain words.
        task: Text,
        /// The maximum number of ops.
        #[range(1..=1000)]
        limit: usize = 5,
    }
}

impl Op for FindTool {
    const NAME: &'static str = "find_tool";
    const YIELDS: Scheme = Scheme::List(&Tool::SCHEME, Max::Arg("limit"));
    const EFFECTS: &'static [Effect] = EFFECTS;
    const SAYS: &'static [&'static str] = &[
        "which tool does this",
        "the right op for a task",
        "is there a tool for that",
        "pick a function that fits my task",
        "look for a suitable tool",
        "what can i use for this job",
        "which function should i call for this",
        "search the library for something that can do it",
    ];
    const TOOL: Option<registry::Tool> = Some(registry::Tool::free("guide_find_tool"));
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "An op that reads PDFs",
        r#""get the text of a PDF" >> guide_find_tool(limit: 1) >> each { .name }"#,
        r#"["pdf_text"]"#,
    )];
}

impl Compute for FindTool {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        Ok(tools(&self.task, self.limit, cx.catalog()?.topics()).encode())
    }
}

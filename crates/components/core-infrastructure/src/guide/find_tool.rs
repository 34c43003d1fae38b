//! Finds the op for a task.

use svc_contract::{
    registry::{
        Compute, Cx, Effect, Example, Field, Index, Match, Max, Op, OpError, Scheme, params, record,
    },
    value::{Text, Value},
};

use super::EFFECTS;

record! {
    /// An op for a task.
    struct Tool {
        /// The shortest name for it in a script.
        name: Text,
        /// What the op does.
        summary: Text,
        /// Its parameters and the type of its result.
        signature: Text,
        /// The matching words of the task, and where they were found.
        why: Text,
        /// An example script.
        example: Text,
    }
}

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
    ];
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "An op that reads PDFs",
        r#""get the text of a PDF" >> guide_find_tool(limit: 1) >> each { .name }"#,
        r#"["pdf_text"]"#,
    )];
}

impl Compute for FindTool {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let catalog = cx.catalog()?;
        let found = Index::of(catalog.registry()).find(&self.task);
        Ok(found.iter().take(self.limit).map(tool).collect::<Vec<_>>().encode())
    }
}

fn tool(found: &Match) -> Tool {
    let op = found.op;
    let params: Vec<String> =
        op.op.params.iter().map(svc_contract::registry::Param::signature).collect();
    let (name, gives) = (op.script_name(), op.op.yields.show());
    Tool {
        summary: op.op.summary().replace('\n', " ").into(),
        signature: format!("{name}({}) -> {gives}", params.join(", ")).into(),
        why: found.why().into(),
        example: op.op.examples.first().map_or("", |it| it.script).into(),
        name: name.into(),
    }
}

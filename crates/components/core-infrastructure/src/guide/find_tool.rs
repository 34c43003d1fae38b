//! The op for a task.

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
        /// The shortest name that a script can use for it.
        name: Text,
        /// What it does.
        summary: Text,
        /// What it takes and gives.
        signature: Text,
        /// The words of the task that it has, and where.
        why: Text,
        /// A script that shows it.
        example: Text,
    }
}

params! {
    /// Finds the ops that do a task, the best one first, each with an example.
    pub(super) struct FindTool {
        /// The task, in plain words.
        task: Text,
        /// The most ops.
        #[range(1..=1000)]
        limit: usize = 5,
    }
}

impl Op for FindTool {
    const NAME: &'static str = "find_tool";
    const YIELDS: Scheme = Scheme::List(&Tool::SCHEME, Max::Arg("limit"));
    const EFFECTS: &'static [Effect] = EFFECTS;
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "What reads a PDF",
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

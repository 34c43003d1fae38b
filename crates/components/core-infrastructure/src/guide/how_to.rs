//! Explains how to do a task: the op for it, its parameters, and example scripts.

use svc_contract::{
    registry::{
        Compute, Cx, Effect, Example, Field, Index, Op, OpError, OpRef, Scheme, Tool, params,
        record,
    },
    value::{Text, Value},
};

use super::{EFFECTS, book::Book};

record! {
    /// The instructions for a task.
    struct HowTo {
        /// Whether an op for the task was found.
        ok: bool,
        /// The instructions, in words.
        answer: Text,
        /// Example scripts, which all run.
        examples: Vec<Text>,
        /// The sources with more details.
        sources: Vec<Text>,
    }
}

params! {
    /// Explains how to do something: the best op for it, its arguments, and examples that run.
    pub(super) struct Asked {
        /// What to do, in plain words.
        task: Text,
    }
}

impl Op for Asked {
    const NAME: &'static str = "how_to";
    const YIELDS: Scheme = HowTo::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const SAYS: &'static [&'static str] = &[
        "how do i go about a task",
        "show me how it is done",
        "instructions with examples that run",
        "explain the usage with its arguments",
        "a worked example for a task",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("guide_how_to"));
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "An example script",
        r#""round a number" >> guide_how_to >> .examples >> first"#,
        r#""round(2.5)""#,
    )];
}

impl Compute for Asked {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let catalog = cx.catalog()?;
        let best = Index::of(catalog.registry()).find(&self.task).into_iter().next();
        let mut book = Book::of(catalog.registry());
        let found = book.find(&self.task, 3);
        let sources = found.iter().map(|it| it.passage.source.as_str().into()).collect();
        Ok(how_to(best.map(|it| it.op), sources).encode())
    }
}

fn how_to(op: Option<OpRef>, sources: Vec<Text>) -> HowTo {
    let Some(op) = op else {
        let answer = "No component matches this task.".into();
        return HowTo { ok: false, answer, examples: Vec::new(), sources };
    };
    let params: Vec<String> =
        op.op.params.iter().map(svc_contract::registry::Param::signature).collect();
    let (name, gives) = (op.script_name(), op.op.yields.show());
    let answer =
        format!("Use `{name}({}) -> {gives}`.\n\n{}", params.join(", "), op.op.text().trim());
    let shown = op.op.examples.iter().filter(|it| it.yields.is_ok());
    let examples = shown.map(|it| it.script.into()).collect();
    HowTo { ok: true, answer: answer.into(), examples, sources }
}

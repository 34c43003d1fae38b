//! Explains how to do a task: the op for it, its parameters, and example scripts.

use svc_contract::{
    registry::{Compute, Cx, Effect, Example, Field, Op, OpError, Scheme, Tool, params},
    value::{Text, Value},
};
use svc_guide::{HowTo, how_to};

use super::EFFECTS;

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
        "tutorial for a task",
        "step by step, with runnable snippets",
        "teach me to do something",
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
        Ok(how_to(&self.task, cx.catalog()?.topics()).encode())
    }
}

//! What to do first.

use svc_contract::{
    registry::{
        CallerTier, Compute, Cx, Effect, Example, Field, Op, OpError, Scheme, Tool, params,
    },
    value::{Text, Value},
};
use svc_guide::{FirstHelp, first_call};

use super::EFFECTS;

params! {
    /// Says what a program can do here first: its tier, and up to five calls with arguments that run.
    pub(super) struct FirstCall {
        /// What the program is about to do, in plain words.
        task: Option<Text> = None,
    }
}

impl Op for FirstCall {
    const NAME: &'static str = "first_call";
    const YIELDS: Scheme = FirstHelp::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const SAYS: &'static [&'static str] = &[
        "first call of an agent that is new here",
        "help for a program that connects for the first time",
        "suggest my next calls with their arguments",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("svc_first_call_help_tool"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The first suggestion for a task",
            r#"guide.first_call("count words") >> .next >> each { .tool } >> first"#,
            r#""guide_find_tool""#,
        ),
        Example::ok("The tier of a person", "guide.first_call() >> .tier", r#""builder""#),
    ];
}

impl Compute for FirstCall {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let catalog = cx.catalog()?;
        Ok(first_call(self.task.as_deref(), CallerTier::of(cx), catalog.as_ref()).encode())
    }
}

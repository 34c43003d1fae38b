//! Writes a script for a goal.

use svc_contract::{
    registry::{
        Cx, Effect, ErrorKind, Example, Field, Io, Op, OpError, Scheme, Tool, Writer, params,
    },
    value::{Text, Value},
};
use svc_guide::{Proposal, Wanted, Workflow, planned};

use super::EFFECTS;

params! {
    /// Writes a script for a goal.
    ///
    /// The script passes the check, has its estimate in a comment, and explains each stage in a
    /// comment. Values that the goal does not contain become params of the script. If no component
    /// serves a part of the goal, no script is returned: the result contains that part, with the
    /// closest ops.
    ///
    /// Without a `writer` the same goal always returns the same script. A `writer`, such as `ask`,
    /// may write a better one: it is used if it passes the check, and otherwise the writer gets the
    /// problems and tries again.
    pub(super) struct PlanWorkflow {
        /// The goal, in plain words. Paths, addresses and quoted texts are used unchanged.
        goal: Text,
        /// The maximum number of steps of the goal.
        #[range(1..=50)]
        max_steps: usize = 12,
        /// The type of the input of the script, such as `[Doc]`; by default it follows from the
        /// goal.
        input: Option<Text> = None,
        /// The required type of the result.
        output: Option<Text> = None,
        /// The maximum number of calls of the writer: one, and three repairs.
        #[range(1..=4)]
        rounds: usize = 4,
        /// The writer of the script: a flow or component from text to text.
        writer: Option<Writer> = None,
    }
}

impl Op for PlanWorkflow {
    const NAME: &'static str = "plan_workflow";
    const YIELDS: Scheme = Workflow::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const ERRORS: &'static [ErrorKind] = ErrorKind::ALL;
    const SAYS: &'static [&'static str] = &[
        "write a script for my goal",
        "plan the steps of a job",
        "turn a wish into a pipeline",
        "build a workflow from plain words",
        "generate svc code",
        "automate a task described in english",
        "describe it and get finished code",
        "code it for me from plain english",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("guide_plan_workflow"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The ops of a script",
            r#""count the words of essay.txt" >> guide_plan_workflow >> .steps >> each { .op ?? "" }"#,
            r#"["files.read_text","text.words","list.len"]"#,
        ),
        Example::ok(
            "A goal without a component",
            r#""transcribe interview.mp3" >> guide_plan_workflow >> .missing >> each { .part }"#,
            r#"["transcribe interview.mp3"]"#,
        ),
        Example::err(
            "An unknown type",
            r#""count the words" >> guide_plan_workflow(input: "Wodr")"#,
            "is not a type",
        ),
    ];
}

impl Io for PlanWorkflow {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let catalog = cx.catalog()?;
        let asked = Wanted {
            goal: self.goal.to_string(),
            max_steps: self.max_steps,
            input: self.input.map(|it| it.to_string()),
            output: self.output.map(|it| it.to_string()),
        };
        let own = {
            let (asked, catalog) = (asked.clone(), catalog.clone());
            // Many drafts are tried, which takes time.
            let work = tokio::task::spawn_blocking(move || planned(&asked, catalog.as_ref()));
            work.await.map_err(|err| OpError::bug("the planner panicked").because(err))??
        };
        let Some(writer) = &self.writer else { return Ok(own.encode()) };
        let proposal = Proposal { wanted: &asked, own, rounds: self.rounds };
        Ok(proposal.written(writer, catalog.as_ref()).await?.encode())
    }
}

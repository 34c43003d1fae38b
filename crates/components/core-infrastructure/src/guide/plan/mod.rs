//! Converts a goal in words to a script that passes the check.
//!
//! The goal is split into steps (`goal`), the documentation determines the ops that each step
//! mentions (`mention`), a search over types chains them (`route`) with arguments from the goal's
//! own words (`arguments`), and the checker decides what is valid (`finish`). A language model may
//! write the script instead (`propose`); the checker decides on that, too.

use svc_contract::{
    registry::{
        Cx, Effect, ErrorKind, Example, Field, Io, Op, OpError, Scheme, Writer, params, record,
    },
    value::{Text, Value},
};

mod arguments;
mod asking;
mod begin;
mod branches;
mod calls;
mod conditions;
mod coordination;
mod draft;
mod fields;
mod filters;
mod finish;
mod forbidden;
mod goal;
mod idioms;
mod implied;
mod items;
mod library;
mod lists;
mod literals;
mod mention;
mod open;
mod output;
mod phrases;
mod propose;
mod route;
mod several;
mod sources;
mod spelling;
mod strength;
mod tokens;
mod unexplained;

use super::EFFECTS;

record! {
    /// A stage of a script.
    struct Step {
        /// The text of the stage in the script.
        stage: Text,
        /// The full name of the op that it calls; null if it calls none.
        op: Option<Text>,
        /// What the stage does.
        does: Text,
    }
}

record! {
    /// A param of the script.
    struct Need {
        /// The name of the param.
        name: Text,
        /// Its type.
        ty: Text,
        /// Its meaning.
        doc: Text,
    }
}

record! {
    /// A part of a goal that no component serves.
    struct Gap {
        /// The part, in the words of the goal.
        part: Text,
        /// The closest ops.
        nearest: Vec<Text>,
    }
}

record! {
    /// A script for a goal, or the parts that are missing.
    struct Workflow {
        /// Whether a script was found.
        ok: bool,
        /// The goal.
        goal: Text,
        /// The script, which passes the check; null if none was found.
        script: Option<Text>,
        /// The stages of the script, in order.
        steps: Vec<Step>,
        /// The params of the script.
        needs: Vec<Need>,
        /// The type of its result.
        result: Text,
        /// The estimate of tokens, money and time.
        envelope: Text,
        /// The effects of the script on the world.
        effects: Vec<Text>,
        /// Other pipelines for the same goal that pass the check.
        alternatives: Vec<Text>,
        /// The parts that no component serves.
        missing: Vec<Gap>,
        /// Further notes about the script.
        notes: Vec<Text>,
    }
}

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
        let asked = finish::Wanted {
            goal: self.goal.to_string(),
            max_steps: self.max_steps,
            input: self.input.map(|it| it.to_string()),
            output: self.output.map(|it| it.to_string()),
        };
        let own = {
            let (asked, catalog) = (asked.clone(), catalog.clone());
            // Many drafts are tried, which takes time.
            let work =
                tokio::task::spawn_blocking(move || finish::planned(&asked, catalog.as_ref()));
            work.await.map_err(|err| OpError::bug("the planner panicked").because(err))??
        };
        let Some(writer) = &self.writer else { return Ok(own.encode()) };
        let proposal = propose::Proposal { wanted: &asked, own, rounds: self.rounds };
        Ok(proposal.written(writer, cx, catalog.as_ref()).await?.encode())
    }
}

//! From a goal in words to a script that checks.
//!
//! The goal is cut into steps (`goal`), the documentation says which ops each step speaks of
//! (`mention`), a search over types chains them (`route`) with arguments from the goal's own
//! words (`arguments`), and the checker decides what may stand (`finish`). A language model
//! may write instead (`propose`); the checker decides on that, too.

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
        /// As the script writes it.
        stage: Text,
        /// The full name of the op that it calls; nothing where it calls none.
        op: Option<Text>,
        /// What it does.
        does: Text,
    }
}

record! {
    /// What a script is given from outside.
    struct Need {
        /// The name of the param.
        name: Text,
        /// Its type.
        ty: Text,
        /// What it is for.
        doc: Text,
    }
}

record! {
    /// A part of a goal that no component serves.
    struct Gap {
        /// The part, in the words of the goal.
        part: Text,
        /// The ops that come nearest.
        nearest: Vec<Text>,
    }
}

record! {
    /// A script for a goal, or what is missing for one.
    struct Workflow {
        /// Whether there is a script.
        ok: bool,
        /// The goal.
        goal: Text,
        /// The script, which checks; nothing where there is none.
        script: Option<Text>,
        /// Its stages, in order.
        steps: Vec<Step>,
        /// What it is given from outside.
        needs: Vec<Need>,
        /// The type of its result.
        gives: Text,
        /// What it takes in tokens, money and time.
        envelope: Text,
        /// What it does to the world.
        effects: Vec<Text>,
        /// Other pipelines for the same goal that check.
        alternatives: Vec<Text>,
        /// What no component serves.
        missing: Vec<Gap>,
        /// What else is to be known of it.
        notes: Vec<Text>,
    }
}

params! {
    /// Writes a script for a goal.
    ///
    /// The script checks, carries what it takes in a comment, and says of every stage what it
    /// does. What the goal does not say becomes a param of the script. Where a part of the
    /// goal is served by no component, there is no script: the part is named, with the ops
    /// that come nearest.
    ///
    /// Without a `writer` the same goal always gives the same script. A `writer`, such as
    /// `ask`, may write a better one: it is taken if it checks, and is told why if it does
    /// not.
    pub(super) struct PlanWorkflow {
        /// The goal, in plain words. Paths, addresses and texts in quotes are taken as they
        /// are.
        goal: Text,
        /// The most steps that the goal may ask for.
        #[range(1..=50)]
        max_steps: usize = 12,
        /// The type of what the script is given, such as `[Doc]`; else the goal says it.
        input: Option<Text> = None,
        /// The type that the script must give.
        output: Option<Text> = None,
        /// How often the writer is asked at most: once, and for three repairs.
        #[range(1..=4)]
        rounds: usize = 4,
        /// Who may write the script: a flow or component from text to text.
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
            "Which ops it needs",
            r#""count the words of essay.txt" >> guide_plan_workflow >> .steps >> each { .op ?? "" }"#,
            r#"["files.read_text","text.words","list.len"]"#,
        ),
        Example::ok(
            "What no component does",
            r#""transcribe interview.mp3" >> guide_plan_workflow >> .missing >> each { .part }"#,
            r#"["transcribe interview.mp3"]"#,
        ),
        Example::err(
            "A type that there is not",
            r#""count the words" >> guide_plan_workflow(input: "Wodr")"#,
            "is no type",
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
            // Many drafts are tried, which takes a while.
            let work =
                tokio::task::spawn_blocking(move || finish::planned(&asked, catalog.as_ref()));
            work.await.map_err(|err| OpError::bug("the planner ended").because(err))??
        };
        let Some(writer) = &self.writer else { return Ok(own.encode()) };
        let proposal = propose::Proposal { wanted: &asked, own, rounds: self.rounds };
        Ok(proposal.written(writer, cx, catalog.as_ref()).await?.encode())
    }
}

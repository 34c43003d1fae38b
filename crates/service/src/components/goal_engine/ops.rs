//! The tools over goals and plans.

use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field, Op, OpError, Scheme, Scope, Tool,
        findings::Finding, params, record,
    },
    value::{Text, Value, to_value},
};
use svc_engine::output::planned::Planned;
use svc_lang::diag::Report;

use super::{
    critique,
    decompose::{GoalPlan, decomposed},
    given::{Given, PlanStep},
    replan::{Replanned, replanned},
    validate::{Validity, validated},
};
use crate::components::engine_of;

/// The registry is not an argument, so reading it is an effect.
const EFFECTS: &[Effect] = &[Effect::Reads(Scope::Named("components"))];

params! {
    /// Splits a goal into ordered steps over real ops, and names the parts that nothing does.
    ///
    /// A part that no op does is in `missing`, with the closest ops; it never becomes a step. The
    /// words and the types of the ops decide which step uses the result of which.
    pub(super) struct Decompose {
        /// The goal, in plain words.
        goal: Text,
        /// The maximum number of steps.
        #[range(1..=50)]
        max_steps: i64 = 8,
        /// What else is known, such as paths and formats.
        context: Option<Text> = None,
    }
}

impl Op for Decompose {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = GoalPlan::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const SAYS: &'static [&'static str] = &[
        "break a goal into steps",
        "decompose a task into subtasks",
        "which steps lead to my goal",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("decompose_goal"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Three steps",
            r#""count the words of essay.txt" >> decompose_goal >> .steps >> each { it.op ?? "" }"#,
            r#"["read_text","words","len"]"#,
        ),
        Example::ok(
            "A part that nothing does",
            r#""transcribe interview.mp3" >> decompose_goal >> .missing >> each { .part }"#,
            r#"["transcribe interview.mp3"]"#,
        ),
        Example::err("No goal", r#"decompose_goal("?!")"#, "empty goal"),
    ];
}

impl Compute for Decompose {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let catalog = cx.catalog()?;
        let most = usize::try_from(self.max_steps).unwrap_or(1);
        Ok(decomposed(&self.goal, most, self.context.as_deref(), catalog.as_ref())?.encode())
    }
}

record! {
    /// What a plan would do.
    struct Estimated {
        /// The plan, as `svc plan --json` prints it: nodes, effects, and the envelope of tokens, cost
        /// and time.
        plan: Value,
    }
}

params! {
    /// Estimates a plan: its nodes, their effects, and the least, the usual and the most tokens, cost
    /// and time. Nothing runs.
    pub(super) struct Estimate {
        /// The steps, as `decompose_goal` or `run_pipeline` has them.
        steps: Option<Vec<PlanStep>> = None,
        /// A script, instead of steps.
        script: Option<Text> = None,
    }
}

impl Op for Estimate {
    const NAME: &'static str = "estimate";
    const YIELDS: Scheme = Estimated::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const SAYS: &'static [&'static str] = &[
        "what would this plan cost",
        "estimate a script before it runs",
        "how long do these steps take",
    ];
    const TOOL: Option<Tool> = Some(Tool::researcher("plan_estimate"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A script that costs nothing",
            r#"goal_engine.estimate(script: "1 + 1") >> (it.plan as { envelope: { cost: { max: string? } } }) >> (it.envelope.cost.max ?? "")"#,
            r#""$0.00""#,
        ),
        Example::err(
            "A script with a mistake",
            r#"goal_engine.estimate(script: "1 >> uper")"#,
            "it does not pass the check",
        ),
    ];
}

impl Compute for Estimate {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let engine = engine_of(cx)?;
        let made = Given::of(self.steps, self.script)?.sound_plan(&engine)?;
        let refused = Report::new(made.plan.program().source.clone(), Vec::new());
        let plan = to_value(&Planned::of(&made.plan, &refused));
        let plan = plan.map_err(|err| OpError::bug(format!("a plan is not a value: {err}")))?;
        Ok(Estimated { plan }.encode())
    }
}

params! {
    /// Checks a plan, and returns every problem with its place and what to do.
    pub(super) struct Validate {
        /// The steps, as `decompose_goal` or `run_pipeline` has them.
        steps: Option<Vec<PlanStep>> = None,
        /// A script, instead of steps.
        script: Option<Text> = None,
    }
}

impl Op for Validate {
    const NAME: &'static str = "validate";
    const YIELDS: Scheme = Validity::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const SAYS: &'static [&'static str] = &[
        "is this plan valid",
        "check these steps for mistakes",
        "problems of a script with their places",
    ];
    const TOOL: Option<Tool> = Some(Tool::researcher("plan_validate"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A typo",
            r#"goal_engine.validate(script: "1 >> uper") >> .problems >> each { .place }"#,
            r#"["script:1:6"]"#,
        ),
        Example::err("Nothing to check", "goal_engine.validate()", "found neither"),
    ];
}

impl Compute for Validate {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let engine = engine_of(cx)?;
        Ok(validated(&Given::of(self.steps, self.script)?, &engine).encode())
    }
}

record! {
    /// What is worth a look.
    struct Judged {
        /// In the order of the plan.
        findings: Vec<Finding>,
    }
}

params! {
    /// Reports what follows from a plan and is worth a look: costs and times without a limit, writes,
    /// programs, questions to people, results that nothing uses.
    pub(super) struct Critique {
        /// The steps, as `decompose_goal` or `run_pipeline` has them.
        steps: Option<Vec<PlanStep>> = None,
        /// A script, instead of steps.
        script: Option<Text> = None,
    }
}

impl Op for Critique {
    const NAME: &'static str = "critique";
    const YIELDS: Scheme = Judged::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const SAYS: &'static [&'static str] =
        &["review my plan", "what is risky about these steps", "criticise a script before it runs"];
    const TOOL: Option<Tool> = Some(Tool::researcher("plan_critique"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A script that writes",
            r#"goal_engine.critique(script: "\"a\" >> write_file(to: \"a.txt\")") >> .findings >> each { .rule }"#,
            r#"["writes"]"#,
        ),
        Example::ok(
            "Nothing to report",
            r#"goal_engine.critique(script: "1 + 1") >> .findings"#,
            "[]",
        ),
        Example::err(
            "A mistake",
            r#"goal_engine.critique(script: "1 +")"#,
            "does not pass the check",
        ),
    ];
}

impl Compute for Critique {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let engine = engine_of(cx)?;
        let given = Given::of(self.steps, self.script)?;
        let made = given.sound_plan(&engine)?;
        Ok(Judged { findings: critique::findings(&given, &made, &engine) }.encode())
    }
}

params! {
    /// Repairs a plan whose part failed: with a similar op of the same types in its place, or without
    /// it. The script that it returns passes the check.
    pub(super) struct Replan {
        /// What failed: the number of a step from 1, an op, or the path of a node.
        failed: Text,
        /// Why it failed.
        reason: Text,
        /// The steps, as `decompose_goal` or `run_pipeline` has them.
        steps: Option<Vec<PlanStep>> = None,
        /// A script, instead of steps.
        script: Option<Text> = None,
    }
}

impl Op for Replan {
    const NAME: &'static str = "replan";
    const YIELDS: Scheme = Replanned::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    const SAYS: &'static [&'static str] = &[
        "repair a plan after a failure",
        "a step failed, what now",
        "find another way when an op does not work",
    ];
    const TOOL: Option<Tool> = Some(Tool::researcher("plan_replan"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Without a stage",
            r#"goal_engine.replan("trim", reason: "bug", script: "\"a\" >> trim >> len") >> .change"#,
            r#""`trim` was left out""#,
        ),
        Example::err(
            "Nothing does it instead",
            r#"goal_engine.replan("len", reason: "bug", script: "[1] >> len")"#,
            "nothing replaces `len`",
        ),
    ];
}

impl Compute for Replan {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let engine = engine_of(cx)?;
        let given = Given::of(self.steps, self.script)?;
        Ok(replanned(&given, &self.failed, &self.reason, &engine)?.encode())
    }
}

//! Several ops one after the other or at the same time, or a whole script.

use svc_contract::{
    registry::{
        ErrorKind, Example, Field, Inline, Op, OpError, Scheme, Tool, choices, params, record,
    },
    value::{Text, Value},
};
use svc_engine::blocks::PipelineStep;
use svc_lang::diag::Source;

use super::{Meta, ResourceBounds, UsageView, millis, run_id, with};
use crate::{
    Answer, Bounds, Call, Fault, Mode, Work,
    call::Args,
    decode::{AnyFields, decode, object},
    resolve::in_a_script,
};

record! {
    /// One step of a pipeline.
    struct Step {
        /// The component, or a short name of one of its ops.
        component: Text,
        /// The op; `infer` if it is left out.
        op: Option<Text>,
        /// The arguments by the names of the params.
        params: Option<AnyFields>,
    }
}

record! {
    /// What became of one step.
    struct StepView {
        /// The component.
        component: String,
        /// The op.
        op: String,
        /// Whether it has its result.
        ok: bool,
        /// The time of its calls in milliseconds; 0 for a step that is computed in place.
        ms: f64,
        /// Why it failed.
        error: Option<String>,
    }
}

record! {
    /// The result of a pipeline.
    struct PipelineResult {
        /// The results of all steps in their order; for a script, its value.
        result: Value,
        /// What became of each step.
        steps: Vec<StepView>,
        /// The run, if it is stored.
        run_id: Option<String>,
        /// What it used.
        usage: UsageView,
    }
}

choices! {
    /// How the steps belong together.
    enum StepMode { Sequential = "sequential", Parallel = "parallel" }
}

params! {
    /// Runs several ops one after the other or at the same time, or a whole script.
    ///
    /// A step without a value for its input gets the result of the step before it. All steps are
    /// checked before the first one runs.
    pub(super) struct RunPipeline {
        /// The steps, at most 64.
        #[filled]
        steps: Option<Vec<Step>> = None,
        /// A script, instead of steps.
        script: Option<Text> = None,
        /// What the first step gets: its params as an object, or its input; for a script, its
        /// params.
        initial: Option<Value> = None,
        /// Whether the steps run one after the other or at the same time.
        mode: StepMode = StepMode::Sequential,
        /// Tighter bounds than the default ones.
        bounds: Option<ResourceBounds> = None,
    }
}

impl Op for RunPipeline {
    const NAME: &'static str = "run_pipeline";
    const YIELDS: Scheme = PipelineResult::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "run several components in a row",
        "chain operations from another program",
        "execute a list of steps",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("run_pipeline"));
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unsupported];
    const EXAMPLES: &'static [Example] = &[Example::err(
        "A script is a pipeline itself",
        r#"core.run_pipeline(script: "1 + 1")"#,
        "a script cannot call it",
    )];
}

impl Inline for RunPipeline {
    fn run(self) -> Result<Value, OpError> {
        Err(in_a_script("core.run_pipeline"))
    }
}

pub(super) fn work(args: Args, bounds: Bounds) -> Result<(Call, Meta), Fault> {
    let asked: RunPipeline = decode(args)?;
    let bounds = with(asked.bounds, bounds)?;
    let work = match (asked.steps, asked.script) {
        (Some(steps), None) => {
            let steps = steps.into_iter().map(Step::step).collect();
            let mode = match asked.mode {
                StepMode::Sequential => Mode::Sequential,
                StepMode::Parallel => Mode::Parallel,
            };
            Work::Steps { steps, initial: asked.initial, mode }
        }
        (None, Some(script)) => {
            let args = asked.initial.map(|it| object(it, "initial")).transpose()?;
            let source = Source::new("script", script.as_ref());
            Work::Script { source, args: args.unwrap_or_default() }
        }
        (None, None) => {
            return Err(Fault::field("steps", "expected `steps` or `script`, found neither"));
        }
        (Some(_), Some(_)) => {
            return Err(Fault::field("script", "expected `steps` or `script`, found both"));
        }
    };
    Ok((Call { work, bounds }, Meta::Pipeline))
}

impl Step {
    fn step(self) -> PipelineStep {
        let op = self.op.unwrap_or_else(|| "infer".into());
        let mut step = PipelineStep::new(self.component.as_ref(), op.as_ref());
        if let Some(params) = self.params {
            step.params = params.args();
        }
        step
    }
}

pub(super) fn result(answer: &Answer) -> Value {
    let view = |it: &crate::StepReport| StepView {
        component: it.component.clone(),
        op: it.op.clone(),
        ok: it.ok,
        ms: millis(it.took),
        error: it.error.clone(),
    };
    PipelineResult {
        result: answer.value.clone(),
        steps: answer.steps.iter().map(view).collect(),
        run_id: run_id(answer),
        usage: UsageView::of(answer),
    }
    .encode()
}

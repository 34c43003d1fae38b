//! A plan as a caller gives it: steps, or a script.

use svc_contract::{
    registry::{OpError, record},
    value::{Text, Value},
};
use svc_engine::{
    Engine, Error,
    blocks::{ComponentRegistry, Order, PipelineStep, Steps},
};
use svc_lang::{diag::Source, plan::Plan};

/// The most steps of a plan.
const MOST_STEPS: usize = 64;

record! {
    /// One step of a plan, also as `decompose_goal` returns it.
    pub(super) struct PlanStep {
        /// The component, or a short name of one of its ops.
        component: Option<Text>,
        /// The op; `infer` if it is left out.
        op: Option<Text>,
        /// The arguments by the names of the params.
        params: Option<Value>,
        /// What it does, for readers.
        title: Option<Text>,
        /// Why, for readers.
        rationale: Option<Text>,
        /// The positions of earlier steps, from 0.
        depends_on: Option<Vec<i64>>,
    }
}

/// What is estimated, checked, judged or repaired.
pub(super) enum Given {
    Steps(Vec<PipelineStep>),
    Script(Source),
}

/// A plan that was made.
pub(super) struct Made {
    pub(super) plan: Plan,
    /// The script of the plan.
    pub(super) text: String,
    pub(super) steps: Option<Steps>,
}

impl Given {
    pub(super) fn of(steps: Option<Vec<PlanStep>>, script: Option<Text>) -> Result<Self, OpError> {
        match (steps, script) {
            (Some(steps), None) => Ok(Self::Steps(named(steps)?)),
            (None, Some(script)) => Ok(Self::Script(Source::new("script", script.as_ref()))),
            (None, None) => {
                Err(OpError::invalid_input("expected `steps` or `script`, found neither"))
            }
            (Some(_), Some(_)) => {
                Err(OpError::invalid_input("expected `steps` or `script`, found both"))
            }
        }
    }

    /// The plan, or why there is none.
    pub(super) fn plan(&self, engine: &Engine) -> Result<Made, Unplanned> {
        match self {
            Self::Steps(steps) => of_steps(steps, engine),
            Self::Script(source) => {
                let plan = engine.plan_before_inputs(source.clone());
                let plan = plan.map_err(|report| Unplanned::Script(Error::Check(report)))?;
                Ok(Made { plan, text: source.text().to_owned(), steps: None })
            }
        }
    }

    /// The plan, or an error that names the tool that lists the problems.
    pub(super) fn sound_plan(&self, engine: &Engine) -> Result<Made, OpError> {
        self.plan(engine).map_err(|it| {
            OpError::invalid_input(format!("it does not pass the check: {}", it.message()))
                .help("`plan_validate` lists every problem with its place")
        })
    }
}

/// Why a plan was not made.
pub(super) enum Unplanned {
    /// The mistakes of the steps, each with its number.
    Steps(OpError),
    Script(Error),
}

impl Unplanned {
    pub(super) fn message(&self) -> String {
        match self {
            Self::Steps(error) => error.message.clone(),
            Self::Script(Error::Check(report)) => {
                let first = report.all().map(|it| it.1).find(|it| it.is_error());
                first.map_or_else(String::new, |it| format!("{}: {}", it.code.as_str(), it.message))
            }
            Self::Script(error) => error.to_string(),
        }
    }
}

fn named(steps: Vec<PlanStep>) -> Result<Vec<PipelineStep>, OpError> {
    if steps.is_empty() {
        return Err(OpError::invalid_input("expected at least one step, found none"));
    }
    if steps.len() > MOST_STEPS {
        let message = format!("too many steps: {} (limit {MOST_STEPS})", steps.len());
        return Err(OpError::invalid_input(message));
    }
    steps.into_iter().enumerate().map(|(idx, it)| one(idx, it)).collect()
}

fn one(idx: usize, step: PlanStep) -> Result<PipelineStep, OpError> {
    let Some(component) = step.component else {
        let message = format!("step {}: expected a component, found none", idx + 1);
        return Err(OpError::invalid_input(message)
            .help("a stage of the language is not a step: send the plan as a `script`"));
    };
    let op = step.op.unwrap_or_else(|| "infer".into());
    let mut named = PipelineStep::new(component.as_ref(), op.as_ref());
    match step.params {
        None | Some(Value::Null) => {}
        Some(Value::Record(of)) => {
            named.params = of.iter().map(|(name, it)| (name.to_string(), it.clone())).collect();
        }
        Some(other) => {
            let message = format!(
                "step {}: expected an object for `params`, found {}",
                idx + 1,
                other.kind()
            );
            return Err(OpError::invalid_input(message));
        }
    }
    Ok(named)
}

fn of_steps(steps: &[PipelineStep], engine: &Engine) -> Result<Made, Unplanned> {
    let registry = ComponentRegistry::new(engine.clone());
    let made = registry.steps(steps.to_vec(), Order::Sequential).map_err(Unplanned::Steps)?;
    let planned = made.request(engine).plan();
    match planned {
        Ok(plan) => Ok(Made { plan, text: made.text().to_owned(), steps: Some(made) }),
        Err(error) => Err(Unplanned::Steps(made.failure(engine, error))),
    }
}

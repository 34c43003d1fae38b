//! A call from outside, and its answer.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use svc_contract::{
    registry::{ErrorKind, Usage},
    store::RunId,
    value::{Money, Record, Value, json},
};
use svc_engine::blocks::{OnError, Order, PipelineStep, ResourceBounds, WorkflowStep};
use svc_lang::diag::Source;

use crate::{Fault, Live, Why, quality::Quality};

/// Arguments by their names.
pub type Args = BTreeMap<String, Value>;

/// What a caller wants done, and within which bounds.
#[derive(Clone, Debug)]
pub struct Call {
    pub work: Work,
    pub bounds: Bounds,
}

/// What a call does.
#[derive(Clone, Debug)]
pub enum Work {
    /// A tool, by its public name.
    Tool { name: String, args: Args },
    /// One op of a component.
    Op(PipelineStep),
    /// Several ops. The first one gets `initial`, if it is there.
    Steps { steps: Vec<PipelineStep>, initial: Option<Value>, mode: Mode },
    /// Ops that wait for each other.
    Workflow { steps: Vec<WorkflowStep>, on_error: OnError },
    /// A script that the caller sends.
    Script { source: Source, args: Args },
    /// A script of the served folder.
    Served { name: String, args: Args },
}

impl Work {
    /// All that the caller sent, as JSON, for a hash of it.
    pub(crate) fn arguments(&self) -> String {
        let args = |args: &Args| {
            args.iter().map(|(name, it)| (name.as_str().into(), it.clone())).collect::<Record>()
        };
        let step = |it: &PipelineStep| Value::Record(args(&it.params));
        json::write(&match self {
            Self::Tool { args: given, .. } | Self::Served { args: given, .. } => {
                Value::Record(args(given))
            }
            Self::Op(it) => step(it),
            Self::Steps { steps, initial, .. } => {
                let first = initial.clone().into_iter();
                first.chain(steps.iter().map(step)).collect::<Vec<_>>().into()
            }
            Self::Workflow { steps, .. } => {
                steps.iter().map(|it| step(&it.step)).collect::<Vec<_>>().into()
            }
            Self::Script { source, args: given } => {
                vec![source.text().into(), Value::Record(args(given))].into()
            }
        })
    }
}

/// How the steps of a call belong together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    #[default]
    Sequential,
    Parallel,
}

impl Mode {
    pub(crate) fn order(self) -> Order {
        match self {
            Self::Sequential => Order::Sequential,
            Self::Parallel => Order::Parallel,
        }
    }
}

/// The bounds that a caller sets, in addition to those of the script: the tighter one holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    pub max_tokens: Option<u64>,
    pub max_cost: Option<Money>,
    pub timeout: Option<Duration>,
    pub max_retries: Option<u32>,
}

impl Bounds {
    /// Refuses what is not an amount.
    pub(crate) fn test(self) -> Result<(), Fault> {
        match self.max_cost {
            Some(it) if it < Money::ZERO => {
                Err(Fault::field("max_cost", format!("expected at least $0, found {it}")))
            }
            _ => Ok(()),
        }
    }

    /// The bounds of the ops of a call: the default ones, which these only tighten.
    pub(crate) fn of_ops(self) -> Result<ResourceBounds, Fault> {
        let all = ResourceBounds::default();
        let tokens = self.max_tokens.map_or(all.max_tokens(), |it| it.min(all.max_tokens()));
        let seconds = self.timeout.map(|it| it.as_secs().max(1));
        let seconds = seconds.map_or(all.timeout_sec(), |it| it.min(all.timeout_sec()));
        let retries = self.max_retries.map_or(all.max_retries(), |it| it.min(all.max_retries()));
        let all = all.with_max_tokens(tokens).with_timeout_sec(seconds).with_max_retries(retries);
        let dollars = self.max_cost.map_or(0.0, Money::dollars);
        all.with_max_budget_usd(dollars).map_err(Fault::from)
    }
}

/// A call whose caller may leave it.
#[derive(Debug)]
pub enum Begun {
    /// It has its answer.
    Ended(Answer),
    /// Its run goes on.
    Running(Arc<Live>),
}

/// The result of a call.
#[derive(Clone, Debug)]
pub struct Answer {
    pub value: Value,
    /// The run, if it is stored.
    pub run: Option<RunId>,
    pub usage: Usage,
    /// The tokens of `usage` that language models wrote.
    pub output_tokens: u64,
    pub took: Duration,
    /// What became of each step, for a call of several.
    pub steps: Vec<StepReport>,
    /// How good the result is, if anything is known of that.
    pub quality: Option<Quality>,
}

/// What became of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepReport {
    pub component: String,
    pub op: String,
    pub ok: bool,
    /// The time of its calls; zero for one that is computed in place.
    pub took: Duration,
    pub error: Option<String>,
}

impl Answer {
    /// The answer, unless its result is larger than the role of its caller allows.
    pub(crate) fn within(self, largest: Option<u64>) -> Result<Self, Fault> {
        let Some(largest) = largest else { return Ok(self) };
        // About the bytes in memory: what is far from the limit is not written to be measured.
        if self.value.weight().saturating_mul(64) < largest {
            return Ok(self);
        }
        let size = json::write(&self.value).len() as u64;
        if size <= largest {
            return Ok(self);
        }
        let show = svc_contract::value::units::show_size;
        let message = format!("the result has {}, the limit is {}", show(size), show(largest));
        Err(Fault::new(Why::Op(ErrorKind::Exhausted), message)
            .help("ask for less, or ask the operator for a role with a higher `max_result`"))
    }

    /// The confidence that the result itself states, if it does.
    pub fn confidence(&self) -> Option<f64> {
        let record = self.value.as_record()?;
        match record.get("confidence")? {
            Value::Float(it) => Some(*it),
            _ => None,
        }
    }
}

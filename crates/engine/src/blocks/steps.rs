//! Steps as a run that a program plans, starts and watches itself.

use svc_contract::{registry::OpError, value::Value};

use super::{
    ComponentRegistry, PipelineStep, Result, failure,
    script::{Call, Script, Shape, results},
};
use crate::{Engine, Error, Request, Response};

/// How steps belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// One after the other; the result of each may be the input of the next one.
    Sequential,
    /// At the same time.
    Parallel,
}

/// Steps whose names and params are right, as one script.
///
/// [`ComponentRegistry::run_pipeline`] is enough for a program that only wants the results. This
/// is for one that looks at the plan first, stores the run, or watches its events.
pub struct Steps {
    script: Script,
    count: usize,
    is_alone: bool,
}

impl ComponentRegistry {
    /// One step, whose result is the result of the run.
    pub fn step(&self, step: PipelineStep) -> Result<Steps> {
        let script = self.script(vec![step], Shape::Single)?;
        Ok(Steps { script, count: 1, is_alone: true })
    }

    /// Several steps; [`Steps::results`] takes their results out of the result of the run.
    pub fn steps(&self, steps: Vec<PipelineStep>, order: Order) -> Result<Steps> {
        let shape = match order {
            Order::Sequential => Shape::InOrder,
            Order::Parallel => Shape::Together,
        };
        let count = steps.len();
        Ok(Steps { script: self.script(steps, shape)?, count, is_alone: false })
    }

    fn script(&self, steps: Vec<PipelineStep>, shape: Shape) -> Result<Script> {
        let engine = self.engine();
        let calls = steps.into_iter().map(|it| Call::of(engine, it, self.bounds()));
        Script::of(calls.collect(), shape, self.bounds().budget())
    }
}

impl Steps {
    /// A script whose result is a record with the result of each step.
    pub(super) fn of(script: Script, count: usize) -> Self {
        Self { script, count, is_alone: false }
    }

    /// The run of the steps on an engine with the same components.
    pub fn request<'e>(&self, engine: &'e Engine) -> Request<'e> {
        self.script.request(engine)
    }

    pub(super) async fn run(&self, engine: &Engine) -> Result<Response> {
        self.script.run(engine).await
    }

    /// Why the run failed, with the number of its step.
    pub fn failure(&self, engine: &Engine, error: Error) -> OpError {
        failure::of_run(engine, error, &self.script)
    }

    /// The results of the steps, in their order.
    pub fn results(&self, value: Value) -> Result<Vec<Value>> {
        if self.is_alone { Ok(vec![value]) } else { results(&value, self.count) }
    }

    /// The script that runs them.
    pub fn text(&self) -> &str {
        self.script.text()
    }

    /// The number of the step, from 0, that a node of the plan belongs to: `step2/text.upper`.
    pub fn step_of(&self, node: &str) -> Option<usize> {
        if self.is_alone {
            return Some(0);
        }
        let mut parts = node.split('/').filter_map(|it| it.strip_prefix("step"));
        let number: usize = parts.find_map(|it| it.parse().ok())?;
        (1..=self.count).contains(&number).then(|| number - 1)
    }
}

//! The components of an engine, invoked by their names.

use svc_contract::value::Value;

use super::{
    AIBlock, ComponentInfo, PipelineStep, ResourceBounds, Result, failure,
    steps::{Order, Steps},
};
use crate::{Engine, Response};

/// The components of an engine, and the bounds of their operations. Cheap to clone.
#[derive(Clone)]
pub struct ComponentRegistry {
    engine: Engine,
    bounds: ResourceBounds,
}

impl ComponentRegistry {
    /// The components of an engine, with the default bounds.
    pub fn new(engine: Engine) -> Self {
        Self { engine, bounds: ResourceBounds::default() }
    }

    /// The same components with other bounds.
    #[must_use]
    pub fn within(&self, bounds: ResourceBounds) -> Self {
        Self { engine: self.engine.clone(), bounds }
    }

    /// The engine that runs the operations.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The bounds of the operations.
    pub fn bounds(&self) -> ResourceBounds {
        self.bounds
    }

    /// All components, in the order in which they were added.
    pub fn list_all(&self) -> Vec<ComponentInfo> {
        self.engine.registry().components().iter().map(|it| ComponentInfo::of(it)).collect()
    }

    /// A component as a block, by its name or an alias. An unknown name is an error of the kind
    /// `not_found`; a component without `infer` can be named with an op, as in `text.upper`.
    pub fn block(&self, name: &str) -> Result<AIBlock> {
        AIBlock::new(self, name)
    }

    /// Runs one op of a component with params, within the bounds.
    ///
    /// Nothing runs if the component or the op is unknown (`not_found`), if a param is unknown,
    /// missing or of the wrong type (`invalid_input`), if the policy of the engine forbids it
    /// (`denied`), or if the bounds cannot be kept (`timeout`, `budget`).
    pub async fn invoke<'a>(
        &self,
        name: &str,
        op: &str,
        params: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> Result<Response> {
        let params = params.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let (component, op) = (name.to_owned(), op.to_owned());
        self.run_step(PipelineStep { component, op, params }).await
    }

    pub(super) async fn run_step(&self, step: PipelineStep) -> Result<Response> {
        self.step(step)?.run(&self.engine).await
    }

    /// Runs steps one after the other, and returns their results in order. The first failure ends
    /// the run; `step 2: ..` in its message is its place.
    ///
    /// A step without a value for its input gets the result of the step before it. All steps are
    /// checked before the first one runs. The budget is that of all steps together.
    pub async fn run_pipeline(
        &self,
        steps: impl IntoIterator<Item = PipelineStep>,
    ) -> Result<Vec<Value>> {
        self.run_steps(steps.into_iter().collect(), Order::Sequential).await
    }

    /// Runs steps at the same time, and returns their results in the order of the steps. The first
    /// failure cancels the others.
    ///
    /// All steps are checked before one of them runs. The budget is that of all steps together.
    pub async fn run_parallel(
        &self,
        steps: impl IntoIterator<Item = PipelineStep>,
    ) -> Result<Vec<Value>> {
        self.run_steps(steps.into_iter().collect(), Order::Parallel).await
    }

    async fn run_steps(&self, steps: Vec<PipelineStep>, order: Order) -> Result<Vec<Value>> {
        if steps.is_empty() {
            return Ok(Vec::new());
        }
        let steps: Steps = self.steps(steps, order)?;
        let response = steps.run(&self.engine).await?;
        steps.results(response.value)
    }

    pub(super) fn find(&self, name: &str) -> Result<svc_contract::registry::Found> {
        failure::component(&self.engine, name)
    }
}

impl std::fmt::Debug for ComponentRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ComponentRegistry").field("bounds", &self.bounds).finish_non_exhaustive()
    }
}

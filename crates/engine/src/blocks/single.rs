//! One component as a block, with its state.

use std::collections::BTreeMap;

use svc_contract::{
    registry::{Found, OpError, OpRef, Param},
    value::{Model, Record, Type, Value, json},
};

use super::{
    ComponentRegistry, Emittable, InductiveBias, Inferrable, Ingestible, Learnable, PipelineStep,
    ResourceBounds, Result, Storable, failure, info, params::signature, script::Call,
};
use crate::{Engine, Response};

/// A component with its state: it infers, learns, saves and loads, and `>>` composes it.
///
/// The state is the model that the component has learnt, and none at first. It belongs to this
/// object: the engine and its components have no state. A component that does not learn refuses to
/// learn, and saves and loads an empty state.
#[derive(Clone)]
pub struct AIBlock {
    registry: ComponentRegistry,
    /// The op that infers.
    op: OpRef,
    /// Further arguments, by the op and the param.
    args: BTreeMap<(String, String), Value>,
    state: Option<Model>,
}

impl AIBlock {
    pub(super) fn new(registry: &ComponentRegistry, name: &str) -> Result<Self> {
        let engine = registry.engine();
        let op = match name.split_once('.') {
            Some((component, op)) => failure::resolve(engine, component, op)?,
            None => match registry.find(name)? {
                Found::Op(op) => op,
                Found::Component(component) => {
                    let first = component.ops.first().map_or("..", |it| it.name);
                    let error = OpError::not_found(format!("`{name}` has no op `infer`"));
                    return Err(
                        error.help(format!("name one of its ops, such as `{name}.{first}`"))
                    );
                }
            },
        };
        Ok(Self { registry: registry.clone(), op, args: BTreeMap::new(), state: None })
    }

    /// The name: that of the component, or `component.op` if the block infers with another op
    /// than `infer`.
    pub fn name(&self) -> String {
        match self.op.op.name {
            "infer" => self.op.component.name.to_owned(),
            _ => self.op.to_string(),
        }
    }

    /// The state; none until it has learnt or loaded something.
    pub fn state(&self) -> Option<&Model> {
        self.state.as_ref()
    }

    /// The state, to replace or remove it.
    pub fn state_mut(&mut self) -> &mut Option<Model> {
        &mut self.state
    }

    /// Sets an argument of every inference, besides the input.
    #[must_use]
    pub fn arg(self, name: &str, value: impl Into<Value>) -> Self {
        let op = self.op.op.name;
        self.arg_of(op, name, value)
    }

    /// Sets an argument of an op, such as the `hits` of `learn`.
    #[must_use]
    pub fn arg_of(mut self, op: &str, name: &str, value: impl Into<Value>) -> Self {
        self.args.insert((op.to_owned(), name.to_owned()), value.into());
        self
    }

    /// The same block with other bounds.
    #[must_use]
    pub fn within(self, bounds: ResourceBounds) -> Self {
        Self { registry: self.registry.within(bounds), ..self }
    }

    /// The bounds of its operations.
    pub fn bounds(&self) -> ResourceBounds {
        self.registry.bounds()
    }

    /// Computes the result of an input, with the state.
    pub async fn infer(&self, input: impl Into<Value>) -> Result<Response> {
        let step = self.inferring(Some(input.into()))?;
        self.registry.run_step(step).await
    }

    /// Learns from data, a list, and returns the new state. If that fails, the state stays what it
    /// is; a component that does not learn is an error of the kind `unsupported`.
    pub async fn learn(&mut self, data: impl Into<Value>) -> Result<&Model> {
        let op = self.resolve("learn")?;
        let step = self.step(op, Some(data.into()))?;
        let learnt = self.registry.run_step(step).await?.value;
        match learnt {
            Value::Model(it) => Ok(self.state.insert(it)),
            other => {
                let message = format!("expected a model from `{op}`, found {}", other.kind());
                Err(OpError::bug(message))
            }
        }
    }

    /// Saves the state to a file, and returns the path of the file. A component that learns and has
    /// not yet is an error of the kind `invalid_input`.
    pub async fn save(&self, path: &str) -> Result<String> {
        let op = self.resolve("save")?;
        if self.op.component.learns() && self.state.is_none() {
            let message = format!("`{}` has no state to save", self.name());
            return Err(OpError::invalid_input(message).help("call `learn` or `load` first"));
        }
        let step = self.step(op, None)?.param("path", Value::Path(path.into()));
        self.registry.run_step(step).await.map(|_| path.to_owned())
    }

    /// Loads the state from a file, and returns the path of the file. If that fails, the state
    /// stays what it is.
    pub async fn load(&mut self, path: &str) -> Result<String> {
        let op = self.resolve("load")?;
        let step = self.step(op, None)?.param("path", Value::Path(path.into()));
        if let Value::Model(it) = self.registry.run_step(step).await?.value {
            self.state = Some(it);
        }
        Ok(path.to_owned())
    }

    fn resolve(&self, op: &str) -> Result<OpRef> {
        failure::resolve(self.registry.engine(), self.op.component.name, op)
    }

    fn inferring(&self, input: Option<Value>) -> Result<PipelineStep> {
        self.step(self.op, input)
    }

    /// A step with the arguments of an op, the input and the state.
    fn step(&self, op: OpRef, input: Option<Value>) -> Result<PipelineStep> {
        let mut step = PipelineStep::new(self.op.component.name, op.op.name);
        let own = self.args.iter().filter(|((of, _), _)| of == op.op.name);
        step.params = own.map(|((_, name), value)| (name.clone(), value.clone())).collect();
        if let Some(input) = input {
            let param = op.op.input().ok_or_else(|| {
                OpError::invalid_input(format!("`{op}` takes no input")).help(signature(op))
            })?;
            step.params.insert(param.name.to_owned(), input);
        }
        let model = op.op.params.iter().find(|it| it.scheme.has_model()).map(|it| it.name);
        if let (Some(name), Some(state)) = (model, &self.state) {
            step.params.entry(name.to_owned()).or_insert_with(|| Value::Model(state.clone()));
        }
        Ok(step)
    }

    /// The call of a stage of a pipeline.
    pub(super) fn call(&self, input: Option<Value>) -> Result<Call> {
        let step = self.inferring(input)?;
        let params = step.params;
        let bounds = self.bounds();
        Ok(Call { op: self.op, params, bounds, cap: bounds.budget() })
    }

    pub(super) fn engine(&self) -> &Engine {
        self.registry.engine()
    }
}

impl<I: Into<Value> + Send> Inferrable<I> for AIBlock {
    type Output = Response;

    async fn infer(&self, input: I) -> Result<Response> {
        self.infer(input).await
    }
}

impl<I: Into<Value> + Send> Learnable<I> for AIBlock {
    type State = Model;

    async fn learn(&mut self, data: Vec<I>) -> Result<Model> {
        let data: Vec<Value> = data.into_iter().map(Into::into).collect();
        self.learn(data).await.cloned()
    }
}

impl Storable for AIBlock {
    async fn save(&self, path: &str) -> Result<String> {
        self.save(path).await
    }

    async fn load(&mut self, path: &str) -> Result<String> {
        self.load(path).await
    }
}

impl InductiveBias for AIBlock {
    /// The strategy, the assumptions and the evolvable params of the component, with the changed
    /// defaults of the engine.
    fn bias(&self) -> Record {
        info::bias(self.op.component, self.engine().tuning())
    }
}

impl Ingestible<&str> for AIBlock {
    type Output = Value;

    /// Reads a text as an input of this block: a string as it is, anything else as JSON.
    async fn ingest(&mut self, raw: &str) -> Result<Value> {
        let input = self.op.op.input().ok_or_else(|| {
            OpError::invalid_input(format!("`{}` takes no input", self.op)).help(signature(self.op))
        })?;
        read(input, raw)
    }
}

impl Emittable<Value> for AIBlock {
    type Output = String;

    /// Writes a result as JSON.
    async fn emit(&self, data: Value) -> Result<String> {
        Ok(json::write(&data))
    }
}

fn read(input: &Param, raw: &str) -> Result<Value> {
    let ty = input.scheme.plain();
    let value = Value::from_words(raw.into(), &ty);
    if ty == Type::Unknown {
        return Ok(value);
    }
    value.cast(&ty).map_err(|misfit| OpError::invalid_input(misfit.within(input.name).to_string()))
}

impl std::fmt::Debug for AIBlock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AIBlock")
            .field("name", &self.name())
            .field("args", &self.args)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

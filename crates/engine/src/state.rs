//! A component with its state, as one object: the specification's `AIBlock`.

use std::path::PathBuf;

use svc_contract::{
    registry::{HintId, OpError, OpRef},
    value::{Model, Value},
};
use svc_lang::diag::Source;

use super::{Engine, Error, Response};

/// A component and the model that it works with. Learning changes only this object: the engine
/// and its components have no state.
#[derive(Clone)]
pub struct Trainee<'e> {
    engine: &'e Engine,
    component: &'static str,
    model: Option<Model>,
}

impl Engine {
    /// A component that learns, without a model at first.
    pub fn state(&self, component: &str) -> Result<Trainee<'_>, OpError> {
        let found = self.registry.find(component).ok_or_else(|| {
            let error = OpError::not_found(format!("unknown component `{component}`"));
            self.hints.of_op(error.help(HintId::FindLearner))
        })?;
        let found = found.component();
        if !found.learns() {
            let message = format!("`{component}` does not learn");
            return Err(OpError::new(svc_contract::registry::ErrorKind::Unsupported, message));
        }
        Ok(Trainee { engine: self, component: found.name, model: None })
    }
}

impl Trainee<'_> {
    /// The model that it works with.
    pub fn model(&self) -> Option<&Model> {
        self.model.as_ref()
    }

    /// Works with this model from now on.
    #[must_use]
    pub fn with_model(self, model: Model) -> Self {
        Self { model: Some(model), ..self }
    }

    /// Learns from data, with further arguments of `learn`.
    pub async fn learn(
        &mut self,
        data: impl Into<Value>,
        args: &[(&str, Value)],
    ) -> Result<&Model, Error> {
        let learnt = self.call("learn", Some(data.into()), args).await?.value;
        self.take(learnt)
    }

    /// Calls the component on an input with its model, and with further arguments.
    pub async fn infer(
        &self,
        input: impl Into<Value>,
        args: &[(&str, Value)],
    ) -> Result<Response, Error> {
        let mut args = args.to_vec();
        args.extend(self.model.clone().map(|it| ("model", Value::Model(it))));
        self.call("infer", Some(input.into()), &args).await
    }

    /// Saves the model to a file.
    pub async fn save(&self, path: impl Into<PathBuf>) -> Result<(), Error> {
        let model = self.model.clone().map(Value::Model);
        self.call("save", model, &[("path", path_value(path))]).await.map(drop)
    }

    /// Loads the model from a file.
    pub async fn load(&mut self, path: impl Into<PathBuf>) -> Result<&Model, Error> {
        let loaded = self.call("load", None, &[("path", path_value(path))]).await?.value;
        self.take(loaded)
    }

    fn take(&mut self, value: Value) -> Result<&Model, Error> {
        match value {
            Value::Model(it) => Ok(self.model.insert(it)),
            other => {
                let message = format!("expected a model, found {}", other.kind());
                Err(outside(OpError::bug(message)))
            }
        }
    }

    /// Runs one op as a script, whose params are its arguments.
    async fn call(
        &self,
        op: &str,
        input: Option<Value>,
        args: &[(&str, Value)],
    ) -> Result<Response, Error> {
        let path = format!("{}.{op}", self.component);
        let found = self.engine.registry.resolve(&path).ok_or_else(|| {
            outside(OpError::not_found(format!("`{}` has no op `{op}`", self.component)))
        })?;
        let mut request = self.engine.run(Source::new("state", script(found, args)));
        for (name, value) in args {
            request = request.param(name, value.clone());
        }
        match input {
            Some(it) => request.input(it).await,
            None => request.await,
        }
    }
}

/// A script that calls an op with its input, and with these arguments as params.
fn script(op: OpRef, args: &[(&str, Value)]) -> String {
    let mut text = String::new();
    for param in op.op.params.iter().filter(|it| args.iter().any(|(name, _)| *name == it.name)) {
        text += &format!("param {}: {}\n", param.name, param.scheme.plain());
    }
    let args: Vec<String> = args.iter().map(|(name, _)| format!("{name}: {name}")).collect();
    format!("{text}{op}({})", args.join(", "))
}

fn path_value(path: impl Into<PathBuf>) -> Value {
    Value::Path(path.into().to_string_lossy().into())
}

fn outside(error: OpError) -> Error {
    let error = crate::run::RunError::outside(error, svc_lang::diag::Span::default());
    Error::Run { source: Source::new("state", String::new()), error }
}

impl std::fmt::Debug for Trainee<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trainee")
            .field("component", &self.component)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

//! What components learn: models, and the ops that save and load them.
//!
//! A component that learns declares its [`State`], an op `learn` that returns
//! [`Trained::learn`], and [`save`] and [`load`] among its ops. Other ops take a
//! `model: Option<Trained<S>>`: without a model they work untrained, as no component has a
//! hidden state.

use std::{marker::PhantomData, path::PathBuf, sync::Arc};

use serde::{Serialize, de::DeserializeOwned};

use super::{
    Compute, Cx, Effect, ErrorKind, Example, Field, Op, OpDef, OpError, Param, Params, Scheme,
    Scope, compute,
};
use crate::{
    host,
    value::{AboutModel, LARGEST_STATE, Learnt, Metric, Model, Value},
};

/// What a component learns, as a Rust type.
pub trait State: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The component that learns it.
    const COMPONENT: &'static str;
    /// The version of that component.
    const VERSION: u32;
    /// Incremented whenever the layout of this type changes.
    const LAYOUT: u32;
    /// A script that learns, saves and loads.
    const EXAMPLE: Example;

    /// Reads a state with an earlier layout; `None` if that is not possible.
    fn migrate(_layout: u32, _state: &[u8]) -> Option<Self> {
        None
    }
}

/// A model with a known type of state; a param or a result of an op.
#[derive(Debug)]
pub struct Trained<S>(Model, PhantomData<fn() -> S>);

impl<S> Clone for Trained<S> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}

impl<S: State> Trained<S> {
    /// The model of a state that was learnt from `rows` items. Equal states, rows and metrics
    /// give the same model.
    pub fn learn(state: &S, rows: usize, metrics: Vec<Metric>) -> Result<Self, OpError> {
        let bytes = rmp_serde::to_vec_named(state)
            .map_err(|err| OpError::bug(format!("cannot encode the state: {err}")))?;
        if bytes.len() > LARGEST_STATE {
            let message =
                format!("the state is too large ({} bytes, limit {LARGEST_STATE})", bytes.len());
            return Err(OpError::new(ErrorKind::Failed, message).help("learn from less data"));
        }
        let about = AboutModel {
            component: S::COMPONENT.into(),
            version: S::VERSION,
            layout: S::LAYOUT,
            rows: rows as u64,
            metrics,
        };
        Ok(Self(Model::new(Learnt::new(about, bytes)), PhantomData))
    }

    /// The state, which is decoded once for all calls that share the model.
    pub fn state(&self) -> Result<Arc<S>, OpError> {
        let content = self.content()?;
        content.decoded(|it| decode(it))
    }

    pub fn model(&self) -> &Model {
        &self.0
    }

    fn content(&self) -> Result<&Learnt, OpError> {
        let content = self.0.content().ok_or_else(|| {
            OpError::bug(format!("the content of model `{}` was not read", self.0))
        })?;
        of_component(content, S::COMPONENT)?;
        Ok(content)
    }
}

/// Checks that a model is one of this component.
fn of_component(content: &Learnt, component: &str) -> Result<(), OpError> {
    let given = &content.about.component;
    if given.as_ref() == component {
        return Ok(());
    }
    let message = format!("expected a model of `{component}`, found one of `{given}`");
    Err(OpError::invalid_input(message))
}

fn decode<S: State>(content: &Learnt) -> Result<S, OpError> {
    let layout = content.about.layout;
    if layout != S::LAYOUT {
        return S::migrate(layout, &content.state).ok_or_else(|| {
            let message = format!(
                "the model has layout {layout} of `{}`, and this version reads layout {}",
                S::COMPONENT,
                S::LAYOUT
            );
            OpError::new(ErrorKind::Unsupported, message).help("learn it again")
        });
    }
    rmp_serde::from_slice(&content.state).map_err(|err| {
        OpError::invalid_input(format!("the model of `{}` is damaged: {err}", S::COMPONENT))
    })
}

impl<S: State> Field for Trained<S> {
    const SCHEME: Scheme = Scheme::Model(S::COMPONENT);

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::Model(it) => Some(Self(it, PhantomData)),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        Value::Model(self.0)
    }
}

/// The op `save` of a component that learns `S`.
pub const fn save<S: State>() -> OpDef {
    compute::<Save<S>>()
}

/// The op `load` of a component that learns `S`.
pub const fn load<S: State>() -> OpDef {
    compute::<Load<S>>()
}

struct Save<S> {
    model: Trained<S>,
    path: PathBuf,
}

const PATH: Param = Param::new("path", " The file, such as `spam.svcm`.\n", Scheme::Path, None);

impl<S: State> Params for Save<S> {
    const DOC: &'static str = " Saves a model to a file, and returns the path of the file.\n\n \
        The file contains the component, the layout of its state, the number of learnt items,\n \
        the metrics, and the state. Equal models have equal files.\n";
    const PARAMS: &'static [Param] = &[
        Param {
            is_input: true,
            ..Param::new(
                "model",
                " The model, as returned by `learn` or `load`.\n",
                Trained::<S>::SCHEME,
                None,
            )
        },
        PATH,
    ];

    fn decode(args: &mut [Value]) -> Result<Self, OpError> {
        let mut args = args.iter_mut();
        Ok(Self {
            model: Self::PARAMS[0].take(args.next())?,
            path: Self::PARAMS[1].take(args.next())?,
        })
    }
}

impl<S: State> Op for Save<S> {
    const NAME: &'static str = "save";
    const SAYS: &'static [&'static str] = &[
        "save the trained model",
        "write what was learnt to a file",
        "keep a model for later",
        "persist a model after training",
        "put trained weights on disk",
    ];
    const YIELDS: Scheme = Scheme::Path;
    const EFFECTS: &'static [Effect] =
        &[Effect::Writes { scope: Scope::Path("path"), idempotent: true }];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Failed];
    const EXAMPLES: &'static [Example] = &[S::EXAMPLE];
}

impl<S: State> Compute for Save<S> {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let file = self.model.content()?.to_file();
        cx.host().write(&self.path, &file).map_err(|err| OpError::io(err, &self.path))?;
        Ok(self.path.encode())
    }
}

struct Load<S> {
    path: PathBuf,
    state: PhantomData<fn() -> S>,
}

impl<S: State> Params for Load<S> {
    const DOC: &'static str = " Loads a model from a file that `save` wrote.\n\n \
        Loading runs no code. A file that was changed, or that is of another component, is\n \
        refused.\n";
    const PARAMS: &'static [Param] = &[Param { is_input: true, ..PATH }];

    fn decode(args: &mut [Value]) -> Result<Self, OpError> {
        Ok(Self { path: Self::PARAMS[0].take(args.first_mut())?, state: PhantomData })
    }
}

impl<S: State> Op for Load<S> {
    const NAME: &'static str = "load";
    const SAYS: &'static [&'static str] = &[
        "load a trained model",
        "read a saved model from a file",
        "use what was learnt earlier",
        "bring back a model that was trained before",
        "restore trained weights from disk",
        "reuse a stored model",
    ];
    const YIELDS: Scheme = Trained::<S>::SCHEME;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("path"))];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Failed, ErrorKind::Unsupported];
    const EXAMPLES: &'static [Example] = &[S::EXAMPLE];
}

impl<S: State> Compute for Load<S> {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        const LARGEST: u64 = LARGEST_STATE as u64 + (2 << 20);
        let bytes = host::read(cx.host(), &self.path, LARGEST)
            .map_err(|err| OpError::io(err, &self.path))?;
        let path = self.path.display();
        let content = Learnt::from_file(&bytes)
            .map_err(|why| OpError::invalid_input(format!("cannot load `{path}`: {why}")))?;
        of_component(&content, S::COMPONENT)?;
        content.decoded(|it| decode::<S>(it))?;
        Ok(Value::Model(Model::new(content)))
    }
}

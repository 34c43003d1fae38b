//! The value of a call or of a whole run: `svc tap`.

use svc_contract::value::{Value, json};
use svc_engine::Engine;

use crate::store::{Run, RunStore, StoreError};

/// The value to look up in a run.
#[derive(Clone, Copy, Debug)]
pub enum Tapped<'a> {
    /// The result of the run.
    Result,
    /// The result of the call at this path.
    Call(&'a str),
    /// The arguments of the call at this path.
    Args(&'a str),
}

/// The reason why a value is missing.
#[derive(Debug, thiserror::Error)]
pub enum TapError {
    #[error("unknown node `{path}` of the run")]
    UnknownNode { path: String },
    #[error("no result recorded")]
    NoResult,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A value of the run with this name.
pub fn tap(
    engine: &Engine,
    store: &RunStore,
    run: &str,
    what: Tapped<'_>,
) -> Result<Value, TapError> {
    let run = store.run(run)?;
    match what {
        Tapped::Result => recorded(store, run.value),
        Tapped::Call(path) | Tapped::Args(path) => of_call(engine, store, run, path, what),
    }
}

fn of_call(
    engine: &Engine,
    store: &RunStore,
    run: Run,
    path: &str,
    what: Tapped<'_>,
) -> Result<Value, TapError> {
    let missing = || TapError::UnknownNode { path: path.to_owned() };
    let Some(node) = store.node(&run.id, path)? else {
        // Results of inline ops are not stored, but can be computed again.
        let tapped = store.engine(engine.clone()).tap(run, path);
        return tapped.ok().flatten().ok_or_else(missing);
    };
    match what {
        Tapped::Args(_) => json::read(&store.arguments(&node)?).map_err(|_| missing()),
        Tapped::Call(_) | Tapped::Result => recorded(store, node.output),
    }
}

fn recorded(store: &RunStore, value: Option<crate::store::Hash>) -> Result<Value, TapError> {
    let text = store.text(value.ok_or(TapError::NoResult)?)?;
    text.and_then(|it| json::read(&it).ok()).ok_or(TapError::NoResult)
}

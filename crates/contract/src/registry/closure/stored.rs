//! The closures of an engine, and how they are called.

use std::{collections::HashMap, sync::Arc};

use super::Code;
use crate::{
    registry::{BoxFuture, Cx, ErrorKind, InlineCx, Lent, OpError, Param},
    value::Value,
};

/// The closures by component and op. Clones share them.
#[derive(Clone, Default)]
pub(in crate::registry) struct Closures(Arc<HashMap<(&'static str, &'static str), Code>>);

impl Closures {
    pub(super) fn add(&mut self, component: &'static str, op: &'static str, code: Code) {
        Arc::make_mut(&mut self.0).insert((component, op), code);
    }
}

/// The closure of the called op, and its parameters.
fn code(lent: &Lent) -> Result<(&Code, &'static [Param]), OpError> {
    let (closures, op) = lent.called()?;
    let code = closures.0.get(&(op.component.name, op.op.name)).ok_or_else(|| {
        OpError::new(ErrorKind::Unsupported, format!("this engine has no closure for `{op}`"))
            .help("run the plan with the engine that planned it, or with a clone of it")
    })?;
    Ok((code, *op.op.params))
}

fn other_kind() -> OpError {
    OpError::invalid_input("this engine has a closure of another kind for this op")
        .help("run the plan with the engine that planned it, or with a clone of it")
}

pub(super) fn inline(cx: &InlineCx, args: &mut [Value]) -> Result<Value, OpError> {
    match code(cx.services())? {
        (Code::Inline(run), params) => run(cx.clone(), params, args),
        _ => Err(other_kind()),
    }
}

pub(super) fn compute(cx: &Cx, args: &mut [Value]) -> Result<Value, OpError> {
    match code(cx.services())? {
        (Code::Compute(run), params) => run(cx.clone(), params, args),
        _ => Err(other_kind()),
    }
}

pub(super) fn io(cx: Cx, mut args: Vec<Value>) -> BoxFuture {
    let code = code(cx.services()).map(|(code, params)| (code.clone(), params));
    match code {
        Ok((Code::Io(run), params)) => run(cx, params, &mut args),
        Ok(_) => Box::pin(std::future::ready(Err(other_kind()))),
        Err(err) => Box::pin(std::future::ready(Err(err))),
    }
}

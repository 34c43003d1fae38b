//! Programs that call one flow of a script.

use std::{fmt, sync::Arc};

use svc_contract::value::{Text, Type, Value};

use super::{Checked, Input, Term, TermKind, TypedFlow, Var};
use crate::{
    diag::{Report, Source},
    syntax::ast::BinaryOp,
};

/// The flow that a program calls.
#[derive(Clone, Debug)]
pub enum CalledFlow {
    /// A flow of the script, by its name.
    Named(Text),
    /// A flow that an op kept.
    Kept(Arc<TypedFlow>),
}

/// The reason why a flow cannot be called from outside of its script.
#[derive(Clone, Debug, PartialEq)]
pub enum Uncallable {
    /// The script has no flow of this name.
    Unknown,
    /// It has type parameters, which only a call in a script decides.
    Generic,
    /// This param is a flow, which only a script can pass.
    TakesFlow(Text),
    /// Its result is or contains a secret or a flow.
    Yields(Type),
}

impl fmt::Display for Uncallable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("the script has no such flow"),
            Self::Generic => f.write_str("it has type parameters"),
            Self::TakesFlow(name) => write!(f, "its param `{name}` is a flow"),
            Self::Yields(ty) => write!(f, "its result is {ty}, which cannot leave a run"),
        }
    }
}

impl Checked {
    /// The program that calls a flow of this one: the params of the flow are its inputs. It
    /// contains nothing else of the script, so only the flow counts in its estimate.
    pub fn calling(&self, name: &str) -> Result<Self, Uncallable> {
        let flow = self.flows.iter().find(|it| it.name.as_ref() == name);
        let flow = flow.ok_or(Uncallable::Unknown)?;
        let program = Self::of_flow(flow, CalledFlow::Named(flow.name.clone()))?;
        Ok(Self { used: self.used.clone(), warnings: self.warnings.clone(), ..program })
    }

    /// The program that calls a flow that an op kept. It has one input.
    pub fn calling_kept(flow: &Arc<TypedFlow>) -> Result<Self, Uncallable> {
        let program = Self::of_flow(flow, CalledFlow::Kept(flow.clone()))?;
        let rename = |it| Input { name: "input".into(), ..it };
        let inputs = program.inputs.into_iter().map(rename).collect();
        // The body is the call of a flow or component by its name, which begins the paths.
        Ok(Self { inputs, main: Some(flow.body.clone()), ..program })
    }

    fn of_flow(flow: &Arc<TypedFlow>, called: CalledFlow) -> Result<Self, Uncallable> {
        if !flow.generics.is_empty() {
            return Err(Uncallable::Generic);
        }
        if let Some(param) = flow.params.iter().find(|it| it.is_flow()) {
            return Err(Uncallable::TakesFlow(param.name.clone()));
        }
        if flow.yields.has(&|it| matches!(it, Type::Secret | Type::Flow(_))) {
            return Err(Uncallable::Yields(flow.yields.clone()));
        }
        let params = flow.params.iter().enumerate();
        let (inputs, args) = params.map(|(idx, it)| passed(idx, it)).unzip();
        let kind = TermKind::Flow {
            flow: flow.clone(),
            name: flow.name.clone(),
            segment: flow.name.clone(),
            args,
        };
        Ok(Self {
            source: flow.source.clone(),
            inputs,
            flows: Vec::new(),
            used: Vec::new(),
            expanded: Vec::new(),
            main: Some(Term::new(kind, flow.yields.clone(), flow.span)),
            called: Some(called),
            mocks: Vec::new(),
            tests: Vec::new(),
            warnings: no_warnings(&flow.source),
        })
    }
}

fn no_warnings(source: &Source) -> Report {
    Report::new(source.clone(), Vec::new())
}

/// A param of a flow as an input of the program, and the argument that passes it on.
fn passed(idx: usize, param: &Input) -> (Input, Term) {
    let given = |ty: Type| Term::new(TermKind::Var(Var { up: 0, idx }), ty, param.span);
    match &param.default {
        // The default of an input is computed before the run, so a default that waits is part of
        // the run.
        Some(default) if default.waits => {
            let ty = param.ty.clone().optional();
            let kind = TermKind::Binary {
                op: BinaryOp::Coalesce,
                left: Box::new(given(ty.clone())),
                right: Box::new(default.clone()),
            };
            let null = Term::new(TermKind::Const(Value::Null), ty.clone(), param.span);
            let input = Input { ty, default: Some(null), ..param.clone() };
            (input, Term::new(kind, param.ty.clone(), param.span))
        }
        _ => (param.clone(), given(param.ty.clone())),
    }
}

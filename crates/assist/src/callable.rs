//! Signatures and documentation of ops and flows.

use svc_contract::registry::{OpRef, Param, Registry};
use svc_lang::check::{Facts, Input, TypedFlow};

use super::Call;

/// An op or a flow, as its caller sees it.
#[derive(Clone)]
pub enum Callable<'a> {
    Op(OpRef),
    /// A flow, and its name in the script.
    Flow(&'a str, &'a TypedFlow),
}

/// One parameter of an op or flow.
pub struct Port {
    pub name: String,
    /// `top_k: int 1..100 = 10`
    pub label: String,
    pub doc: String,
    pub is_required: bool,
}

impl<'a> Callable<'a> {
    /// The op or flow that a name of the script refers to.
    pub fn named(name: &str, facts: &'a Facts, registry: &Registry) -> Option<Self> {
        let flow = facts.flows.iter().find(|(it, _)| it.as_ref() == name);
        match flow {
            Some((name, flow)) => Some(Self::Flow(name, flow)),
            None => registry.resolve(name).map(Self::Op),
        }
    }

    pub fn ports(&self) -> Vec<Port> {
        match self {
            Self::Op(op) => op.op.params.iter().map(op_port).collect(),
            Self::Flow(_, flow) => flow.params.iter().map(flow_port).collect(),
        }
    }

    /// `take(items: [T], n: int) -> [T; max n]`
    pub fn signature(&self) -> String {
        let (name, yields, labels): (String, String, Vec<String>) = match self {
            Self::Op(op) => {
                let labels = op.op.params.iter().map(Param::signature).collect();
                (op.script_name(), op.op.yields.show(), labels)
            }
            Self::Flow(name, flow) => {
                let labels = flow.params.iter().map(flow_label).collect();
                ((*name).to_owned(), flow.yields.to_string(), labels)
            }
        };
        format!("{name}({}) -> {yields}", labels.join(", "))
    }

    /// The names of the params that a call must give, without the first `skipped` params.
    pub fn required(&self, skipped: usize) -> Vec<&str> {
        match self {
            Self::Op(op) => {
                let params = op.op.params.iter().skip(skipped);
                params.filter(|it| it.default.is_none()).map(|it| it.name).collect()
            }
            Self::Flow(_, flow) => {
                let params = flow.params.iter().skip(skipped);
                params.filter(|it| it.default.is_none()).map(|it| it.name.as_ref()).collect()
            }
        }
    }

    /// Its complete documentation.
    pub fn page(&self) -> String {
        let code = format!("```svc\n{}\n```", self.signature());
        let parts = match self {
            Self::Op(op) => vec![code, op.op.text(), contract(*op), params(&self.ports())],
            Self::Flow(_, flow) => vec![code, flow.doc.clone()],
        };
        let said: Vec<String> = parts.into_iter().filter(|it| !it.is_empty()).collect();
        said.join("\n\n")
    }
}

/// The parameter of the current argument: the input of a stage fills the first one.
pub fn active(call: &Call<'_>, ports: &[Port]) -> Option<usize> {
    match call.argument {
        Some(name) => ports.iter().position(|it| it.name == name),
        None => {
            let idx = call.idx + usize::from(call.is_stage);
            (idx < ports.len()).then_some(idx)
        }
    }
}

/// The effects of an op, its price, and its errors.
fn contract(op: OpRef) -> String {
    let effects: Vec<String> = op.op.effects.iter().map(ToString::to_string).collect();
    let does = if effects.is_empty() { "pure".to_owned() } else { effects.join(", ") };
    let errors: Vec<String> = op.op.errors.iter().map(|it| format!("`{}`", it.name())).collect();
    let fails = if errors.is_empty() {
        String::new()
    } else {
        format!(" · fails with {}", errors.join(", "))
    };
    format!("`{op}` · {does} · {}{fails}", op.op.price)
}

fn params(ports: &[Port]) -> String {
    let documented = ports.iter().filter(|it| !it.doc.is_empty());
    documented.map(|it| format!("- `{}`: {}", it.name, it.doc)).collect::<Vec<_>>().join("\n")
}

fn op_port(param: &Param) -> Port {
    Port {
        name: param.name.to_owned(),
        label: param.signature(),
        doc: param.summary(),
        is_required: param.default.is_none(),
    }
}

fn flow_label(param: &Input) -> String {
    let optional = if param.default.is_some() { "?" } else { "" };
    format!("{}{optional}: {}", param.name, param.ty)
}

fn flow_port(param: &Input) -> Port {
    Port {
        name: param.name.to_string(),
        label: flow_label(param),
        doc: param.doc.clone(),
        is_required: param.default.is_none(),
    }
}

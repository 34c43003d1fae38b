//! What a program does to the world: the union of the effects of all that it may call.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    check::{Call, Checked, Flow, Term, TermKind},
    registry::{Effect, Scope},
    value::Value,
};

/// An effect of a node, with its place in the world.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EffectUse {
    /// `reads`, `writes`, `spends` or `asks`.
    pub verb: &'static str,
    /// What is read or written: a path, a named part of the world, or a param's name in
    /// angle brackets where only the run knows the path.
    pub scope: Option<String>,
}

impl std::fmt::Display for EffectUse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.scope {
            Some(scope) => write!(f, "{} {scope}", self.verb),
            None => f.write_str(self.verb),
        }
    }
}

/// Everything that running a program may do, each once. A file without a main pipeline
/// does what its flows do.
pub fn effects(program: &Checked) -> BTreeSet<EffectUse> {
    let mut walk = Walk::default();
    match &program.main {
        Some(main) => walk.term(main),
        None => program.flows.iter().for_each(|it| walk.flow(it)),
    }
    walk.found
}

#[derive(Default)]
struct Walk {
    found: BTreeSet<EffectUse>,
    /// Flows that were walked: one that is called twice does nothing else.
    seen: BTreeSet<*const Flow>,
}

impl Walk {
    fn term(&mut self, term: &Term) {
        match &term.kind {
            TermKind::Call(call) => self.found.extend(of_call(call)),
            TermKind::Flow { flow, .. } | TermKind::FlowRef(flow) => self.flow(flow),
            _ => {}
        }
        term.each_part(&mut |it| stacker::maybe_grow(64 << 10, 1 << 20, || self.term(it)));
    }

    fn flow(&mut self, flow: &Arc<Flow>) {
        if self.seen.insert(Arc::as_ptr(flow)) {
            self.term(&flow.body);
        }
    }
}

/// The effects of one call, with the paths that its arguments name.
pub(in crate::plan) fn of_call(call: &Call) -> Vec<EffectUse> {
    let op = call.op.op;
    let place = |scope: Scope| match scope {
        Scope::Named(name) => name.to_owned(),
        Scope::Path(param) => {
            let idx = op.params.iter().position(|it| it.name == param);
            match idx.and_then(|it| call.args.get(it)).and_then(Term::constant) {
                Some(Value::Path(path)) => path.to_string(),
                _ => format!("<{param}>"),
            }
        }
    };
    op.effects
        .iter()
        .map(|it| match it {
            Effect::Reads(scope) => EffectUse { verb: "reads", scope: Some(place(*scope)) },
            Effect::Writes { scope, .. } => {
                EffectUse { verb: "writes", scope: Some(place(*scope)) }
            }
            Effect::Spends => EffectUse { verb: "spends", scope: None },
            Effect::Asks => EffectUse { verb: "asks", scope: None },
        })
        .collect()
}

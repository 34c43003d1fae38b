//! What an editor wants to know of a script, whether it checks or not: the type of every
//! node, what every name stands for, and what could stand where nothing does yet.
//!
//! Facts are collected only when somebody asks for them ([`super::analyse`]).

use std::sync::Arc;

use svc_contract::{
    registry::OpRef,
    value::{Text, Type},
};

use super::{Candidate, Checker, Flow, Term, TermKind, scope::Frame};
use crate::diag::{Source, Span};

/// Everything that was learnt on the way.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    pub nodes: Vec<NodeFact>,
    pub mentions: Vec<Mention>,
    pub holes: Vec<HoleFact>,
    /// The flows that can be called, by the names that the script has for them.
    pub flows: Vec<(Text, Arc<Flow>)>,
    /// The types that the script declares or imports, by the names that it has for them.
    pub types: Vec<(Text, Type)>,
}

/// One stage or expression: what enters it and what it gives.
#[derive(Clone, Debug)]
pub struct NodeFact {
    pub span: Span,
    /// What the stage before it gives; nothing where none is.
    pub enters: Option<Type>,
    pub gives: Type,
    /// The op that it calls, where it is a call.
    pub op: Option<OpRef>,
    /// Whether it is a stage of a pipeline, not a part of an expression.
    pub is_stage: bool,
}

/// A name where it stands, and what it stands for.
#[derive(Clone, Debug)]
pub struct Mention {
    pub span: Span,
    pub target: Target,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Target {
    /// Something that this script binds, and the place of its name there.
    Here {
        defined: Span,
        kind: NameKind,
        ty: Type,
    },
    /// Something of an imported file, or the file itself.
    There {
        source: Source,
        defined: Span,
    },
    Op(OpRef),
    /// A parameter of an op, where an argument names it.
    OpParam(OpRef, usize),
    /// A field that is taken from a record, and its place in the record's type where this
    /// script declares that.
    Field {
        ty: Type,
        defined: Option<Span>,
    },
}

/// What kind of thing a script binds to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    Param,
    Secret,
    Let,
    Flow,
    FlowParam,
    Type,
    Import,
    Field,
}

/// A typed hole: what enters, what is due, and which names are in reach.
#[derive(Clone, Debug)]
pub struct HoleFact {
    pub span: Span,
    pub enters: Option<Type>,
    pub due: Option<Type>,
    /// The values in scope, innermost last.
    pub values: Vec<(Text, Type)>,
    /// What fits, best first.
    pub candidates: Vec<Candidate>,
}

impl Checker<'_> {
    pub(super) fn mention(&mut self, span: Span, target: impl FnOnce() -> Target) {
        if let Some(facts) = &mut self.facts {
            facts.mentions.push(Mention { span, target: target() });
        }
    }

    /// A name at the place where it is bound.
    pub(super) fn binds(&mut self, span: Span, kind: NameKind, ty: &Type) {
        self.mention(span, || Target::Here { defined: span, kind, ty: ty.clone() });
    }

    pub(super) fn node(&mut self, span: Span, enters: Option<&Type>, term: &Term, stage: bool) {
        if let Some(facts) = &mut self.facts {
            let (enters, gives, op) = (enters.cloned(), term.ty.clone(), called(term));
            facts.nodes.push(NodeFact { span, enters, gives, op, is_stage: stage });
        }
    }

    /// What is known at a hole.
    pub(super) fn hole_is(&mut self, span: Span, due: Option<&Type>, candidates: &[Candidate]) {
        let named = self.frames.iter().flat_map(Frame::named);
        let fact = HoleFact {
            span,
            enters: self.it().map(|(_, ty, _)| ty),
            due: due.cloned(),
            values: named.filter(|(name, _)| !name.is_empty()).collect(),
            candidates: candidates.to_vec(),
        };
        if let Some(facts) = &mut self.facts {
            facts.holes.push(fact);
        }
    }
}

/// The op that a stage calls, with what stands behind the call.
fn called(term: &Term) -> Option<OpRef> {
    match &term.kind {
        TermKind::Call(call) => Some(call.op),
        TermKind::Within { body: inner, .. } | TermKind::Cast { value: inner, .. } => called(inner),
        TermKind::Fallback { tries, .. } => called(tries.first()?),
        _ => None,
    }
}

//! Facts about a script for editors, even if it has errors: the type of every node, the
//! target of every name, and the candidates for every hole.
//!
//! Facts are only collected on request ([`super::analyse`]).

use std::sync::Arc;

use svc_contract::{
    registry::OpRef,
    value::{Text, Type},
};

use super::{Candidate, Checker, Term, TermKind, TypedFlow, Wants, scope::Frame};
use crate::diag::{Source, Span, Unfilled};

/// All facts about a script.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    pub nodes: Vec<NodeFact>,
    pub mentions: Vec<Mention>,
    pub holes: Vec<HoleFact>,
    /// The flows that can be called, by their names in the script.
    pub flows: Vec<(Text, Arc<TypedFlow>)>,
    /// The types that the script declares or imports, by their names in the script.
    pub types: Vec<(Text, Type)>,
}

/// The types of one stage or expression.
#[derive(Clone, Debug)]
pub struct NodeFact {
    pub span: Span,
    /// The result of the stage before it, if there is one.
    pub enters: Option<Type>,
    pub gives: Type,
    /// The called op, if it is a call.
    pub op: Option<OpRef>,
    /// Whether it is a stage of a pipeline rather than part of an expression.
    pub is_stage: bool,
}

/// A use of a name, and its target.
#[derive(Clone, Debug)]
pub struct Mention {
    pub span: Span,
    pub target: Target,
}

/// The target of a name.
#[derive(Clone, Debug)]
pub enum Target {
    /// Something bound in this script, and the place of its name there.
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
    /// A parameter of an op, named by an argument.
    OpParam(OpRef, usize),
    /// A field selected from a record, and its place in the type of the record if this script
    /// declares it.
    Field {
        ty: Type,
        defined: Option<Span>,
    },
}

/// The kind of a name bound by a script.
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

/// A typed hole: its input, its expected type, and the names in scope.
#[derive(Clone, Debug)]
pub struct HoleFact {
    /// The hole with its types.
    pub span: Span,
    pub wants: Wants,
    pub enters: Option<Type>,
    pub expected: Option<Type>,
    /// The values in scope, innermost last.
    pub values: Vec<(Text, Type)>,
    /// The candidates that fit, best first.
    pub candidates: Vec<Candidate>,
    /// The blocks that can change its input into the expected list: `sort`, `where`.
    pub blocks: &'static [&'static str],
}

impl Checker<'_> {
    pub(super) fn mention(&mut self, span: Span, target: impl FnOnce() -> Target) {
        if let Some(facts) = &mut self.facts {
            facts.mentions.push(Mention { span, target: target() });
        }
    }

    /// Records a name at the place where it is bound.
    pub(super) fn binds(&mut self, span: Span, kind: NameKind, ty: &Type) {
        self.mention(span, || Target::Here { defined: span, kind, ty: ty.clone() });
    }

    pub(super) fn node(&mut self, span: Span, enters: Option<&Type>, term: &Term, stage: bool) {
        if let Some(facts) = &mut self.facts {
            let (enters, gives, op) = (enters.cloned(), term.ty.clone(), called(term));
            facts.nodes.push(NodeFact { span, enters, gives, op, is_stage: stage });
        }
    }

    /// Records the facts about a hole.
    pub(super) fn hole_is(
        &mut self,
        span: Span,
        wants: Wants,
        hole: &Unfilled,
        (blocks, candidates): (&'static [&'static str], Vec<Candidate>),
    ) {
        let named = self.frames.iter().flat_map(Frame::named);
        let fact = HoleFact {
            span,
            wants,
            enters: hole.input.clone().or_else(|| self.it().map(|(_, ty, _)| ty)),
            expected: hole.wanted.clone(),
            values: named.filter(|(name, _)| !name.is_empty()).collect(),
            candidates,
            blocks,
        };
        if let Some(facts) = &mut self.facts {
            facts.holes.push(fact);
        }
    }
}

/// The op that a stage calls, looking through its modifiers.
fn called(term: &Term) -> Option<OpRef> {
    match &term.kind {
        TermKind::Call(call) => Some(call.op),
        TermKind::Within { body: inner, .. } | TermKind::Cast { value: inner, .. } => called(inner),
        TermKind::Fallback { tries, .. } => called(tries.first()?),
        _ => None,
    }
}

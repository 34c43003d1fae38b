//! Flows as arguments: the name of a flow or component where a `flow<A -> B>` is expected, and
//! calls of such a parameter.

use std::sync::Arc;

use svc_contract::value::{FlowType, Text, Type};

use super::{
    Checker, Input, Term, TermKind, TypedFlow,
    overlap::acts,
    pipeline::{Position, convert},
    scope::{Callable, Frame, Giver},
};
use crate::{
    diag::{Code, Problem, Span},
    syntax::ast::{Expr, ExprKind, Word, dotted},
};

impl Checker<'_> {
    /// An argument where a flow is expected: it must be a name, known before the run.
    pub(super) fn flow_expr(&mut self, expr: &Expr, of: &FlowType) -> Term {
        if let ExprKind::Name(words) = &expr.kind {
            return self.flow_argument(words, of, expr.span);
        }
        if let ExprKind::Hole(hole) = &expr.kind
            && hole.name.is_some()
        {
            return self.flow_hole(hole, of, expr.span);
        }
        self.report(
            Problem::error(Code::E204, expr.span, "expected the name of a flow or component")
                .label("not a name")
                .help("define a flow and pass its name: `flow f(x: A) -> B { .. }`"),
        );
        Term::unknown(expr.span)
    }

    /// Resolves a called name: a parameter that is a flow, or a callable.
    pub(super) fn called(&mut self, name: &[Word]) -> Option<Callable> {
        self.flow_param_named(name).or_else(|| self.callable_or_report(name))
    }

    /// Whether an argument of an unknown callable could be a flow.
    pub(super) fn may_be_a_flow(&self, expr: &Expr) -> bool {
        let ExprKind::Name(words) = &expr.kind else { return false };
        !self.is_variable(&words[0].text) && self.callable(words).is_some()
    }

    pub(super) fn flow_argument(&mut self, words: &[Word], of: &FlowType, span: Span) -> Term {
        if let Some(Callable::Param(term, given)) = self.flow_param_named(words) {
            let (given, wanted) = (Type::Flow(given), Type::Flow(Arc::new(of.clone())));
            if given.fits(&wanted) {
                return *term;
            }
            let help = if wanted.has_unknown() {
                "pass a flow that takes the expected input".to_owned()
            } else {
                format!("declare the parameter as {wanted}: a flow is passed on unchanged")
            };
            return self.other_flow(&dotted(words), &given, &wanted, span, help);
        }
        let Some(callable) = self.callable_or_report(words) else { return Term::unknown(span) };
        self.as_argument(&callable, words, of, span)
    }

    pub(super) fn other_flow(
        &mut self,
        name: &str,
        given: &Type,
        wanted: &Type,
        span: Span,
        help: String,
    ) -> Term {
        self.report(
            Problem::error(Code::E204, span, format!("expected {wanted}, found `{name}`"))
                .label(format!("this is {given}"))
                .help(help),
        );
        Term::unknown(span)
    }

    /// Wraps a callable into a flow of one parameter.
    fn as_argument(
        &mut self,
        callable: &Callable,
        words: &[Word],
        of: &FlowType,
        span: Span,
    ) -> Term {
        let name = dotted(words);
        let giver = Giver { name: "the caller".to_owned(), span, literal: None };
        let body = self.in_frames(vec![Frame::It { ty: of.takes.clone(), giver }], |this| {
            let stage = |this: &mut Self| {
                this.call_stage(callable, words, None, None, span, Position::Later)
            };
            this.named_path(stage)
        });
        let gives = if of.gives.has_unknown() { body.ty.clone() } else { of.gives.clone() };
        if !body.ty.fits(&of.gives) {
            let given = FlowType { takes: of.takes.clone(), gives: body.ty };
            let wanted = Type::Flow(Arc::new(of.clone()));
            let help = "pass a flow with the expected input and result".to_owned();
            return self.other_flow(&name, &Type::Flow(Arc::new(given)), &wanted, span, help);
        }
        let body = convert(body, &gives);
        let ty = FlowType { takes: of.takes.clone(), gives };
        let flow = self.wrapping(name.as_str().into(), &ty, body, span);
        Term::new(TermKind::FlowRef(Arc::new(flow)), Type::Flow(Arc::new(ty)), span)
    }

    /// A flow of one parameter with this body.
    pub(super) fn wrapping(&self, name: Text, of: &FlowType, body: Term, span: Span) -> TypedFlow {
        let (ty, doc) = (of.takes.clone(), String::new());
        TypedFlow {
            name,
            generics: Box::default(),
            origin: None,
            doc: doc.clone(),
            source: self.source.clone(),
            span,
            params: vec![Input { name: "it".into(), doc, ty, default: None, span }],
            yields: of.gives.clone(),
            acts: acts(&body),
            body,
            tool: None,
        }
    }

    /// A call of a parameter that is a flow: the incoming value is its one argument.
    pub(super) fn call_ref(
        &mut self,
        callee: Term,
        of: &FlowType,
        input: Term,
        name: &str,
    ) -> Term {
        let segment = self.segment_around(name);
        let (span, input) = (callee.span, convert(input, &of.takes));
        let kind = TermKind::CallRef {
            callee: Box::new(callee),
            name: name.into(),
            segment,
            input: Box::new(input),
        };
        Term::new(kind, of.gives.clone(), span)
    }
}

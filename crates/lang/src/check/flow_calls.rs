//! Calls of flows in a script, with the types of generic ones.

use svc_contract::value::Type;

use super::{
    Checker, Input, Term, TermKind, TypedFlow,
    call::{Given, Port, Site},
    generics::TypeArgs,
    pipeline::convert,
    repair,
    scope::Callable,
};
use crate::syntax::ast::TypeExpr;

/// The arguments of a call of a flow, in the order of its parameters.
pub(super) struct FlowCall<'f> {
    pub(super) args: Vec<Term>,
    pub(super) yields: Type,
    pub(super) types: TypeArgs<'f>,
}

impl Checker<'_> {
    pub(super) fn is_generic(&self, callable: &Callable) -> bool {
        match callable {
            Callable::Flow(idx) => !self.flows[*idx].syntax.generics.is_empty(),
            Callable::Ready(flow) | Callable::Template(_, flow) => !flow.generics.is_empty(),
            _ => false,
        }
    }

    /// The reason why a call is not written as a function: what costs money or acts is a stage.
    pub(super) fn no_function(&self, callable: &Callable, term: &Term) -> Option<&'static str> {
        match (callable, &term.kind) {
            (Callable::Op(op), _) if !op.op.is_inline() => {
                Some("only fast, pure components are functions")
            }
            // In a test nothing acts: its components are mocked.
            (_, TermKind::Flow { flow, args, .. }) if !self.in_expect => {
                let passed = args.iter().filter_map(|it| match &it.kind {
                    TermKind::FlowRef(flow) => Some(flow),
                    _ => None,
                });
                let acts = passed.chain([flow]).any(|it| it.acts);
                acts.then_some("this flow costs money or acts, so it is a stage")
            }
            (_, TermKind::CallRef { .. }) => Some("a flow that is passed may do anything"),
            _ => None,
        }
    }

    /// Calls a flow, as an instance for the types of this call if it is generic.
    pub(super) fn call_flow(
        &mut self,
        callable: &Callable,
        site: &Site<'_>,
        type_arg: Option<&TypeExpr>,
    ) -> Term {
        let flow = match callable {
            Callable::Flow(idx) => match self.check_flow(*idx, site.name_span) {
                Some(flow) => flow,
                None => return self.call_itself(*idx, site),
            },
            Callable::Ready(flow) => flow.clone(),
            _ => return Term::unknown(site.span),
        };
        let call = self.flow_arguments(&flow, type_arg, site);
        let flow = self.instance(&flow, &call.types, site);
        let (name, segment) = (site.name.as_str().into(), self.segment_around(&site.name));
        let kind = TermKind::Flow { flow, name, segment, args: call.args };
        Term::new(kind, call.yields, site.span)
    }

    /// A call of a flow inside itself, which was reported: its result has the declared type.
    fn call_itself(&mut self, idx: usize, site: &Site<'_>) -> Term {
        self.args_alone(site.args);
        let yields = self.flows[idx].yields.with_vars(&|_| Type::Unknown);
        Term::unknown(site.span).of_type(yields)
    }

    /// A value for each parameter of a flow, the types of its type parameters, and the type of its
    /// result.
    pub(super) fn flow_arguments<'f>(
        &mut self,
        flow: &'f TypedFlow,
        type_arg: Option<&TypeExpr>,
        site: &Site<'_>,
    ) -> FlowCall<'f> {
        let mut types = TypeArgs::new(&flow.generics);
        if let Some(expr) = type_arg.filter(|_| !flow.generics.is_empty()) {
            let ty = self.ty(expr);
            types.bind_first(ty, expr.span);
        }
        let ports: Vec<Port> = flow.params.iter().map(|it| flow_port(it, &types)).collect();
        let mut given = self.arguments(&ports, site);
        for (param, given) in flow.params.iter().zip(&given) {
            if let Some(Given { term, flow: None, from }) = given {
                let at = from.as_ref().map_or(term.span, |it| it.span);
                types.bind(&param.ty, &term.ty, at);
            }
        }
        // The input of a flow follows from all other arguments.
        for (param, given) in flow.params.iter().zip(&mut given) {
            if let (Some(given), Type::Flow(of)) = (given, &param.ty)
                && let Some(expr) = given.flow.take()
            {
                let before = self.problems.len();
                given.term = self.flow_expr(expr, &types.flow(of));
                self.explain_types(before, expr.span, &param.ty, &types);
                types.bind(&param.ty, &given.term.ty, expr.span);
            }
        }
        self.report_types(flow, &mut types, site);
        let (mut args, mut of_items) = (Vec::with_capacity(ports.len()), false);
        for ((mut port, given), param) in ports.into_iter().zip(given).zip(&flow.params) {
            port.ty = types.filled(&param.ty, &Type::Unknown);
            args.push(match given {
                Some(given) => {
                    let fits = given.term.ty.fits(&port.ty);
                    if !fits {
                        let before = self.problems.len();
                        of_items |= self.misfit(&port, &given, site, &port.ty.to_string());
                        let place = match given.from {
                            Some(_) => site.name_span,
                            None => given.term.span,
                        };
                        self.explain_types(before, place, &param.ty, &types);
                    }
                    convert(given.term, &port.ty)
                }
                None => param.default.clone().unwrap_or_else(|| Term::unknown(site.span)),
            });
        }
        let yields = types.filled(&flow.yields, &Type::Unknown);
        FlowCall { args, yields: repair::as_meant(yields, of_items), types }
    }
}

fn flow_port(param: &Input, types: &TypeArgs<'_>) -> Port {
    let ty = types.filled(&param.ty, &Type::Unknown);
    let port = Port::of(param.name.clone(), ty, param.default.is_some());
    Port { declared: Some(param.ty.clone()), ..port }
}

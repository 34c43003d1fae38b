//! Calls of components: the types of the arguments bind the variables of an op, and these
//! determine the type of its result.

use svc_contract::{
    registry::{Hint, HintId, OpRef, Param, ParamDefault},
    value::{Type, Value},
};

use super::{
    Checker, Term, TermKind, TypedCall,
    call::{Given, Port, Site},
    pipeline::convert,
    repair,
    unify::{Arguments, Bindings},
};
use crate::{
    diag::{Code, Problem, Span},
    syntax::ast::TypeExpr,
};

impl Checker<'_> {
    pub(super) fn call_op(
        &mut self,
        op: OpRef,
        site: &Site<'_>,
        type_arg: Option<&TypeExpr>,
    ) -> Term {
        if let Some(feature) = op.op.lacks() {
            self.lacks_feature(feature, site);
        }
        let ports: Vec<Port> = op.op.params.iter().map(op_port).collect();
        let given = self.arguments(&ports, site);
        let mut bindings = Bindings::default();
        let (args, of_items) = self.op_arguments(op, &ports, given, site, &mut bindings);
        let call = Arguments { op: op.op, terms: &args };
        let yields = repair::as_meant(bindings.apply(*op.op.yields, &call), of_items);
        let name = site.name.as_str().into();
        let segment = if op.op.takes_flows() {
            self.segment_around(&site.name)
        } else {
            self.segment(&site.name)
        };
        let source = self.source.clone();
        let found = self.known_call(op, &args, site).filter(|_| !of_items);
        let call = TypedCall { op, name, segment, args, source, wanted: None, tested: None };
        match (type_arg, found) {
            (Some(expr), _) => self.type_argument(call, yields, expr, site),
            (None, Some(found)) => {
                let call = TypedCall { wanted: Some(found.wanted), ..call };
                Term::new(TermKind::Call(Box::new(call)), found.yields, site.span)
            }
            (None, None) => Term::new(TermKind::Call(Box::new(call)), yields, site.span),
        }
    }

    fn lacks_feature(&mut self, feature: &str, site: &Site<'_>) {
        let message =
            format!("`{}` needs the feature `{feature}`, which this build lacks", site.name);
        self.report(
            Problem::error(Code::E228, site.span, message)
                .label("not in this build")
                .help(Hint::new(HintId::BuildFeature).with("feature", feature)),
        );
    }

    /// The arguments of an op, converted to the types of its bound variables, and whether the
    /// call is meant for each item of the incoming list.
    fn op_arguments(
        &mut self,
        op: OpRef,
        ports: &[Port],
        given: Vec<Option<Given<'_>>>,
        site: &Site<'_>,
        bindings: &mut Bindings,
    ) -> (Vec<Term>, bool) {
        let params = op.op.params;
        let mut given: Vec<_> = ports.iter().zip(params).zip(given).enumerate().collect();
        // The input and the result of a flow follow from all other arguments.
        given.sort_by_key(|(_, ((_, param), _))| param.scheme.takes_flows());
        let mut args: Vec<Term> = params.iter().map(|_| Term::unknown(site.span)).collect();
        let mut of_items = false;
        for (idx, ((port, param), given)) in given {
            let Some(given) = given else {
                args[idx] = self.default(op, param, site.span);
                bindings.bind(param.scheme, &args[idx].ty);
                continue;
            };
            let given = match (param.scheme.flow(), given.flow) {
                (Some((takes, gives, _)), Some(expr)) => {
                    let known = bindings.flow(takes, gives);
                    Given { term: self.flow_expr(expr, &known), from: None, flow: None }
                }
                (None, Some(expr)) => {
                    let asks = param.scheme.tools().is_none_or(|it| self.asks(it, op, &args, site));
                    Given { term: self.tools(expr, asks), from: None, flow: None }
                }
                _ => given,
            };
            if bindings.bind(param.scheme, &given.term.ty) {
                self.may_be_given(&given.term, param, &site.name);
                self.may_be_passed(&given.term, param, op.op, &site.name);
            } else {
                let wanted = bindings.show(param.scheme);
                of_items |= self.misfit(port, &given, site, &wanted);
                bindings.bind_all(param.scheme, &Type::Unknown);
            }
            args[idx] = given.term;
        }
        let args = args.into_iter().zip(params);
        let args = args.map(|(arg, param)| {
            if is_handed_on(op, param) {
                let expected = bindings.expected(param.scheme, &arg.ty);
                convert(arg, &expected)
            } else {
                arg
            }
        });
        (args.collect(), of_items)
    }

    pub(super) fn default(&mut self, op: OpRef, param: &Param, span: Span) -> Term {
        if let Some(ParamDefault::Op(name)) = param.default {
            return self.default_flow(name, param, span);
        }
        let Some(value) = self.registry.default_of(op.component, param) else {
            // It is missing; the problem was reported.
            return Term::unknown(span);
        };
        let ty = match &value {
            Value::Null => Type::Never.optional(),
            _ => param.scheme.plain(),
        };
        Term { kind: TermKind::Const(value), ty, span, waits: false }
    }
}

fn op_port(param: &Param) -> Port {
    let port = Port::of(param.name.into(), param.scheme.expected(), param.default.is_some());
    Port { scheme: Some(param.scheme), ..port }
}

/// Whether the value of a parameter ends up in the result of its op, or in a flow that the op
/// calls: then it must have the type declared there.
fn is_handed_on(op: OpRef, param: &Param) -> bool {
    let is_elsewhere = |name: char| {
        let flows = op.op.params.iter().filter(|it| it.scheme.flow().is_some());
        op.op.yields.has_variable(name) || flows.into_iter().any(|it| it.scheme.has_variable(name))
    };
    !param.scheme.takes_flows() && param.scheme.any_variable(&is_elsewhere)
}

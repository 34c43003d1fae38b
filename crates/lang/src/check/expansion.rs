//! Calls of templates, each of which is expanded before anything runs.
//!
//! The function of the template is called with constants, and the resulting pipeline becomes a
//! flow in a separate source, which is called with the input and the flows.

use std::sync::Arc;

use svc_contract::value::{Record, Text, Type, Value, arithmetic, literal};

use super::{
    Checker, Input, Term, TermKind, TypedFlow,
    call::Site,
    flow_calls::FlowCall,
    modules::Module,
    operators::computed_operator,
    term::{Expansion, TypedEntry},
};
use crate::{
    diag::{Code, Problem, Span},
    script::Failure,
    syntax::ast::{Arg, Args, TypeExpr},
};

impl Checker<'_> {
    /// A call of a template, as a call of the flow that it builds with the input and the flows.
    pub(super) fn call_template(
        &mut self,
        module: &Module,
        flow: &Arc<TypedFlow>,
        site: &Site<'_>,
        type_arg: Option<&TypeExpr>,
    ) -> Term {
        let FlowCall { mut args, yields, types } = self.flow_arguments(flow, type_arg, site);
        let rest = args.split_off(1.min(args.len()));
        let built = self.constants(flow, &rest).and_then(|it| self.built(module, flow, &it, site));
        let Some((built, body)) = built else { return Term::unknown(site.span).of_type(yields) };
        let params = flow.params.iter().skip(1);
        args.extend(params.zip(rest).filter(|(it, _)| it.is_flow()).map(|(_, arg)| arg));
        self.note_expansion(module, flow, body, site, type_arg);
        let flow = self.instance(&built, &types, site);
        let (name, segment) = (site.name.as_str().into(), self.segment_around(&site.name));
        Term::new(TermKind::Flow { flow, name, segment, args }, yields, site.span)
    }

    /// The values of all arguments but the input and the flows.
    fn constants(&mut self, flow: &TypedFlow, args: &[Term]) -> Option<Vec<Value>> {
        let mut values = Vec::with_capacity(args.len());
        for (param, arg) in flow.params.iter().skip(1).zip(args).filter(|(it, _)| !it.is_flow()) {
            match constant(arg) {
                // Its problem was reported.
                _ if arg.ty.is_unknown() || !arg.ty.fits(&param.ty) => {}
                Some(value) => values.push(value),
                None => self.no_constant(flow, param, arg),
            }
        }
        (values.len() == given(flow).count()).then_some(values)
    }

    fn no_constant(&mut self, flow: &TypedFlow, param: &Input, arg: &Term) {
        let message =
            format!("`{}` of the template `{}` must be a constant", param.name, flow.name);
        self.report(
            Problem::error(Code::E503, arg.span, message)
                .label("known only when the script runs")
                .help("write a literal: the pipeline is built before the script runs"),
        );
    }

    /// The flow that a template builds from these values, and its text.
    fn built(
        &mut self,
        module: &Module,
        flow: &TypedFlow,
        values: &[Value],
        site: &Site<'_>,
    ) -> Option<(Arc<TypedFlow>, Text)> {
        let builder = module.builder.as_ref()?;
        let (call, host) = (called(flow, values), self.modules.host());
        let empty = module.source.built(&call, "");
        let build = || Ok(builder.templates.build(&flow.name, values, host)?.into());
        let pipeline = match self.modules.given(empty.name(), build) {
            Ok(pipeline) => pipeline,
            Err(failure) => {
                self.not_built(module, &failure, site);
                return None;
            }
        };
        let text = builder.flow(&flow.name, &pipeline)?;
        let source = empty.with_text(format!("{}{text}", builder.types));
        let built = self.modules.built(&source, self.registry).map_err(|problem| {
            let name = &site.name;
            self.report(
                Problem::error(
                    Code::E505,
                    site.name_span,
                    format!("`{name}` builds an invalid pipeline: {problem}"),
                )
                .label("built here")
                .help("change the arguments, or fix the template"),
            );
        });
        Some((built.ok()?, text))
    }

    /// Reports a failure of a template, both in the template and at the call.
    fn not_built(&mut self, module: &Module, failure: &Failure, site: &Site<'_>) {
        let Failure { error, place: (start, end) } = failure;
        let message = &error.message;
        let there = Problem::error(Code::E504, Span::new(*start, *end), message.clone())
            .label("the template fails here")
            .help_opt(error.help.clone());
        self.modules.report(&module.source, there);
        let name = &site.name;
        self.report(
            Problem::error(
                Code::E504,
                site.name_span,
                format!("the template `{name}` does not build a pipeline: {message}"),
            )
            .label("called here")
            .help("change the arguments, or fix the template"),
        );
    }

    fn note_expansion(
        &mut self,
        module: &Module,
        flow: &TypedFlow,
        text: Text,
        site: &Site<'_>,
        type_arg: Option<&TypeExpr>,
    ) {
        let types = module.builder.as_ref().map(|it| it.types.clone()).unwrap_or_default();
        let types_end = type_arg.map_or(site.name_span, |it| self.in_angles(it.span));
        let span = site.name_span.to(site.args.map_or(types_end, |it| it.span));
        let kept = site.args.map(|it| kept(flow, it)).unwrap_or_default();
        self.expanded.push(Expansion {
            span,
            kept,
            type_arg: type_arg.filter(|_| !flow.generics.is_empty()).map(|it| it.span),
            file: module.source.clone(),
            types,
            flow: flow.name.clone(),
            text,
        });
    }
}

/// The parameters of the function: all but the input and the flows.
pub(super) fn given(flow: &TypedFlow) -> impl Iterator<Item = &Input> {
    flow.params.iter().skip(1).filter(|it| !it.is_flow())
}

/// The arguments of a call that are passed on to the flow built by the template.
fn kept(template: &TypedFlow, args: &Args) -> Vec<(Option<Text>, Span)> {
    let is_kept = |(idx, it): &(usize, &Input)| *idx == 0 || it.is_flow();
    let params: Vec<(usize, &Input)> = template.params.iter().enumerate().filter(is_kept).collect();
    let one = |(place, arg): (usize, &Arg)| match &arg.name {
        Some(name) => {
            let is_known = params.iter().any(|(_, it)| it.name == name.text);
            is_known.then(|| (None, name.span.to(arg.value.span)))
        }
        None => {
            let (idx, param) = params.iter().find(|(idx, _)| *idx == place)?;
            Some(((*idx > 0).then(|| param.name.clone()), arg.value.span))
        }
    };
    args.list.iter().enumerate().filter_map(one).collect()
}

/// `review(reviewers: 3)`
fn called(flow: &TypedFlow, values: &[Value]) -> String {
    let arg = |(param, value): (&Input, &Value)| {
        let value = literal::written(value).unwrap_or_else(|| value.to_string());
        format!("{}: {value}", param.name)
    };
    let args: Vec<String> = given(flow).zip(values).map(arg).collect();
    format!("{}({})", flow.name, args.join(", "))
}

/// The value of a term that consists of literals only, and of operators that make no text or list of
/// them: those may grow with every step.
pub(super) fn constant(term: &Term) -> Option<Value> {
    match &term.kind {
        TermKind::Const(value) if !term.ty.is_unknown() => Some(value.clone()),
        TermKind::List(items) => items.iter().map(constant).collect::<Option<_>>().map(Value::List),
        TermKind::Record(entries) => {
            let (mut names, mut values) = (Vec::new(), Vec::new());
            for entry in entries {
                let TypedEntry::Field(name, term) = entry else { return None };
                names.push(name.clone());
                values.push(constant(term)?);
            }
            Some(Value::Record(Record::new(names.into(), values)))
        }
        TermKind::Cast { value, .. } => constant(value)?.cast(&term.ty).ok(),
        TermKind::Negate(value) => arithmetic::negate(&constant(value)?).ok(),
        TermKind::Binary { op, left, right } if !matches!(term.ty, Type::Text | Type::List(..)) => {
            computed_operator(*op, &constant(left)?, &constant(right)?)
        }
        _ => None,
    }
}

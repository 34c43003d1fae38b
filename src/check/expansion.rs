//! Calls of templates: each is replaced before anything runs.
//!
//! The function of the template is called with constants, and the pipeline that it gives
//! becomes a flow of a source of its own, which is called with the input alone.

use std::sync::Arc;

use super::{
    Checker, Flow, Input, Term, TermKind,
    call::Site,
    modules::Module,
    term::{Entry, Expansion},
};
use crate::{
    diag::{Code, Problem, Span},
    script::Failure,
    syntax::ast::Args,
    value::{Record, Text, Value, literal},
};

impl Checker<'_> {
    /// A call of a template: of the flow that it builds, with the input alone.
    pub(super) fn call_template(
        &mut self,
        module: &Module,
        flow: &Arc<Flow>,
        site: &Site<'_>,
    ) -> Term {
        let (mut args, yields) = self.flow_arguments(&flow.params, flow.yields.clone(), site);
        let rest = args.split_off(1.min(args.len()));
        let built = self.constants(flow, &rest).and_then(|it| self.built(module, flow, &it, site));
        let Some((flow, body)) = built else { return Term::unknown(site.span).of_type(yields) };
        self.note_expansion(module, &flow, body, site);
        let (name, segment) = (site.name.as_str().into(), self.segment(&site.name));
        Term::new(TermKind::Flow { flow, name, segment, args }, yields, site.span)
    }

    /// The values of all arguments but the input.
    fn constants(&mut self, flow: &Flow, args: &[Term]) -> Option<Vec<Value>> {
        let mut values = Vec::with_capacity(args.len());
        for (param, arg) in flow.params.iter().skip(1).zip(args) {
            match constant(arg) {
                // A mistake in it was reported.
                _ if arg.ty.is_unknown() || !arg.ty.fits(&param.ty) => {}
                Some(value) => values.push(value),
                None => self.no_constant(flow, param, arg),
            }
        }
        (values.len() + 1 == flow.params.len()).then_some(values)
    }

    fn no_constant(&mut self, flow: &Flow, param: &Input, arg: &Term) {
        let message =
            format!("`{}` of the template `{}` must be a constant", param.name, flow.name);
        self.report(
            Problem::error(Code::E503, arg.span, message)
                .label("is known only when the script runs")
                .help("write a literal: the pipeline is built before the script runs"),
        );
    }

    /// The flow that a template builds of these values, and its text.
    fn built(
        &mut self,
        module: &Module,
        flow: &Flow,
        values: &[Value],
        site: &Site<'_>,
    ) -> Option<(Arc<Flow>, Text)> {
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
        let built = self.modules.built(&source, self.registry).map_err(|first| {
            let (name, problem) = (&site.name, first.map(|it| it.message).unwrap_or_default());
            self.report(
                Problem::error(
                    Code::E505,
                    site.name_span,
                    format!("`{name}` builds a pipeline that does not check: {problem}"),
                )
                .label("built here")
                .help("give it other arguments, or mend the template"),
            );
        });
        Some((built.ok()?, text))
    }

    /// Reports a failure of a template, at its place and at that of the call.
    fn not_built(&mut self, module: &Module, failure: &Failure, site: &Site<'_>) {
        let Failure { error, place: (start, end) } = failure;
        let message = &error.message;
        let there = Problem::error(Code::E504, Span::new(*start, *end), message.clone())
            .label("the template fails here")
            .help_opt(error.help.clone());
        self.modules.tell(&module.source, there);
        let name = &site.name;
        self.report(
            Problem::error(
                Code::E504,
                site.name_span,
                format!("the template `{name}` builds no pipeline: {message}"),
            )
            .label("called here")
            .help("give it other arguments, or mend the template"),
        );
    }

    fn note_expansion(&mut self, module: &Module, flow: &Flow, text: Text, site: &Site<'_>) {
        let types = module.builder.as_ref().map(|it| it.types.clone()).unwrap_or_default();
        let end = site.args.map_or(site.name_span, |it| it.span);
        let span = site.name_span.to(end);
        let input = site.args.and_then(|it| input_of(flow, it));
        self.expanded.push(Expansion {
            span,
            input,
            file: module.source.clone(),
            types,
            flow: flow.name.clone(),
            text,
        });
    }
}

/// The argument that is the input, where a call gives it: by its name, or as the first one.
fn input_of(flow: &Flow, args: &Args) -> Option<Span> {
    let input = &flow.params.first()?.name;
    args.list.iter().enumerate().find_map(|(idx, arg)| match &arg.name {
        Some(name) if name.text == *input => Some(name.span.to(arg.value.span)),
        None if idx == 0 => Some(arg.value.span),
        _ => None,
    })
}

/// `review(reviewers: 3)`
fn called(flow: &Flow, values: &[Value]) -> String {
    let arg = |(param, value): (&Input, &Value)| {
        let value = literal::written(value).unwrap_or_else(|| value.to_string());
        format!("{}: {value}", param.name)
    };
    let args: Vec<String> = flow.params.iter().skip(1).zip(values).map(arg).collect();
    format!("{}({})", flow.name, args.join(", "))
}

/// The value of a term that is made of literals alone.
fn constant(term: &Term) -> Option<Value> {
    match &term.kind {
        TermKind::Const(value) if !term.ty.is_unknown() => Some(value.clone()),
        TermKind::List(items) => items.iter().map(constant).collect::<Option<_>>().map(Value::List),
        TermKind::Record(entries) => {
            let (mut names, mut values) = (Vec::new(), Vec::new());
            for entry in entries {
                let Entry::Field(name, term) = entry else { return None };
                names.push(name.clone());
                values.push(constant(term)?);
            }
            Some(Value::Record(Record::new(names.into(), values)))
        }
        TermKind::Cast { value, .. } => constant(value)?.cast(&term.ty).ok(),
        _ => None,
    }
}

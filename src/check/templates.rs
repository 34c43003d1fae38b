//! Files of templates: what they declare in comments, and calls of them.
//!
//! A call of a template is replaced before anything runs: its function is called with
//! constants, and the pipeline that it gives becomes a flow of a source of its own.

use std::{collections::HashMap, path::Path, sync::Arc};

use super::{
    Checker, Flow, Input, Term, TermKind, call::Site, modules::Module, modules::Modules,
    term::Entry, term::Expansion,
};
use crate::{
    diag::{Code, Label, Problem, Report, Source, Span},
    registry::Registry,
    script::{Failure, Templates},
    syntax::{
        ast::{Args, ItemKind, Program, TypeExpr, Word},
        parse,
    },
    value::{Record, Text, Value, literal},
};

/// A file of templates, beside what every file gives.
#[derive(Debug)]
pub(super) struct Builder {
    templates: Templates,
    /// The declarations of the file's types, as a script has them.
    types: Text,
    heads: HashMap<Text, Head>,
}

#[derive(Debug)]
struct Head {
    input: Text,
    text: Text,
}

/// Whether a file holds templates instead of flows.
pub(super) fn is_template(source: &Source) -> bool {
    Path::new(source.name()).extension().is_some_and(|it| it == "rhai")
}

/// Reads a file of templates: its declarations, and its code.
pub(super) fn check_templates(
    source: &Source,
    registry: &Registry,
    modules: &Modules<'_>,
) -> (Report, Module) {
    let declared = Declarations::of(source.text());
    let parsed = parse(&declared.text);
    let mut checker = Checker::new(source, registry, modules, &parsed.program);
    checker.problems = parsed.problems;
    let flows = checker.declared_flows(&parsed.program);
    let templates = checker.code_of(&flows);
    let heads = heads(source.text(), &parsed.program);
    let builder =
        templates.map(|templates| Builder { templates, types: declared.types.into(), heads });
    let module = Module {
        source: source.clone(),
        flows,
        types: checker.types,
        declared: checker.declared,
        builder,
    };
    let problems = checker.problems.into_iter().map(|it| placed(source.text(), it)).collect();
    (Report::new(source.clone(), problems), module)
}

/// A problem of the declarations, with places of the file: behind a declaration stands what
/// the file has not, and a mend of that is no mend of the file.
fn placed(file: &str, mut problem: Problem) -> Problem {
    for Label { span, .. } in &mut problem.labels {
        *span = Span::new(file.floor_char_boundary(span.start), file.ceil_char_boundary(span.end));
    }
    problem.fixes.clear();
    problem
}

/// What the comments of a file declare, as a script: each word at the place that it has in
/// the file.
struct Declarations {
    text: String,
    types: String,
}

impl Declarations {
    fn of(file: &str) -> Self {
        // The body of a flow may reach into the next line, where its slashes stand.
        const BODY: &str = "{0}";
        let mut declared = Self { text: String::with_capacity(file.len()), types: String::new() };
        let mut start = 0;
        for line in file.split_inclusive('\n') {
            let words = line.trim_start().strip_prefix("///").map_or("", str::trim);
            let at = start + line.find(words).unwrap_or(0);
            if let Some(head) = words.strip_prefix("template ") {
                declared.put(at + "temp".len(), &format!("flow {head}{BODY}"));
            } else if words.starts_with("type ") {
                declared.put(at, words);
                declared.types.push_str(words);
                declared.types.push('\n');
            } else if !words.is_empty() && declared.text.len() <= start {
                declared.put(at.saturating_sub("## ".len()), &format!("## {words}"));
            }
            start += line.len();
        }
        declared
    }

    /// Adds words on a line of their own, at this byte.
    fn put(&mut self, at: usize, words: &str) {
        let gap = at.saturating_sub(self.text.len());
        self.text.extend(std::iter::once('\n').chain(std::iter::repeat(' ')).take(gap));
        self.text.push_str(words);
    }
}

impl Checker<'_> {
    /// The code of a file, which has a function for each of these templates.
    fn code_of(&mut self, flows: &[Arc<Flow>]) -> Option<Templates> {
        let templates = match Templates::new(self.source.text(), self.registry) {
            Ok(templates) => templates,
            Err(mistake) => {
                self.misread(mistake);
                return None;
            }
        };
        if flows.is_empty() && self.problems.is_empty() {
            self.report(
                Problem::error(Code::E504, Span::new(0, 0), "the file declares no template")
                    .label("a template is missing")
                    .help("write `/// template name(draft: string) -> string` above its function"),
            );
        }
        for flow in flows {
            self.has_function(flow, &templates);
        }
        Some(templates)
    }

    fn has_function(&mut self, flow: &Flow, templates: &Templates) {
        let name = &flow.name;
        let Some((_, rest)) = flow.params.split_first() else {
            let problem = Problem::error(Code::E504, flow.span, format!("`{name}` takes nothing"))
                .label("the pipeline has no input")
                .help("its first parameter is what enters the pipeline that it builds");
            return self.report(problem);
        };
        if templates.has(name, rest.len()) {
            return;
        }
        let names: Vec<&str> = rest.iter().map(|it| it.name.as_ref()).collect();
        let message = format!("there is no `fn {name}({})`", names.join(", "));
        self.report(
            Problem::error(Code::E504, flow.span, message)
                .label("declared, but not defined")
                .help("the function takes every parameter but the first, by its place"),
        );
    }

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
        let host = self.modules.host();
        let pipeline = match builder.templates.build(&flow.name, values, host) {
            Ok(pipeline) => pipeline,
            Err(failure) => {
                self.not_built(module, &failure, site);
                return None;
            }
        };
        let text = builder.heads.get(&flow.name)?.before(&pipeline);
        let whole = format!("{}{text}", builder.types);
        let source = module.source.built(&called(flow, values), whole);
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
        Some((built.ok()?, text.into()))
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

/// The argument that is the input, where a call names it.
fn input_of(flow: &Flow, args: &Args) -> Option<Span> {
    let input = &flow.params.first()?.name;
    let is_input = |it: &Option<Word>| it.as_ref().is_some_and(|it| it.text == *input);
    let arg = args.list.iter().find(|it| is_input(&it.name))?;
    Some(arg.name.as_ref()?.span.to(arg.value.span))
}

/// How the flows begin that templates build: `flow review(draft: string) -> Report`.
fn heads(file: &str, program: &Program) -> HashMap<Text, Head> {
    let mut heads = HashMap::new();
    for item in &program.items {
        let ItemKind::Flow(flow) = &item.kind else { continue };
        let Some(first) = flow.params.first() else { continue };
        let of = |it: &TypeExpr| file.get(it.span.range());
        let Some((takes, gives)) = of(&first.ty).zip(of(&flow.yields)) else { continue };
        let (name, input) = (&flow.name.text, &first.name.text);
        let text = format!("flow {name}({input}: {takes}) -> {gives}").into();
        heads.insert(name.clone(), Head { input: input.clone(), text });
    }
    heads
}

impl Head {
    fn before(&self, pipeline: &str) -> String {
        // Where names are bound first, the pipeline says itself what it begins with.
        let begin = match pipeline.starts_with("let ") {
            true => String::new(),
            false => format!("{} >> ", self.input),
        };
        format!("{} {{\n  {begin}{pipeline}\n}}\n", self.text)
    }
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

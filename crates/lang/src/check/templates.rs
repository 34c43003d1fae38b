//! Template files: their declarations in comments, and the code that builds pipelines.

use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
    sync::Arc,
};

use svc_contract::{registry::TunedRegistry, value::Text};

use super::{
    Checker, TypedFlow,
    modules::{Module, Modules},
};
use crate::{
    diag::{Code, Label, Problem, Report, Source, Span},
    script::Templates,
    syntax::{
        ast::{ItemKind, Program, TypeExpr},
        parse,
    },
};

/// The additional data of a template file.
#[derive(Debug)]
pub(super) struct Builder {
    pub(super) templates: Templates,
    /// The declarations of the types of the file, in the syntax of a script.
    pub(super) types: Text,
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

/// Checks a template file: its declarations, and its code.
pub(super) fn check_templates(
    source: &Source,
    registry: TunedRegistry<'_>,
    modules: &Modules<'_>,
) -> (Report, Module) {
    let declared = Declarations::of(source.text());
    let parsed = parse(&declared.text);
    let mut checker = Checker::new(source, registry, modules, &parsed.program);
    checker.problems = parsed.problems;
    let flows = checker.declared_flows(&parsed.program);
    let templates = checker.code_of(&flows);
    let heads = heads(source.text(), &parsed.program, &flows);
    let builder =
        templates.map(|templates| Builder { templates, types: declared.types.into(), heads });
    let module = Module {
        source: source.clone(),
        flows,
        types: checker.types,
        declared: checker.declared,
        private: BTreeSet::new(),
        builder,
    };
    let problems = checker.problems.into_iter().map(|it| placed(source.text(), it)).collect();
    (Report::new(source.clone(), problems), module)
}

/// Adapts a problem of the declarations to the file. Its fixes are dropped, because the text
/// after a declaration is not in the file.
fn placed(file: &str, mut problem: Problem) -> Problem {
    for Label { span, .. } in &mut problem.labels {
        *span = Span::new(file.floor_char_boundary(span.start), file.ceil_char_boundary(span.end));
    }
    problem.fixes.clear();
    problem
}

/// The declarations in the comments of a file, as a script in which each word keeps its place
/// in the file.
struct Declarations {
    text: String,
    types: String,
}

impl Declarations {
    fn of(file: &str) -> Self {
        // The body of a flow may extend into the next line, over its slashes.
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

    /// Adds words on their own line, at this offset.
    fn put(&mut self, at: usize, words: &str) {
        let gap = at.saturating_sub(self.text.len());
        self.text.extend(std::iter::once('\n').chain(std::iter::repeat(' ')).take(gap));
        self.text.push_str(words);
    }
}

impl Checker<'_> {
    /// The code of a file, which must have a function for each of these templates.
    fn code_of(&mut self, flows: &[Arc<TypedFlow>]) -> Option<Templates> {
        let templates = match Templates::new(self.source.text(), self.registry.registry()) {
            Ok(templates) => templates,
            Err(mistake) => {
                self.misread(mistake);
                return None;
            }
        };
        if flows.is_empty() && self.problems.is_empty() {
            self.report(
                Problem::error(Code::E504, Span::new(0, 0), "the file declares no template")
                    .label("missing template")
                    .help("write `/// template name(draft: string) -> string` above its function"),
            );
        }
        for flow in flows {
            self.has_function(flow, &templates);
        }
        Some(templates)
    }

    fn has_function(&mut self, flow: &TypedFlow, templates: &Templates) {
        let name = &flow.name;
        let Some((_, rest)) = flow.params.split_first() else {
            let problem =
                Problem::error(Code::E504, flow.span, format!("`{name}` has no parameter"))
                    .label("missing input")
                    .help("add a first parameter for the input of the pipeline that it builds");
            return self.report(problem);
        };
        let names: Vec<&str> =
            rest.iter().filter(|it| !it.is_flow()).map(|it| it.name.as_ref()).collect();
        if templates.has(name, names.len()) {
            return;
        }
        let message = format!("missing `fn {name}({})`", names.join(", "));
        self.report(
            Problem::error(Code::E504, flow.span, message)
                .label("declared, but not defined")
                .help("define it with every parameter but the first and flows, in order"),
        );
    }
}

/// The heads of the flows that templates build: `flow review(draft: string) -> Report`. They
/// take the input and the flows that the template takes.
fn heads(file: &str, program: &Program, templates: &[Arc<TypedFlow>]) -> HashMap<Text, Head> {
    let mut heads = HashMap::new();
    let of = |it: &TypeExpr| file.get(it.span.range());
    for item in &program.items {
        let ItemKind::Flow(flow) = &item.kind else { continue };
        let Some(first) = flow.params.first() else { continue };
        let name = &flow.name.text;
        let Some(template) = templates.iter().find(|it| it.name == *name) else { continue };
        let params = flow.params.iter().zip(&template.params).enumerate();
        let taken = params.filter(|(idx, (_, it))| *idx == 0 || it.is_flow());
        let taken: Option<Vec<String>> =
            taken.map(|(_, (it, _))| Some(format!("{}: {}", it.name.text, of(&it.ty)?))).collect();
        let Some((taken, gives)) = taken.zip(of(&flow.yields)) else { continue };
        let generics: Vec<&str> = flow.generics.iter().map(|it| it.text.as_ref()).collect();
        let generics = match generics.join(", ") {
            none if none.is_empty() => none,
            some => format!("<{some}>"),
        };
        let text = format!("flow {name}{generics}({}) -> {gives}", taken.join(", ")).into();
        heads.insert(name.clone(), Head { input: first.name.text.clone(), text });
    }
    heads
}

impl Builder {
    /// The text of the flow for a pipeline built by a template.
    pub(super) fn flow(&self, template: &str, pipeline: &str) -> Option<Text> {
        Some(self.heads.get(template)?.before(pipeline).into())
    }
}

impl Head {
    fn before(&self, pipeline: &str) -> String {
        // A pipeline that begins with `let` names its input itself.
        let begin = if pipeline.starts_with("let ") {
            String::new()
        } else {
            format!("{} >> ", self.input)
        };
        format!("{} {{\n  {begin}{pipeline}\n}}\n", self.text)
    }
}

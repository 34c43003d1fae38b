//! The whole script: its declarations, its inputs, its main pipeline.

use super::{
    Checker, Flow, Input, Term,
    scope::{Frame, Named},
};
use crate::{
    diag::{Code, Problem, Span},
    syntax::ast::{Block, Item, ItemKind, Let, Program, Within, Word},
    value::{Text, Type},
};

/// Names that mean something everywhere.
const FIXED: [&str; 5] = ["main", "run", "input", "error", "it"];

impl<'a> Checker<'a> {
    pub(super) fn program(
        &mut self,
        program: &'a Program,
    ) -> (Vec<Input>, Vec<Flow>, Option<Term>) {
        self.declare_names(&program.items);
        self.declare_types(&program.items);
        self.declare_flows(&program.items);
        let mut inputs = self.inputs(&program.items);
        let names = inputs.iter().map(|it| Named { name: it.name.clone(), ty: it.ty.clone() });
        // The input of a script that begins with a stage comes after its params.
        let implicit = Named { name: "".into(), ty: Type::Unknown };
        self.frames.push(Frame::Params(names.chain([implicit]).collect()));
        let main = self.main(program);
        self.frames.pop();
        inputs.extend(self.implicit_input.take());
        (inputs, self.checked_flows(), main)
    }

    fn main(&mut self, program: &Program) -> Option<Term> {
        let lets: Vec<Let> = program
            .items
            .iter()
            .filter_map(|it| match &it.kind {
                ItemKind::Let(it) => Some(it.clone()),
                _ => None,
            })
            .collect();
        let bounds = program.edition.as_ref().and_then(|it| it.bounds.as_ref());
        let Some(result) = program.main.clone() else {
            self.without_main(program, &lets, bounds);
            return None;
        };
        let span = result.span;
        let main = self.block(&Block { lets, result, span }, None);
        Some(match bounds {
            Some(bounds) => self.within(main, bounds),
            None => main,
        })
    }

    /// A file of flows and types, or one whose main pipeline was forgotten.
    fn without_main(&mut self, program: &Program, lets: &[Let], bounds: Option<&Within>) {
        self.lets_alone(lets);
        if let Some(bounds) = bounds {
            let message = "these bounds bound nothing: the file has no main pipeline";
            self.report(
                Problem::warning(Code::E306, bounds.span, message)
                    .label("nothing to bound")
                    .help("put them on the flow: `flow f(..) -> T within { .. } { .. }`"),
            );
        }
        let runs_nothing = program
            .items
            .iter()
            .all(|it| !matches!(it.kind, ItemKind::Flow(_) | ItemKind::Type { .. }));
        if runs_nothing && self.problems.is_empty() {
            let end = self.source.text().trim_end().len();
            let end = Span::new(end, end);
            let problem = Problem::error(Code::E101, end, "the script has no main pipeline")
                .label("a pipeline is missing")
                .help("end the script with a pipeline, as in `\"question\" >> search >> summary`");
            self.report(match lets.last() {
                // What was computed last is what the script was written for.
                Some(last) => problem.fix(end, format!("\n{}", last.name.text)),
                None => problem,
            });
        }
    }

    fn inputs(&mut self, items: &[Item]) -> Vec<Input> {
        let mut inputs = Vec::new();
        for item in items {
            let ItemKind::Param { name, ty, default } = &item.kind else { continue };
            let ty = self.ty(ty);
            let default = default.as_ref().map(|it| {
                let term = self.expr(it, Some(&ty));
                let term = self.expected(term, &ty, "the default");
                self.default_is_plain(&term);
                term
            });
            let (name, doc) = (name.text.clone(), item.doc.clone());
            inputs.push(Input { name, doc, ty, default, span: item.span });
        }
        inputs
    }

    fn default_is_plain(&mut self, default: &Term) {
        if default.waits {
            self.report(
                Problem::error(Code::E218, default.span, "a default cannot call a slow component")
                    .label("not known before the run")
                    .help("compute it with `let`, and give the param a plain default"),
            );
        }
    }

    /// Every name is bound once; a name of a component is hidden with a warning.
    fn declare_names(&mut self, items: &[Item]) {
        let mut seen: Vec<&Word> = Vec::new();
        for item in items {
            let (name, broken) = match &item.kind {
                ItemKind::Param { name, .. } | ItemKind::Type { name, .. } => (name, false),
                ItemKind::Flow(flow) => (&flow.name, false),
                ItemKind::Let(bind) => (&bind.name, false),
                ItemKind::Broken { name } => (name, true),
            };
            if broken {
                self.broken_names.insert(name.text.clone());
            }
            if matches!(item.kind, ItemKind::Let(_)) {
                self.let_names.insert(name.text.clone());
            }
            if let Some(first) = seen.iter().find(|it| it.text == name.text) {
                let first = first.span;
                self.taken(name, first);
                continue;
            }
            seen.push(name);
            if !broken {
                self.fixed_name(name);
                self.hides_component(name);
            }
        }
    }

    pub(super) fn taken(&mut self, name: &Word, first: Span) {
        self.report(
            Problem::error(Code::E210, name.span, format!("the name `{}` is taken", name.text))
                .label("defined again")
                .also(first, "defined first")
                .help("give one of them another name"),
        );
    }

    pub(super) fn fixed_name(&mut self, name: &Word) {
        if FIXED.contains(&name.text.as_ref()) {
            self.report(
                Problem::error(
                    Code::E210,
                    name.span,
                    format!("`{}` has a fixed meaning", name.text),
                )
                .label("cannot be defined")
                .help("choose another name"),
            );
        }
    }

    pub(super) fn hides_component(&mut self, name: &Word) {
        if self.registry.find(&name.text).is_some() {
            self.report(
                Problem::warning(
                    Code::E220,
                    name.span,
                    format!("`{}` hides the component of that name", name.text),
                )
                .label("means this from here on")
                .help("choose another name if you want to use the component too"),
            );
        }
    }

    /// A broken name, as a value that fits everywhere.
    pub(super) fn is_broken(&self, name: &Text) -> bool {
        self.broken_names.contains(name)
    }
}

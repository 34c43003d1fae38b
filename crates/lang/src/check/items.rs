//! The whole script: its declarations, inputs and main pipeline.

use std::{collections::HashMap, sync::Arc};

use svc_contract::{
    registry::Found,
    value::{Secret, Text, Type, Value},
};

use super::{
    Checked, Checker, Input, Term, TermKind, TypedFlow,
    facts::NameKind,
    overlap::acts,
    scope::{Frame, Named},
};
use crate::{
    diag::{Code, Problem, Report, Span},
    syntax::{
        ast::{Item, ItemKind, Let, Program, Within, Word},
        token::{self, Token, TokenKind},
    },
};

/// Names with a fixed meaning.
pub const FIXED: [&str; 5] = ["main", "run", "input", "error", "it"];

impl<'a> Checker<'a> {
    pub(super) fn program(&mut self, program: &'a Program) -> Checked {
        self.declare_names(&program.items);
        let lets = program.items.iter().filter_map(|it| match &it.kind {
            ItemKind::Let(it) => Some(it),
            _ => None,
        });
        self.lets = lets.collect();
        self.declare_imports(&program.items);
        self.declare_types(&program.items);
        self.declare_flows(&program.items);
        let (mut inputs, mut names) = self.inputs(&program.items);
        // The input of a script that begins with a stage comes after its params.
        names.push(Named::fixed("", Type::Unknown));
        self.frames.push(Frame::Params(names));
        let main = self.main(program);
        self.frames.pop();
        inputs.extend(self.implicit_input.take());
        // The program is only copied if tests call it.
        let has_tests = program.items.iter().any(|it| matches!(it.kind, ItemKind::Test(_)));
        let called = main.as_ref().filter(|_| has_tests);
        self.main_flow = called.map(|it| Arc::new(self.as_flow(it, &inputs)));
        let (mocks, tests) = self.tests(&program.items);
        self.main_flow = None;
        let (source, flows) = (self.source.clone(), self.checked_flows());
        self.note_names(&flows);
        let warnings = Report::new(source.clone(), Vec::new());
        let used = self.modules.sources();
        let expanded = std::mem::take(&mut self.expanded);
        Checked {
            source,
            inputs,
            flows,
            used,
            expanded,
            main,
            called: None,
            mocks,
            tests,
            warnings,
        }
    }

    /// The main pipeline as a flow for tests, with placeholder secrets.
    fn as_flow(&self, main: &Term, inputs: &[Input]) -> TypedFlow {
        let stand_in = |span| Term {
            kind: TermKind::Const(Value::Secret(Secret::new("secret"))),
            ty: Type::Secret,
            span,
            waits: false,
        };
        let params = inputs.iter().cloned().map(|it| {
            if it.is_secret() { Input { default: Some(stand_in(it.span)), ..it } } else { it }
        });
        TypedFlow {
            name: "main".into(),
            generics: Box::default(),
            origin: None,
            doc: String::new(),
            source: self.source.clone(),
            span: main.span,
            params: params.collect(),
            yields: main.ty.clone(),
            acts: acts(main),
            body: main.clone(),
            tool: None,
        }
    }

    fn main(&mut self, program: &Program) -> Option<Term> {
        let lets = self.lets.clone();
        let bounds = program.edition.as_ref().and_then(|it| it.bounds.as_ref());
        let Some(result) = &program.main else {
            self.without_main(program, &lets, bounds);
            return None;
        };
        let main = self.block_of(&lets, result, result.span, None);
        self.hidden(&main, "the result of a script");
        Some(match bounds {
            Some(bounds) => self.within_head(main, bounds),
            None => main,
        })
    }

    /// Checks a file without a main pipeline: a file of flows and types, or one whose pipeline was
    /// forgotten.
    fn without_main(&mut self, program: &Program, lets: &[&Let], bounds: Option<&Within>) {
        self.lets_alone(lets);
        if let Some(bounds) = bounds {
            let message = "these bounds have no effect: the file has no main pipeline";
            self.report(
                Problem::warning(Code::E306, bounds.span, message)
                    .label("nothing to bound")
                    .help("move them to the flow: `flow f(..) -> T within { .. } { .. }`"),
            );
        }
        let defines = |it: &Item| matches!(it.kind, ItemKind::Flow(_) | ItemKind::Type { .. });
        let runs_nothing = !program.items.iter().any(defines);
        if runs_nothing && self.problems.is_empty() {
            let end = self.source.text().trim_end().len();
            let end = Span::new(end, end);
            let problem = Problem::error(Code::E101, end, "the script has no main pipeline")
                .label("missing pipeline")
                .help("add a pipeline at the end, such as `\"question\" >> search >> summary`");
            self.report(match lets.last() {
                // The last let is most likely the purpose of the script.
                Some(last) => problem.suggest(end, format!("\n{}", last.name.text)),
                None => problem,
            });
        }
    }

    fn inputs(&mut self, items: &[Item]) -> (Vec<Input>, Vec<Named>) {
        let (mut inputs, mut names) = (Vec::new(), Vec::new());
        for item in items {
            let (name, kind, ty, default) = match &item.kind {
                ItemKind::Param { name, ty, default } => {
                    let span = ty.span;
                    let ty = self.ty(ty);
                    self.comes_from_outside(&ty, name, span);
                    (name, NameKind::Param, ty, default.as_ref())
                }
                ItemKind::Secret { name } => (name, NameKind::Secret, Type::Secret, None),
                _ => continue,
            };
            self.binds(name.span, kind, &ty);
            let default = default.map(|it| {
                let term = self.expr(it, Some(&ty));
                let term = self.expected(term, &ty, "the default");
                self.default_is_plain(&term);
                term
            });
            names.push(Named { name: name.text.clone(), ty: ty.clone(), span: name.span, kind });
            let (name, doc) = (name.text.clone(), item.doc.clone());
            inputs.push(Input { name, doc, ty, default, span: item.span });
        }
        (inputs, names)
    }

    fn comes_from_outside(&mut self, ty: &Type, name: &Word, span: Span) {
        let name = &name.text;
        if ty.holds_secret() {
            self.report(
                Problem::error(Code::E308, span, "a param cannot be a secret")
                    .label("the caller of the script would see it")
                    .help(format!("declare it with `secret {name}`: the host provides it")),
            );
        } else if ty.has(&|it| matches!(it, Type::Flow(_))) {
            self.report(
                Problem::error(Code::E207, span, "a param cannot be a flow")
                    .label("not known when the script is checked")
                    .help("make it a parameter of a flow"),
            );
        }
    }

    fn default_is_plain(&mut self, default: &Term) {
        if default.waits {
            self.report(
                Problem::error(Code::E218, default.span, "a default cannot call a slow component")
                    .label("not known before the run")
                    .help("compute it with `let`, and write a plain default for the param"),
            );
        }
    }

    /// Reports duplicate names, and warns of names that shadow a component.
    pub(super) fn declare_names(&mut self, items: &[Item]) {
        let mut seen: HashMap<&Text, Span> = HashMap::new();
        for item in items {
            let (name, broken) = match &item.kind {
                ItemKind::Param { name, .. }
                | ItemKind::Type { name, .. }
                | ItemKind::Secret { name } => (name, false),
                ItemKind::Use(import) => (&import.name, false),
                ItemKind::Mock(_) | ItemKind::Test(_) => continue,
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
            if let Some(first) = seen.get(&name.text) {
                self.taken(name, *first);
                continue;
            }
            seen.insert(&name.text, name.span);
            if !broken {
                self.fixed_name(name);
                let is_value = matches!(item.kind, ItemKind::Let(_) | ItemKind::Param { .. });
                self.hides_component(name, is_value);
            }
        }
    }

    pub(super) fn taken(&mut self, name: &Word, first: Span) {
        self.report(
            Problem::error(Code::E210, name.span, format!("duplicate name `{}`", name.text))
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

    /// Whether the script calls something of this name: after `>>`, or with arguments.
    fn is_called(&self, name: &str) -> bool {
        let called = || {
            let text = self.source.text();
            let tokens = token::lex(text).tokens;
            let shown = |it: Option<&Token>| it.map_or("", |it| &text[it.span.range()]);
            let is_call = |idx: &usize| {
                let before = idx.checked_sub(1).and_then(|it| tokens.get(it));
                tokens[*idx].kind == TokenKind::Word
                    && (shown(before) == ">>" || shown(tokens.get(idx + 1)) == "(")
            };
            let calls = (0..tokens.len()).filter(is_call);
            calls.map(|it| shown(tokens.get(it)).into()).collect()
        };
        self.called_names.get_or_init(called).contains(name)
    }

    /// Warns of a name that hides a component. A value hides none that the script does not call.
    pub(super) fn hides_component(&mut self, name: &Word, is_value: bool) {
        // Names such as `text` are groups of ops, which scripts do not call by that name alone.
        let is_op = matches!(self.registry.find(&name.text), Some(Found::Op(_)));
        if is_op && (!is_value || self.is_called(&name.text)) {
            self.report(
                Problem::warning(
                    Code::E220,
                    name.span,
                    format!("`{}` shadows a component", name.text),
                )
                .label("shadows the component from here on")
                .help("choose another name to keep using the component"),
            );
        }
    }

    /// Whether the declaration of a name could not be parsed.
    pub(super) fn is_broken(&self, name: &Text) -> bool {
        self.broken_names.contains(name)
    }
}

//! A tree and a registry in, a typed program out, or everything that is wrong with it.
//!
//! [`check`] resolves every name, types every pipeline, and tests every argument and
//! bound. It runs nothing and reads no files. A piece that is wrong has the type
//! *unknown*, which fits everywhere, so that one mistake costs one message.
//!
//! **Invariant:** the registry's types are known here, no concrete component is.

mod blocks;
mod bounds;
mod branching;
mod call;
mod expansion;
mod expr;
mod facts;
mod flow_args;
mod flows;
mod island;
mod items;
mod lists;
mod mentions;
mod modules;
mod op_call;
mod operators;
mod overlap;
mod pipeline;
mod repair;
mod scope;
mod secrets;
mod templates;
mod term;
mod tests;
mod type_args;
mod types;
mod unify;
mod untyped;

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

pub use facts::{Facts, HoleFact, Mention, NameKind, NodeFact, Target};
pub use items::FIXED;
pub use modules::{Files, NoFiles, Unread};
pub use repair::{Candidate, Signature, Site, Wants, fits, way_between, way_to};
pub use term::{
    Arm, Block, BoundKey, Branch, Call, CastReason, Checked, Entry, Expansion, Flow, Input, Let,
    Mock, Piece, Repeat, Shape, Term, TermKind, Test, Var,
};

pub use types::type_names;

use crate::{
    diag::{Code, Problem, Report, Source, Span},
    syntax::{ast::Program, parse},
};
use flows::FlowState;
use modules::{Module, Modules};
use scope::Frame;
use svc_contract::{
    registry::{Nearest, Registry},
    value::{Text, Type},
};

/// Reads and checks a script against a registry; `files` are those that it may use.
pub fn check(source: &Source, registry: &Registry, files: &dyn Files) -> Result<Checked, Report> {
    let analysis = look_at(source, registry, files, None);
    match analysis.program {
        Some(program) => Ok(program),
        None => Err(analysis.report),
    }
}

/// The same for an editor: what is known of a script also when it does not check.
pub fn analyse(source: &Source, registry: &Registry, files: &dyn Files) -> Analysis {
    look_at(source, registry, files, Some(Facts::default()))
}

/// Everything that a check found out.
#[derive(Debug)]
pub struct Analysis {
    pub report: Report,
    /// The program, where the report has no error.
    pub program: Option<Checked>,
    pub facts: Facts,
}

fn look_at(
    source: &Source,
    registry: &Registry,
    files: &dyn Files,
    facts: Option<Facts>,
) -> Analysis {
    let modules = Modules::new(files, source);
    let parsed = parse(source.text());
    let mut checker = Checker::new(source, registry, &modules, &parsed.program);
    checker.problems = parsed.problems;
    checker.facts = facts;
    let program = checker.whole(&parsed.program);
    let (problems, facts) = (checker.problems, checker.facts.unwrap_or_default());
    let mut report = Report::new(source.clone(), problems);
    report.used = modules.into_reports();
    if report.has_errors() {
        // What is unused may be so because of the errors.
        report.problems.retain(|it| it.code != Code::E221);
        return Analysis { report, program: None, facts };
    }
    if let Some(problem) = untyped::untyped(&program) {
        report.problems.push(problem);
        return Analysis { report, program: None, facts };
    }
    let program = Checked { warnings: report.clone(), ..program };
    Analysis { report, program: Some(program), facts }
}

/// Checks a file that another one uses.
fn check_module(source: &Source, registry: &Registry, modules: &Modules<'_>) -> (Report, Module) {
    let parsed = parse(source.text());
    let mut checker = Checker::new(source, registry, modules, &parsed.program);
    checker.problems = parsed.problems;
    let program = checker.whole(&parsed.program);
    let module = Module {
        source: source.clone(),
        flows: program.flows,
        types: checker.types,
        declared: checker.declared,
        builder: None,
    };
    (Report::new(source.clone(), checker.problems), module)
}

/// After so many problems no further name is compared with all others: nobody reads that
/// far, and a long script of unknown names would take its length squared. What was compared
/// before is known.
const MOST_SUGGESTED: usize = 100;

/// Trees may be deep: where less than this is left of the stack, more is taken.
const STACK_LEFT: usize = 128 << 10;
const STACK_MORE: usize = 4 << 20;

/// What is known while a script is being checked.
struct Checker<'a> {
    source: &'a Source,
    registry: &'a Registry,
    frames: Vec<Frame>,
    types: HashMap<Text, Type>,
    /// Where types and their fields are declared: `Note`, `Note.title`.
    declared: HashMap<Text, Span>,
    /// Names whose declarations could not be read: nothing is said of their uses.
    broken_names: BTreeSet<Text>,
    /// The `let`s at the top of the file: one that is not visible yet stands further down.
    let_names: BTreeSet<Text>,
    flows: Vec<FlowState<'a>>,
    flow_places: HashMap<Text, usize>,
    modules: &'a Modules<'a>,
    /// The files that the script uses, by the names that it gives them.
    imports: HashMap<Text, (Span, Arc<Module>)>,
    /// The calls of templates that were replaced.
    expanded: Vec<Expansion>,
    /// The main pipeline as tests call it.
    main_flow: Option<Arc<Flow>>,
    in_flow: bool,
    main_span: Option<Span>,
    /// The first stage of the main pipeline is being checked.
    in_main_head: bool,
    /// The parameter of a script that begins with a stage.
    implicit_input: Option<Input>,
    /// How often each name stands at one level of the nodes' paths.
    segments: Vec<HashMap<String, usize>>,
    /// What an editor is told; nothing is collected when nobody asked.
    facts: Option<Facts>,
    /// The flows and components that are nearest to unknown names.
    nearest: HashMap<Text, Nearest<Text>>,
    /// The types that unknown ones may mean, where there were so many.
    meant_types: HashMap<(Text, usize), Option<(String, bool)>>,
    /// The mends of types that were looked for.
    chains: repair::Memo,
    problems: Vec<Problem>,
}

impl<'a> Checker<'a> {
    fn new(
        source: &'a Source,
        registry: &'a Registry,
        modules: &'a Modules<'a>,
        program: &Program,
    ) -> Self {
        Self {
            source,
            registry,
            frames: Vec::new(),
            types: HashMap::new(),
            declared: HashMap::new(),
            broken_names: BTreeSet::new(),
            let_names: BTreeSet::new(),
            flows: Vec::new(),
            flow_places: HashMap::new(),
            modules,
            imports: HashMap::new(),
            expanded: Vec::new(),
            main_flow: None,
            in_flow: false,
            main_span: program.main.as_ref().map(|it| it.span),
            in_main_head: false,
            implicit_input: None,
            segments: vec![HashMap::new()],
            facts: None,
            nearest: HashMap::new(),
            meant_types: HashMap::new(),
            chains: repair::Memo::default(),
            problems: Vec::new(),
        }
    }

    fn whole(&mut self, program: &'a Program) -> Checked {
        stacker::maybe_grow(STACK_LEFT, STACK_MORE, || self.program(program))
    }

    fn report(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// The place of a node in its level: its name, with a number where it stands again.
    fn segment(&mut self, name: &str) -> Text {
        let level = self.segments.last_mut().expect("there is always a level");
        let count = level.entry(name.to_owned()).or_default();
        *count += 1;
        if *count == 1 { name.into() } else { format!("{name}#{count}").into() }
    }

    /// Checks a part whose nodes have paths of their own below a name.
    fn named_path<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        self.segments.push(HashMap::new());
        let checked = check(self);
        self.segments.pop();
        checked
    }
}

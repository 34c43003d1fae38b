//! The checker: turns a tree and a registry into a typed program, or a report of all problems.
//!
//! [`check`] resolves every name, types every pipeline, and checks every argument and
//! bound. It runs nothing and reads no files. A wrong piece has the type *unknown*, which
//! fits everywhere, so that one mistake causes one message.
//!
//! **Invariant:** this module depends on the types of the registry, not on any component.

mod blocks;
mod bounds;
mod branching;
mod call;
mod casts;
mod expansion;
mod expr;
mod facts;
mod flow_args;
mod flow_call;
mod flow_calls;
mod flows;
mod generics;
mod inline_script;
mod items;
mod known_call;
mod lacking;
mod lists;
mod literals;
mod lost;
mod maps;
mod mentions;
mod modules;
mod narrow;
mod op_call;
mod operators;
mod overlap;
mod parts;
mod pipeline;
mod repair;
mod scope;
mod secrets;
mod strings;
mod templates;
mod term;
mod tests;
mod tools;
mod type_args;
mod types;
mod undefined;
mod unify;
mod untyped;
mod unused;

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

pub use facts::{Facts, HoleFact, Mention, NameKind, NodeFact, Target};
pub use flow_call::{CalledFlow, Uncallable};
pub use items::FIXED;
pub use modules::{Files, NoFiles, Unread};
pub(crate) use operators::computed_operator;
pub use repair::{Candidate, Signature, Site, Wants, fits, way_between, way_to};
pub use term::{
    BoundKey, CastReason, Checked, Expansion, Input, Origin, Shape, Term, TermKind, TypedArm,
    TypedBlock, TypedBranch, TypedCall, TypedEntry, TypedFlow, TypedLet, TypedMock, TypedPiece,
    TypedRepeat, TypedTest, Var,
};

pub use tests::FAILS_SEGMENT;
pub use types::type_names;

use crate::{
    diag::{Code, Problem, Report, Source, Span},
    syntax::{
        ast::{Let, Program, Word, is_private},
        parse_with,
    },
};
use flows::FlowState;
use generics::Instances;
use known_call::OnFailure;
use modules::{Module, Modules};
use narrow::Slot;
use scope::Frame;
use svc_contract::{
    registry::{Nearest, TunedRegistry},
    value::{Text, Type},
};

/// Parses a script and checks it against a registry; `files` are those that it may use.
pub fn check<'a>(
    source: &Source,
    registry: impl Into<TunedRegistry<'a>>,
    files: &dyn Files,
) -> Result<Checked, Report> {
    let (analysis, _) = look_at(source, registry.into(), files, None);
    match analysis.program {
        Some(program) => Ok(program),
        None => Err(analysis.report),
    }
}

/// A script that did not pass the check.
#[derive(Debug)]
pub struct Rejected {
    pub report: Report,
    /// The program, with the type *unknown* in place of its wrong pieces. It cannot run, but
    /// problems of its sound pieces can be found.
    pub program: Option<Checked>,
}

/// Like [`check`], and returns what is known of a script with errors.
pub fn check_or_reject<'a>(
    source: &Source,
    registry: impl Into<TunedRegistry<'a>>,
    files: &dyn Files,
) -> Result<Checked, Box<Rejected>> {
    let (analysis, program) = look_at(source, registry.into(), files, None);
    match analysis.program {
        Some(program) => Ok(program),
        None => Err(Box::new(Rejected { report: analysis.report, program })),
    }
}

/// Like [`check`], for editors: returns facts about a script even if it has errors.
pub fn analyse<'a>(
    source: &Source,
    registry: impl Into<TunedRegistry<'a>>,
    files: &dyn Files,
) -> Analysis {
    look_at(source, registry.into(), files, Some(Facts::default())).0
}

/// The result of a check for editors.
#[derive(Debug)]
pub struct Analysis {
    pub report: Report,
    /// The program, if the report has no error.
    pub program: Option<Checked>,
    pub facts: Facts,
}

/// The analysis of a script, and the program of one that was rejected.
fn look_at(
    source: &Source,
    registry: TunedRegistry<'_>,
    files: &dyn Files,
    facts: Option<Facts>,
) -> (Analysis, Option<Checked>) {
    let modules = Modules::new(files, source);
    let parsed = parse_with(source.text(), modules.executor());
    let mut checker = Checker::new(source, registry, &modules, &parsed.program);
    checker.problems = parsed.problems;
    checker.facts = facts;
    let program = checker.whole(&parsed.program);
    let (mut problems, facts) = (checker.problems, checker.facts.unwrap_or_default());
    problems.extend(unused::unused(source.text(), &parsed.program));
    let mut report = Report::new(source.clone(), problems);
    report.used = modules.into_reports();
    if report.has_errors() {
        // A `let` may be unused because of the errors.
        report.problems.retain(|it| it.code != Code::E221);
        return (Analysis { report, program: None, facts }, Some(program));
    }
    if let Some(problem) = untyped::untyped(&program) {
        report.problems.push(problem);
        return (Analysis { report, program: None, facts }, None);
    }
    let program = Checked { warnings: report.clone(), ..program };
    (Analysis { report, program: Some(program), facts }, None)
}

/// Checks a file used by another one.
fn check_module(
    source: &Source,
    registry: TunedRegistry<'_>,
    modules: &Modules<'_>,
) -> (Report, Module) {
    let parsed = parse_with(source.text(), modules.executor());
    let mut checker = Checker::new(source, registry, modules, &parsed.program);
    checker.problems = parsed.problems;
    let program = checker.whole(&parsed.program);
    let (mut flows, mut types) = (program.flows, checker.types);
    let names = flows.iter().map(|it| &it.name).chain(types.keys());
    let private = names.filter(|it| is_private(it)).cloned().collect();
    flows.retain(|it| !is_private(&it.name));
    types.retain(|name, _| !is_private(name));
    let module = Module {
        source: source.clone(),
        flows,
        types,
        private,
        declared: checker.declared,
        builder: None,
    };
    (Report::new(source.clone(), checker.problems), module)
}

/// After this many problems, unknown names are not compared with all others any more: no one
/// reads that far, and a long script of unknown names would take quadratic time. Earlier results
/// are cached.
const MOST_SUGGESTED: usize = 100;

/// The stack is extended when less than this is left, because trees may be deep.
const STACK_LEFT: usize = 128 << 10;
const STACK_MORE: usize = 4 << 20;

/// What a part of a script is checked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Whole,
    /// Only the type of a turn of a `repeat`.
    Turn,
}

/// The state of a check.
struct Checker<'a> {
    source: &'a Source,
    registry: TunedRegistry<'a>,
    frames: Vec<Frame>,
    types: HashMap<Text, Type>,
    /// The places where types and their fields are declared: `Note`, `Note.title`.
    declared: HashMap<Text, Span>,
    /// Names whose declarations could not be parsed; their uses are not reported.
    broken_names: BTreeSet<Text>,
    /// The `let`s at the top of the file, including those that are not visible yet.
    let_names: BTreeSet<Text>,
    lets: Vec<&'a Let>,
    flows: Vec<FlowState<'a>>,
    flow_places: HashMap<Text, usize>,
    /// The type parameters of the flow that is being checked.
    type_params: Vec<Word>,
    instances: Instances,
    modules: &'a Modules<'a>,
    /// The files that the script uses, by their names in the script.
    imports: BTreeMap<Text, (Span, Arc<Module>)>,
    /// The expanded calls of templates.
    expanded: Vec<Expansion>,
    /// The main pipeline as a flow, for tests.
    main_flow: Option<Arc<TypedFlow>>,
    in_flow: bool,
    /// The start of the statements of the test that is being checked.
    in_test: Option<usize>,
    /// The ops that are mocked in the test that is checked.
    mocked: HashSet<String>,
    /// What becomes of a failure at the place that is checked.
    on_failure: OnFailure,
    /// What is known not to be null here.
    not_null: Vec<Slot>,
    /// Whether an expectation of a test is being checked.
    in_expect: bool,
    main_span: Option<Span>,
    /// Whether the first stage of the main pipeline is being checked.
    in_main_head: bool,
    /// The parameter of a script that begins with a stage.
    implicit_input: Option<Input>,
    /// The number of uses of each name, for each level of the paths of nodes.
    segments: Vec<Level>,
    /// The comments of the script, once a hole asks for them.
    comments: OnceCell<Vec<Span>>,
    /// The names that the script calls, once they are asked for.
    called_names: OnceCell<BTreeSet<Text>>,
    /// Facts for editors, if requested.
    facts: Option<Facts>,
    pass: Pass,
    /// The flows and components nearest to unknown names.
    nearest: HashMap<Text, Nearest<Text>>,
    /// The types that unknown ones may mean, by name and number of compared types.
    meant_types: HashMap<(Text, usize), Option<(String, bool)>>,
    /// The chains of steps that were searched for.
    chains: repair::Memo,
    problems: Vec<Problem>,
}

impl<'a> Checker<'a> {
    fn new(
        source: &'a Source,
        registry: TunedRegistry<'a>,
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
            lets: Vec::new(),
            flows: Vec::new(),
            flow_places: HashMap::new(),
            type_params: Vec::new(),
            instances: Instances::default(),
            modules,
            imports: BTreeMap::new(),
            expanded: Vec::new(),
            main_flow: None,
            in_flow: false,
            in_test: None,
            mocked: HashSet::new(),
            on_failure: OnFailure::Stops,
            not_null: Vec::new(),
            in_expect: false,
            main_span: program.main.as_ref().map(|it| it.span),
            in_main_head: false,
            implicit_input: None,
            segments: vec![Level::default()],
            facts: None,
            pass: Pass::Whole,
            nearest: HashMap::new(),
            meant_types: HashMap::new(),
            chains: repair::Memo::default(),
            comments: OnceCell::new(),
            called_names: OnceCell::new(),
            problems: Vec::new(),
        }
    }

    fn whole(&mut self, program: &'a Program) -> Checked {
        stacker::maybe_grow(STACK_LEFT, STACK_MORE, || self.program(program))
    }

    fn report(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// The segment of a node in its level: its name, with a number if it is repeated.
    fn segment(&mut self, name: &str) -> Text {
        let count = self.level().counts.entry(name.to_owned()).or_default();
        *count += 1;
        numbered(name, *count)
    }

    /// The segment of a node with others below it: no `let` and no branch has it.
    fn segment_around(&mut self, name: &str) -> Text {
        loop {
            let segment = self.segment(name);
            if self.level().around.insert(segment.clone()) {
                return segment;
            }
        }
    }

    /// The segment of a `let` or of a branch, which is its name, unless another one of the level, or
    /// a flow, has nodes below that name.
    fn segment_of_part(&mut self, name: &str) -> Text {
        let level = self.level();
        let all = (1..).map(|count| numbered(name, count));
        let free = { all }.find(|it| level.around.insert(it.clone()));
        free.expect("there are more numbers than parts")
    }

    fn level(&mut self) -> &mut Level {
        self.segments.last_mut().expect("there is always a level")
    }

    /// Checks a part whose nodes have separate paths below a name.
    fn named_path<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        self.segments.push(Level::default());
        let checked = check(self);
        self.segments.pop();
        checked
    }
}

/// The segments of the nodes of one level.
#[derive(Default)]
struct Level {
    /// How often each name occurred.
    counts: HashMap<String, usize>,
    /// The segments with others below them. Two that were equal would have the same paths below.
    around: HashSet<Text>,
}

/// `name`, `name#2`, `name#3`
fn numbered(name: &str, count: usize) -> Text {
    if count == 1 { name.into() } else { format!("{name}#{count}").into() }
}

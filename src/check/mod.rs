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
mod expr;
mod flows;
mod items;
mod lists;
mod operators;
mod overlap;
mod pipeline;
mod repair;
mod scope;
mod term;
mod types;
mod unify;

use std::collections::{BTreeSet, HashMap};

pub use repair::{Candidate, Signature, Site, Wants, fits};
pub use term::{
    Arm, Block, BoundKey, Branch, Call, CastReason, Checked, Entry, Flow, Input, Let, Piece,
    Repeat, Shape, Term, TermKind, Var,
};

use crate::{
    diag::{Code, Problem, Report, Source, Span},
    registry::Registry,
    syntax::parse,
    value::{Text, Type},
};
use flows::FlowState;
use scope::Frame;

/// Reads and checks a script against a registry.
pub fn check(source: &Source, registry: &Registry) -> Result<Checked, Report> {
    let parsed = parse(source.text());
    let mut checker = Checker {
        source,
        registry,
        frames: Vec::new(),
        types: HashMap::new(),
        broken_names: BTreeSet::new(),
        let_names: BTreeSet::new(),
        flows: Vec::new(),
        in_flow: false,
        main_span: parsed.program.main.as_ref().map(|it| it.span),
        in_main_head: false,
        implicit_input: None,
        segments: vec![HashMap::new()],
        chains: repair::Memo::default(),
        problems: parsed.problems,
    };
    let checked = stacker::maybe_grow(STACK_LEFT, STACK_MORE, || checker.program(&parsed.program));
    let mut report = Report::new(source.clone(), checker.problems);
    if report.has_errors() {
        // What is unused may be so because of the errors.
        report.problems.retain(|it| it.code != Code::E221);
        return Err(report);
    }
    let (inputs, flows, main) = checked;
    Ok(Checked { source: source.clone(), inputs, flows, main, warnings: report })
}

/// After so many problems no further name is compared with all others: nobody reads that
/// far, and a long script of unknown names would take its length squared.
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
    /// Names whose declarations could not be read: nothing is said of their uses.
    broken_names: BTreeSet<Text>,
    /// The `let`s at the top of the file: one that is not visible yet stands further down.
    let_names: BTreeSet<Text>,
    flows: Vec<FlowState<'a>>,
    in_flow: bool,
    main_span: Option<Span>,
    /// The first stage of the main pipeline is being checked.
    in_main_head: bool,
    /// The parameter of a script that begins with a stage.
    implicit_input: Option<Input>,
    /// How often each name stands at one level of the nodes' paths.
    segments: Vec<HashMap<String, usize>>,
    /// The mends of types that were looked for.
    chains: repair::Memo,
    problems: Vec<Problem>,
}

impl Checker<'_> {
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

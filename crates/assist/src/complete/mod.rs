//! Completion: what can be written at the cursor, best first.
//!
//! The place determines the syntax, the checker the types; after `>>` only stages that accept
//! the value are offered.

mod choices;
mod files;
mod members;
mod probe;
mod words;

use super::fill::hole_at;
use super::{
    Callable, Draft,
    place::{Expected, Place},
};
use choices::Form;
pub use choices::{Choice, Choices, Sort};
use probe::Probe;
use svc_contract::{
    registry::{OpRef, Registry},
    value::Type,
};
use svc_lang::{
    check::{BoundKey, Candidate, HoleFact, Signature, Site, TypedFlow, Wants, fits, type_names},
    diag::Span,
    stdlib,
};

/// The trigger of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// An explicit request.
    Plainly,
    /// A typed space, which is typed everywhere.
    BySpace,
    /// A typed `"` or `/`, which asks for a file.
    ByPath,
}

/// The maximum number of chains of stages offered to reach the expected type.
const MOST_DETOURS: usize = 3;

/// The completions at a byte offset of a draft.
pub fn complete(draft: &Draft<'_>, at: usize, asked: Asked) -> Option<Choices> {
    let place = Place::at(draft.text(), at)?;
    if let Some(hole) = hole_at(draft, at).filter(|_| asked == Asked::Plainly) {
        return Some(in_hole(draft, &place, hole));
    }
    let expected = place.expected()?;
    // Only at these places a space triggers a completion.
    let answers_space = matches!(
        expected,
        Expected::Stage | Expected::Value | Expected::Argument(_) | Expected::Mocked
    );
    if asked == Asked::BySpace && !answers_space {
        return None;
    }
    if asked == Asked::ByPath && place.string.is_none() {
        return None;
    }
    let typed = draft.text().get(place.word.start..at.min(place.word.end)).unwrap_or_default();
    let mut choices = Choices::new(place.word, typed);
    let cx = Completion { draft, place: &place, expected };
    cx.fill(&mut choices);
    Some(choices)
}

/// What fills the hole around the cursor, which it replaces as a whole.
fn in_hole(draft: &Draft<'_>, place: &Place<'_>, hole: &HoleFact) -> Choices {
    let mut choices = Choices::of_hole(hole.span);
    let probe = Probe { hole: Some(hole.clone()), facts: draft.analysis.facts.clone() };
    let cx = Completion { draft, place, expected: Expected::Stage };
    match hole.wants {
        _ if matches!(hole.expected, Some(Type::Flow(_))) => {
            hole.candidates.iter().for_each(|it| cx.candidate(it, &probe, &mut choices));
        }
        Wants::Stage => {
            for block in hole.blocks {
                let found = words::OF_LISTS.iter().find(|(word, _)| word == block);
                if let Some((word, snippet)) = found {
                    choices.keyword(word, snippet);
                }
            }
            let (direct, detours): (Vec<_>, Vec<_>) =
                hole.candidates.iter().partition(|it| it.is_direct());
            for candidate in direct.into_iter().chain(detours.into_iter().take(MOST_DETOURS)) {
                cx.candidate(candidate, &probe, &mut choices);
            }
            blocks(&probe, &mut choices);
        }
        Wants::Head => cx.heads(&probe, &mut choices),
        Wants::Value => cx.values(&probe, &mut choices),
    }
    choices
}

/// A place to complete.
struct Completion<'a> {
    draft: &'a Draft<'a>,
    place: &'a Place<'a>,
    expected: Expected,
}

impl Completion<'_> {
    fn fill(&self, items: &mut Choices) {
        if let Some(string) = self.place.string {
            return self.in_string(string, items);
        }
        if self.place.is_member && !matches!(self.expected, Expected::Type | Expected::Mocked) {
            return self.members(items);
        }
        match self.expected {
            Expected::Stage => self.stages(&self.probe(), items),
            Expected::Head => self.heads(&self.probe(), items),
            Expected::Line => {
                self.heads(&self.probe(), items);
                items.keyword("let", "let ${1:name} = $0");
            }
            Expected::Value => self.values(&self.probe(), items),
            Expected::Argument(open) => self.arguments(open, items),
            Expected::Type => self.types(items),
            Expected::Bound => self.bounds(items),
            Expected::Pattern(open) => self.patterns(open, items),
            Expected::Statement => {
                items.keywords(&words::STATEMENTS);
                let probe = self.probe();
                if probe.hole.is_some() {
                    self.heads(&probe, items);
                }
            }
            Expected::TestStatement => items.keywords(&words::IN_TESTS),
            Expected::File => {}
            Expected::Mocked => self.mocked(items),
            Expected::More => items.keywords(&words::MORE),
        }
    }

    fn registry(&self) -> &Registry {
        self.draft.engine.registry()
    }

    /// Whether the policy of the engine can allow a call of an op.
    fn admits(&self, op: OpRef) -> bool {
        self.draft.engine.policy().admits(op.op)
    }

    /// Whether the policy refuses a call of a flow, whatever its arguments are.
    fn refuses(&self, flow: &TypedFlow) -> bool {
        let engine = self.draft.engine;
        engine.policy().refuses_flow(flow, engine.host())
    }

    fn probe(&self) -> Probe {
        Probe::new(self.draft, self.place, self.expected)
    }

    /// The stages that accept the input.
    fn stages(&self, probe: &Probe, items: &mut Choices) {
        self.candidates(probe, Wants::Stage, items);
        blocks(probe, items);
    }

    /// What can begin a pipeline: a value, or a stage for the input.
    fn heads(&self, probe: &Probe, items: &mut Choices) {
        items.literals(probe.expected());
        self.candidates(probe, Wants::Head, items);
        match probe.enters() {
            Some(_) => blocks(probe, items),
            None => self.everything(probe, items),
        }
    }

    fn values(&self, probe: &Probe, items: &mut Choices) {
        items.literals(probe.expected());
        self.candidates(probe, Wants::Value, items);
        self.functions(probe.expected(), items);
        if probe.hole.is_none() {
            // The name of a flow or component may be expected, which a hole cannot replace.
            self.everything(probe, items);
        }
    }

    /// Everything that fits, with what returns the expected type first.
    fn candidates(&self, probe: &Probe, wants: Wants, items: &mut Choices) {
        let site = self.site(probe, wants);
        let leading = if site.expected.is_some() { fits(&site) } else { Vec::new() };
        let (direct, detours): (Vec<_>, Vec<_>) = leading.iter().partition(|it| it.is_direct());
        for candidate in direct.into_iter().chain(detours.into_iter().take(MOST_DETOURS)) {
            self.candidate(candidate, probe, items);
        }
        let all = fits(&Site { expected: None, ..site });
        items.expect(all.len());
        for candidate in &all {
            self.candidate(candidate, probe, items);
        }
    }

    fn candidate(&self, candidate: &Candidate, probe: &Probe, items: &mut Choices) {
        let Candidate { name, doc, .. } = candidate;
        if !items.accepts(name) {
            return;
        }
        let is_flow = |it: &str| probe.facts.flows.iter().any(|(flow, _)| flow.as_ref() == it);
        let callable = |it: &str| match candidate.op {
            // To look up thousands of ops by their names takes long.
            Some(op) if it == name && !is_flow(it) => Some(Callable::Op(op)),
            _ => Callable::named(it, &probe.facts, self.registry()),
        };
        let is_refused = |it: &str| match callable(it) {
            Some(Callable::Op(op)) => !self.admits(op),
            Some(Callable::Flow(_, flow)) => self.refuses(flow),
            None => false,
        };
        let (is_value, is_chain) = (probe.value(name).is_some(), name.contains(" >> "));
        if !is_value && name.split(" >> ").any(is_refused) {
            return;
        }
        match callable(name).filter(|_| !is_value && !is_chain) {
            Some(it) => items.call(name, &it, doc, Form::Stage),
            None if is_chain => items.value(name, doc, Sort::Chain),
            None => items.value(name, &candidate.signature(), Sort::Variable),
        }
    }

    fn site(&self, probe: &Probe, wants: Wants) -> Site<'_> {
        let values = probe.hole.as_ref().map(|it| it.values.clone()).unwrap_or_default();
        let entering = match (probe.enters(), wants) {
            (None, Wants::Stage) => Some(Type::Unknown),
            (enters, _) => enters.cloned(),
        };
        Site {
            registry: self.registry(),
            flows: signatures(probe),
            names: values,
            types: probe.facts.types.iter().map(|(name, _)| name.clone()).collect(),
            entering,
            expected: probe.expected().cloned(),
            wants,
        }
    }

    /// Every flow and component.
    fn everything(&self, probe: &Probe, items: &mut Choices) {
        for (name, flow) in probe.facts.flows.iter().filter(|(_, it)| !self.refuses(it)) {
            items.call(name, &Callable::Flow(name, flow), &flow.doc, Form::Stage);
        }
        items.expect(ops(self.registry()).count());
        for op in ops(self.registry()).filter(|it| self.admits(*it)) {
            let doc = op.op.summary();
            items.call(&op.script_name(), &Callable::Op(op), doc, Form::Stage);
        }
    }

    /// The pure functions that can return the expected type.
    fn functions(&self, expected: Option<&Type>, items: &mut Choices) {
        let gives = |op: &OpRef| {
            let yields = op.op.yields;
            expected.is_none_or(|expected| !yields.is_plain() || yields.plain().fits(expected))
        };
        items.expect(ops(self.registry()).filter(|it| it.op.is_inline()).count());
        for op in ops(self.registry()).filter(|it| it.op.is_inline()).filter(gives) {
            let doc = op.op.summary();
            items.call(&op.script_name(), &Callable::Op(op), doc, Form::Function);
        }
    }

    /// What a test can mock: components that act, cost or take time.
    fn mocked(&self, items: &mut Choices) {
        if self.place.is_member {
            let words = self.place.words();
            let component = words.first().and_then(|it| self.registry().find(it));
            let all = component.map(|it| it.component().ops).unwrap_or_default();
            items.expect(all.len());
            for op in all.iter().filter(|it| !it.is_inline()) {
                items.mock(op.name, op.summary());
            }
            return;
        }
        items.expect(ops(self.registry()).filter(|it| !it.op.is_inline()).count());
        for op in ops(self.registry()).filter(|it| !it.op.is_inline()) {
            items.mock(&op.script_name(), op.op.summary());
        }
    }

    /// Inside a string, the variants of an enum and files are known.
    fn in_string(&self, string: Span, items: &mut Choices) {
        if self.expected == Expected::File {
            for module in stdlib::ALL {
                items.module(module);
            }
            return files::add(self.draft, self.place, string, files::Wanted::Scripts, items);
        }
        if files::is_path(self.draft, self.place) {
            return files::add(self.draft, self.place, string, files::Wanted::All, items);
        }
        self.literals_in_a_string(items);
    }

    fn literals_in_a_string(&self, items: &mut Choices) {
        if let Expected::Pattern(open) = self.expected {
            let ty = probe::matched(self.draft, self.place, open);
            return items.literals(ty.as_ref());
        }
        let probe = self.probe();
        items.literals(probe.expected().filter(|it| matches!(it.required(), Type::Enum(_))));
    }

    /// The missing arguments of a call; in an expression also values.
    fn arguments(&self, open: usize, items: &mut Choices) {
        let (name, is_stage) = self.place.callee(open);
        let name = &self.place.text[name.range()];
        let (probe, given) = (self.probe(), self.place.given(open));
        if let Some(callable) = Callable::named(name, &probe.facts, self.registry()) {
            let filled = usize::from(is_stage) + self.place.positional(open);
            let left = callable.ports().into_iter().skip(filled);
            let mut left: Vec<_> = left.filter(|it| !given.contains(&it.name.as_str())).collect();
            left.sort_by_key(|it| !it.is_required);
            for port in &left {
                items.argument(port);
            }
        }
        if !is_stage {
            self.values(&probe, items);
        }
    }

    fn types(&self, items: &mut Choices) {
        let facts = &self.draft.analysis.facts;
        let typed: Span = Span::new(self.place.start, self.place.word.start);
        let prefix = &self.place.text[typed.range()];
        let own = facts.types.iter().filter_map(|(it, _)| it.strip_prefix(prefix));
        own.for_each(|it| items.type_name(it));
        let shared = type_names(self.registry()).filter_map(|it| it.strip_prefix(prefix));
        shared.for_each(|it| items.type_name(it));
    }

    fn bounds(&self, items: &mut Choices) {
        let open = self.place.open().last().copied().unwrap_or_default();
        let given = self.place.given(open);
        let left = BoundKey::ALL.iter().map(|it| it.name()).filter(|it| !given.contains(it));
        left.for_each(|it| items.keyword(it, &format!("{it}: $0")));
    }

    fn patterns(&self, open: usize, items: &mut Choices) {
        let ty = probe::matched(self.draft, self.place, open);
        items.literals(ty.as_ref());
        items.keyword("_", "_ => $0");
    }
}

/// The blocks that work on the input.
fn blocks(probe: &Probe, items: &mut Choices) {
    if probe.enters().is_none_or(|it| matches!(it, Type::List(..))) {
        items.keywords(&words::OF_LISTS);
    }
    items.keywords(&words::OF_ALL);
}

fn ops(registry: &Registry) -> impl Iterator<Item = OpRef> + '_ {
    let components = registry.components().iter();
    components.flat_map(|component| component.ops.iter().map(move |op| OpRef { component, op }))
}

/// The flows, as the search for candidates needs them.
fn signatures(probe: &Probe) -> Vec<Signature> {
    let flows = probe.facts.flows.iter();
    let signature = flows.map(|(name, flow)| Signature {
        name: name.clone(),
        doc: flow.doc.clone(),
        params: flow.params.iter().map(|it| (it.name.clone(), it.ty.clone())).collect(),
        required: flow.params.iter().filter(|it| it.default.is_none()).count(),
        yields: flow.yields.clone(),
    });
    signature.collect()
}

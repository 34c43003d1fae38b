//! Scopes: the meaning of names at each place.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use svc_contract::{
    registry::{Found, Nearest, OpRef, near},
    value::{FlowType, Text, Type, Value},
};

use super::{
    Checker, Input, MOST_SUGGESTED, TypedFlow,
    facts::{NameKind, Target},
    modules::Module,
    term::{Term, TermKind, Var},
};
use crate::{
    diag::{Problem, Span},
    syntax::ast::{Word, dotted},
};

/// One level of names. The frames of the check are those of the run.
#[derive(Debug)]
pub(super) enum Frame {
    /// The value that enters a stage or the block of an item, and its origin.
    It { ty: Type, giver: Giver },
    /// Inputs of the script, or parameters of a flow.
    Params(Vec<Named>),
    Lets {
        names: Vec<LetName>,
        /// The index of the latest binding of each name.
        bound: HashMap<Text, usize>,
        result_needs: Vec<usize>,
        /// The names nearest to unknown ones, and the number of names compared so far.
        nearest: HashMap<Text, (usize, Nearest<Text>)>,
    },
}

/// The origin of the value that enters a stage.
#[derive(Clone, Debug)]
pub(super) struct Giver {
    pub(super) name: String,
    pub(super) span: Span,
    /// The value, if it is a literal.
    pub(super) literal: Option<Value>,
}

#[derive(Debug)]
pub(super) struct Named {
    pub(super) name: Text,
    pub(super) ty: Type,
    pub(super) span: Span,
    pub(super) kind: NameKind,
}

impl Named {
    pub(super) fn param(input: &Input, kind: NameKind) -> Self {
        Self { name: input.name.clone(), ty: input.ty.clone(), span: input.span, kind }
    }

    /// A name defined by the language.
    pub(super) fn fixed(name: &str, ty: Type) -> Self {
        Self { name: name.into(), ty, span: Span::default(), kind: NameKind::Param }
    }
}

#[derive(Debug)]
pub(super) struct LetName {
    pub(super) name: Text,
    pub(super) segment: Text,
    pub(super) ty: Type,
    pub(super) span: Span,
    pub(super) needs: Vec<usize>,
    pub(super) used: bool,
    /// Whether its value is being checked: names used now are its needs.
    pub(super) open: bool,
    /// Whether it is a string that is written out, without a declared type.
    pub(super) is_plain_text: bool,
    /// Its value, if that is written out.
    pub(super) literal: Option<Value>,
}

/// The number of latest needs that are searched before a need is recorded again.
const RECENT: usize = 8;

/// Removes duplicate needs, keeping their order.
pub(super) fn once(needs: Vec<usize>) -> Vec<usize> {
    let mut seen = HashSet::new();
    needs.into_iter().filter(|it| seen.insert(*it)).collect()
}

/// The target of a name where a stage is expected.
#[derive(Clone, Debug)]
pub(super) enum Callable {
    Op(OpRef),
    Flow(usize),
    /// A flow of another file, or the main pipeline of the file in a test.
    Ready(Arc<TypedFlow>),
    /// A template of another file, by its declaration.
    Template(Arc<Module>, Arc<TypedFlow>),
    /// A parameter that is a flow.
    Param(Box<Term>, Arc<FlowType>),
    /// A name whose declaration could not be parsed.
    Unknown,
}

impl Checker<'_> {
    /// The value that enters here, if there is one.
    pub(super) fn it(&self) -> Option<(Var, Type, Giver)> {
        let (up, ty, giver) =
            self.frames.iter().rev().enumerate().find_map(|(up, it)| match it {
                Frame::It { ty, giver } => Some((up, ty, giver)),
                _ => None,
            })?;
        let (var, giver) = (Var { up, idx: 0 }, giver.clone());
        let term =
            Term { kind: TermKind::Var(var), ty: ty.clone(), span: giver.span, waits: false };
        Some((var, self.narrowed(term).ty, giver))
    }

    /// Help for a field that `it` has not, if the item of the block around has it: after `>>`, `it`
    /// is another value.
    pub(super) fn of_outer_item(&self, problem: Problem, it: Span, field: &str) -> Problem {
        let text = self.source.text();
        if text.get(it.range()) != Some("it") || !problem.fixes.is_empty() {
            return problem;
        }
        let around = self.frames.iter().rev().filter_map(|it| match it {
            Frame::It { ty: Type::Record(of), giver } => Some((of, giver)),
            _ => None,
        });
        let mut items = around.filter(|(of, giver)| giver.name == "it" && of.get(field).is_some());
        let Some((_, block)) = items.next() else { return problem };
        let problem = problem.help(format!(
            "after `>>`, `it` is the value of the stage before; name the item first: `let item = it`, then `item.{field}`"
        ));
        let open = text[block.span.end..it.start].find('{').map(|it| block.span.end + it + 1);
        match open.filter(|_| !text.contains("item")) {
            Some(open) => {
                problem.suggest(Span::new(open, open), " let item = it").suggest(it, "item")
            }
            None => problem,
        }
    }

    /// The value bound by a `let`, a `param` or a parameter of a flow.
    pub(super) fn variable(&mut self, word: &Word) -> Option<Term> {
        let (up, idx, ty) = self.frames.iter().rev().enumerate().find_map(|(up, frame)| {
            let (idx, ty) = frame.find(&word.text)?;
            Some((up, idx, ty))
        })?;
        self.mention_variable(word, up, idx, &ty);
        let place = self.frames.len() - 1 - up;
        if let Frame::Lets { names, result_needs, .. } = &mut self.frames[place] {
            names[idx].used = true;
            // Only the last let of a frame can be open: lets inside it have another frame.
            let open = names.last_mut().filter(|it| it.open);
            let needs = open.map_or(result_needs, |it| &mut it.needs);
            // Skips a few frequent names; other duplicates are removed when the let closes.
            if !needs.iter().rev().take(RECENT).any(|it| *it == idx) {
                needs.push(idx);
            }
        }
        let kind = TermKind::Var(Var { up, idx });
        Some(self.narrowed(Term { kind, ty, span: word.span, waits: false }))
    }

    fn mention_variable(&mut self, word: &Word, up: usize, idx: usize, ty: &Type) {
        let (defined, kind) = match &self.frames[self.frames.len() - 1 - up] {
            Frame::Params(all) => (all[idx].span, all[idx].kind),
            Frame::Lets { names, .. } => (names[idx].span, NameKind::Let),
            Frame::It { .. } => return,
        };
        if defined != Span::default() {
            self.mention(word.span, || Target::Here { defined, kind, ty: ty.clone() });
        }
    }

    /// Whether a name belongs to a `let` whose value is being checked.
    pub(super) fn is_being_bound(&self, name: &str) -> bool {
        self.frames.iter().any(|it| match it {
            // Only the last one can be open.
            Frame::Lets { names, .. } => {
                names.last().is_some_and(|it| it.open && it.name.as_ref() == name)
            }
            _ => false,
        })
    }

    pub(super) fn is_variable(&self, name: &str) -> bool {
        self.frames.iter().any(|it| it.find(name).is_some())
    }

    /// The parameter of a flow type with this name.
    pub(super) fn flow_param_named(&mut self, name: &[Word]) -> Option<Callable> {
        let [only] = name else { return None };
        let is_flow = |it: &Frame| matches!(it.find(&only.text), Some((_, Type::Flow(_))));
        if !self.frames.iter().any(is_flow) {
            return None;
        }
        let term = self.variable(only)?;
        match term.ty.clone() {
            Type::Flow(of) => Some(Callable::Param(Box::new(term), of)),
            _ => None,
        }
    }

    /// The flow or component with this name.
    pub(super) fn callable(&self, name: &[Word]) -> Option<Callable> {
        let first = name.first()?;
        if name.len() == 1 {
            if first.text.as_ref() == "main" {
                // Something that could not be parsed may have been the main pipeline.
                let may_be_broken = self.problems.iter().any(Problem::is_error);
                return match &self.main_flow {
                    Some(flow) => Some(Callable::Ready(flow.clone())),
                    None => may_be_broken.then_some(Callable::Unknown),
                };
            }
            if let Some(flow) = self.flow_named(&first.text) {
                return Some(Callable::Flow(flow));
            }
            if self.broken_names.contains(&first.text) {
                return Some(Callable::Unknown);
            }
            return match self.registry.find(&first.text)? {
                Found::Op(op) => Some(Callable::Op(op)),
                Found::Component(_) => None,
            };
        }
        if self.broken_names.contains(&first.text) {
            return Some(Callable::Unknown);
        }
        if self.imports.contains_key(&first.text) {
            let [_, flow] = name else { return None };
            return self.imported_flow(&first.text, &flow.text);
        }
        self.registry.resolve(&dotted(name)).map(Callable::Op)
    }

    /// Whether unknown names are still compared with known ones.
    pub(super) fn suggests(&self) -> bool {
        self.problems.len() <= MOST_SUGGESTED
    }

    /// The number of known names that an unknown one is compared with: a few of them always are.
    pub(super) fn compared(&self, known: usize) -> usize {
        const FEW: usize = 16;
        if self.suggests() || known <= FEW { known } else { 0 }
    }

    /// The known name most likely meant by an unknown one.
    pub(super) fn suggest(&mut self, name: &[Word]) -> Option<(String, bool)> {
        let whole = Text::from(dotted(name));
        // A name that was compared before costs little.
        if !self.suggests() && !self.nearest.contains_key(&whole) {
            return None;
        }
        if let [component, op] = name
            && let Some(found) = self.registry.find(&component.text)
        {
            let ops = found.component().ops.iter().map(|it| it.name);
            return near(&op.text, ops)
                .map(|it| (format!("{}.{}", component.text, it.name), it.is_sure));
        }
        if !self.nearest.contains_key(&whole) {
            let mut nearest = Nearest::default();
            nearest.add(&whole, self.flow_names());
            nearest.add(&whole, self.registry.names());
            self.nearest.insert(whole.clone(), nearest);
        }
        let everywhere = self.nearest.get(&whole)?.clone();
        let frames = self.frames.iter_mut();
        let all = frames.fold(everywhere, |all, frame| all.or(&frame.nearest(&whole)));
        all.meant(&whole).map(|(name, is_sure)| (name.to_string(), is_sure))
    }
}

impl Frame {
    /// An empty frame for the lets of a block.
    pub(super) fn lets() -> Self {
        Self::Lets {
            names: Vec::new(),
            bound: HashMap::new(),
            result_needs: Vec::new(),
            nearest: HashMap::new(),
        }
    }

    /// A name of this frame; a later binding shadows earlier ones.
    fn find(&self, name: &str) -> Option<(usize, Type)> {
        match self {
            Self::It { .. } => None,
            Self::Params(all) => {
                let idx = all.iter().rposition(|it| it.name.as_ref() == name)?;
                Some((idx, all[idx].ty.clone()))
            }
            Self::Lets { names: all, bound, .. } => {
                let idx = *bound.get(name)?;
                Some((idx, all[idx].ty.clone()))
            }
        }
    }

    /// The names of this frame that are already bound, with their types.
    pub(super) fn named(&self) -> Vec<(Text, Type)> {
        match self {
            Self::It { .. } => Vec::new(),
            Self::Params(all) => all.iter().map(|it| (it.name.clone(), it.ty.clone())).collect(),
            Self::Lets { names: all, .. } => {
                let bound = all.iter().filter(|it| !it.open);
                bound.map(|it| (it.name.clone(), it.ty.clone())).collect()
            }
        }
    }

    /// The names of this frame nearest to an unknown one. Names are only ever added to a block, so
    /// each is compared once.
    fn nearest(&mut self, name: &Text) -> Nearest<Text> {
        match self {
            Self::It { .. } => Nearest::default(),
            Self::Params(all) => {
                let mut nearest = Nearest::default();
                nearest.add(name, all.iter().map(|it| it.name.as_ref()));
                nearest
            }
            Self::Lets { names, nearest, .. } => {
                let (compared, nearest) = nearest.entry(name.clone()).or_default();
                let new = names.get(*compared..).unwrap_or_default();
                nearest.add(name, new.iter().map(|it| it.name.as_ref()));
                *compared = names.len();
                nearest.clone()
            }
        }
    }
}

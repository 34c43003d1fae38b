//! Which names mean what, where.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use svc_contract::{
    registry::{Found, Nearest, OpRef, near},
    value::{FlowType, Text, Type},
};

use super::{
    Checker, Flow, Input, MOST_SUGGESTED,
    facts::{NameKind, Target},
    modules::Module,
    term::{Term, TermKind, Var},
};
use crate::{
    diag::{Problem, Span},
    syntax::ast::{Word, dotted},
};

/// One level of names. Frames of the check are frames of the run.
#[derive(Debug)]
pub(super) enum Frame {
    /// The value that enters a stage or an item's block, and what gives it.
    It { ty: Type, giver: Giver },
    /// Inputs of the script, or parameters of a flow.
    Params(Vec<Named>),
    Lets {
        names: Vec<LetName>,
        /// Where the last one of each name is among those that are bound already.
        bound: HashMap<Text, usize>,
        result_needs: Vec<usize>,
        /// Those nearest to unknown names, and how many were compared with them.
        nearest: HashMap<Text, (usize, Nearest<Text>)>,
    },
}

/// What gives the value that enters a stage.
#[derive(Clone, Debug)]
pub(super) struct Giver {
    pub(super) name: String,
    pub(super) span: Span,
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

    /// A name that the language gives.
    pub(super) fn fixed(name: &str, ty: Type) -> Self {
        Self { name: name.into(), ty, span: Span::default(), kind: NameKind::Param }
    }
}

#[derive(Debug)]
pub(super) struct LetName {
    pub(super) name: Text,
    pub(super) ty: Type,
    pub(super) span: Span,
    pub(super) needs: Vec<usize>,
    pub(super) used: bool,
    /// Its value is being checked: what it names are its needs.
    pub(super) open: bool,
}

/// So many of the names that were needed last are looked at before one is noted again.
const RECENT: usize = 8;

/// Each of some needs once, in their order.
pub(super) fn once(needs: Vec<usize>) -> Vec<usize> {
    let mut seen = HashSet::new();
    needs.into_iter().filter(|it| seen.insert(*it)).collect()
}

/// What a name stands for where a stage is due.
#[derive(Clone, Debug)]
pub(super) enum Callable {
    Op(OpRef),
    Flow(usize),
    /// A flow of another file, or the file's main pipeline in a test.
    Ready(Arc<Flow>),
    /// A template of another file, by its declaration.
    Template(Arc<Module>, Arc<Flow>),
    /// A parameter that is a flow.
    Param(Box<Term>, Arc<FlowType>),
    /// A name that is bound to something broken.
    Unknown,
}

impl Checker<'_> {
    /// The value that enters here.
    pub(super) fn it(&self) -> Option<(Var, Type, Giver)> {
        let (up, ty, giver) =
            self.frames.iter().rev().enumerate().find_map(|(up, it)| match it {
                Frame::It { ty, giver } => Some((up, ty, giver)),
                _ => None,
            })?;
        Some((Var { up, idx: 0 }, ty.clone(), giver.clone()))
    }

    /// A value that a `let`, a `param` or a flow's parameter binds.
    pub(super) fn variable(&mut self, word: &Word) -> Option<Term> {
        let (up, idx, ty) = self.frames.iter().rev().enumerate().find_map(|(up, frame)| {
            let (idx, ty) = frame.find(&word.text)?;
            Some((up, idx, ty))
        })?;
        self.mention_variable(word, up, idx, &ty);
        let place = self.frames.len() - 1 - up;
        if let Frame::Lets { names, result_needs, .. } = &mut self.frames[place] {
            names[idx].used = true;
            // Only the last let of a frame can be open: its own lets have a frame of theirs.
            let open = names.last_mut().filter(|it| it.open);
            let needs = open.map_or(result_needs, |it| &mut it.needs);
            // The few that are named over and over; the others are found when it closes.
            if !needs.iter().rev().take(RECENT).any(|it| *it == idx) {
                needs.push(idx);
            }
        }
        Some(Term { kind: TermKind::Var(Var { up, idx }), ty, span: word.span, waits: false })
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

    /// Whether a name is that of a `let` whose value is being checked.
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

    /// The parameter of a flow's type that a name stands for.
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

    /// The flow or component that a name stands for.
    pub(super) fn callable(&self, name: &[Word]) -> Option<Callable> {
        let first = name.first()?;
        if name.len() == 1 {
            if first.text.as_ref() == "main" {
                // Where something could not be read, that may have been the main pipeline.
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

    /// Whether an unknown name is still compared with those that are known.
    pub(super) fn suggests(&self) -> bool {
        self.problems.len() <= MOST_SUGGESTED
    }

    /// With how many of so many names an unknown one is compared: with few of them always.
    pub(super) fn compared(&self, known: usize) -> usize {
        const FEW: usize = 16;
        if self.suggests() || known <= FEW { known } else { 0 }
    }

    /// The known name that an unknown one is most likely meant to be.
    pub(super) fn suggest(&mut self, name: &[Word]) -> Option<(String, bool)> {
        let whole = Text::from(dotted(name));
        // The same name again costs next to nothing.
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
    /// The names of a block, before its first `let`.
    pub(super) fn lets() -> Self {
        Self::Lets {
            names: Vec::new(),
            bound: HashMap::new(),
            result_needs: Vec::new(),
            nearest: HashMap::new(),
        }
    }

    /// A name of this frame; the last one of a name hides those before.
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

    /// The names of this frame that are bound already, with their types.
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

    /// The names of this frame that are nearest to an unknown one. Names are only added to a
    /// block, so each is compared once.
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

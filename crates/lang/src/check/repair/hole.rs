//! Typed holes: `?` lists the candidates for its place.

use std::collections::HashSet;

use svc_contract::{
    registry::{Advice, HintId},
    value::{Text, Type},
};

use super::fits::{Candidate, Signature, Site, Wants, fits};
use crate::{
    check::{Checker, Term, pipeline::Position, scope::Frame},
    diag::{Code, Problem, Span},
};

/// The most candidates in a message.
const MOST_SHOWN: usize = 8;

impl Checker<'_> {
    /// `?`: reports its input, its expected type, and the candidates that fit, best first.
    pub(in crate::check) fn hole(
        &mut self,
        span: Span,
        position: Option<Position>,
        expected: Option<&Type>,
    ) -> Term {
        let site = self.site(position, expected);
        let mut candidates = if self.suggests() { fits(&site) } else { Vec::new() };
        candidates.retain(|it| !self.is_refused(it));
        let direct: Vec<&Candidate> = candidates.iter().filter(|it| it.is_direct()).collect();
        let mut problem = Problem::error(Code::E224, span, message(&site))
            .label(label(&site))
            .help(help(&candidates));
        // Only the author can choose between several.
        if let [only] = direct[..]
            && only.is_whole
        {
            problem = problem.fix(span, only.name.clone());
        }
        self.hole_is(span, expected, &candidates);
        self.report(problem);
        Term::unknown(span)
    }

    /// Whether a candidate calls an op that no policy could allow here.
    fn is_refused(&self, candidate: &Candidate) -> bool {
        let is_refused = |name: &str| {
            let is_own = self.flows.iter().any(|it| it.syntax.name.text.as_ref() == name);
            let op = self.registry.resolve(name).filter(|_| !is_own);
            op.is_some_and(|it| !self.modules.admits(it.op))
        };
        candidate.name.split(" >> ").any(is_refused)
    }

    /// The facts about a place where something is still to be chosen.
    pub(in crate::check) fn site(
        &self,
        position: Option<Position>,
        expected: Option<&Type>,
    ) -> Site<'_> {
        let wants = match position {
            Some(Position::Later) => Wants::Stage,
            Some(Position::Head) => Wants::Head,
            None => Wants::Value,
        };
        let shared = ["Doc", "Hit"].map(Text::from);
        let known = |it: &Type| !matches!(it, Type::Unknown);
        Site {
            registry: self.registry.registry(),
            flows: self.signatures(),
            names: if self.suggests() { self.names_in_scope() } else { Vec::new() },
            types: self.types.keys().cloned().chain(shared).collect(),
            entering: self.it().map(|(_, ty, _)| ty).filter(known),
            expected: expected.filter(|it| known(it)).cloned(),
            wants,
        }
    }

    fn signatures(&self) -> Vec<Signature> {
        let signature = |idx: usize| {
            let (flow, params) = (&self.flows[idx], &self.flows[idx].params);
            Signature {
                name: flow.syntax.name.text.clone(),
                doc: flow.doc.to_owned(),
                params: params.iter().map(|it| (it.name.clone(), it.ty.clone())).collect(),
                required: params.iter().filter(|it| it.default.is_none()).count(),
                yields: flow.yields.clone(),
            }
        };
        (0..self.flows.len()).map(signature).collect()
    }

    /// The names of values in scope, innermost last.
    fn names_in_scope(&self) -> Vec<(Text, Type)> {
        let mut names: Vec<(Text, Type)> = Vec::new();
        for frame in &self.frames {
            let here: Vec<(Text, Type)> = match frame {
                Frame::It { .. } => Vec::new(),
                Frame::Params(all) => {
                    all.iter().map(|it| (it.name.clone(), it.ty.clone())).collect()
                }
                Frame::Lets { names, .. } => {
                    let closed = names.iter().filter(|it| !it.open);
                    closed.map(|it| (it.name.clone(), it.ty.clone())).collect()
                }
            };
            names.extend(here.into_iter().filter(|(name, _)| !name.is_empty()));
        }
        // A later binding shadows earlier ones of the same name.
        let mut seen = HashSet::new();
        let mut names: Vec<_> =
            names.into_iter().rev().filter(|(it, _)| seen.insert(it.clone())).collect();
        names.reverse();
        names
    }
}

fn message(site: &Site<'_>) -> &'static str {
    match site.wants {
        Wants::Stage => "unfilled hole: expected a stage",
        Wants::Head | Wants::Value => "unfilled hole: expected a value",
    }
}

fn label(site: &Site<'_>) -> String {
    let expected = site.expected.as_ref().map(in_words);
    match (&site.entering, expected) {
        (Some(entering), Some(expected)) => {
            format!("input is {entering}, expected result is {expected}")
        }
        (Some(entering), None) => format!("input is {entering}"),
        (None, Some(expected)) => format!("expected {expected}"),
        (None, None) => "hole".to_owned(),
    }
}

/// Describes a type whose parts may be unknown.
fn in_words(ty: &Type) -> String {
    match ty {
        Type::List(item, _) if item.is_unknown() => "a list".to_owned(),
        Type::Optional(inner) => format!("{} or null", in_words(inner)),
        other => other.to_string(),
    }
}

fn help(candidates: &[Candidate]) -> Advice {
    if candidates.is_empty() {
        return HintId::NothingFits.into();
    }
    let has_direct = candidates.iter().any(Candidate::is_direct);
    let shown = candidates.iter().filter(|it| !has_direct || it.is_direct());
    let all: Vec<String> = shown.take(MOST_SHOWN).map(shown_as).collect();
    format!("use one of these, best first: {}", all.join(", ")).into()
}

/// `` `take(items: [T], n: int) -> [T]` ``
fn shown_as(candidate: &Candidate) -> String {
    let is_call = candidate.signature.contains("->");
    match candidate.name.split_once(" >> ") {
        Some(_) => format!("`{}`", candidate.name),
        None if is_call => format!("`{}`", candidate.signature),
        None => format!("`{}` ({})", candidate.name, candidate.signature),
    }
}

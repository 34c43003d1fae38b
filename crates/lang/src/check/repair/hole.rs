//! Typed holes: `?` and `?name: A -> B` list the candidates for their place.

use std::{collections::HashSet, sync::Arc};

use svc_contract::{
    registry::{Advice, HintId},
    value::{FlowType, Text, Type},
};

use super::{
    as_meant,
    fits::{Candidate, Signature, Site, Wants, fits},
};
use crate::{
    check::{
        Checker, Term,
        call::{Port, Site as Call},
        pipeline::Position,
        scope::Frame,
    },
    diag::{Code, Problem, Span, Unfilled},
    syntax::{ast, token::lex},
};

/// The most candidates in a message.
const MOST_SHOWN: usize = 8;

/// What a hole stands for where a flow is passed.
const FLOW: &str = "the name of a flow or component";

/// The most characters of a comment in a message.
const LONGEST_COMMENT: usize = 80;

impl Checker<'_> {
    /// `?`, `?name: A -> B`: reports its input, its expected type, and the candidates that fit,
    /// best first. The stages around it are checked with its declared types.
    pub(in crate::check) fn hole(
        &mut self,
        hole: &ast::Hole,
        span: Span,
        position: Option<Position>,
        expected: Option<&Type>,
    ) -> Term {
        let takes = hole.takes.as_ref().map(|it| self.ty(it));
        let gives = hole.gives.as_ref().map(|it| self.ty(it));
        let mut site = self.site(position, gives.as_ref().or(expected));
        if let Some(takes) = &takes {
            site.wants = position.map_or(Wants::Value, |_| Wants::Stage);
            site.entering = Some(takes.clone()).filter(is_known);
        }
        let mut candidates = if self.suggests() { fits(&site) } else { Vec::new() };
        candidates.retain(|it| !self.is_refused(it));
        let unfilled = Unfilled {
            name: hole.name.clone(),
            input: site.entering.clone(),
            wanted: site.expected.clone(),
            comment: self.comment_behind(span),
        };
        let message = message(&unfilled, in_message(site.wants));
        let mut problem = Problem::error(Code::E224, span, message)
            .label(label(&site))
            .help(help(site.blocks(), &candidates));
        let mut direct = candidates.iter().filter(|it| it.is_direct());
        // Only the author can choose between several, and knows what a name stands for.
        if let (Some(only), None) = (direct.next(), direct.next())
            && only.is_whole
            && hole.name.is_none()
        {
            problem = problem.fix(span, only.name.clone());
        }
        let (wants, blocks) = (site.wants, site.blocks());
        self.hole_is(span, wants, &unfilled, (blocks, candidates));
        self.report(problem.of_hole(unfilled));
        let filled = Term::unknown(span).of_type(gives.unwrap_or(Type::Unknown));
        match (takes, position) {
            (Some(takes), Some(position)) => self.enters_hole(hole, takes, position, filled),
            (Some(_), None) => self.hole_as_value(hole, filled),
            (None, _) => filled,
        }
    }

    /// Checks what enters `?name: A -> B`, as for a flow with this input and result.
    fn enters_hole(
        &mut self,
        hole: &ast::Hole,
        takes: Type,
        position: Position,
        filled: Term,
    ) -> Term {
        let (name, span) = (shown_name(hole.name.as_ref()), filled.span);
        let name_span = Span::new(span.start, span.start + name.len());
        let port = Port::of("input".into(), takes, false);
        let call = Call::bare(&name, name_span, span, position);
        let mut given = self.arguments(std::slice::from_ref(&port), &call);
        let Some(given) = given.remove(0) else { return filled };
        if given.term.ty.fits(&port.ty) {
            return filled;
        }
        let of_items = self.misfit(&port, &given, &call, &port.ty.to_string());
        let ty = as_meant(filled.ty.clone(), of_items);
        filled.of_type(ty)
    }

    /// `1 + ?name: A -> B`
    fn hole_as_value(&mut self, hole: &ast::Hole, filled: Term) -> Term {
        let name = shown_name(hole.name.as_ref());
        let message = format!("`{name}` is a stage, not a value");
        let help = format!(
            "write `{name}: {}` for a value, or `(value >> {name}: ..)` for a pipeline",
            filled.ty
        );
        let problem = Problem::error(Code::E212, filled.span, message);
        self.report(problem.label("expected a value").help(help));
        filled
    }

    /// The type of the input that a hole declares. It is reported where the hole is checked.
    pub(in crate::check) fn taken_by(&mut self, hole: &ast::Hole) -> Option<Type> {
        let (facts, known) = (self.facts.take(), self.problems.len());
        let takes = hole.takes.as_ref().map(|it| self.ty(it));
        self.facts = facts;
        self.problems.truncate(known);
        takes.filter(is_known)
    }

    /// The comment behind a place, on its last line.
    fn comment_behind(&self, span: Span) -> Option<String> {
        let text = self.source.text();
        let comments = self.comments.get_or_init(|| lex(text).comments);
        let next = comments.get(comments.partition_point(|it| it.start < span.end))?;
        let is_behind = !text[span.end..next.start].contains('\n');
        let comment = text[next.range()].trim_start_matches(['#', '/']).trim();
        (is_behind && !comment.is_empty()).then(|| comment.to_owned())
    }

    /// `?name` where the name of a flow is expected.
    pub(in crate::check) fn flow_hole(
        &mut self,
        hole: &ast::Hole,
        of: &FlowType,
        span: Span,
    ) -> Term {
        let wanted = Type::Flow(Arc::new(of.clone()));
        let declared = self.declared_flow(hole);
        let known = |it: &Type| Some(it.clone()).filter(is_known);
        let due = match &declared {
            Some(Type::Flow(it)) => it.as_ref(),
            _ => of,
        };
        let site = Site { wants: Wants::Stage, ..self.site(None, known(&due.gives).as_ref()) };
        let site = Site { entering: known(&due.takes), ..site };
        let mut candidates = if self.suggests() { fits(&site) } else { Vec::new() };
        // A flow is passed by its name.
        let is_name = |it: &Candidate| it.is_whole && it.is_direct() && !it.name.starts_with('.');
        candidates.retain(|it| is_name(it) && !self.is_refused(it));
        let unfilled = Unfilled {
            name: hole.name.clone(),
            input: None,
            wanted: Some(declared.clone().unwrap_or_else(|| wanted.clone())),
            comment: self.comment_behind(span),
        };
        let problem = Problem::error(Code::E224, span, message(&unfilled, FLOW))
            .label(format!("expected {wanted}"))
            .help(help(&[], &candidates));
        self.hole_is(span, Wants::Value, &unfilled, (&[], candidates));
        self.report(problem.of_hole(unfilled));
        let Some(declared) = declared else { return Term::unknown(span).of_type(wanted) };
        if declared.fits(&wanted) {
            return Term::unknown(span).of_type(declared);
        }
        let name = shown_name(hole.name.as_ref());
        let help = "declare the hole with the expected input and result".to_owned();
        self.other_flow(&name, &declared, &wanted, span, help)
    }

    /// The flow that a hole declares: `?name: A -> B`, `?name: flow<A -> B>`.
    fn declared_flow(&mut self, hole: &ast::Hole) -> Option<Type> {
        let gives = self.ty(hole.gives.as_ref()?);
        let Some(takes) = hole.takes.as_ref().map(|it| self.ty(it)) else { return Some(gives) };
        Some(Type::Flow(Arc::new(FlowType { takes, gives })))
    }

    /// Whether a candidate calls an op that no policy could allow here.
    fn is_refused(&self, candidate: &Candidate) -> bool {
        let is_refused = |(idx, name): (usize, &str)| {
            // To look up thousands of ops by their names takes long.
            let first = candidate.op.filter(|_| idx == 0);
            let Some(op) = first.or_else(|| self.registry.resolve(name)) else { return false };
            let is_own = || self.flows.iter().any(|it| it.syntax.name.text.as_ref() == name);
            !self.modules.admits(op.op) && !is_own()
        };
        candidate.name.split(" >> ").enumerate().any(is_refused)
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
        Site {
            registry: self.registry.registry(),
            flows: self.signatures(),
            names: if self.suggests() { self.names_in_scope() } else { Vec::new() },
            types: self.types.keys().cloned().chain(shared).collect(),
            entering: self.it().map(|(_, ty, _)| ty).filter(is_known),
            expected: expected.filter(|it| is_known(it)).cloned(),
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

fn is_known(ty: &Type) -> bool {
    !ty.is_unknown()
}

/// `?order`
fn shown_name(name: Option<&Text>) -> String {
    format!("?{}", name.map_or("", Text::as_ref))
}

/// ``unfilled hole `?order`: expected a stage (biggest first)``
fn message(hole: &Unfilled, what: &str) -> String {
    let name = hole.name.as_ref().map(|it| format!(" `{}`", shown_name(Some(it))));
    let aim = hole.comment.as_deref().map(|it| format!(" ({})", excerpt(it)));
    let [name, aim] = [name, aim].map(Option::unwrap_or_default);
    format!("unfilled hole{name}: expected {what}{aim}")
}

fn in_message(wants: Wants) -> &'static str {
    match wants {
        Wants::Stage => "a stage",
        Wants::Head | Wants::Value => "a value",
    }
}

/// The beginning of a comment.
fn excerpt(comment: &str) -> String {
    match comment.char_indices().nth(LONGEST_COMMENT) {
        Some((end, _)) => format!("{}…", &comment[..end]),
        None => comment.to_owned(),
    }
}

fn label(site: &Site<'_>) -> String {
    let expected = site.expected.as_ref().map(in_words);
    let entering = site.entering.as_ref().map(in_words);
    match (entering, expected) {
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

fn help(blocks: &[&str], candidates: &[Candidate]) -> Advice {
    if candidates.is_empty() && blocks.is_empty() {
        return HintId::NothingFits.into();
    }
    let has_direct = candidates.iter().any(Candidate::is_direct);
    let shown = candidates.iter().filter(|it| !has_direct || it.is_direct());
    let blocks = blocks.iter().map(|it| format!("`{it} {{ .. }}`"));
    let all: Vec<String> = blocks.chain(shown.map(shown_as)).take(MOST_SHOWN).collect();
    format!("use one of these, best first: {}", all.join(", ")).into()
}

/// `` `take(items: [T], n: int) -> [T]` ``
fn shown_as(candidate: &Candidate) -> String {
    if candidate.name.contains(" >> ") {
        return format!("`{}`", candidate.name);
    }
    let signature = candidate.signature();
    let is_call = signature.contains("->");
    if is_call { format!("`{signature}`") } else { format!("`{}` ({signature})", candidate.name) }
}

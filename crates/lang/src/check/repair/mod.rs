//! Fixes for types: the shortest way from the type of a value to the expected type.
//!
//! A mismatch proposes a chain of steps that closes the gap, as a fix that a tool can apply; a
//! hole lists the candidates that fit. Both only use the registry: the types of the inputs and
//! results of ops.

mod bridge;
mod field;
mod fits;
mod hole;
mod search;
mod step;
mod wanted;

use std::collections::HashMap;

pub use bridge::{way_between, way_to};
pub use fits::{Candidate, Signature, Site, Wants, fits};
pub(super) use search::{MOST_STEPS, Search};
pub(super) use step::{Step, stages};
pub(super) use wanted::Wanted;

use super::{Checker, Term, TermKind};
use crate::{
    diag::{Problem, Span},
    syntax,
};
use field::field_that_fits;
use svc_contract::{
    registry::{Body, ParamDefault},
    value::Type,
};

/// Results of searches for chains, by the types that they connect.
#[derive(Default)]
pub(super) struct Memo(HashMap<(String, String), Option<Vec<Step>>>);

/// A value that does not fit, and its expected type.
pub(super) struct Gap<'a> {
    pub(super) from: &'a Type,
    pub(super) wanted: Wanted<'a>,
    /// The expected type, in words.
    pub(super) shown: &'a str,
    /// The name of the port, or an empty string.
    pub(super) port: &'a str,
}

/// The place of a chain.
#[derive(Clone, Copy, Debug)]
pub(super) enum Behind {
    Pipeline,
    Stage,
    Value,
}

/// A stage whose input does not fit.
pub(super) struct Stage<'a> {
    pub(super) name: &'a str,
    pub(super) span: Span,
}

impl Gap<'_> {
    /// Whether the items of the incoming list fit, though the list does not.
    pub(super) fn is_of_items(&self) -> bool {
        matches!(self.from, Type::List(item, _) if self.wanted.accepts_item(item))
    }
}

impl Checker<'_> {
    /// The steps that close a gap, unless a name of the script shadows one of them.
    pub(super) fn steps(&mut self, gap: &Gap<'_>) -> Option<Vec<Step>> {
        let key = (gap.from.to_string(), format!("{:?} {}", gap.wanted, gap.port));
        let found = match self.chains.0.get(&key) {
            Some(known) => known.clone(),
            None if !self.suggests() => return None,
            None => {
                let found = self.search(gap);
                self.chains.0.insert(key, found.clone());
                found
            }
        };
        found.filter(|it| !it.iter().filter_map(Step::word).any(|it| self.is_hidden(&it)))
    }

    fn search(&self, gap: &Gap<'_>) -> Option<Vec<Step>> {
        let knows = |name: &str| self.knows_type(name);
        let (wanted, port) = (gap.wanted, gap.port);
        // Nothing that a component yields is known to be of a type that can be any.
        if matches!(wanted, Wanted::Type(ty) if ty.has_vars()) {
            return None;
        }
        let search = Search { registry: self.registry.registry(), knows: &knows, wanted, port };
        search.chain(gap.from, MOST_STEPS)
    }

    pub(super) fn knows_type(&self, name: &str) -> bool {
        self.types.contains_key(name) || self.registry.shared_type(name).is_some()
    }

    /// Whether a name of the script shadows a component.
    fn is_hidden(&self, name: &str) -> bool {
        let first = name.split('.').next().unwrap_or(name);
        self.is_variable(first) || self.flow_named(first).is_some() || self.is_broken(&first.into())
    }

    /// Fixes a stage whose input does not fit: the chain goes before it.
    pub(super) fn before_stage(
        &mut self,
        problem: Problem,
        gap: &Gap<'_>,
        stage: &Stage<'_>,
    ) -> Problem {
        let steps = self.steps(gap);
        if gap.is_of_items() {
            let whole = format!("each {{ {} }}", &self.source.text()[stage.span.range()]);
            let shown = syntax::quoted(&whole);
            let help = format!("run it for every item: `>> {shown}`, or take one with `first`");
            let is_free = self.registry.resolve(stage.name).is_some_and(|it| it.op.is_inline());
            return problem.help(help).fix(stage.span, whole).suggested_if(!is_free);
        }
        let field = field_that_fits(gap, stage).filter(|_| steps.is_none());
        if let Some((field, help)) = field {
            let start = Span::new(stage.span.start, stage.span.start);
            let problem = problem.help(help).suggested();
            return if self.is_alternative(stage.span) {
                problem
            } else {
                problem.fix(start, format!(".{field} >> "))
            };
        }
        let Some(steps) = steps else { return problem };
        let chain = stages(&steps);
        let help = format!("{}: `>> {chain} >> {}`", described(&steps, gap), stage.name);
        let problem = problem.help(help).suggested_if(!is_faithful(&steps));
        let written = &self.source.text()[stage.span.range()];
        if !self.is_alternative(stage.span) {
            let start = Span::new(stage.span.start, stage.span.start);
            return problem.fix(start, format!("{chain} >> "));
        }
        // Only the keyword of a block is known, so its end is unknown.
        if written == stage.name && self.is_block(stage.span) {
            return problem;
        }
        problem.fix(stage.span, format!("({chain} >> {written})"))
    }

    /// Whether a place follows `fallback`, which takes one stage.
    pub(super) fn is_alternative(&self, span: Span) -> bool {
        self.source.text()[..span.start].trim_end().ends_with("fallback")
    }

    /// Whether braces follow a place.
    fn is_block(&self, span: Span) -> bool {
        self.source.text()[span.end..].trim_start().starts_with('{')
    }

    /// Fixes a value inside an expression: the chain goes around it.
    pub(super) fn around_value(
        &mut self,
        problem: Problem,
        gap: &Gap<'_>,
        value: &Term,
    ) -> Problem {
        let steps = self.steps(gap).filter(|it| !is_refused(it, value));
        let Some(steps) = steps else { return problem };
        let written = &self.source.text()[value.span.range()];
        if written.is_empty() {
            return problem;
        }
        let described = described(&steps, gap);
        if matches!(value.kind, TermKind::Pipeline(_)) {
            let end = Span::new(value.span.end, value.span.end);
            let chain = format!(" >> {}", stages(&steps));
            let problem = problem.help(format!("{described}: `..{chain}`")).fix(end, chain);
            return problem.suggested_if(!is_faithful(&steps));
        }
        let fix = step::around(&steps, written, is_simple(value));
        let problem =
            problem.help(format!("{described}: `{}`", syntax::quoted(&fix))).fix(value.span, fix);
        problem.suggested_if(!is_faithful(&steps))
    }

    /// Fixes a value that may be null where a value is required; others are left alone.
    pub(super) fn required(&mut self, problem: Problem, value: &Term) -> Problem {
        let Type::Optional(inner) = &value.ty else { return problem };
        let shown = inner.to_string();
        let gap = Gap { from: &value.ty, wanted: Wanted::Type(inner), shown: &shown, port: "" };
        self.around_value(problem, &gap, value)
    }

    /// Fixes two pieces of different types of which one is a string: the other is shown as one.
    pub(super) fn alike(&mut self, problem: Problem, a: &Term, b: &Term, how: Behind) -> Problem {
        let (text, other) = match (&a.ty, &b.ty) {
            (Type::Text, _) => (a, b),
            (_, Type::Text) => (b, a),
            _ => return problem,
        };
        let reads_as_it_is = other.ty.is_number() || other.ty.is_unit() || other.ty == Type::Bool;
        if !reads_as_it_is {
            return problem;
        }
        let wanted = Wanted::Type(&text.ty);
        let gap = Gap { from: &other.ty, wanted, shown: "string", port: "" };
        match how {
            Behind::Pipeline => self.behind_pipeline(problem, &gap, other),
            Behind::Stage => self.behind_stage(problem, &gap, other),
            Behind::Value => self.around_value(problem, &gap, other),
        }
    }

    /// Fixes one of the alternatives of `fallback`, which are stages.
    fn behind_stage(&mut self, problem: Problem, gap: &Gap<'_>, value: &Term) -> Problem {
        let Some(steps) = self.steps(gap) else { return problem };
        let written = &self.source.text()[value.span.range()];
        let whole = format!("({written} >> {})", stages(&steps));
        let help = format!("{}: `{}`", described(&steps, gap), syntax::quoted(&whole));
        problem.help(help).fix(value.span, whole).suggested_if(!is_faithful(&steps))
    }

    /// Fixes the result of a `let`, a flow or an arm: the chain goes after it.
    pub(super) fn behind_pipeline(
        &mut self,
        problem: Problem,
        gap: &Gap<'_>,
        value: &Term,
    ) -> Problem {
        let steps = self.steps(gap).filter(|it| !is_refused(it, value));
        let Some(steps) = steps else { return problem };
        let chain = format!(" >> {}", stages(&steps));
        let end = Span::new(value.span.end, value.span.end);
        let problem =
            problem.help(format!("{}: `..{chain}`", described(&steps, gap))).fix(end, chain);
        problem.suggested_if(!is_faithful(&steps))
    }
}

/// Whether steps keep the meaning of a value, so that the author need not confirm them.
fn is_faithful(steps: &[Step]) -> bool {
    steps.iter().all(Step::is_faithful)
}

/// Describes some steps, for a help line.
fn described(steps: &[Step], gap: &Gap<'_>) -> String {
    match steps {
        [only] => only.described(gap.from, gap.shown),
        _ => format!("these steps turn {} into {}", gap.from, gap.shown),
    }
}

/// Whether the first step cannot work on a value that is already known: `"a" >> to_int`.
fn is_refused(steps: &[Step], value: &Term) -> bool {
    let (Some(Step::Op(op)), Some(constant)) = (steps.first(), value.constant()) else {
        return false;
    };
    let Body::Inline(run) = op.op.body else { return false };
    let defaults = op.op.params.iter().skip(1).map(|it| it.default.map(ParamDefault::value));
    let mut args = vec![constant.clone()];
    args.extend(defaults.map(Option::unwrap_or_default));
    run(&mut args).is_err()
}

/// Whether a value is written without operators, so that a selection or stage can follow it.
pub(super) fn is_simple(value: &Term) -> bool {
    matches!(
        value.kind,
        TermKind::Const(_)
            | TermKind::Var(_)
            | TermKind::Field { .. }
            | TermKind::Index { .. }
            | TermKind::Text(_)
            | TermKind::List(_)
            | TermKind::Record(_)
    )
}

/// The type of a call. A call that is meant for each item has a list of results, so that the
/// stages after it are checked as they will be after the fix.
pub(super) fn as_meant(ty: Type, of_items: bool) -> Type {
    if of_items { Type::list(ty) } else { ty }
}

//! Calls of ops that know more of their arguments than their types: the columns of a table.

use svc_contract::{
    registry::{Generic, KnownCall, Misuse, Near, OpRef, Part, near},
    value::{Type, Value},
};

use super::{Checker, Term, TermKind, TypedEntry, call::Site, expansion::constant};
use crate::diag::{Code, Problem, Span};

/// The type that an op receives, and that of its result.
pub(super) struct Inferred {
    pub(super) wanted: Type,
    pub(super) yields: Type,
}

impl Inferred {
    fn rows_of(row: Type) -> Self {
        Self { wanted: row.clone(), yields: Type::list(row) }
    }
}

impl Checker<'_> {
    /// Reports what the op finds wrong in a call, or returns the type of its result.
    pub(super) fn known_call(
        &mut self,
        op: OpRef,
        args: &[Term],
        site: &Site<'_>,
    ) -> Option<Inferred> {
        let check = op.op.check?;
        let known: Vec<(&Type, Option<Value>)> =
            args.iter().map(|it| (&it.ty, constant(it))).collect();
        match check(&KnownCall::new(*op.op.params, &known)) {
            Err(misuse) => {
                self.misuse(op, args, *misuse, site);
                // The mistake is one message, also where the columns of the result are used.
                (op.op.generic == Generic::Rows).then(|| Inferred::rows_of(Type::Unknown))
            }
            Ok(Some(Type::List(row, _))) if op.op.generic == Generic::Rows => {
                Some(Inferred::rows_of(Type::clone(&row)))
            }
            Ok(_) => None,
        }
    }

    fn misuse(&mut self, op: OpRef, args: &[Term], misuse: Misuse, site: &Site<'_>) {
        let place = op.op.params.iter().position(|it| it.name == misuse.param);
        let part = place.and_then(|it| part_of(args.get(it)?, &misuse.part));
        // The incoming value has no place of its own in the call.
        let is_inside = |it: &Span| site.span.start <= it.start && it.end <= site.span.end;
        let span = part.map(|it| it.span).filter(is_inside).unwrap_or(site.name_span);
        let Some((name, known)) = misuse.unknown else {
            let problem = Problem::error(Code::E231, span, misuse.message);
            let problem = problem.label(format!("in `{}`", misuse.param)).help_opt(misuse.help);
            return self.report(problem);
        };
        let written = self.written(span, &name);
        let problem = Problem::error(Code::E231, written.unwrap_or(span), misuse.message)
            .label("not a column of the table");
        let problem = match near(&name, known.iter().map(AsRef::as_ref)) {
            None => problem.help_opt(misuse.help),
            Some(Near { name, is_sure }) => {
                let problem = problem.help(format!("did you mean `{name}`?"));
                match written {
                    Some(written) => problem.fix(written, name).suggested_if(!is_sure),
                    None => problem,
                }
            }
        };
        self.report(problem);
    }

    /// The place of a name in a literal, if it is there once.
    fn written(&self, literal: Span, name: &str) -> Option<Span> {
        let text = self.source.text().get(literal.range())?;
        let is_word = |it: char| it.is_alphanumeric() || it == '_';
        let is_whole = |at: usize| {
            let (before, after) = (&text[..at], &text[at + name.len()..]);
            !before.ends_with(is_word) && !after.starts_with(is_word)
        };
        let mut places = text.match_indices(name).map(|it| it.0).filter(|it| is_whole(*it));
        let start = literal.start + places.next().filter(|_| !name.is_empty())?;
        places.next().is_none().then(|| Span::new(start, start + name.len()))
    }
}

/// The term of a part of an argument.
fn part_of<'t>(arg: &'t Term, part: &Part) -> Option<&'t Term> {
    match (&arg.kind, part) {
        (TermKind::Cast { value, .. }, _) => part_of(value, part),
        (TermKind::Record(entries), Part::Field(name)) => entries.iter().find_map(|it| match it {
            TypedEntry::Field(field, term) if field == name => Some(term),
            _ => None,
        }),
        (TermKind::List(items), Part::Item(idx)) => items.get(*idx),
        _ => Some(arg),
    }
}

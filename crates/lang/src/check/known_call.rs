//! Calls of ops that know more of their arguments than their types: the columns of a table.

use svc_contract::{
    host::address::Address,
    registry::{Effect, Generic, KnownCall, Misuse, Near, OpError, OpRef, Part, Scope, near},
    value::{Type, Value},
};

use super::{Checker, Term, TermKind, TypedEntry, call::Site, expansion::constant, scope::Frame};
use crate::diag::{Code, Problem, Severity, Span};

/// The type that an op receives, and that of its result.
pub(super) struct Inferred {
    pub(super) wanted: Type,
    pub(super) yields: Type,
}

/// What becomes of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OnFailure {
    /// The run ends.
    Stops,
    /// The script goes on without the result, or with another one.
    Handled,
    /// It is what a test expects.
    Expected,
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
        if self.mocked.contains(&site.name) {
            return None;
        }
        let known: Vec<(&Type, Option<Value>)> =
            args.iter().map(|it| (&it.ty, self.written_out(it))).collect();
        let call = KnownCall::new(*op.op.params, &known);
        let tested = test_args(op, &call);
        match tested.and_then(|()| op.op.check.map_or(Ok(None), |check| check(&call))) {
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

    /// Checks what a script handles the failure of: a mistake in an argument is then a warning.
    pub(super) fn handled<R>(&mut self, is_handled: bool, check: impl FnOnce(&mut Self) -> R) -> R {
        let inside = if is_handled { OnFailure::Handled } else { OnFailure::Stops };
        self.failing(inside, check)
    }

    /// Checks what may fail without ending the run.
    pub(super) fn failing<R>(&mut self, how: OnFailure, check: impl FnOnce(&mut Self) -> R) -> R {
        let outside = self.on_failure;
        self.on_failure = outside.max(how);
        let checked = check(self);
        self.on_failure = outside;
        checked
    }

    /// Reports that the run of something will fail.
    pub(super) fn will_fail(&mut self, problem: Problem) {
        match self.on_failure {
            OnFailure::Stops => self.report(problem),
            OnFailure::Handled => self.report(Problem { severity: Severity::Warning, ..problem }),
            OnFailure::Expected => {}
        }
    }

    /// The value of an argument, if it is a literal here, one that enters the stage, or the value of
    /// a `let`.
    pub(super) fn written_out(&self, arg: &Term) -> Option<Value> {
        let TermKind::Var(var) = &arg.kind else { return constant(arg) };
        let frame = self.frames.len().checked_sub(1 + var.up).map(|it| &self.frames[it]);
        match frame {
            Some(Frame::It { giver, .. }) => giver.literal.clone(),
            Some(Frame::Lets { names, .. }) => names.get(var.idx)?.literal.clone(),
            _ => None,
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
            // Without its columns, the result of a table has no type.
            return match op.op.generic {
                Generic::Rows => self.report(problem),
                _ => self.will_fail(problem),
            };
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

/// Tests what every op refuses: nothing for a param that must not be empty, and an address that is
/// none.
fn test_args(op: OpRef, call: &KnownCall<'_>) -> Result<(), Box<Misuse>> {
    for param in op.op.params.iter().filter(|it| it.is_filled) {
        let tested = call.value(param.name).map_or(Ok(()), |it| param.test_filled(it));
        tested.map_err(|why| Misuse::of(param.name, why))?;
    }
    for param in op.op.params.iter().filter(|it| it.scheme.is_any_rows()) {
        let found = call.ty(param.name).filter(|it| is_list_of_plain_values(it));
        if let Some(found) = found {
            let message = format!("expected a list of records, found {found}");
            let help = "make records of the values: `each { { value: it } }`";
            return Err(Box::new(Misuse::of(
                param.name,
                OpError::invalid_input(message).help(help),
            )));
        }
    }
    for effect in op.op.effects {
        let (Effect::Reads(Scope::Web(param)) | Effect::Writes { scope: Scope::Web(param), .. }) =
            effect
        else {
            continue;
        };
        let Some(address) = call.value(param).and_then(Value::as_str) else { continue };
        if let Err(why) = Address::read(address) {
            let message = format!("invalid address `{address}`: {why}");
            return Err(Box::new(Misuse::of(param, OpError::invalid_input(message))));
        }
    }
    Ok(())
}

/// Whether none of the items can be a row of a table.
fn is_list_of_plain_values(ty: &Type) -> bool {
    let Type::List(item, most) = ty else { return false };
    *most != Some(0)
        && matches!(
            item.required(),
            Type::Bool
                | Type::Int(_)
                | Type::Float(_)
                | Type::Text
                | Type::Duration
                | Type::Time
                | Type::Date
                | Type::Money
                | Type::Size
                | Type::Path
                | Type::Bytes
                | Type::List(..)
                | Type::Enum(_)
        )
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

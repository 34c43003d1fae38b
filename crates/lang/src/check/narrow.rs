//! Values that are known not to be null: after `x != null` in an `if`, on the right of `and` and
//! `or`, in the arms of a `match`, and after a `where`.
//!
//! Values never change, so what a condition says of a name or a field holds wherever the
//! condition does.

use svc_contract::value::{RecordType, Text, Type, Value};

use super::{Checker, Term, TermKind, Var};
use crate::syntax::ast::BinaryOp;

/// A variable, or a field inside of one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Slot {
    /// The frame of the variable, counted from the outermost one.
    frame: usize,
    idx: usize,
    fields: Vec<Text>,
}

impl Checker<'_> {
    /// The slot of a term that only selects fields of a variable.
    fn slot(&self, term: &Term) -> Option<Slot> {
        match &term.kind {
            TermKind::Var(Var { up, idx }) => {
                let frame = self.frames.len().checked_sub(up + 1)?;
                Some(Slot { frame, idx: *idx, fields: Vec::new() })
            }
            TermKind::Field { base, name } => {
                let mut slot = self.slot(base)?;
                slot.fields.push(name.clone());
                Some(slot)
            }
            _ => None,
        }
    }

    /// The slots that are not null if a condition has this result.
    pub(super) fn not_null_if(&self, condition: &Term, holds: bool) -> Vec<Slot> {
        let mut found = Vec::new();
        self.find_not_null(condition, holds, &mut found);
        found
    }

    fn find_not_null(&self, condition: &Term, holds: bool, found: &mut Vec<Slot>) {
        match &condition.kind {
            TermKind::Not(inner) => self.find_not_null(inner, !holds, found),
            TermKind::Binary { op, left, right } => match (op, holds) {
                (BinaryOp::And, true) | (BinaryOp::Or, false) => {
                    self.find_not_null(left, holds, found);
                    self.find_not_null(right, holds, found);
                }
                (BinaryOp::Unequal, true) | (BinaryOp::Equal, false) => {
                    for (side, other) in [(left, right), (right, left)] {
                        if is_null(other) {
                            self.add_slots(side, found);
                        }
                    }
                }
                (BinaryOp::Equal, true) | (BinaryOp::Unequal, false) => {
                    for (side, other) in [(left, right), (right, left)] {
                        if !other.ty.is_optional() && !other.ty.is_unknown() {
                            self.add_slots(side, found);
                        }
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// Adds the slot of a term that is not null, and those around it: `a?.b` is null if `a` is.
    fn add_slots(&self, term: &Term, found: &mut Vec<Slot>) {
        let Some(slot) = self.slot(term) else { return };
        let fields = slot.fields.len();
        found.extend((0..=fields).map(|it| Slot { fields: slot.fields[..it].to_vec(), ..slot }));
    }

    /// The slot of a matched value, which is not null in an arm that null does not reach.
    pub(super) fn slots_of(&self, term: &Term) -> Vec<Slot> {
        let mut found = Vec::new();
        self.add_slots(term, &mut found);
        found
    }

    /// Checks something where these slots are not null.
    pub(super) fn where_not_null<T>(
        &mut self,
        slots: Vec<Slot>,
        check: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let before = self.not_null.len();
        self.not_null.extend(slots);
        let checked = check(self);
        self.not_null.truncate(before);
        checked
    }

    /// The term with the type that it has here.
    pub(super) fn narrowed(&self, term: Term) -> Term {
        if self.is_narrowed(&term) {
            let ty = term.ty.required().clone();
            return term.of_type(ty);
        }
        term
    }

    fn is_narrowed(&self, term: &Term) -> bool {
        !self.not_null.is_empty()
            && term.ty.is_optional()
            && self.slot(term).is_some_and(|it| self.not_null.contains(&it))
    }

    /// The type of the items that a condition on `it` keeps.
    pub(super) fn kept_items(&self, item: Type, condition: &Term) -> Type {
        let frame = self.frames.len() - 1;
        let slots = self.not_null_if(condition, true).into_iter();
        let own = slots.filter(|it| it.frame == frame);
        own.fold(item, |item, slot| without_null(&item, &slot.fields))
    }
}

fn is_null(term: &Term) -> bool {
    matches!(term.kind, TermKind::Const(Value::Null)) && !term.ty.is_unknown()
}

/// The type with the type at the end of these fields without null.
fn without_null(ty: &Type, fields: &[Text]) -> Type {
    let Some((name, rest)) = fields.split_first() else { return ty.required().clone() };
    match ty {
        Type::Record(of) => {
            let fields = of.fields.iter().map(|(it, ty)| {
                let ty = if it == name { without_null(ty, rest) } else { ty.clone() };
                (it.clone(), ty)
            });
            // The name of the declared type would be misleading.
            Type::Record(RecordType { name: None, fields: fields.collect() }.into())
        }
        Type::Optional(inner) => without_null(inner, fields).optional(),
        other => other.clone(),
    }
}

//! Fields that are written in vain: records that stand together keep the fields that all of them have.

use svc_contract::value::Type;

use super::Checker;
use crate::{
    diag::{Code, Problem},
    syntax::ast::{Entry, Expr, ExprKind, Word},
};

impl Checker<'_> {
    /// Warns of fields of records that are not in their common type, once for each name.
    pub(super) fn warn_of_lost_fields(&mut self, items: &[&Expr], joined: &Type, what: &str) {
        let mut lost: Vec<&Word> = Vec::new();
        for item in items {
            collect(item, joined, &mut lost);
        }
        let mut known = Vec::new();
        for name in lost {
            if known.contains(&&name.text) {
                continue;
            }
            known.push(&name.text);
            let message = format!("`{}` is lost: not all {what} have it", name.text);
            let problem = Problem::warning(Code::E230, name.span, message).label("is not kept");
            let problem = match items.iter().find(|it| !has(it, name)) {
                Some(it) => problem.also(it.span, format!("this has no `{}`", name.text)),
                None => problem,
            };
            self.report(problem.help(format!(
                "write `{}: null` in the others, or declare the type of the records",
                name.text
            )));
        }
    }
}

/// The fields of a record, and of records in it, that its type has not.
fn collect<'e>(item: &'e Expr, ty: &Type, lost: &mut Vec<&'e Word>) {
    let (ExprKind::Record(entries), Type::Record(record)) = (&item.kind, ty.required()) else {
        return;
    };
    for entry in entries {
        let Entry::Field { name, value } = entry else { continue };
        match record.get(&name.text) {
            Some(ty) => collect(value, ty, lost),
            None => lost.push(name),
        }
    }
}

/// Whether it is a record with a field of this name, here or deeper; or no literal, of which that is not seen.
fn has(item: &Expr, name: &Word) -> bool {
    let ExprKind::Record(entries) = &item.kind else { return true };
    entries.iter().any(|it| match it {
        Entry::Field { name: own, value } => {
            own.text == name.text || (matches!(value.kind, ExprKind::Record(_)) && has(value, name))
        }
        Entry::Spread(_) => true,
    })
}

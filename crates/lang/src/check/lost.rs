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
            // A list within the list has warned of its own items.
            if self.problems.iter().any(|it| it.code == Code::E230 && it.span() == name.span) {
                continue;
            }
            let message = format!("`{}` is lost: not all {what} have it", name.text);
            let problem = Problem::warning(Code::E230, name.span, message).label("is not kept");
            let problem = match items.iter().find_map(|it| without(it, name)) {
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

/// The fields of a record, and of what is in it, that its type has not.
fn collect<'e>(item: &'e Expr, ty: &Type, lost: &mut Vec<&'e Word>) {
    match (&item.kind, ty.required()) {
        (ExprKind::Record(entries), Type::Record(record)) => {
            for entry in entries {
                let Entry::Field { name, value } = entry else { continue };
                match record.get(&name.text) {
                    Some(ty) => collect(value, ty, lost),
                    None => lost.push(name),
                }
            }
        }
        (ExprKind::List(items), Type::List(ty, _)) => {
            for it in items {
                collect(it, ty, lost);
            }
        }
        (ExprKind::Map(entries), Type::Map(ty)) => {
            for (_, it) in entries {
                collect(it, ty, lost);
            }
        }
        _ => {}
    }
}

/// The first record that has no field of this name, here or deeper. Only literals are seen.
fn without<'e>(item: &'e Expr, name: &Word) -> Option<&'e Expr> {
    match &item.kind {
        ExprKind::Record(entries) if !has(entries, name) => Some(item),
        ExprKind::List(items) => items.iter().find_map(|it| without(it, name)),
        ExprKind::Map(entries) => entries.iter().find_map(|(_, it)| without(it, name)),
        _ => None,
    }
}

/// Whether a record has a field of this name, here or deeper.
fn has(entries: &[Entry], name: &Word) -> bool {
    entries.iter().any(|it| match it {
        Entry::Field { name: own, value } => {
            own.text == name.text
                || matches!(&value.kind, ExprKind::Record(entries) if has(entries, name))
        }
        Entry::Spread(_) => true,
    })
}

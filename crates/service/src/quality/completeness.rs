//! Whether all of a result is there.

use std::collections::HashSet;

use svc_contract::value::{Record, Type, Value};
use svc_text::{language, stems::Vocabulary};

use super::{said::Said, share};

/// The least share of what can be measured: `items` are those of the run that were finished, and those
/// that were begun.
pub(super) fn of(
    value: &Value,
    ty: Option<&Type>,
    said: &Said,
    question: Option<&str>,
    items: Option<(usize, usize)>,
) -> Option<f64> {
    let items = items.and_then(|(finished, begun)| share(finished, begun));
    let question = question.and_then(|it| words_found(it, said));
    let parts = [items, of_items(value, ty), of_fields(value, ty), question];
    parts.into_iter().flatten().reduce(f64::min)
}

/// The share of the items of a list that are there, if some may be missing.
fn of_items(value: &Value, ty: Option<&Type>) -> Option<f64> {
    let (Value::List(items), Type::List(item, _)) = (value, ty?) else { return None };
    if !matches!(**item, Type::Optional(_)) {
        return None;
    }
    share(items.iter().filter(|it| !it.is_null()).count(), items.len())
}

/// The share of the fields of a record that are there, if some may be missing. All fields count, so
/// that one optional field does not decide alone.
fn of_fields(value: &Value, ty: Option<&Type>) -> Option<f64> {
    let (Value::Record(of), Type::Record(declared)) = (value, ty?) else { return None };
    let fields = &declared.fields;
    if !fields.iter().any(|(_, ty)| matches!(ty, Type::Optional(_))) {
        return None;
    }
    let is_there = |name: &str, of: &Record| of.get(name).is_some_and(|it| !it.is_null());
    share(fields.iter().filter(|(name, _)| is_there(name, of)).count(), fields.len())
}

/// The share of the words that a question is about which are in the sentences of the result, in any
/// form: none of them are in an empty answer. A result with fewer words than the question is not
/// tested: `42` may be a whole answer.
fn words_found(question: &str, said: &Said) -> Option<f64> {
    if said.is_blank {
        return Some(0.0);
    }
    if said.claims.is_empty() {
        return None;
    }
    let text = said.claims.join("\n");
    // Both together: a short text alone has no clear language.
    let language = language::most([format!("{text}\n{question}").as_str()]);
    let mut vocabulary = Vocabulary::of(language);
    let found: HashSet<_> = vocabulary.terms(&text).into_iter().collect();
    let wanted = vocabulary.question(question);
    if found.len() < wanted.len() {
        return None;
    }
    share(wanted.iter().filter(|it| found.contains(it)).count(), wanted.len())
}

//! Records whose fields are the rows: services by their names, words with their meanings.

use svc_contract::value::{List, Record, Value};
use svc_text::stems::{Term, Vocabulary};

use super::{
    table::{Table, is_plain, spaced},
    words::Token,
};

/// Fewer fields are settings, not rows.
const LEAST_PAIRS: usize = 3;

/// The tables in the records of a value that a goal may mean.
pub(super) fn tables(
    path: &str,
    reader: &str,
    value: &Value,
    tokens: &[Token],
    words: &mut Vocabulary,
) -> Vec<Table> {
    let Value::Record(whole) = value else { return Vec::new() };
    let inner = whole.iter().filter_map(|(name, it)| Some((name.as_ref(), it.as_record()?)));
    let inner = inner.filter(|(name, _)| is_plain(name));
    let (mut said, mut others) = (Vec::new(), Vec::new());
    for (name, record) in inner {
        let mut terms: Vec<Term> = words.read(&spaced(name)).map(|it| it.term).collect();
        let whole: Vec<Term> = words.read(&name.to_lowercase()).map(|it| it.term).collect();
        let says = |it: &Term| tokens.iter().any(|token| token.term == Some(*it));
        let is_said = terms.iter().all(says) || whole.iter().all(says);
        terms.extend(whole);
        let reader = reader.replace("{T}", &format!("{{ {name}: json }}"));
        let table = table(path, &format!("{reader} >> .{name}"), record, words);
        let table = table.map(|it| named(it, terms));
        if is_said { said.extend(table) } else { others.extend(table) }
    }
    // The only records need no name.
    if said.is_empty() && others.len() == 1 {
        said = others;
    }
    let prefix: Vec<Term> = words.read(&common(whole)).map(|it| it.term).collect();
    let is_mixed = !prefix.is_empty();
    let table = table(path, &reader.replace("<{T}>", ""), whole, words);
    said.extend(table.map(|it| if is_mixed { named(it, prefix) } else { it }));
    said
}

/// A table whose rows are called by these words only.
fn named(mut table: Table, terms: Vec<Term>) -> Table {
    table.terms.extend(terms);
    table.is_strict = true;
    table
}

/// The letters with which the names of all records begin: `chapter` of `chapter1` and `chapter2`.
fn common(record: &Record) -> String {
    let names = record.iter().filter(|(_, it)| it.as_record().is_some());
    let stem = |name: &str| name.trim_end_matches(|it: char| !it.is_alphabetic()).to_owned();
    let mut stems = names.map(|(name, _)| stem(name));
    let first = stems.next().unwrap_or_default();
    if stems.all(|it| it == first) { first } else { String::new() }
}

fn table(path: &str, reader: &str, record: &Record, words: &mut Vocabulary) -> Option<Table> {
    let rows: Vec<(&str, &Record)> =
        record.iter().filter_map(|(name, it)| Some((name.as_ref(), it.as_record()?))).collect();
    let is_shared = |name: &str| rows.iter().all(|(_, it)| it.get(name).is_some());
    let first = rows.first().map(|it| it.1);
    if rows.len() > 1 && first.is_some_and(|it| it.iter().any(|(name, _)| is_shared(name))) {
        return records(path, reader, &rows, rows.len() < record.len(), words);
    }
    pairs(path, reader, record, words)
}

/// Records as rows, with their names.
fn records(
    path: &str,
    reader: &str,
    rows: &[(&str, &Record)],
    is_mixed: bool,
    words: &mut Vocabulary,
) -> Option<Table> {
    let has_name = rows.iter().any(|(_, it)| it.get("name").is_some());
    let key = if has_name { "key" } else { "name" };
    let row = |(name, it): &(&str, &Record)| {
        let own = it.iter().map(|(name, it)| (name.clone(), it.clone()));
        let all = [(key.into(), Value::from(*name))].into_iter().chain(own);
        Value::Record(all.collect::<Record>())
    };
    let value = Value::List(rows.iter().map(row).collect::<Vec<_>>().into());
    let row = format!("{{ {{ {key}: .key, ...(.value as {{T}}) }} }}");
    // What is not a row fails to become one.
    let stage = if is_mixed { format!("each? {row} >> compact") } else { format!("each {row}") };
    Table::of(path, &format!("{reader} >> entries >> {stage}"), &value, words)
}

/// Fields with single values as rows.
fn pairs(path: &str, reader: &str, record: &Record, words: &mut Vocabulary) -> Option<Table> {
    let is_text = record.iter().all(|(_, it)| matches!(it, Value::Text(_)));
    let is_int = record.iter().all(|(_, it)| matches!(it, Value::Int(_)));
    if record.iter().len() < LEAST_PAIRS || !(is_text || is_int) {
        return None;
    }
    let ty = if is_int { "int" } else { "string" };
    let reader =
        format!("{reader} >> entries >> each {{ {{ name: .key, value: .value as {ty} }} }}");
    let rows = record.iter().map(|(name, it)| {
        let name = ("name".into(), Value::from(name.as_ref()));
        Value::Record([name, ("value".into(), it.clone())].into_iter().collect::<Record>())
    });
    let mut table =
        Table::of(path, &reader, &Value::List(List::from(rows.collect::<Vec<_>>())), words)?;
    if is_text {
        table.keep_texts();
    }
    Some(table)
}

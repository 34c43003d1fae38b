//! The content of a document as the answer of a worker.

use svc_contract::value::{Record, Text, Value};

use super::{Heading, Office, Table, fields};

pub(super) fn write(found: Office) -> Value {
    let heading = |it: Heading| fields([("level", it.level.into()), ("text", it.text.into())]);
    let table = |it: Table| {
        let rows = it.rows.into_iter().map(Value::from).collect();
        fields([("name", it.name.into()), ("rows", Value::List(rows))])
    };
    fields([
        ("kind", found.kind.into()),
        ("title", found.title.map_or(Value::Null, Value::from)),
        ("text", found.text.into()),
        ("headings", Value::List(found.headings.into_iter().map(heading).collect())),
        ("tables", Value::List(found.tables.into_iter().map(table).collect())),
        ("meta", found.meta),
    ])
}

/// Reads the answer of a worker, which may be compromised.
pub(super) fn read(found: &Value) -> Option<Office> {
    let found = found.as_record()?;
    let text = |it: &Record, name| it.get(name)?.as_str().map(Text::from);
    let list = |name| found.get(name)?.as_list();
    let heading = |it: &Value| {
        let it = it.as_record()?;
        let Value::Int(level) = it.get("level")? else { return None };
        Some(Heading { level: *level, text: text(it, "text")?.as_ref().to_owned() })
    };
    let table = |it: &Value| {
        let it = it.as_record()?;
        let rows = it.get("rows")?.as_list()?.iter();
        let rows = rows.map(|it| Some(it.as_list()?.iter().cloned().collect()));
        let name = text(it, "name")?.as_ref().to_owned();
        Some(Table { name, rows: rows.collect::<Option<_>>()? })
    };
    Some(Office {
        kind: text(found, "kind")?,
        title: text(found, "title"),
        text: text(found, "text")?,
        headings: list("headings")?.iter().map(heading).collect::<Option<_>>()?,
        tables: list("tables")?.iter().map(table).collect::<Option<_>>()?,
        meta: found.get("meta")?.clone(),
    })
}

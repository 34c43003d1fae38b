//! Tables that are written: rows of cells under columns.

use std::collections::HashSet;

use svc_contract::{
    registry::{Field, Max, OpError, Scheme},
    value::{List, Text, Value, json},
};

use super::super::ANY_RECORD;

/// The rows of a table: records, or lists of cells.
pub(super) struct Rows(List);

impl Field for Rows {
    const SCHEME: Scheme = Scheme::OneOf(&[
        Scheme::List(&ANY_RECORD, Max::Unknown),
        Scheme::List(&Scheme::List(&Scheme::Var('T'), Max::Unknown), Max::Unknown),
        Scheme::List(&Scheme::Json, Max::Unknown),
        Scheme::Json,
    ]);

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::List(rows) => Some(Self(rows)),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        Value::List(self.0)
    }
}

impl Rows {
    /// The names of the columns, in the order of their first occurrence: every field that a record
    /// has. Rows that are lists have no names; a table without rows may have some.
    pub(super) fn columns(&self) -> Result<Option<Vec<Text>>, OpError> {
        let Some(first) = self.0.get(0) else {
            let table = self.0.columns().ok().filter(|_| self.0.is_columns());
            return Ok(table.map(|it| it.names.to_vec()).filter(|it| !it.is_empty()));
        };
        let is_records = first.as_record().is_some();
        let mut names: Vec<Text> = Vec::new();
        let mut seen: HashSet<&str> = HashSet::new();
        let mut last = None;
        for (idx, row) in self.0.iter().enumerate() {
            match row {
                Value::Record(record) if is_records => {
                    // Most records have the names of the one before.
                    if last != Some(record.names()) {
                        for name in record.names().iter() {
                            if seen.insert(name.as_ref()) {
                                names.push(name.clone());
                            }
                        }
                        last = Some(record.names());
                    }
                }
                Value::List(_) if !is_records => {}
                other => return Err(not_a_row(is_records, other, idx)),
            }
        }
        Ok(is_records.then_some(names))
    }

    /// The cells of every row, in the order of the columns.
    pub(super) fn cells<'a>(
        &'a self,
        columns: Option<&'a [Text]>,
    ) -> impl Iterator<Item = Vec<Text>> + 'a {
        // Most cells of a wide table may be empty.
        let empty: Text = "".into();
        self.0.iter().map(move |row| match (row, columns) {
            (Value::Record(record), Some(names)) => {
                names.iter().map(|it| record.get(it).map_or_else(|| empty.clone(), cell)).collect()
            }
            (Value::List(cells), _) => cells.iter().map(cell).collect(),
            _ => Vec::new(),
        })
    }

    pub(super) fn values(&self, column: &str) -> impl Iterator<Item = &Value> {
        self.0.iter().filter_map(move |row| row.as_record()?.get(column))
    }
}

fn not_a_row(is_records: bool, found: &Value, idx: usize) -> OpError {
    let wanted = if is_records { "a record" } else { "a list of cells" };
    let kind = found.kind();
    OpError::invalid_input(format!("expected {wanted} as row {}, found {kind}", idx + 1))
        .help("a table is a list of records, or a list of lists")
}

/// The text of a cell: null is empty, lists and records are JSON.
fn cell(value: &Value) -> Text {
    match value {
        Value::Null => "".into(),
        Value::Text(text) | Value::Path(text) => text.clone(),
        Value::List(_) | Value::Record(_) => json::write(value).into(),
        other => other.to_string().into(),
    }
}

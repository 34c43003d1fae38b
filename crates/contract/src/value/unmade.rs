//! Rows that stay columns: looked at, chosen and built without making records.

use std::sync::Arc;

use svc_columns::{Builder, Column, Other as _, Table};

use super::{List, Text, Value, buffers};

/// The rows of a list that is kept as columns.
#[derive(Clone, Copy, Debug)]
pub struct UnmadeRows<'a>(pub(super) &'a Table<Value>);

impl UnmadeRows<'_> {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A row as a record.
    pub fn record(&self, row: usize) -> Value {
        buffers::row(self.0, row)
    }

    /// A field of a row; null if it has none of this name.
    pub fn field(&self, row: usize, name: &str) -> Value {
        self.0.get(name).map_or(Value::Null, |it| Value::of(it.cell(row)))
    }

    /// The rows at these places, in this order.
    ///
    /// # Panics
    ///
    /// If a place is beyond the last row.
    pub fn take(&self, rows: &[u32]) -> List {
        List::from(self.0.take(rows))
    }

    /// The bytes of the columns.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

/// A list of records of the same fields that is built as columns.
#[derive(Debug)]
pub struct RecordsBuilder {
    names: Arc<[Text]>,
    columns: Vec<Field>,
    len: usize,
}

#[derive(Debug)]
enum Field {
    Built(Builder<Value>),
    /// A column of another list, with all its rows.
    Known(Arc<Column<Value>>),
}

impl RecordsBuilder {
    pub fn new(names: Arc<[Text]>) -> Self {
        let columns = names.iter().map(|_| Field::Built(Builder::default())).collect();
        Self { names, columns, len: 0 }
    }

    /// Takes the field at `place` from the field `name` of these rows, all of which will be pushed.
    pub fn known(&mut self, place: usize, rows: UnmadeRows<'_>, name: &str) {
        let column = rows.0.get(name).cloned();
        self.columns[place] =
            Field::Known(column.unwrap_or_else(|| Arc::new(Column::nulls(rows.len()))));
    }

    /// Sets the field at `place` of the next row.
    pub fn set(&mut self, place: usize, value: &Value) {
        if let Field::Built(column) = &mut self.columns[place] {
            column.push(value.cell());
        }
    }

    /// Ends a row, each field of which is set or known.
    pub fn end_row(&mut self) {
        self.len += 1;
    }

    /// # Panics
    ///
    /// If a field was not set once in each row.
    pub fn finish(self) -> List {
        let finished = |it: Field| match it {
            Field::Built(column) => Arc::new(column.finish()),
            Field::Known(column) => column,
        };
        let columns = self.columns.into_iter().map(finished).collect();
        List::from(Table::new(self.names, columns, self.len))
    }
}

//! The rows of a result as a table.

use std::sync::Arc;

use svc_columns::{Builder, Other as _, Table};
use svc_contract::{
    registry::{Cx, OpError},
    value::{Text, Value, memory},
};

/// A table that grows row by row, up to a limit.
pub(crate) struct Rows {
    pub(crate) names: Arc<[Text]>,
    builders: Vec<Builder<Value>>,
    len: usize,
    most: usize,
    bytes: usize,
}

impl Rows {
    pub(crate) fn new(
        all: impl Iterator<Item = impl AsRef<str>>,
        most: usize,
    ) -> Result<Self, OpError> {
        let mut names: Vec<Text> = Vec::new();
        for name in all {
            let name = name.as_ref();
            if names.iter().any(|it| it.as_ref() == name) {
                let message = format!("duplicate column `{name}` in the result");
                return Err(OpError::invalid_input(message)
                    .help(format!("name one of them: `.. AS {name}_2`")));
            }
            names.push(name.into());
        }
        let builders = names.iter().map(|_| Builder::default()).collect();
        Ok(Self { names: names.into(), builders, len: 0, most, bytes: 0 })
    }

    /// Adds a row; `cell` returns each of its cells.
    pub(crate) async fn push(
        &mut self,
        cx: &Cx,
        cell: impl Fn(usize) -> Result<Value, String>,
    ) -> Result<(), OpError> {
        const ROWS_PER_CHECK: usize = 1024;
        if self.len == self.most {
            let message = format!("more than {} rows (limit `max_rows`)", self.most);
            return Err(OpError::invalid_input(message)
                .help("add `LIMIT` to the statement, or raise `max_rows`"));
        }
        if self.len.is_multiple_of(ROWS_PER_CHECK) {
            cx.check()?;
            memory::room(self.bytes)?;
            cx.progress("rows", self.len as u64, None);
            // Other calls use the thread, too.
            tokio::task::yield_now().await;
        }
        for (idx, builder) in self.builders.iter_mut().enumerate() {
            let value = cell(idx).map_err(|why| {
                let message = format!("row {}: column `{}`: {why}", self.len + 1, self.names[idx]);
                OpError::invalid_input(message)
            })?;
            self.bytes += size_of::<i64>() + weight(&value);
            builder.push(value.cell());
        }
        self.len += 1;
        Ok(())
    }

    pub(crate) fn finish(self) -> Table<Value> {
        let columns = self.builders.into_iter().map(|it| Arc::new(it.finish())).collect();
        Table::new(self.names, columns, self.len)
    }
}

fn weight(value: &Value) -> usize {
    match value {
        Value::Text(it) => it.len(),
        Value::Bytes(it) => it.len(),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => 0,
        other => usize::try_from(other.weight()).unwrap_or(usize::MAX),
    }
}

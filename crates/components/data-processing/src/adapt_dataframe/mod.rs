//! Tables: read, group, join, sort, reshape, write. The work is done on columns.

use std::sync::Arc;

use svc_columns::{Column, Data, TableError, expr};
use svc_contract::{
    registry::{Bias, Component, Cx, Field, OpError, Rows, Scheme, columns_of, compute},
    value::{List, Record, Text, Type, Value, arithmetic::LONGEST_LIST},
};

use crate::rows::{Frame, ROWS_OUT};

#[cfg(feature = "files")]
mod binary;
#[cfg(not(feature = "files"))]
#[path = "no_binary.rs"]
mod binary;

mod derive;
mod describe;
mod group;
mod input;
mod join;
mod known;
mod pivot;
mod read;
mod scan;
mod sort;
mod sql;
#[cfg(test)]
mod tests;
mod window;
mod write;

pub(super) const COMPONENT: Component = Component {
    name: "adapt_dataframe",
    cluster: "data-processing",
    summary: "Tables: reads CSV, JSON lines, Excel, Parquet; groups, joins, sorts, reshapes; writes.",
    version: 1,
    bias: Bias::new(
        "columns: hashed and dense groups, hash joins, stable sorts",
        &[
            "the rows of a table have the same fields",
            "null matches nothing in a join, and measures leave it out",
        ],
    ),
    aliases: &[("table", "infer")],
    ops: &[
        compute::<group::Infer>(),
        compute::<read::Read>(),
        compute::<scan::Scan>(),
        compute::<derive::Filter>(),
        compute::<derive::Derive>(),
        compute::<join::Join>(),
        compute::<sort::Sort>(),
        compute::<sort::Sample>(),
        compute::<window::Window>(),
        compute::<pivot::Pivot>(),
        compute::<pivot::Unpivot>(),
        compute::<describe::Describe>(),
        svc_contract::needs!("database", compute::<sql::Sql>()),
        compute::<write::Write>(),
    ],
};

/// Expressions as strings, each under the name of the column that it gives.
struct Exprs(Record);

impl Field for Exprs {
    const SCHEME: Scheme = Scheme::Map(&Scheme::Text);

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::Record(it) => Some(Self(it)),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        Value::Record(self.0)
    }
}

impl Exprs {
    fn none() -> Self {
        Self(Record::from_iter([]))
    }

    /// The expressions; `param` is the name of the param, for messages.
    fn parsed(&self, param: &str) -> Result<Vec<(Text, expr::Expr)>, OpError> {
        self.0.iter().map(|(name, it)| Ok((name.clone(), parsed(param, name, it)?))).collect()
    }
}

/// The same for an op that needs these columns: an empty list has no names of columns, so that none
/// can be missing.
fn frame_for<'a>(
    rows: &List,
    names: impl IntoIterator<Item = &'a Text>,
    exprs: impl IntoIterator<Item = &'a expr::Expr>,
) -> Result<Frame, OpError> {
    let mut table = columns_of(rows)?;
    if !table.is_empty() || !table.names.is_empty() {
        return Ok(table);
    }
    let of_exprs = exprs.into_iter().flat_map(expr::Expr::columns);
    for name in names.into_iter().cloned().chain(of_exprs) {
        table = table.with_column(name, Column::nulls(0).into());
    }
    Ok(table)
}

fn wrong(err: TableError) -> OpError {
    let failed = OpError::invalid_input(err.message);
    match err.help {
        Some(help) => failed.help(help),
        None => failed,
    }
}

/// The rows as the result of an op: of the type that the call asks for, if it does.
fn given(table: Frame, cx: &Cx) -> Result<Value, OpError> {
    test_len(table.len() as u64)?;
    let rows = Value::List(List::from(table));
    match cx.wanted() {
        None | Some(Type::Json) => Ok(rows),
        Some(ty) => rows
            .cast(&Type::list(ty.clone()))
            .map_err(|err| OpError::invalid_input(err.to_string())),
    }
}

/// A column of floats as the field of a type has them, which are finite: NaN is null where it may be.
fn finite(
    name: &str,
    column: &Arc<Column<Value>>,
    ty: &Type,
) -> Result<Arc<Column<Value>>, OpError> {
    let Data::Float(all) = &column.data else { return Ok(column.clone()) };
    let is_wrong = |row: &usize| column.is_valid(*row) && !all[*row].is_finite();
    if matches!(ty, Type::Json) || !(0..all.len()).any(|it| is_wrong(&it)) {
        return Ok(column.clone());
    }
    let is_missing = |row: usize| ty.is_optional() && all[row].is_nan();
    if let Some(row) = (0..all.len()).filter(is_wrong).find(|it| !is_missing(*it)) {
        let message =
            format!("row {}: column `{name}`: expected {ty}, found {}", row + 1, all[row]);
        let help = if all[row].is_nan() {
            format!("write `{name}: float?` for NaN as null, or read it without a type")
        } else {
            "read it without a type: floats of a type are finite".to_owned()
        };
        return Err(OpError::invalid_input(message).help(help));
    }
    let valid = (0..all.len()).map(|it| column.is_valid(it) && !is_missing(it));
    Ok(Arc::new(Column::with_valid(Data::Float(all.clone()), valid.collect())))
}

fn test_len(rows: u64) -> Result<(), OpError> {
    if rows <= LONGEST_LIST as u64 {
        return Ok(());
    }
    let message = format!("the result would have {rows} rows (limit {LONGEST_LIST})");
    Err(OpError::invalid_input(message).help("filter or group the rows before"))
}

fn parsed(param: &str, name: &str, value: &Value) -> Result<expr::Expr, OpError> {
    let Value::Text(text) = value else {
        let message =
            format!("expected an expression for `{param}.{name}`, found {}", value.kind());
        return Err(OpError::invalid_input(message).help("write the expression as a string"));
    };
    expr::parse(text).map_err(|err| {
        let message = format!("`{param}.{name}`: {}", err.message);
        wrong(TableError { message, ..err })
    })
}

/// One expression in a param of its own.
fn one_expr(param: &str, text: &Text) -> Result<expr::Expr, OpError> {
    expr::parse(text).map_err(|err| {
        let message = format!("`{param}`: {}", err.message);
        wrong(TableError { message, ..err })
    })
}

/// Names of columns with a sign: `-price` descends.
fn sorted_names(names: &[Text]) -> Vec<(Text, bool)> {
    let name = |it: &Text| match it.strip_prefix('-') {
        Some(name) => (name.into(), true),
        None => (it.clone(), false),
    };
    names.iter().map(name).collect()
}

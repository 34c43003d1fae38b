//! Expressions over columns, as text: `price * qty > 10 and name != "x"`, `sum(v) / count()`.
//!
//! A null makes arithmetic and comparisons null, `and` and `or` look at the other side, and a filter
//! keeps only what is true, as in SQL. Division gives a float; by zero it gives null.

mod arithmetic;
mod foresee;
mod functions;
mod operands;
mod parse;

use std::sync::Arc;

use crate::{
    Groups, Measure, Table, Text,
    column::{Cell, Column, Data, Kind, Other, amounts, written_amounts},
    error::TableError,
    measure::{correlation, measure, no_numbers},
};

pub use foresee::{Foreseen, Known, KnownColumn, Of, foresee, foresee_condition, foresee_window};
pub use parse::parse;

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Money(i64),
    Text(Text),
    Column(Text),
    Not(Box<Expr>),
    Minus(Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Call(Text, Vec<Expr>),
}

impl Expr {
    /// The names of the columns in it.
    pub fn columns(&self) -> Vec<Text> {
        match self {
            Self::Column(name) => vec![name.clone()],
            Self::Not(it) | Self::Minus(it) => it.columns(),
            Self::Binary(_, a, b) => [a.columns(), b.columns()].concat(),
            Self::Call(_, args) => args.iter().flat_map(Self::columns).collect(),
            _ => vec![],
        }
    }
}

/// An operator between two expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Plus,
    Minus,
    Times,
    Divide,
    Rest,
    /// The right side where the left one is null.
    Else,
}

impl Binary {
    fn compares(self) -> bool {
        use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual, Unequal};
        matches!(self, Equal | Unequal | Less | LessEqual | Greater | GreaterEqual)
    }
}

/// A column, or one value for all rows.
#[derive(Clone, Debug)]
struct Operand<T> {
    column: Arc<Column<T>>,
    is_one: bool,
}

impl<T: Other> Operand<T> {
    fn one(cell: Cell<'_, T>) -> Self {
        let mut builder = crate::Builder::default();
        builder.push(cell);
        Self { column: Arc::new(builder.finish()), is_one: true }
    }

    fn at(&self, row: usize) -> usize {
        if self.is_one { 0 } else { row }
    }

    fn cell(&self, row: usize) -> Cell<'_, T> {
        self.column.cell(self.at(row))
    }

    fn is_valid(&self, row: usize) -> bool {
        self.column.is_valid(self.at(row))
    }

    /// A column of `len` rows.
    fn whole(self, len: usize) -> Arc<Column<T>> {
        if !self.is_one {
            return self.column;
        }
        Arc::new(self.column.take(&vec![0; len]))
    }
}

/// What names and measures mean.
struct Scope<'a, T> {
    table: &'a Table<T>,
    /// The groups, if the expression is a measure, and the columns that are the same in each.
    groups: Option<(&'a Groups, &'a [Text])>,
}

impl<T: Other> Scope<'_, T> {
    fn len(&self) -> usize {
        self.groups.map_or(self.table.len(), |(it, _)| it.count())
    }
}

/// The value of an expression for each row of a table.
///
/// # Errors
///
/// If a column is missing, or of a kind that an operator does not take: which.
pub fn each_row<T: Other>(expr: &Expr, table: &Table<T>) -> Result<Arc<Column<T>>, TableError> {
    let scope = Scope { table, groups: None };
    Ok(as_read(expr, table, eval(expr, &scope)?.whole(table.len())))
}

/// The value of an expression of measures for each group of rows. Outside of measures, only the
/// columns `by` may be used.
pub fn each_group<T: Other>(
    expr: &Expr,
    table: &Table<T>,
    groups: &Groups,
    by: &[Text],
) -> Result<Arc<Column<T>>, TableError> {
    let scope = Scope { table, groups: Some((groups, by)) };
    Ok(as_read(expr, table, eval(expr, &scope)?.whole(groups.count())))
}

/// The result as texts, if it is an amount that was read from texts.
fn as_read<T: Other>(expr: &Expr, table: &Table<T>, found: Arc<Column<T>>) -> Arc<Column<T>> {
    let is_amount = |kind: Kind| matches!(kind, Kind::Money | Kind::Duration | Kind::Time);
    if !is_amount(found.kind()) && found.kind() != Kind::Other {
        return found;
    }
    let names = expr.columns();
    let mut columns = names.iter().filter_map(|it| table.column(it).ok());
    let has_amounts = columns.clone().any(|it| is_amount(it.kind()));
    let is_read = columns.any(|it| it.kind() == Kind::Text && amounts(it).is_some());
    if is_read && !has_amounts { Arc::new(written_amounts(&found)) } else { found }
}

fn eval<T: Other>(expr: &Expr, scope: &Scope<'_, T>) -> Result<Operand<T>, TableError> {
    Ok(match expr {
        Expr::Null => Operand::one(Cell::Null),
        Expr::Bool(it) => Operand::one(Cell::Bool(*it)),
        Expr::Int(it) => Operand::one(Cell::Int(*it)),
        Expr::Float(it) => Operand::one(Cell::Float(*it)),
        Expr::Money(it) => Operand::one(Cell::Money(*it)),
        Expr::Text(it) => Operand::one(Cell::Text(it)),
        Expr::Column(name) => column(name, scope)?,
        Expr::Not(inner) => arithmetic::not(&eval(inner, scope)?, scope.len())?,
        Expr::Minus(inner) => arithmetic::minus(&eval(inner, scope)?, scope.len())?,
        Expr::Binary(op, a, b) => {
            let (a, b) = (eval(a, scope)?, eval(b, scope)?);
            arithmetic::binary(*op, &a, &b, scope.len())?
        }
        Expr::Call(name, args) => call(name, args, scope)?,
    })
}

fn column<T: Other>(name: &Text, scope: &Scope<'_, T>) -> Result<Operand<T>, TableError> {
    let column = scope.table.column(name)?;
    let column = amounts(column).map_or_else(|| column.clone(), Arc::new);
    let Some((groups, by)) = scope.groups else {
        return Ok(Operand { column, is_one: false });
    };
    if !by.contains(name) {
        return Err(several_values(name));
    }
    Ok(Operand { column: Arc::new(column.take(&groups.firsts)), is_one: false })
}

fn several_values(name: &str) -> TableError {
    TableError::new(format!("column `{name}` has several values in a group"))
        .help(format!("write a measure such as `max({name})`, or group by it"))
}

fn is_measure(name: &str) -> bool {
    Measure::named(name).is_some() || matches!(name, "quantile" | "corr")
}

fn no_group(name: &str) -> TableError {
    TableError::new(format!("`{name}` measures many rows, and here is one"))
        .help("use it in `measures`, or in `having`")
}

fn call<T: Other>(
    name: &Text,
    args: &[Expr],
    scope: &Scope<'_, T>,
) -> Result<Operand<T>, TableError> {
    let Some((groups, _)) = scope.groups.filter(|_| is_measure(name)) else {
        if is_measure(name) {
            return Err(no_group(name));
        }
        let args: Result<Vec<Operand<T>>, TableError> =
            args.iter().map(|it| eval(it, scope)).collect();
        return functions::call(name, &args?, scope.len());
    };
    let rows = Scope { table: scope.table, groups: None };
    let of_rows = |it: &Expr| eval(it, &rows).map(|it| it.whole(scope.table.len()));
    let measured = match (name.as_ref(), args) {
        ("count", []) => {
            let all = Column::new(Data::Bool(vec![true; scope.table.len()]));
            measure(Measure::Count, &all, groups)?
        }
        ("corr", [a, b]) => correlation(of_rows(a)?.as_ref(), of_rows(b)?.as_ref(), groups)?,
        ("quantile", [of, share]) => {
            let (column, share) = (of_rows(of)?, share_of(share)?);
            if column.has_values() && !column.kind().is_number() {
                return Err(no_numbers(name, column.kind_name()));
            }
            measure(Measure::Quantile(share), &column, groups)?
        }
        (name, [of]) => match Measure::named(name) {
            Some(it) => measure(it, of_rows(of)?.as_ref(), groups)?,
            None => return Err(functions::wrong_count(name, args.len())),
        },
        _ => return Err(functions::wrong_count(name, args.len())),
    };
    Ok(Operand { column: Arc::new(measured), is_one: false })
}

#[expect(clippy::cast_precision_loss, reason = "0 or 1")]
fn share_of(expr: &Expr) -> Result<f64, TableError> {
    let share = match expr {
        Expr::Float(it) => *it,
        Expr::Int(it) => *it as f64,
        _ => -1.0,
    };
    if (0.0..=1.0).contains(&share) {
        return Ok(share);
    }
    Err(TableError::new("expected a number from 0 to 1 as the second argument of `quantile`"))
}

//! Rows that are chosen, and columns that are computed, by expressions.

use svc_columns::expr;
use svc_contract::{
    registry::{
        CheckCall, Compute, Cx, ErrorKind, Example, Generic, Items, Max, Op, OpError, Scheme, Var,
        params,
    },
    value::{List, Text, Value},
};

use super::{Exprs, ROWS_OUT, Rows, frame_for, given, one_expr, wrong};

params! {
    /// Keeps the rows for which a condition is true.
    ///
    /// The condition is an expression over the columns: `price * qty > 10 and name != "x"`. A comparison
    /// with null is null, and such a row is not kept, as in SQL; `is_null(x)` and `x ?? 0` handle nulls.
    /// `where { .. }` does the same with an expression of the language, row by row; this op looks at
    /// whole columns, which is faster for large tables.
    pub(super) struct Filter {
        /// The rows.
        rows: Items<Var<'T'>>,
        /// The condition.
        test: Text,
    }
}

impl Op for Filter {
    const NAME: &'static str = "filter";
    const YIELDS: Scheme = Scheme::List(&Scheme::Var('T'), Max::Input);
    const CHECK: Option<CheckCall> = Some(super::known::filter);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "rows of a table that meet a condition",
        "filter a large table by an expression",
        "sql where",
        "only orders above ten dollars",
        "drop rows without a price",
        "select rows by two columns",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Two columns",
            r#"[{ a: 1, b: "x" }, { a: 5, b: "y" }] >> table.filter(test: "a > 2 and b == 'y'")"#,
            r#"[{"a":5,"b":"y"}]"#,
        ),
        Example::err(
            "Not a condition",
            r#"[{ a: 1 }] >> table.filter(test: "a + 1")"#,
            "expected a condition, found int",
        ),
        Example::err(
            "An open bracket",
            r#"[{ a: 1 }] >> table.filter(test: "(a > 1")"#,
            "expected `)` at letter 7",
        ),
    ];
}

impl Compute for Filter {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let test = one_expr("test", &self.test)?;
        let table = frame_for(&self.rows.0, [], [&test])?;
        cx.check()?;
        let kept = expr::each_row(&test, &table).and_then(|it| it.trues()).map_err(wrong)?;
        if self.rows.0.is_columns() {
            return Ok(Value::List(List::from(table.take(&kept))));
        }
        let rows = kept.iter().filter_map(|it| self.rows.0.get(*it as usize).cloned());
        Ok(Value::List(rows.collect()))
    }
}

params! {
    /// Adds columns that are computed from others, row by row.
    ///
    /// `columns` has an expression for each: `{ total: "price * qty", name: "upper(name)" }`. A column of
    /// the same name is replaced; an expression can use the columns before it. Operators are `+ - * / %`,
    /// `== != < <= > >=`, `and`, `or`, `not` and `??`; functions are `abs`, `ceil`, `floor`, `round`, `sqrt`, `ln`, `exp`, `if`,
    /// `coalesce`, `is_null`, `least`, `greatest`, `lower`, `upper`, `trim`, `length`, `contains`, `starts_with`, `ends_with`,
    /// `int`, `float` and `string`. Null makes a result null; so do division by zero and a text that is not
    /// a number. A result beyond the range of an int is an error of kind `invalid_input` with its row.
    pub(super) struct Derive {
        /// The rows.
        rows: Rows,
        /// The new columns, each with its expression.
        columns: Exprs,
        /// Whether the result has only these columns.
        only: bool = false,
    }
}

impl Op for Derive {
    const NAME: &'static str = "derive";
    const YIELDS: Scheme = ROWS_OUT;
    const GENERIC: Generic = Generic::Rows;
    const CHECK: Option<CheckCall> = Some(super::known::derive);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "add a computed column to a table",
        "price times quantity as a new column",
        "change a column of a table",
        "sql select with expressions",
        "keep only some columns of a table",
        "convert a text column to numbers",
        "fill missing values of a column with a default",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A product, and a default",
            r#"[{ price: 2, qty: 3 }, { price: 4, qty: null }]
  >> table.derive(columns: { qty: "qty ?? 0", total: "price * qty" })"#,
            r#"[{"price":2,"qty":3,"total":6},{"price":4,"qty":0,"total":0}]"#,
        ),
        Example::ok(
            "Two columns, one with another name",
            r#"[{ id: 7, price: 2, qty: 3 }] >> table.derive(columns: { id: "id", each: "price" }, only: true)"#,
            r#"[{"id":7,"each":2}]"#,
        ),
        Example::err(
            "Two kinds",
            r#"[{ a: 1, b: "x" }] >> table.derive(columns: { c: "a * b" })"#,
            "`*` does not take int and string",
        ),
    ];
}

impl Compute for Derive {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let columns = self.columns.parsed("columns")?;
        let mut table = frame_for(&self.rows.0, [], columns.iter().map(|(_, it)| it))?;
        let names: Vec<Text> = columns.iter().map(|it| it.0.clone()).collect();
        for (name, it) in columns {
            cx.check()?;
            let column = expr::each_row(&it, &table).map_err(|err| {
                let message = format!("`columns.{name}`: {}", err.message);
                wrong(svc_columns::TableError { message, ..err })
            })?;
            table = table.with_column(name, column);
        }
        if self.only {
            table = table.select(&names).map_err(wrong)?;
        }
        given(table, cx)
    }
}

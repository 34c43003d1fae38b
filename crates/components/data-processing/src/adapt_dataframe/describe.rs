//! What is in each column of a table.

use svc_columns::{Groups, Measure, Other as _, measure};
use svc_contract::{
    registry::{Compute, Cx, ErrorKind, Example, Field, Max, Op, OpError, Scheme, params, record},
    value::{Text, Value},
};

use super::Rows;
use crate::rows::unified;

record! {
    /// A column of a table.
    struct ColumnSummary {
        /// Its name.
        column: Text,
        /// The type of its values.
        r#type: Text,
        /// The number of its values.
        count: i64,
        /// The number of rows without a value.
        nulls: i64,
        /// The number of distinct values.
        distinct: i64,
        /// The least value.
        min: Value,
        /// The greatest value.
        max: Value,
        /// The mean of numbers.
        mean: Option<f64>,
        /// The standard deviation of numbers.
        deviation: Option<f64>,
        /// The median of numbers.
        median: Option<f64>,
    }
}

params! {
    /// Describes each column of a table: its type, how many values it has, the least, the greatest, the
    /// mean, the median and the standard deviation.
    ///
    /// A column of mixed values has the type `json`. Numbers have a mean; the deviation is that of a
    /// sample.
    pub(super) struct Describe {
        /// The rows.
        rows: Rows,
    }
}

impl Op for Describe {
    const NAME: &'static str = "describe";
    const YIELDS: Scheme = Scheme::List(&ColumnSummary::SCHEME, Max::Unknown);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "summary of every column of a table",
        "how many values are missing in each column",
        "minimum, maximum and mean of all columns",
        "describe a data frame",
        "what is in this csv file",
        "types of the columns",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Two columns",
            r#"[{ n: 1, s: "x" }, { n: 4, s: null }] >> table.describe >> each { { c: .column, t: .type, n: .nulls, m: .mean } }"#,
            r#"[{"c":"n","t":"int","n":0,"m":2.5},{"c":"s","t":"string","n":1,"m":null}]"#,
        ),
        Example::err(
            "Not a table",
            r#""[1]" >> parse_json >> table.describe"#,
            "expected a record as row 1, found int",
        ),
    ];
}

impl Compute for Describe {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let table = self.rows.columns()?;
        let all = Groups { codes: vec![0; table.len()], firsts: vec![0] };
        let mut columns = Vec::with_capacity(table.names.len());
        for (name, column) in table.names.iter().zip(&table.columns) {
            cx.check()?;
            let column = &unified(column);
            let of = |it: Measure| {
                let found = measure(it, column, &all).ok();
                found.map_or(Value::Null, |it| Value::of(it.cell(0)))
            };
            let whole = |it: Measure| i64::decode(of(it)).unwrap_or(0);
            let is_number = column.kind().is_number();
            let float = |it: Measure| f64::decode(of(it)).filter(|it| it.is_finite() && is_number);
            let ty = if column.has_values() { column.kind().name() } else { "null" };
            columns.push(ColumnSummary {
                column: name.clone(),
                r#type: ty.into(),
                count: whole(Measure::Count),
                nulls: column.null_count().try_into().unwrap_or(i64::MAX),
                distinct: whole(Measure::Distinct),
                min: of(Measure::Min),
                max: of(Measure::Max),
                mean: float(Measure::Avg),
                deviation: float(Measure::Deviation),
                median: float(Measure::Quantile(0.5)),
            });
        }
        Ok(columns.encode())
    }
}

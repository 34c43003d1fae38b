//! SQL over tables.

use svc_contract::{
    registry::{
        ANY_RECORD, AnyRows, ErrorKind, Example, Field, Generic, Max, Op, Scheme, Tool, params,
    },
    value::{Text, Value},
};
#[cfg(feature = "database")]
use svc_contract::{
    registry::{CheckCall, Compute, Cx, Foreseen, KnownCall, Misuse, OpError},
    value::Type,
};

use super::ROWS_OUT;
#[cfg(feature = "database")]
use svc_sqlite::KnownTable;

#[cfg(feature = "database")]
use super::{List, columns_of, test_len};

/// Further tables: a record of them by their names, or a list of `{ name: .., rows: .. }`.
pub(super) struct NamedTables(Value);

impl Field for NamedTables {
    const SCHEME: Scheme =
        Scheme::OneOf(&[Scheme::Json, Scheme::List(&Scheme::Var('W'), Max::Unknown), ANY_RECORD]);

    fn decode(value: Value) -> Option<Self> {
        Some(Self(value))
    }

    fn encode(self) -> Value {
        self.0
    }
}

#[cfg(feature = "database")]
impl NamedTables {
    /// Each table with its name, if they are tables.
    fn all(&self) -> Option<Vec<(Text, List)>> {
        let rows = |it: &Value| it.as_list().cloned();
        match &self.0 {
            Value::Null => Some(Vec::new()),
            Value::Record(it) => {
                it.iter().map(|(name, it)| Some((name.clone(), rows(it)?))).collect()
            }
            Value::List(all) => all
                .iter()
                .map(|it| {
                    let of = it.as_record()?;
                    Some((of.get("name")?.as_str()?.into(), rows(of.get("rows")?)?))
                })
                .collect(),
            _ => None,
        }
    }
}

params! {
    /// Selects rows by a statement of SQL over tables, in the dialect of `SQLite`.
    ///
    /// The input is the table `input`; `with` adds others by their names. The tables are
    /// copied into a database in memory, so this takes about a second for a million rows: `table(..)`, `table.join` and
    /// the other ops are quicker, and need no copy. In SQL, a bool is 0 or 1, money is a float of its amount, a
    /// duration one of its seconds, and dates and times are texts in the order of time; `table.sql<Row>` reads
    /// the result as the fields of `Row`. A table and a result have at most 2000 columns. The functions are those of
    /// `SQLite`: its `round(2.675, 2)` is 2.67, since it rounds the binary number, and 2.68 in other expressions.
    pub(super) struct Sql {
        /// The rows, which are the table `input`.
        rows: AnyRows,
        /// The statement.
        #[filled]
        query: Text,
        /// Further tables by their names: a record, or a list of `{ name: .., rows: .. }`.
        with: NamedTables = NamedTables(Value::Null),
    }
}

impl Op for Sql {
    const NAME: &'static str = "sql";
    const TOOL: Option<Tool> = Some(Tool::builder("query_table"));
    const YIELDS: Scheme = ROWS_OUT;
    const GENERIC: Generic = Generic::Rows;
    #[cfg(feature = "database")]
    const CHECK: Option<CheckCall> = Some(check);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed, ErrorKind::Exhausted];
    const SAYS: &'static [&'static str] = &[
        "sql over a csv",
        "select from rows with sql",
        "join two lists with an sql statement",
        "run sql on a table without a database",
        "sql query over records in memory",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A group",
            r#"[{ r: "n", v: 2 }, { r: "s", v: 1 }, { r: "n", v: 4 }]
  >> table.sql(query: "select r, sum(v) as total from input group by r order by total")"#,
            r#"[{"r":"s","total":1},{"r":"n","total":6}]"#,
        ),
        Example::ok(
            "Two tables",
            r#"[{ id: 1, item: "tea" }, { id: 2, item: "jam" }]
  >> table.sql(query: "select item, price from input join prices using (id)", with: { prices: [{ id: 2, price: 4.5 }] })"#,
            r#"[{"item":"jam","price":4.5}]"#,
        ),
        Example::err(
            "An unknown column",
            r#"[{ region: "n" }] >> table.sql(query: "select regoin from input")"#,
            "no such column: regoin",
        ),
        Example::err(
            "A statement that writes",
            r#"[{ a: 1 }] >> table.sql(query: "delete from input")"#,
            "the statement writes",
        ),
    ];
}

/// Prepares a statement that is written out, over tables with the columns that are known.
#[cfg(feature = "database")]
fn check(call: &KnownCall<'_>) -> Foreseen {
    let Some(query) = call.value("query").and_then(Value::as_str) else { return Ok(None) };
    let tables = known_tables(call);
    svc_sqlite::test_query(tables.as_deref(), query)
        .map_err(|why| Box::new(Misuse::of("query", why)))?;
    Ok(None)
}

/// The tables of a call with their columns, if their names are known.
#[cfg(feature = "database")]
fn known_tables(call: &KnownCall<'_>) -> Option<Vec<KnownTable>> {
    let columns = |ty: &Type| match ty {
        Type::List(row, _) => match row.as_ref() {
            Type::Record(of) => Some(of.fields.iter().map(|(name, _)| name.clone()).collect()),
            _ => None,
        },
        _ => None,
    };
    let mut tables = vec![("input".into(), columns(call.ty("rows")?))];
    match (call.value("with"), call.ty("with")?) {
        (Some(Value::Null), _) => {}
        (_, Type::Record(with)) => {
            tables.extend(with.fields.iter().map(|(name, ty)| (name.clone(), columns(ty))));
        }
        _ => return None,
    }
    Some(tables)
}

#[cfg(feature = "database")]
impl Compute for Sql {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let mut tables = vec![(Text::from("input"), self.rows.columns()?)];
        let with = self.with.all().ok_or_else(|| {
            OpError::invalid_input("`with`: expected tables with names")
                .help("write `with: { name: rows }`")
        })?;
        for (name, rows) in with {
            let table = columns_of(&rows).map_err(|err| {
                let message = format!("`with`, table `{name}`: {}", err.message);
                OpError { message, ..err }
            })?;
            tables.push((name, table));
        }
        let most = svc_contract::value::arithmetic::LONGEST_LIST;
        let found = svc_sqlite::over_tables(cx, &tables, &self.query, most)?;
        test_len(found.len() as u64)?;
        svc_sqlite::typed(&found, cx.wanted())
    }
}

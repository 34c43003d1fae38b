//! Tests what is expected of a table: rules over columns, each with its result.

use regex::Regex;
use svc_columns::{Column, Other as _, expr, groups};
use svc_contract::{
    registry::{
        AnyRows, Compute, Cx, ErrorKind, Example, Field, Op, OpError, Scheme, Var, nearest, params,
        record,
    },
    value::{List, Text, Value},
};

use super::expectation::{Expectation, Test, is_one_of};
use crate::rows::Frame;

/// The most examples of a rule.
const EXAMPLES: usize = 5;

record! {
    /// A row that breaks a rule.
    struct BreakingRow {
        /// Its place, from 0.
        row: i64,
        /// The value of the column; of a rule over rows, the row.
        value: Value,
    }
}

record! {
    /// A rule, and how well it holds.
    struct ExpectedRule {
        /// The rule in words: `age between 0 and 120`.
        rule: Text,
        /// Whether enough rows keep it.
        ok: bool,
        /// The number of rows, or of values, that it says something about.
        checked: i64,
        /// The number of those that break it.
        failures: i64,
        /// The share of those that keep it.
        share: f64,
        /// The first rows that break it, at most 5.
        examples: Vec<BreakingRow>,
        /// What was found, if it is not a matter of single rows.
        found: Option<Text>,
    }
}

record! {
    /// Whether a table is as expected.
    struct Expected {
        /// Whether every rule holds.
        ok: bool,
        /// The number of rules that do not hold.
        failed: i64,
        /// The rules in their order.
        rules: Vec<ExpectedRule>,
    }
}

params! {
    /// Tests what is expected of a table, and reports each rule with counts and examples.
    ///
    /// `columns` has the tests of each column: `{ id: { unique: true }, age: { between: [0, 120], share: 0.99 } }`. Tests are `not_null`, `unique`, `in` (a list),
    /// `not_in`, `between` (two values, or null for an open end), `matches` (a regular expression), `type` (`int`, `float`, `number`, `string`, `bool`,
    /// `date`, `time`), `length` (of texts and lists, between two numbers), and of the whole column `mean`, `sum` and `distinct` (between two numbers). Except for `not_null`, null
    /// keeps every rule. `share` is the share of rows that must keep the tests of a column, by default all. A column
    /// that is not there breaks its rules.
    pub(super) struct Expect {
        /// The rows.
        rows: AnyRows,
        /// The tests of each column.
        columns: Option<Var<'S'>> = None,
        /// Conditions over each row: `shipped >= ordered`.
        tests: Vec<Text> = Vec::new(),
        /// Whether the table has no other columns.
        only: bool = false,
        /// The least number of rows.
        #[range(0..=10_000_000)]
        fewest: i64 = 0,
        /// The greatest number of rows.
        most: Option<i64> = None,
    }
}

impl Op for Expect {
    const NAME: &'static str = "expect";
    const YIELDS: Scheme = Expected::SCHEME;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "data quality expectations for a table",
        "assert that a column has no nulls and is unique",
        "great expectations",
        "test my data set against rules for columns",
        "which rows are out of range",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Two rules, one of them broken",
            r"[{ id: 1, age: 41 }, { id: 2, age: 212 }, { id: 3, age: null }]
    >> profile.expect(columns: { id: { unique: true }, age: { between: [0, 120] } })
    >> .rules
    >> each { { rule: .rule, ok: .ok, rows: (.examples >> each { .row }) } }",
            r#"[{"rule":"id is unique","ok":true,"rows":[]},{"rule":"age between 0 and 120","ok":false,"rows":[1]}]"#,
        ),
        Example::ok(
            "Dates, also as texts",
            r#"[{ day: "2026-01-05" as date, paid: $5 }, { day: "2025-12-31" as date, paid: $50 }]
    >> profile.expect(columns: { day: { between: ["2026-01-01", null] }, paid: { between: ["$1", "$10"] } })
    >> .rules
    >> each { (.examples >> each { .row }) }"#,
            "[[1],[1]]",
        ),
        Example::err(
            "An unknown test",
            r"[{ id: 1 }] >> profile.expect(columns: { id: { betwen: [1, 2] } })",
            "column `id`: unknown test `betwen`",
        ),
    ];
}

impl Compute for Expect {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let table = self.rows.columns()?;
        let mut rules = Vec::new();
        let columns = self.columns.as_ref().map(|it| &it.0).filter(|it| !it.is_null());
        let named = match columns {
            None => Vec::new(),
            Some(Value::Record(it)) => it.iter().collect(),
            Some(other) => {
                let message = format!("expected a record for `columns`, found {}", other.kind());
                return Err(OpError::invalid_input(message)
                    .help("write `columns: { age: { between: [0, 120] } }`"));
            }
        };
        for (name, tests) in &named {
            let of = |err: OpError| {
                let message = format!("column `{name}`: {}", err.message);
                OpError { message, ..err }
            };
            for rule in Expectation::of_column(name, tests).map_err(of)? {
                rules.push(tested(&rule, &table, &self.rows.0, cx).map_err(of)?);
            }
        }
        for test in &self.tests {
            let of = |err: OpError| {
                let message = format!("test `{test}`: {}", err.message);
                OpError { message, ..err }
            };
            let rule = Expectation::of_row(test).map_err(of)?;
            rules.push(tested(&rule, &table, &self.rows.0, cx).map_err(of)?);
        }
        if self.only {
            let known: Vec<&Text> = named.iter().map(|it| it.0).collect();
            rules.push(no_others(&known, &table));
        }
        rules.extend(self.size(table.len()));
        if rules.is_empty() {
            return Err(OpError::invalid_input("nothing is expected")
                .help("give `columns`, `tests`, `fewest` or `most`"));
        }
        let failed = rules.iter().filter(|it| !it.ok).count();
        Ok(Expected { ok: failed == 0, failed: int(failed), rules }.encode())
    }
}

impl Expect {
    /// The rule about the number of rows, if there is one.
    fn size(&self, rows: usize) -> Option<ExpectedRule> {
        let rule = match (self.fewest, self.most) {
            (0, None) => return None,
            (0, Some(most)) => format!("at most {most} rows"),
            (fewest, None) => format!("at least {fewest} rows"),
            (fewest, Some(most)) => format!("{fewest} to {most} rows"),
        };
        let ok = int(rows) >= self.fewest && self.most.is_none_or(|it| int(rows) <= it);
        Some(of_table(&rule, ok, format!("found {rows}")))
    }
}

/// A rule that is not about single rows.
fn of_table(rule: &str, ok: bool, found: String) -> ExpectedRule {
    ExpectedRule {
        rule: rule.into(),
        ok,
        checked: 0,
        failures: 0,
        share: if ok { 1.0 } else { 0.0 },
        examples: Vec::new(),
        found: Some(found.into()),
    }
}

fn no_others(known: &[&Text], table: &Frame) -> ExpectedRule {
    let others: Vec<String> =
        table.names.iter().filter(|it| !known.contains(it)).map(|it| format!("`{it}`")).collect();
    let found = if others.is_empty() { "none".to_owned() } else { others.join(", ") };
    of_table("no other columns", others.is_empty(), format!("found {found}"))
}

/// What a test found in a table.
#[derive(Default)]
struct Count {
    checked: usize,
    /// The rows that break the rule.
    broken: Vec<u32>,
    /// What was found, and whether it is as expected, of a rule that is not about single rows.
    whole: Option<(Text, bool)>,
}

fn tested(
    rule: &Expectation,
    table: &Frame,
    rows: &List,
    cx: &Cx,
) -> Result<ExpectedRule, OpError> {
    let column = match &rule.column {
        Some(name) => match table.get(name) {
            Some(column) => Some(column.as_ref()),
            // A table without rows has no columns that could be missing.
            None if table.is_empty() && table.names.is_empty() => None,
            None => return Ok(of_table(&rule.to_string(), false, missing(name, table))),
        },
        None => None,
    };
    let count = match (&rule.test, column) {
        (Test::Row(test), _) => by_row(test, table)?,
        (test, Some(column)) => by_column(test, column, cx)?,
        (_, None) => Count::default(),
    };
    let failures = count.broken.len();
    let share = 1.0 - ratio(failures, count.checked);
    let ok = count.whole.as_ref().map_or(share >= rule.share, |it| it.1);
    let example = |row: &u32| BreakingRow {
        row: i64::from(*row),
        value: match column {
            Some(column) => Value::of(column.cell(*row as usize)),
            None => rows.get(*row as usize).cloned().unwrap_or_default(),
        },
    };
    Ok(ExpectedRule {
        rule: rule.to_string().into(),
        ok,
        checked: int(count.checked),
        failures: int(failures),
        share: (share * 1e6).round() / 1e6,
        examples: count.broken.iter().take(EXAMPLES).map(example).collect(),
        found: count.whole.map(|it| it.0),
    })
}

fn missing(name: &Text, table: &Frame) -> String {
    match nearest(name, table.names.iter().map(AsRef::as_ref)) {
        Some(near) => format!("the column is missing; there is `{near}`"),
        None => "the column is missing".to_owned(),
    }
}

/// A condition over rows: one that is null is kept, as a null keeps every rule.
fn by_row(test: &expr::Expr, table: &Frame) -> Result<Count, OpError> {
    let wrong = |err: svc_columns::TableError| {
        let failed = OpError::invalid_input(err.message);
        match err.help {
            Some(help) => failed.help(help),
            None => failed,
        }
    };
    if table.is_empty() {
        return Ok(Count::default());
    }
    let kept = expr::each_row(test, table).map_err(wrong)?;
    let broken = expr::each_row(&expr::Expr::Not(Box::new(test.clone())), table);
    let broken = broken.and_then(|it| it.trues()).map_err(wrong)?;
    let kept = kept.trues().map_err(wrong)?.len();
    Ok(Count { checked: kept + broken.len(), broken, whole: None })
}

fn whole(found: &Value, ok: bool) -> Count {
    Count { whole: Some((format!("found {found}").into(), ok)), ..Count::default() }
}

fn by_column(test: &Test, column: &Column<Value>, cx: &Cx) -> Result<Count, OpError> {
    match test {
        Test::NotNull => {
            let broken = rows_where(column, cx, |row, _| !column.is_valid(row))?;
            Ok(Count { checked: column.len(), broken, whole: None })
        }
        Test::Unique => unique(column),
        Test::Mean(range) => Ok(measured(column, range, |all| sum(all) / float(all.len()))),
        Test::Sum(range) => Ok(measured(column, range, sum)),
        Test::Distinct(range) => {
            let all = groups(&[column], column.len()).count();
            let distinct = Value::Int(int(all - usize::from(column.null_count() > 0)));
            Ok(whole(&distinct, range.holds(&distinct)))
        }
        each => {
            let broken = rows_where(column, cx, |_, it| !it.is_null() && !keeps(each, it))?;
            Ok(Count { checked: column.len() - column.null_count(), broken, whole: None })
        }
    }
}

/// The rows of a column for which `is` holds.
fn rows_where(
    column: &Column<Value>,
    cx: &Cx,
    is: impl Fn(usize, &Value) -> bool,
) -> Result<Vec<u32>, OpError> {
    const ROWS_PER_CHECK: usize = 4096;
    let mut found = Vec::new();
    for (row, cell) in column.cells().enumerate() {
        if row.is_multiple_of(ROWS_PER_CHECK) {
            cx.check()?;
        }
        if is(row, &Value::of(cell)) {
            found.push(u32::try_from(row).unwrap_or(u32::MAX));
        }
    }
    Ok(found)
}

/// Whether a value that is there keeps a rule.
fn keeps(test: &Test, value: &Value) -> bool {
    match test {
        Test::In(all) => is_one_of(value, all),
        Test::NotIn(all) => !is_one_of(value, all),
        Test::Between(range) => range.holds(value),
        Test::Matches(pattern) => matches(pattern, value),
        Test::Type(kind) => kind.is(value),
        Test::Length(range) => match value {
            Value::Text(it) | Value::Path(it) => range.holds(&Value::Int(int(it.chars().count()))),
            Value::List(it) => range.holds(&Value::Int(int(it.len()))),
            _ => false,
        },
        _ => true,
    }
}

/// Whether a pattern is somewhere in the printed form of a value.
fn matches(pattern: &Regex, value: &Value) -> bool {
    match value {
        Value::Text(it) | Value::Path(it) => pattern.is_match(it),
        other => pattern.is_match(&other.to_string()),
    }
}

/// Every value that is not the first of its kind breaks the rule.
fn unique(column: &Column<Value>) -> Result<Count, OpError> {
    let found = groups(&[column], column.len());
    let is_first = |row: &u32| found.firsts[found.codes[*row as usize] as usize] == *row;
    let rows = u32::try_from(column.len())
        .map_err(|_| OpError::invalid_input("too many rows for `unique`"))?;
    let broken = (0..rows).filter(|row| column.is_valid(*row as usize) && !is_first(row)).collect();
    Ok(Count { checked: column.len() - column.null_count(), broken, whole: None })
}

/// A number of all values of a column.
fn measured(
    column: &Column<Value>,
    range: &super::expectation::Range,
    measure: impl Fn(&[f64]) -> f64,
) -> Count {
    let numbers: Vec<f64> = column
        .cells()
        .filter_map(|it| f64::decode(Value::of(it)))
        .filter(|it| it.is_finite())
        .collect();
    if numbers.is_empty() {
        return Count { whole: Some(("found no numbers".into(), false)), ..Count::default() };
    }
    let found = Value::Float(measure(&numbers));
    whole(&found, range.holds(&found))
}

fn sum(all: &[f64]) -> f64 {
    all.iter().sum()
}

fn int(it: usize) -> i64 {
    i64::try_from(it).unwrap_or(i64::MAX)
}

fn ratio(part: usize, of: usize) -> f64 {
    if of == 0 { 0.0 } else { float(part) / float(of) }
}

#[expect(clippy::cast_precision_loss, reason = "there are at most 10^7 rows")]
fn float(it: usize) -> f64 {
    it as f64
}

//! What is in a table, and what looks wrong.

use std::collections::HashMap;

use svc_columns::{Cell, Column, Groups, Measure, Other as _, groups, measure};
use svc_contract::{
    registry::{
        AnyRows, Compute, Cx, ErrorKind, Example, Field, Op, OpError, Scheme, Tool,
        findings::{Finding, Severity},
        params, record,
    },
    value::{Text, Value},
};

use crate::rows::unified;

/// How many frequent values are given for a column.
const TOP: usize = 5;

record! {
    /// A value of a column, and in how many rows it is.
    struct ValueCount {
        /// The value.
        value: Value,
        /// The number of rows.
        count: i64,
    }
}

record! {
    /// What is in a column.
    struct ColumnProfile {
        /// Its name.
        column: Text,
        /// The type of its values.
        r#type: Text,
        /// What its texts look like: `email`, `url`, `date`, `time`, `uuid`, `number`, `phone`, or null.
        looks_like: Option<Text>,
        /// The number of its values.
        count: i64,
        /// The number of rows without a value.
        nulls: i64,
        /// The number of distinct values.
        distinct: i64,
        /// Whether no value is there twice.
        unique: bool,
        /// The least value; of texts the shortest length.
        min: Value,
        /// The greatest value; of texts the longest length.
        max: Value,
        /// The mean of numbers.
        mean: Option<f64>,
        /// The standard deviation of numbers, as of a sample.
        deviation: Option<f64>,
        /// The median of numbers, between the two quartiles.
        median: Option<f64>,
        /// Below it is a quarter of the numbers.
        low_quartile: Option<f64>,
        /// Above it is a quarter of the numbers.
        high_quartile: Option<f64>,
        /// The most frequent values.
        top: Vec<ValueCount>,
    }
}

record! {
    /// What is in a table.
    struct Profile {
        /// The number of rows.
        rows: i64,
        /// The number of rows that are equal to an earlier one.
        duplicates: i64,
        /// Columns whose values identify a row: each is there once, and none is missing.
        keys: Vec<Text>,
        /// What looks wrong.
        findings: Vec<Finding>,
        /// The columns.
        columns: Vec<ColumnProfile>,
    }
}

params! {
    /// Profiles a table: what is in each column, which ones identify a row, and what looks wrong.
    ///
    /// Findings are rules by name: `missing` (more than a tenth of the rows), `constant`, `duplicates`,
    /// `mixed` (values of several types), `spaces` (around texts), `spelling` (texts that differ in case or
    /// space alone), `placeholder` (such as `N/A` or `-`), `numbers` (numbers in a column of texts),
    /// `outliers` (further from the quartiles than three times their distance). `path` is the column.
    pub(super) struct Infer {
        /// The rows.
        rows: AnyRows,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Profile::SCHEME;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const TOOL: Option<Tool> = Some(Tool::builder("profile_table"));
    const SAYS: &'static [&'static str] = &[
        "profile a data set",
        "data quality report",
        "what looks wrong in my table",
        "outliers and odd values in columns",
        "which column identifies the rows",
        "is this data clean",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Something is wrong",
            r#"let found = [{ id: 1, city: "Bonn" }, { id: 2, city: "bonn " }, { id: 3, city: "N/A" }] >> profile
{ rows: found.rows, wrong: (found.findings >> each { .rule }) }"#,
            r#"{"rows":3,"wrong":["placeholder","spaces","spelling"]}"#,
        ),
        Example::err(
            "Not a table",
            r#""[1]" >> parse_json >> profile"#,
            "expected a record as row 1, found int",
        ),
    ];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let table = self.rows.columns()?;
        let all: Vec<&Column<Value>> = table.columns.iter().map(AsRef::as_ref).collect();
        let distinct = groups(&all, table.len()).count();
        let duplicates = table.len() - distinct;
        let mut found = Found { rows: table.len(), findings: Vec::new() };
        if duplicates > 0 {
            found.add(
                "duplicates",
                Severity::Warning,
                "",
                &plural(
                    duplicates,
                    "row is equal to an earlier one",
                    "rows are equal to an earlier one",
                ),
            );
        }
        let mut columns = Vec::with_capacity(all.len());
        for (name, column) in table.names.iter().zip(&table.columns) {
            cx.check()?;
            columns.push(found.column(name, &unified(column)));
        }
        let is_key =
            |it: &&ColumnProfile| it.unique && it.nulls == 0 && it.r#type.as_ref() != "float";
        let keys = if table.is_empty() {
            Vec::new()
        } else {
            columns.iter().filter(is_key).map(|it| it.column.clone()).collect()
        };
        Ok(Profile {
            rows: int(table.len()),
            duplicates: int(duplicates),
            keys,
            findings: found.findings,
            columns,
        }
        .encode())
    }
}

fn int(it: usize) -> i64 {
    i64::try_from(it).unwrap_or(i64::MAX)
}

fn plural(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

struct Found {
    rows: usize,
    findings: Vec<Finding>,
}

impl Found {
    fn add(&mut self, rule: &str, severity: Severity, column: &str, message: &str) {
        self.findings.push(Finding {
            rule: rule.into(),
            severity,
            message: message.into(),
            path: column.into(),
            span: None,
            fix: None,
        });
    }

    fn column(&mut self, name: &Text, column: &Column<Value>) -> ColumnProfile {
        let whole = Groups { codes: vec![0; column.len()], firsts: vec![0] };
        let of = |it: Measure| {
            let found = measure(it, column, &whole).ok().filter(|_| !column.is_empty());
            found.map_or(Value::Null, |it| Value::of(it.cell(0)))
        };
        let is_number = column.kind().is_number();
        let float = |it: Measure| f64::decode(of(it)).filter(|it| it.is_finite() && is_number);
        let quartile = |at: f64| float(Measure::Quantile(at));
        let nulls = column.null_count();
        let count = column.len() - nulls;
        let counted = counted(column);
        let is_text = matches!(column.kind(), svc_columns::Kind::Text) && count > 0;
        let texts: Vec<(&Text, usize)> = counted
            .iter()
            .filter_map(|(cell, count)| match cell {
                Cell::Text(it) => Some((*it, *count)),
                _ => None,
            })
            .collect();
        let looks_like = if is_text { looks_like(&texts) } else { None };
        let lengths = || texts.iter().map(|it| it.0.chars().count());
        let (min, max) = if is_text {
            (lengths().min().into(), lengths().max().into())
        } else {
            (of(Measure::Min), of(Measure::Max))
        };
        let ty = if count == 0 { "null" } else { column.kind().name() };
        if nulls > 0 && nulls * 10 > self.rows {
            let share = nulls * 100 / self.rows.max(1);
            let severity = if count == 0 { Severity::Warning } else { Severity::Info };
            self.add("missing", severity, name, &format!("{share} % of the values are missing"));
        }
        if counted.len() == 1 && count > 1 {
            self.add("constant", Severity::Info, name, "all values are equal");
        }
        if matches!(column.kind(), svc_columns::Kind::Other) {
            self.mixed(name, column);
        }
        self.texts(name, &texts, count);
        let quartiles = (quartile(0.25), quartile(0.75));
        self.outliers(name, column, quartiles);
        let top = counted
            .iter()
            .take(TOP)
            .map(|(cell, count)| ValueCount { value: Value::of(*cell), count: int(*count) });
        ColumnProfile {
            column: name.clone(),
            r#type: ty.into(),
            looks_like,
            count: int(count),
            nulls: int(nulls),
            distinct: int(counted.len()),
            unique: count > 0 && counted.len() == count,
            min,
            max,
            mean: float(Measure::Avg),
            deviation: float(Measure::Deviation),
            median: quartile(0.5),
            low_quartile: quartiles.0,
            high_quartile: quartiles.1,
            top: top.collect(),
        }
    }

    /// Values of several types, such as a text among numbers.
    fn mixed(&mut self, name: &str, column: &Column<Value>) {
        let mut kinds: Vec<(&'static str, usize)> = Vec::new();
        for cell in column.cells().filter(|it| !matches!(it, Cell::Null)) {
            let kind = Value::of(cell).kind();
            match kinds.iter_mut().find(|it| it.0 == kind) {
                Some(it) => it.1 += 1,
                None => kinds.push((kind, 1)),
            }
        }
        if kinds.len() > 1 {
            kinds.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
            let all: Vec<String> = kinds.iter().map(|it| format!("{} {}", it.1, it.0)).collect();
            let message = format!("values of several types: {}", all.join(", "));
            self.add("mixed", Severity::Warning, name, &message);
        }
    }

    fn texts(&mut self, name: &str, texts: &[(&Text, usize)], count: usize) {
        let rows = |is: &dyn Fn(&str) -> bool| -> usize {
            texts.iter().filter(|it| is(it.0)).map(|it| it.1).sum()
        };
        let placeholders = rows(&is_placeholder);
        if placeholders > 0 {
            let message = plural(
                placeholders,
                "value stands for a missing one, such as `N/A`",
                "values stand for missing ones, such as `N/A`",
            );
            self.add("placeholder", Severity::Warning, name, &message);
        }
        let spaces = rows(&|it| it.trim() != it);
        if spaces > 0 {
            let message =
                plural(spaces, "value has space around it", "values have space around them");
            self.add("spaces", Severity::Warning, name, &message);
        }
        let mut spellings: HashMap<String, Vec<&str>> = HashMap::new();
        for (text, _) in texts {
            let key = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
            spellings.entry(key).or_default().push(text);
        }
        let mut several: Vec<Vec<&str>> =
            spellings.into_values().filter(|it| it.len() > 1).collect();
        several.sort_unstable();
        if let Some(first) = several.first() {
            let shown: Vec<String> = first.iter().take(3).map(|it| format!("`{it}`")).collect();
            let what =
                plural(several.len(), "text has several spellings", "texts have several spellings");
            let message = format!("{what}, such as {}", shown.join(" and "));
            self.add("spelling", Severity::Warning, name, &message);
        }
        let numbers = rows(&|it| it.trim().parse::<f64>().is_ok_and(f64::is_finite));
        if numbers > 0 && numbers * 10 >= count * 8 && numbers < count {
            let message = format!("{numbers} of {count} texts are numbers; the others are not");
            self.add("numbers", Severity::Warning, name, &message);
        }
    }

    fn outliers(
        &mut self,
        name: &str,
        column: &Column<Value>,
        quartiles: (Option<f64>, Option<f64>),
    ) {
        let (Some(low), Some(high)) = quartiles else { return };
        let far = 3.0 * (high - low);
        if far <= 0.0 {
            return;
        }
        let mut count = 0;
        let mut furthest: Option<(f64, f64)> = None;
        for cell in column.cells() {
            let Some(it) = f64::decode(Value::of(cell)) else { continue };
            let beyond = (low - it).max(it - high);
            if beyond > far {
                count += 1;
                if furthest.is_none_or(|(most, _)| beyond > most) {
                    furthest = Some((beyond, it));
                }
            }
        }
        if let Some((_, value)) = furthest {
            let what =
                plural(count, "value is far from the others", "values are far from the others");
            let message = format!("{what}, such as {}", Value::Float(value));
            self.add("outliers", Severity::Info, name, &message);
        }
    }
}

/// The distinct values with the number of their rows, the most frequent ones first.
fn counted(column: &Column<Value>) -> Vec<(Cell<'_, Value>, usize)> {
    let found = groups(&[column], column.len());
    let mut counts = vec![0; found.count()];
    found.codes.iter().for_each(|it| counts[*it as usize] += 1);
    let all = found.firsts.iter().zip(counts);
    let mut all: Vec<(Cell<'_, Value>, usize)> = all
        .map(|(row, count)| (column.cell(*row as usize), count))
        .filter(|it| !matches!(it.0, Cell::Null))
        .collect();
    // Stable, so that equally frequent values are in the order of the table.
    all.sort_by_key(|it| std::cmp::Reverse(it.1));
    all
}

fn is_placeholder(text: &str) -> bool {
    const ALL: [&str; 16] = [
        "",
        "-",
        "--",
        "?",
        ".",
        "n/a",
        "na",
        "nan",
        "none",
        "null",
        "nil",
        "unknown",
        "tbd",
        "#n/a",
        "not available",
        "missing",
    ];
    ALL.contains(&text.trim().to_lowercase().as_str())
}

type Test = fn(&str) -> bool;

/// What nine tenths of the texts look like.
fn looks_like(texts: &[(&Text, usize)]) -> Option<Text> {
    const KINDS: [(&str, Test); 7] = [
        ("uuid", is_uuid),
        ("email", is_email),
        ("url", |it| it.starts_with("http://") || it.starts_with("https://")),
        ("date", |it| it.parse::<svc_contract::value::Date>().is_ok() && it.len() == 10),
        ("time", |it| it.parse::<svc_contract::value::Timestamp>().is_ok()),
        ("number", |it| it.trim().parse::<f64>().is_ok_and(f64::is_finite)),
        ("phone", is_phone),
    ];
    let all: usize = texts.iter().map(|it| it.1).sum();
    let is_mostly = |is: Test| {
        let some: usize = texts.iter().filter(|it| is(it.0)).map(|it| it.1).sum();
        some * 10 >= all * 9
    };
    KINDS.into_iter().find(|it| is_mostly(it.1)).map(|it| it.0.into())
}

fn is_uuid(it: &str) -> bool {
    let places = [8, 13, 18, 23];
    it.len() == 36
        && it.bytes().enumerate().all(|(at, letter)| {
            if places.contains(&at) { letter == b'-' } else { letter.is_ascii_hexdigit() }
        })
}

fn is_email(it: &str) -> bool {
    let Some((name, host)) = it.split_once('@') else { return false };
    !name.is_empty()
        && host.split('.').count() > 1
        && host.split('.').all(|it| !it.is_empty())
        && !it.contains([' ', ','])
}

fn is_phone(it: &str) -> bool {
    let digits = it.bytes().filter(u8::is_ascii_digit).count();
    let is_part = |it: char| it.is_ascii_digit() || " +-()/.".contains(it);
    (7..=15).contains(&digits) && it.starts_with(['+', '(', '0']) && it.chars().all(is_part)
}

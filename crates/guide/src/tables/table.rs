//! Tables that a goal names: their columns with types, and the words of their names.

use svc_contract::value::{List, Value};
use svc_text::stems::{Term, Vocabulary};

use super::{
    Seen,
    derived::{self, Source},
};

/// Rows that are deeper in records are not found.
const DEEPEST: usize = 2;

/// More rows are not looked at for values.
const MOST_ROWS: usize = 20_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    Float,
    Bool,
    /// A text column with one text for yes and one for no.
    YesNo(&'static str, &'static str),
    Date,
    Text,
    /// A number of days between dates.
    Days,
    /// A list or a record.
    Other,
}

#[derive(Clone, Debug)]
pub(super) struct Column {
    /// Its name in scripts.
    pub(super) name: String,
    /// Its name in the file, which a script may not be able to write: `Net total`.
    pub(super) header: String,
    pub(super) terms: Vec<Term>,
    pub(super) kind: Kind,
    pub(super) optional: bool,
    /// The texts in it, without repetition.
    pub(super) values: Vec<String>,
    pub(super) source: Source,
}

/// A list of records, or of lines.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) path: String,
    pub(super) reader: String,
    /// The columns of the file, and those that can be computed from them.
    pub(super) columns: Vec<Column>,
    /// The rows that were looked at.
    pub(super) rows: Vec<Value>,
    /// The fields that lead from the outermost record to the rows.
    pub(super) fields: Vec<String>,
    /// Whether the items are lines, not records.
    pub(super) is_lines: bool,
    /// The words of the file's name, which name the rows.
    pub(super) terms: Vec<Term>,
}

impl Table {
    pub(super) fn of(seen: &Seen, words: &mut Vocabulary) -> Option<Self> {
        let stem = seen.path.rsplit('/').next()?.split('.').next()?.replace(['_', '-'], " ");
        let terms: Vec<Term> = words.read(&stem).map(|it| it.term).collect();
        let (path, reader) = (seen.path.clone(), seen.reader.clone());
        let (rows, fields) = match &seen.value {
            Value::Text(text) => {
                let values = text.lines().map(str::to_owned).collect();
                let terms_of_line = Vec::new();
                let line = Column {
                    name: String::new(),
                    header: String::new(),
                    terms: terms_of_line,
                    kind: Kind::Text,
                    optional: false,
                    values,
                    source: Source::Own,
                };
                let columns = vec![line];
                return Some(Self {
                    path,
                    reader,
                    columns,
                    rows: Vec::new(),
                    fields: Vec::new(),
                    is_lines: true,
                    terms,
                });
            }
            Value::List(rows) if rows.iter().all(|it| it.as_record().is_some()) => {
                (rows.clone(), Vec::new())
            }
            value => rows_of(value, DEEPEST)?,
        };
        let rows: Vec<Value> = rows.iter().take(MOST_ROWS).cloned().collect();
        let mut names: Vec<String> = Vec::new();
        for row in &rows {
            for (name, _) in row.as_record()?.iter() {
                if !names.iter().any(|it| it == name.as_ref()) {
                    names.push(name.to_string());
                }
            }
        }
        let columns = names.into_iter().map(|name| column(name, &rows, words));
        let mut columns: Vec<Column> = columns.collect();
        derived::extend(&mut columns);
        let mut terms = terms;
        for field in &fields {
            terms.extend(words.read(&spaced(field)).map(|it| it.term));
        }
        Some(Self { path, reader, columns, rows, fields, is_lines: false, terms })
    }
}

impl Table {
    /// The columns of the file.
    pub(super) fn own(&self) -> impl Iterator<Item = usize> {
        (0..self.columns.len()).filter(|it| self.columns[*it].source == Source::Own)
    }

    /// The texts of a row, column by column.
    pub(super) fn texts(&self, row: &Value) -> Vec<(usize, String)> {
        let cell = |idx: usize| {
            let cell = row.as_record()?.get(&self.columns[idx].header)?;
            let text = cell.as_str().map_or_else(|| cell.to_string(), str::to_owned);
            (!matches!(cell, Value::Null) && !text.is_empty()).then_some((idx, text))
        };
        self.own().filter_map(cell).collect()
    }

    /// Whether a column has a value for more than one row.
    pub(super) fn repeats(&self, idx: usize) -> bool {
        let column = &self.columns[idx];
        column.source != Source::Own || column.values.len() < self.rows.len()
    }

    /// What can be asked about.
    pub(super) fn described(&self) -> String {
        let path = &self.path;
        if self.columns.is_empty() {
            return format!("`{path}` has no rows");
        }
        let kind = |it: &Column| match it.kind {
            Kind::Int | Kind::Float | Kind::Days => " (numbers)",
            Kind::Date => " (dates)",
            Kind::Bool | Kind::YesNo(..) => " (yes or no)",
            Kind::Text => "",
            Kind::Other => " (lists or records)",
        };
        let columns = self.own().map(|it| &self.columns[it]);
        let all = columns.map(|it| format!("`{}`{}", it.name, kind(it)));
        format!("the columns of `{path}` are {}", all.collect::<Vec<_>>().join(", "))
    }
}

/// The longest list of records in a value, and the fields that lead to it.
fn rows_of(value: &Value, depth: usize) -> Option<(List, Vec<String>)> {
    match value {
        Value::List(rows) if rows.len() > 1 => {
            rows.iter().all(|it| it.as_record().is_some()).then(|| (rows.clone(), Vec::new()))
        }
        Value::Record(record) if depth > 0 => {
            let all = record.iter().filter_map(|(name, it)| {
                let (rows, mut fields) = rows_of(it, depth - 1)?;
                fields.insert(0, name.to_string());
                Some((rows, fields))
            });
            all.max_by_key(|(rows, _)| rows.len())
        }
        _ => None,
    }
}

fn column(name: String, rows: &[Value], words: &mut Vocabulary) -> Column {
    let cells = || rows.iter().filter_map(|it| it.as_record()?.get(&name));
    let is_empty = |it: &Value| matches!(it, Value::Null) || it.as_str().is_some_and(str::is_empty);
    let optional = cells().count() < rows.len() || cells().any(is_empty);
    let mut kind = None;
    let mut values: Vec<String> = Vec::new();
    for cell in cells().filter(|it| !is_empty(it)) {
        let own = kind_of(cell);
        kind = Some(match kind {
            None => own,
            Some(it) if it == own => own,
            Some(Kind::Int | Kind::Float) if matches!(own, Kind::Int | Kind::Float) => Kind::Float,
            Some(Kind::Other) => Kind::Other,
            Some(_) if own == Kind::Other => Kind::Other,
            Some(_) => Kind::Text,
        });
        values.extend(cell.as_str().map(str::to_owned));
    }
    values.sort_unstable();
    values.dedup();
    let mut kind = kind.unwrap_or(Kind::Text);
    if kind == Kind::Text {
        kind = yes_no(&values).unwrap_or(kind);
    }
    let (spaced, header) = (spaced(&name), name);
    let name = plain(&header);
    let terms = words.read(&spaced).map(|it| it.term).collect();
    Column { name, header, terms, kind, optional, values, source: Source::Own }
}

/// A name that a script can write: `net_total` of `Net total`.
fn plain(name: &str) -> String {
    if is_plain(name) {
        return name.to_owned();
    }
    let mut plain: String = name
        .to_lowercase()
        .chars()
        .map(|it| if it.is_ascii_alphanumeric() { it } else { '_' })
        .collect();
    while plain.contains("__") {
        plain = plain.replace("__", "_");
    }
    plain.trim_matches('_').to_owned()
}

/// Whether a script can write a name without quotes.
pub(super) fn is_plain(name: &str) -> bool {
    name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
        && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
}

/// The words of a name: `startDate`, `start_date`.
fn spaced(name: &str) -> String {
    let mut spaced = String::new();
    let mut before = ' ';
    for it in name.chars() {
        if it.is_uppercase() && before.is_lowercase() {
            spaced.push(' ');
        }
        spaced.push(if matches!(it, '_' | '-' | '.') { ' ' } else { it });
        before = it;
    }
    spaced
}

fn yes_no(values: &[String]) -> Option<Kind> {
    const PAIRS: [(&str, &str); 5] =
        [("yes", "no"), ("Yes", "No"), ("y", "n"), ("TRUE", "FALSE"), ("True", "False")];
    let (yes, no) = PAIRS.iter().find(|(yes, no)| values.iter().all(|it| it == yes || it == no))?;
    Some(Kind::YesNo(yes, no))
}

fn kind_of(cell: &Value) -> Kind {
    match cell {
        Value::Int(_) => Kind::Int,
        Value::Float(_) => Kind::Float,
        Value::Bool(_) => Kind::Bool,
        Value::Text(text) => kind_of_text(text),
        _ => Kind::Other,
    }
}

fn kind_of_text(text: &str) -> Kind {
    let digits = text.strip_prefix('-').unwrap_or(text);
    // `007` and `+49` are names, not numbers.
    let is_number = digits == "0" || digits.starts_with("0.") || !digits.starts_with(['0', '+']);
    let is_date = text.len() == 10
        && text.bytes().enumerate().all(|(idx, it)| match idx {
            4 | 7 => it == b'-',
            _ => it.is_ascii_digit(),
        });
    match text {
        "true" | "false" => Kind::Bool,
        _ if is_date => Kind::Date,
        _ if is_number && digits.len() <= 15 && text.parse::<i64>().is_ok() => Kind::Int,
        _ if is_number
            && digits.starts_with(|it: char| it.is_ascii_digit())
            && text.parse::<f64>().is_ok() =>
        {
            Kind::Float
        }
        _ => Kind::Text,
    }
}

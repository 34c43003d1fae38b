//! Tables that a goal names: their columns with types, and the words of their names.

use svc_contract::value::{List, Value};
use svc_text::stems::{Term, Vocabulary};

use super::{
    cells::Cell,
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
    /// How its texts are read, if they are not meant as texts.
    pub(super) cell: Option<Cell>,
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
    /// Whether no other noun names the rows.
    pub(super) is_strict: bool,
    /// Whether a word of the goal can mean two things here.
    pub(super) is_unclear: bool,
}

impl Table {
    /// The table in a value that `reader` reads as a `{T}`.
    pub(super) fn of(
        path: &str,
        reader: &str,
        value: &Value,
        words: &mut Vocabulary,
    ) -> Option<Self> {
        let (rows, fields) = match value {
            Value::Text(text) => {
                let lines: Vec<&str> = text.lines().collect();
                return Some(Self::of_lines(path, &format!("{reader} >> lines"), &lines, words));
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
        let mut terms = terms_of(path, words)?;
        for field in &fields {
            terms.extend(words.read(&spaced(field)).map(|it| it.term));
        }
        terms.extend(columns.first().and_then(|it| noun_of_id(it, rows.len(), words)));
        let (path, reader) = (path.to_owned(), reader.to_owned());
        Some(Self {
            path,
            reader,
            columns,
            rows,
            fields,
            is_lines: false,
            is_strict: false,
            is_unclear: false,
            terms,
        })
    }

    /// The rows of all tables of a folder, with the name of the file of each.
    pub(super) fn of_files(
        path: &str,
        reader: &str,
        parser: &str,
        rows: &Value,
        words: &mut Vocabulary,
    ) -> Option<Self> {
        let reads_list = ["parse_csv", "captures"].iter().any(|it| parser.contains(it));
        let is_record = parser.contains("<{T}>") && !reads_list;
        let row = if is_record {
            format!("{{ file: .title, ...(.text >> {parser}) }}")
        } else {
            format!("let file = .title  .text >> {parser} >> each {{ {{ file: file, ...it }} }}")
        };
        let flat = if is_record { "" } else { " >> flatten" };
        let reader = format!("{reader} >> each {{ {row} }}{flat}");
        Self::of(path, &reader, rows, words)
    }

    /// Lines that `reader` reads.
    pub(super) fn of_lines(
        path: &str,
        reader: &str,
        lines: &[&str],
        words: &mut Vocabulary,
    ) -> Self {
        let values = lines.iter().map(|it| (*it).to_owned()).collect();
        let line = Column { values, ..Column::named(String::new(), Kind::Text, words) };
        let terms = terms_of(path, words).unwrap_or_default();
        let (path, reader) = (path.to_owned(), reader.to_owned());
        Self {
            path,
            reader,
            columns: vec![line],
            rows: Vec::new(),
            fields: Vec::new(),
            is_lines: true,
            is_strict: false,
            is_unclear: false,
            terms,
        }
    }

    /// Records that `reader` makes, of columns with texts or whole numbers.
    pub(super) fn of_cells(
        path: &str,
        reader: &str,
        cells: &[(&str, bool)],
        words: &mut Vocabulary,
    ) -> Self {
        let column = |(name, is_number): &(&str, bool)| {
            let kind = if *is_number { Kind::Int } else { Kind::Text };
            Column::named((*name).to_owned(), kind, words)
        };
        let columns = cells.iter().map(column).collect();
        let (path, reader, terms) = (path.to_owned(), reader.to_owned(), Vec::new());
        Self {
            path,
            reader,
            columns,
            rows: Vec::new(),
            fields: Vec::new(),
            is_lines: false,
            is_strict: false,
            is_unclear: false,
            terms,
        }
    }

    /// Whether a column is the name of the file of a row, and not in the file.
    pub(super) fn is_origin(&self, idx: usize) -> bool {
        let name = &self.columns[idx].name;
        ["{ file: .title", "{ file: file", "{ name: .key", "{ key: .key"]
            .iter()
            .any(|it| self.reader.contains(it) && it[2..].starts_with(&format!("{name}:")))
    }

    /// Takes what looks like a number or a date for a text, as the reader does.
    pub(super) fn keep_texts(&mut self) {
        for it in &mut self.columns {
            (it.kind, it.cell) = (Kind::Text, None);
        }
    }

    /// The last stage of the reader.
    pub(super) fn last_stage(&self) -> String {
        Self::stages(&self.reader).pop().unwrap_or_default()
    }

    /// The stages of a reader, without those inside of blocks.
    pub(super) fn stages(reader: &str) -> Vec<String> {
        let mut stages = vec![String::new()];
        let mut depth = 0_i32;
        for part in reader.split_inclusive(" >> ") {
            let count = |of: &[char]| i32::try_from(part.matches(of).count()).unwrap_or(0);
            depth += count(&['{', '(']) - count(&['}', ')']);
            let last = stages.len() - 1;
            match part.strip_suffix(" >> ").filter(|_| depth == 0) {
                Some(whole) => {
                    stages[last] += whole;
                    stages.push(String::new());
                }
                None => stages[last] += part,
            }
        }
        stages
    }

    /// Whether the rows are read as records of a type.
    pub(super) fn is_typed(&self) -> bool {
        self.reader.contains("{T}")
    }

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
        match cell {
            Value::Text(text) => values.push(text.to_string()),
            Value::Int(number) => values.push(number.to_string()),
            _ => {}
        }
    }
    values.sort_unstable();
    values.dedup();
    let mut kind = kind.unwrap_or(Kind::Text);
    let mut cell = None;
    if kind == Kind::Text {
        kind = yes_no(&values).unwrap_or(kind);
        cell = Cell::of(&values);
    }
    match cell {
        None => {}
        Some(Cell::Amount(_)) => kind = Kind::Float,
        Some(own @ (Cell::Date(_) | Cell::Time(_))) => {
            kind = Kind::Date;
            values = values.iter().filter_map(|it| own.day(it)).collect();
            values.sort_unstable();
            values.dedup();
        }
    }
    Column { optional, values, cell, ..Column::named(name, kind, words) }
}

impl Column {
    fn named(header: String, kind: Kind, words: &mut Vocabulary) -> Self {
        let terms = words.read(&spaced(&header)).map(|it| it.term).collect();
        let name = plain(&header);
        let (optional, values, source) = (false, Vec::new(), Source::Own);
        Self { name, header, terms, kind, optional, values, source, cell: None }
    }

    /// The value of the column in a row, as a script computes it.
    pub(super) fn value(&self) -> String {
        let field = format!(".{}", self.name);
        self.cell.map_or(field.clone(), |it| it.text(&field))
    }
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

/// The words of a file's name.
fn terms_of(path: &str, words: &mut Vocabulary) -> Option<Vec<Term>> {
    let path = path.trim_end_matches('/');
    let stem = path.rsplit('/').find(|it| !it.contains('*'))?.split('.').next()?;
    Some(words.read(&stem.replace(['_', '-'], " ")).map(|it| it.term).collect())
}

/// What the rows are called if the first column numbers them: `order_id`, with another number in each.
fn noun_of_id(column: &Column, rows: usize, words: &mut Vocabulary) -> Option<Term> {
    let name = spaced(&column.header).to_lowercase();
    let (noun, id) = name.split_once(' ')?;
    let is_own = column.values.len() == rows && rows > 1;
    let is_id = matches!(id, "id" | "no" | "nr" | "number" | "key");
    (is_own && is_id).then(|| words.read(noun).next().map(|it| it.term)).flatten()
}

/// The words of a name: `startDate`, `start_date`.
pub(super) fn spaced(name: &str) -> String {
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

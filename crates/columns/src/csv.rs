//! Reading CSV into columns.
//!
//! The kinds of columns are guessed from the first rows. A column in which a later cell does not fit
//! is read again with a wider kind, so that the result depends on the whole text and on nothing else.

use std::{collections::HashSet, sync::Arc};

use crate::{
    Builder, Text,
    column::{Cell, Column, Kind, Other},
    error::TableError,
    table::Table,
};

/// What a column is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Ints, floats, booleans, or else texts: whichever fits all cells.
    Guess,
    /// This kind; another cell is an error.
    Is(Kind),
    /// It is left out.
    Skip,
}

/// How a text is read.
pub struct Options<'a> {
    /// The letter between cells.
    pub sep: u8,
    /// The most rows; more are an error.
    pub most: usize,
    pub wanted: &'a dyn Fn(&str) -> Wanted,
    /// Whether to stop, because the result is not needed any more.
    pub stop: &'a dyn Fn() -> bool,
}

/// Why a text could not be read.
#[derive(Debug)]
pub enum CsvError {
    Stopped,
    /// More rows than allowed.
    TooLong,
    /// What is wrong, with the line.
    Table(TableError),
}

impl From<TableError> for CsvError {
    fn from(it: TableError) -> Self {
        Self::Table(it)
    }
}

/// A cell of the text.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: usize,
    to: usize,
    /// Whether it stands in quotes; then `""` in it is a quote.
    is_quoted: bool,
}

/// The most cells of a row: a text without line ends is one row, and each column takes memory.
const MOST_COLUMNS: usize = 1_000_000;

const CELLS_PER_CHECK: usize = 4096;

/// Goes through the rows of a text.
struct Rows<'a> {
    text: &'a str,
    sep: u8,
    at: usize,
    line: usize,
    /// The line in which the last row started.
    started: usize,
    stop: &'a dyn Fn() -> bool,
    /// The number of cells since `stop` was asked.
    unchecked: usize,
}

impl<'a> Rows<'a> {
    fn new(text: &'a str, sep: u8, line: usize, stop: &'a dyn Fn() -> bool) -> Self {
        Self { text, sep, at: 0, line, started: line, stop, unchecked: 0 }
    }

    fn go_on(&mut self) -> Result<(), CsvError> {
        self.unchecked += 1;
        if self.unchecked < CELLS_PER_CHECK {
            return Ok(());
        }
        self.unchecked = 0;
        if (self.stop)() { Err(CsvError::Stopped) } else { Ok(()) }
    }

    /// The cells of the next row that is not an empty line.
    fn next(&mut self, cells: &mut Vec<Span>) -> Result<bool, CsvError> {
        let bytes = self.text.as_bytes();
        while let Some(b'\n' | b'\r') = bytes.get(self.at) {
            self.end_line(bytes);
        }
        cells.clear();
        if self.at >= bytes.len() {
            return Ok(false);
        }
        self.started = self.line;
        loop {
            if cells.len() == MOST_COLUMNS {
                return Err(too_wide(self.started).into());
            }
            cells.push(self.cell(bytes)?);
            self.go_on()?;
            match bytes.get(self.at) {
                Some(it) if *it == self.sep => self.at += 1,
                _ => break,
            }
        }
        self.end_line(bytes);
        Ok(true)
    }

    fn end_line(&mut self, bytes: &[u8]) {
        if bytes.get(self.at) == Some(&b'\r') {
            self.at += 1;
            if bytes.get(self.at) != Some(&b'\n') {
                self.line += 1;
                return;
            }
        }
        if bytes.get(self.at) == Some(&b'\n') {
            self.at += 1;
            self.line += 1;
        }
    }

    fn cell(&mut self, bytes: &[u8]) -> Result<Span, TableError> {
        if bytes.get(self.at) == Some(&b'"') {
            return self.quoted(bytes);
        }
        let from = self.at;
        let sep = self.sep;
        let end = bytes[from..].iter().position(|it| *it == sep || *it == b'\n' || *it == b'\r');
        self.at = end.map_or(bytes.len(), |it| from + it);
        Ok(Span { from, to: self.at, is_quoted: false })
    }

    fn quoted(&mut self, bytes: &[u8]) -> Result<Span, TableError> {
        let (from, start) = (self.at + 1, self.line);
        self.at = from;
        loop {
            match bytes.get(self.at) {
                None => {
                    let message = format!("line {start}: unclosed quote");
                    return Err(TableError::new(message).help("write `\"\"` for a quote in a cell"));
                }
                Some(b'"') if bytes.get(self.at + 1) == Some(&b'"') => self.at += 2,
                Some(b'"') => break,
                Some(it) => {
                    self.line += usize::from(*it == b'\n');
                    self.at += 1;
                }
            }
        }
        let to = self.at;
        self.at += 1;
        match bytes.get(self.at) {
            None | Some(b'\n' | b'\r') => {}
            Some(it) if *it == self.sep => {}
            Some(_) => {
                let message = format!("line {}: text after a closing quote", self.line);
                return Err(TableError::new(message).help("write `\"\"` for a quote in a cell"));
            }
        }
        Ok(Span { from, to, is_quoted: true })
    }

    fn with<R>(&self, cell: Span, then: impl FnOnce(&str) -> R) -> R {
        let text = &self.text[cell.from..cell.to];
        if cell.is_quoted && text.contains('"') {
            then(&text.replace("\"\"", "\""))
        } else {
            then(text)
        }
    }
}

fn too_wide(line: usize) -> TableError {
    TableError::new(format!("line {line}: too many columns (limit {MOST_COLUMNS})"))
        .help("check that the text has line ends, and which sign is between its cells")
}

/// The names of the columns, and the text after them with its line.
#[derive(Clone, Debug)]
pub struct Header {
    pub names: Arc<[Text]>,
    /// Where the rows start, in bytes.
    pub end: usize,
    pub line: usize,
}

/// Reads the first row. Space around a name does not count.
///
/// # Errors
///
/// If there is none, or a name is empty or there twice.
pub fn header(text: &str, sep: u8, stop: &dyn Fn() -> bool) -> Result<Header, CsvError> {
    let mut rows = Rows::new(text, sep, 1, stop);
    let mut cells = Vec::new();
    if !rows.next(&mut cells)? {
        return Err(TableError::new("the table is empty, so it has no header")
            .help("name the columns in the first row")
            .into());
    }
    let line = rows.started;
    let mut names: Vec<Text> = Vec::with_capacity(cells.len());
    let mut seen: HashSet<Text> = HashSet::with_capacity(cells.len());
    for (idx, cell) in cells.iter().enumerate() {
        rows.go_on()?;
        let name: Text = rows.with(*cell, |it| it.trim().into());
        if name.is_empty() {
            let message = format!("line {line}: column {} has no name", idx + 1);
            return Err(TableError::new(message).help("name all columns in the first row").into());
        }
        if !seen.insert(name.clone()) {
            return Err(TableError::new(format!("line {line}: duplicate column `{name}`"))
                .help("give each column a name of its own")
                .into());
        }
        names.push(name);
    }
    Ok(Header { names: names.into(), end: rows.at, line: rows.line })
}

/// Reads a table whose first row names the columns.
pub fn read<T: Other>(text: &str, options: &Options<'_>) -> Result<Table<T>, CsvError> {
    let header = header(text, options.sep, options.stop)?;
    read_rows(&text[header.end..], &header, options)
}

/// Reads rows below a header; `header.line` is the line in which they start.
pub fn read_rows<T: Other>(
    text: &str,
    header: &Header,
    options: &Options<'_>,
) -> Result<Table<T>, CsvError> {
    let mut plans: Vec<Plan<T>> = header.names.iter().map(|it| Plan::new(options, it)).collect();
    guess(text, header, options, &mut plans)?;
    let len = loop {
        let len = pass(text, header, options, &mut plans)?;
        if plans.iter().all(|it| it.state != State::Again) {
            break len;
        }
    };
    let kept = plans.into_iter().zip(header.names.iter());
    let kept = kept.filter(|(plan, _)| plan.wanted != Wanted::Skip);
    let (columns, names): (Vec<Arc<Column<T>>>, Vec<Text>) = kept
        .map(|(plan, name)| {
            (Arc::new(plan.column.unwrap_or_else(|| Column::nulls(len))), name.clone())
        })
        .unzip();
    Ok(Table::new(names.into(), columns, len))
}

/// How far a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It is filled in the current pass.
    Filling,
    /// A cell did not fit, so that another pass is needed.
    Again,
    Done,
}

struct Plan<T> {
    wanted: Wanted,
    /// The kind that fits all cells so far; none if there were only empty ones.
    kind: Option<Kind>,
    /// Whether a cell such as `nan` was seen, which is a number only next to numbers.
    has_special: bool,
    state: State,
    builder: Builder<T>,
    column: Option<Column<T>>,
}

impl<T: Other> Plan<T> {
    fn new(options: &Options<'_>, name: &str) -> Self {
        let wanted = (options.wanted)(name);
        let state = if wanted == Wanted::Skip { State::Done } else { State::Filling };
        let kind = match wanted {
            Wanted::Is(kind) => Some(kind),
            _ => None,
        };
        let builder = Builder::default();
        Self { wanted, kind, has_special: false, state, builder, column: None }
    }

    /// Adds a cell. Whether it fits.
    fn fill(&mut self, text: &str, is_quoted: bool) -> bool {
        let is_text = self.kind == Some(Kind::Text);
        let plain = if is_text { text } else { text.trim() };
        if plain.is_empty() && !(is_quoted && is_text) {
            self.builder.push_null();
            return true;
        }
        match self.kind {
            Some(Kind::Text) => self.builder.push_text(text),
            Some(Kind::Int) if self.wanted != Wanted::Guess => match plain.parse() {
                Ok(it) => self.builder.push(Cell::Int(it)),
                Err(_) => return false,
            },
            Some(Kind::Int) => match int(plain) {
                Some(it) => self.builder.push(Cell::Int(it)),
                None => return false,
            },
            Some(Kind::Float) => match float(plain) {
                Some(it) => self.builder.push(Cell::Float(it)),
                None => return false,
            },
            Some(Kind::Bool) => match boolean(plain) {
                Some(it) => self.builder.push(Cell::Bool(it)),
                None => return false,
            },
            _ => return false,
        }
        true
    }

    /// Quotes say nothing of the kind: some programs write them around every cell.
    fn widen(&mut self, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if is_word(text) {
            self.has_special = true;
            self.kind = self.kind.map(|it| if it.is_number() { Kind::Float } else { Kind::Text });
            return;
        }
        let found = kind_of(text);
        self.kind = Some(match (self.kind, found) {
            (None, found) if !self.has_special => found,
            (None, found) => {
                if found.is_number() {
                    Kind::Float
                } else {
                    Kind::Text
                }
            }
            (Some(kind), found) if kind == found => kind,
            (Some(Kind::Int | Kind::Float), Kind::Int | Kind::Float) => Kind::Float,
            _ => Kind::Text,
        });
    }
}

/// The rows from which kinds are guessed at first.
const SAMPLE: usize = 256;

fn guess<T: Other>(
    text: &str,
    header: &Header,
    options: &Options<'_>,
    plans: &mut [Plan<T>],
) -> Result<(), CsvError> {
    let mut rows = Rows::new(text, options.sep, header.line, options.stop);
    let mut cells = Vec::new();
    for _ in 0..SAMPLE {
        if !rows.next(&mut cells)? {
            break;
        }
        for (plan, cell) in plans.iter_mut().zip(&cells) {
            if plan.wanted == Wanted::Guess {
                rows.with(*cell, |it| plan.widen(it));
            }
        }
    }
    Ok(())
}

/// Goes through all rows once, and fills the columns that are not done.
fn pass<T: Other>(
    text: &str,
    header: &Header,
    options: &Options<'_>,
    plans: &mut [Plan<T>],
) -> Result<usize, CsvError> {
    if (options.stop)() {
        return Err(CsvError::Stopped);
    }
    for plan in plans.iter_mut().filter(|it| it.state == State::Again) {
        (plan.state, plan.builder) = (State::Filling, Builder::default());
    }
    let mut rows = Rows::new(text, options.sep, header.line, options.stop);
    let mut cells = Vec::with_capacity(plans.len());
    let mut len = 0;
    while rows.next(&mut cells)? {
        if len == options.most {
            return Err(CsvError::TooLong);
        }
        if cells.len() != plans.len() {
            return Err(ragged(rows.started, plans.len(), cells.len()).into());
        }
        for (idx, (plan, cell)) in plans.iter_mut().zip(&cells).enumerate() {
            if plan.state != State::Filling {
                if plan.state == State::Again {
                    rows.with(*cell, |it| plan.widen(it));
                }
                continue;
            }
            let fits = rows.with(*cell, |it| plan.fill(it, cell.is_quoted));
            if !fits && plan.wanted != Wanted::Guess {
                let name = &header.names[idx];
                return Err(rows
                    .with(*cell, |it| misfit(rows.started, name, plan.kind, it))
                    .into());
            }
            if !fits {
                rows.with(*cell, |it| plan.widen(it));
                plan.state = State::Again;
            }
        }
        len += 1;
    }
    for plan in plans.iter_mut().filter(|it| it.state == State::Again) {
        // No number was found next to its words.
        plan.kind.get_or_insert(Kind::Text);
    }
    for plan in plans.iter_mut().filter(|it| it.state == State::Filling) {
        plan.column = Some(std::mem::take(&mut plan.builder).finish());
        plan.state = State::Done;
    }
    Ok(len)
}

fn ragged(line: usize, expected: usize, found: usize) -> TableError {
    TableError::new(format!("line {line}: expected {expected} cells, found {found}"))
        .help("quote cells that contain the separator, or fix the line")
}

fn misfit(line: usize, name: &str, kind: Option<Kind>, found: &str) -> TableError {
    let wanted = kind.map_or("a value", Kind::name);
    let found: String = found.chars().take(40).collect();
    TableError::new(format!("line {line}: column `{name}`: expected {wanted}, found {found:?}"))
}

/// The narrowest kind of a cell that is not empty.
fn kind_of(text: &str) -> Kind {
    if int(text).is_some() {
        Kind::Int
    } else if float(text).is_some() {
        Kind::Float
    } else if boolean(text).is_some() {
        Kind::Bool
    } else {
        Kind::Text
    }
}

/// A whole number. With zeros in front it is a code such as `007`, and no number.
fn int(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
    match digits {
        [] | [b'0', _, ..] => return None,
        _ => {}
    }
    if digits.len() > 18 {
        // Near the end of the range, the library decides.
        return digits.iter().all(u8::is_ascii_digit).then(|| text.parse().ok()).flatten();
    }
    let mut number = 0_i64;
    for it in digits {
        if !it.is_ascii_digit() {
            return None;
        }
        number = number * 10 + i64::from(it - b'0');
    }
    Some(if digits.len() < bytes.len() { -number } else { number })
}

/// What is not a finite number, as other programs and this crate write it: `NaN`, `inf`, `-Infinity`.
fn special(text: &str) -> Option<f64> {
    let (sign, name) = match text.as_bytes() {
        [b'-', ..] => (-1.0, &text[1..]),
        [b'+', ..] => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    let is = |word: &str| name.eq_ignore_ascii_case(word);
    if is("nan") {
        Some(f64::NAN)
    } else if is("inf") || is("infinity") {
        Some(sign * f64::INFINITY)
    } else {
        None
    }
}

/// Whether this is a number only if others are around it: in a column of texts, `Nan` is a name. What this crate
/// writes, `NaN` and `inf`, is one in any case.
fn is_word(text: &str) -> bool {
    !matches!(text, "NaN" | "inf" | "-inf") && special(text).is_some()
}

/// A number in digits, or what is not a finite one.
fn float(text: &str) -> Option<f64> {
    if text.ends_with(['n', 'N', 'f', 'F', 'y', 'Y']) {
        return special(text);
    }
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let is_number = match digits {
        [b'0', second, ..] => !second.is_ascii_digit(),
        [first, ..] => first.is_ascii_digit() || *first == b'.',
        [] => false,
    };
    // A whole number of more digits than an int has is a code that must keep them all.
    let is_code = digits.len() > 18 && digits.iter().all(u8::is_ascii_digit);
    if !is_number || is_code {
        return None;
    }
    text.parse().ok().filter(|it: &f64| it.is_finite())
}

fn boolean(text: &str) -> Option<bool> {
    if text.eq_ignore_ascii_case("true") {
        Some(true)
    } else if text.eq_ignore_ascii_case("false") {
        Some(false)
    } else {
        None
    }
}

/// The bytes up to the end of the last whole row, if `bytes` starts at a row: the rest of them may
/// be a part of one.
pub fn whole_rows(bytes: &[u8]) -> usize {
    let (mut is_open, mut end) = (false, 0);
    for (idx, it) in bytes.iter().enumerate() {
        match it {
            b'"' => is_open = !is_open,
            b'\n' if !is_open => end = idx + 1,
            _ => {}
        }
    }
    end
}

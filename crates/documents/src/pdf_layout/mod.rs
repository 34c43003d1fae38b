//! The tables of PDFs: by the lines around their cells, and where there are none by the gaps between
//! their columns.

mod columns;
mod content;
mod fonts;
mod grid;
mod lines;
mod paths;
mod places;

use std::panic::{AssertUnwindSafe, catch_unwind};

use svc_contract::{host::Host, value::Value};

use crate::{
    Unreadable, pdf,
    pdf_parts::{int, range_of, ranges_of},
    worker,
};

/// The size limit of the tables of a PDF, in bytes: one cell may stand in many places.
const LARGEST_ANSWER: usize = 64 << 20;

/// The rules by which a table without lines is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PdfTableRules {
    /// The maximum distance of two lines of a table, for a font of size 1.
    pub line_gap: f64,
    /// The minimum distance of two columns, in widths of a space.
    pub column_gap: f64,
}

impl Default for PdfTableRules {
    fn default() -> Self {
        Self { line_gap: 1.2, column_gap: 2.0 }
    }
}

/// A table of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct PdfTable {
    pub page: i64,
    /// Its rows, each with the same number of texts.
    pub rows: Vec<Vec<String>>,
}

/// The tables of pages.
#[derive(Clone, Debug, PartialEq)]
pub struct PdfTables {
    /// How many pages the PDF has.
    pub count: i64,
    pub tables: Vec<PdfTable>,
    /// Why pages were skipped.
    pub notices: Vec<String>,
}

/// Reads the tables of the pages in these ranges of numbers, or of all, in a worker.
pub fn pdf_tables(
    content: &[u8],
    ranges: &[(i64, i64)],
    rules: PdfTableRules,
    host: &dyn Host,
    is_stopped: &dyn Fn() -> bool,
) -> Result<PdfTables, Unreadable> {
    let rules = vec![Value::Float(rules.line_gap), Value::Float(rules.column_gap)];
    let wanted = Value::from(vec![ranges_of(ranges), rules.into()]);
    let found = worker::read_value(worker::Reader::PdfTables, content, &wanted, host, is_stopped)?;
    tables_of(&found).ok_or_else(worker::invalid_answer)
}

/// Reads the answer of a worker, which may be compromised.
fn tables_of(found: &Value) -> Option<PdfTables> {
    let found = found.as_list()?;
    let row = |it: &Value| {
        let cells = it.as_list()?.iter().map(|it| it.as_str().map(str::to_owned));
        cells.collect::<Option<Vec<_>>>()
    };
    let table = |it: &Value| {
        let it = it.as_list()?;
        let rows = it.get(1)?.as_list()?.iter().map(row).collect::<Option<Vec<_>>>()?;
        Some(PdfTable { page: int(it.get(0)?)?, rows })
    };
    Some(PdfTables {
        count: int(found.get(0)?)?,
        tables: found.get(1)?.as_list()?.iter().map(table).collect::<Option<_>>()?,
        notices: row(found.get(2)?)?,
    })
}

/// Reads tables. See `pdf::in_process`: call this in a worker only.
pub(super) fn in_process(content: &[u8], wanted: &Value) -> Result<Value, Unreadable> {
    let wanted = wanted.as_list();
    let part = |at: usize| wanted.and_then(|it| it.get(at)).cloned().unwrap_or_default();
    let ranges: Vec<_> = part(0).as_list().into_iter().flatten().filter_map(range_of).collect();
    let rule = |at: usize, other: f64| match part(1).as_list().and_then(|it| it.get(at)) {
        Some(Value::Float(it)) if it.is_finite() => *it,
        _ => other,
    };
    let other = PdfTableRules::default();
    let (line_gap, column_gap) = (rule(0, other.line_gap), rule(1, other.column_gap));
    let rules = PdfTableRules { line_gap, column_gap };
    let read = catch_unwind(AssertUnwindSafe(|| tables(content, &ranges, rules)));
    let damaged = || Err(Unreadable::Damaged("it is too damaged to be read".to_owned()));
    read.unwrap_or_else(|_| damaged())
}

fn tables(
    content: &[u8],
    ranges: &[(i64, i64)],
    rules: PdfTableRules,
) -> Result<Value, Unreadable> {
    let file = pdf::open(content)?;
    let mut fonts = fonts::Fonts::of(&file);
    let (mut tables, mut notices, mut size, mut last) = (Vec::new(), Vec::new(), 0_usize, 0);
    for (number, page) in (1_i64..).zip(file.page_iter()) {
        last = number;
        let is_wanted = |(first, last): &(i64, i64)| (*first..=*last).contains(&number);
        if !ranges.is_empty() && !ranges.iter().any(is_wanted) {
            continue;
        }
        let shown = match content::shown(&file, page, &mut fonts) {
            Ok(shown) => shown,
            Err(err) => {
                notices.push(Value::from(format!("page {number} was skipped: {err}")));
                continue;
            }
        };
        for rows in of_page(shown, rules) {
            size += rows.iter().flatten().map(|it| it.len() + 32).sum::<usize>();
            if size > LARGEST_ANSWER {
                return Err(Unreadable::Damaged("its tables are too large".to_owned()));
            }
            let row =
                |it: Vec<String>| Value::from(it.into_iter().map(Value::from).collect::<Vec<_>>());
            let rows = rows.into_iter().map(row).collect::<Vec<_>>();
            tables.push(Value::from(vec![Value::Int(number), rows.into()]));
        }
    }
    Ok(Value::from(vec![Value::Int(last), tables.into(), notices.into()]))
}

/// The tables of a page from top to bottom.
fn of_page(shown: content::Shown, rules: PdfTableRules) -> Vec<Vec<Vec<String>>> {
    let mut words = shown.words;
    words.sort_by(|a, b| b.base.total_cmp(&a.base).then(a.left.total_cmp(&b.left)));
    words.dedup_by(|next, it| {
        let is_there = |it: f64, other: f64| (it - other).abs() < 0.5;
        next.text == it.text && is_there(next.left, it.left) && is_there(next.base, it.base)
    });
    let mut found = lines::tables(shown.vertical, shown.horizontal, &mut words);
    found.extend(columns::tables(words, rules));
    found.sort_by(|a, b| b.top.total_cmp(&a.top).then(a.left.total_cmp(&b.left)));
    found.into_iter().map(|it| it.rows).collect()
}

/// A table on a page.
struct Placed {
    top: f64,
    left: f64,
    rows: Vec<Vec<String>>,
}

/// Joins the words of a cell, line by line.
fn joined(mut words: Vec<&places::Word>) -> String {
    words.sort_by(|a, b| b.base.total_cmp(&a.base));
    let mut lines: Vec<(f64, Vec<&places::Word>)> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some((base, line)) if *base - word.base < word.size * 0.4 => line.push(word),
            _ => lines.push((word.base, vec![word])),
        }
    }
    let mut text = String::new();
    for (_, mut line) in lines {
        line.sort_by(|a, b| a.left.total_cmp(&b.left));
        for word in line {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&word.text);
        }
    }
    text
}

/// Removes rows and columns without text.
fn without_empty(mut rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    rows.retain(|row| row.iter().any(|it| !it.is_empty()));
    let width = rows.first().map_or(0, Vec::len);
    let is_kept: Vec<bool> =
        (0..width).map(|column| rows.iter().any(|row| !row[column].is_empty())).collect();
    for row in &mut rows {
        let mut kept = is_kept.iter();
        row.retain(|_| kept.next().is_some_and(|it| *it));
    }
    rows
}

#[cfg(test)]
mod tests;

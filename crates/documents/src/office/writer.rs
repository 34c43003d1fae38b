//! The text of a document, piece by piece, with its headings and tables.

use svc_contract::value::{Type, Value};
use svc_text::pages;

use super::super::{LARGEST_FILE, Unreadable};

/// A heading of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// From 1, the outermost.
    pub level: i64,
    pub text: String,
}

/// A table of a document: its rows of cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub name: String,
    pub rows: Vec<Vec<Value>>,
}

/// Collects the content of a document in its order.
#[derive(Default)]
pub(crate) struct Writer {
    pub(super) text: String,
    pub(super) headings: Vec<Heading>,
    pub(super) tables: Vec<Table>,
    /// Whether the text ends with the end of a page.
    is_new_page: bool,
}

impl Writer {
    pub(crate) fn paragraph(&mut self, text: &str) -> Result<(), Unreadable> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(());
        }
        if !self.text.is_empty() && !self.is_new_page {
            self.text.push_str("\n\n");
        }
        self.is_new_page = false;
        self.text.push_str(text);
        self.check()
    }

    pub(crate) fn heading(&mut self, level: i64, text: &str) -> Result<(), Unreadable> {
        let line = one_line(text);
        if !line.is_empty() {
            self.headings.push(Heading { level, text: line });
        }
        self.paragraph(text)
    }

    /// Writes a table with a line for each row and a tab between cells.
    pub(crate) fn table(&mut self, name: &str, rows: Vec<Vec<String>>) -> Result<(), Unreadable> {
        let lines: Vec<String> = rows
            .iter()
            .map(|row| {
                let cells: Vec<String> = row.iter().map(|it| one_line(it)).collect();
                cells.join("\t").trim_end().to_owned()
            })
            .filter(|it| !it.is_empty())
            .collect();
        if lines.is_empty() {
            return Ok(());
        }
        let name = match name {
            "" => format!("Table {}", self.tables.len() + 1),
            name => name.to_owned(),
        };
        let cells = |row: Vec<String>| row.into_iter().map(|it| it.trim().into()).collect();
        self.tables.push(Table { name, rows: rows.into_iter().map(cells).collect() });
        self.paragraph(&lines.join("\n"))
    }

    /// Writes the cells of a sheet like a table.
    pub(crate) fn sheet(&mut self, name: &str, rows: Vec<Vec<Value>>) -> Result<(), Unreadable> {
        if rows.is_empty() {
            return Ok(());
        }
        let shown = |it: &Value| match it {
            Value::Null => String::new(),
            Value::Text(it) => one_line(it),
            other => {
                let text = other.clone().of_cell(&Type::Text).unwrap_or(Value::Null);
                text.as_str().unwrap_or_default().to_owned()
            }
        };
        let line = |row: &Vec<Value>| row.iter().map(shown).collect::<Vec<_>>().join("\t");
        let lines: Vec<String> = rows.iter().map(|it| line(it).trim_end().to_owned()).collect();
        self.tables.push(Table { name: name.to_owned(), rows });
        self.paragraph(&lines.join("\n"))
    }

    /// Ends the page.
    pub(crate) fn page_break(&mut self) -> Result<(), Unreadable> {
        self.text.push_str(pages::BREAK);
        self.is_new_page = true;
        self.check()
    }

    /// Whether nothing was written since the last page ended.
    pub(crate) fn is_at_page_start(&self) -> bool {
        self.is_new_page
    }

    fn check(&self) -> Result<(), Unreadable> {
        if self.text.len() as u64 > LARGEST_FILE {
            return Err(Unreadable::Damaged("its content is too large".to_owned()));
        }
        Ok(())
    }
}

pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The table that is being read. A table in a cell is text of that cell.
#[derive(Default)]
pub(super) struct Grid {
    depth: usize,
    name: String,
    rows: Vec<Vec<String>>,
}

impl Grid {
    pub(crate) fn is_open(&self) -> bool {
        self.depth > 0
    }

    pub(crate) fn open(&mut self, name: String) {
        self.depth += 1;
        if self.depth == 1 {
            self.name = name;
            self.rows.clear();
        }
    }

    pub(crate) fn row(&mut self) {
        if self.depth == 1 {
            self.rows.push(Vec::new());
        }
    }

    pub(crate) fn cell(&mut self) {
        if self.depth == 1
            && let Some(row) = self.rows.last_mut()
        {
            row.push(String::new());
        }
    }

    pub(crate) fn add(&mut self, text: &str) {
        let text = text.trim();
        let Some(cell) = self.rows.last_mut().and_then(|it| it.last_mut()) else { return };
        if !cell.is_empty() && !text.is_empty() {
            cell.push('\n');
        }
        cell.push_str(text);
    }

    /// Ends a table, and writes it if it is the outermost one.
    pub(crate) fn close(&mut self, writer: &mut Writer) -> Result<(), Unreadable> {
        self.depth = self.depth.saturating_sub(1);
        if self.depth > 0 {
            return Ok(());
        }
        let (name, rows) = (std::mem::take(&mut self.name), std::mem::take(&mut self.rows));
        writer.table(&name, rows)
    }
}

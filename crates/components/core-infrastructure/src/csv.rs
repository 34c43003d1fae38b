//! Reads tables in CSV.

use svc_contract::{
    registry::{
        Bias, Component, Compute, Cx, ErrorKind, Example, Max, Op, OpError, Scheme, compute, params,
    },
    value::{Text, Value, memory},
};

use super::test_list_len;

pub(super) const COMPONENT: Component = Component {
    name: "csv",
    cluster: "core-infrastructure",
    summary: "Reads tables in CSV and similar formats.",
    version: 1,
    bias: Bias::new(
        "RFC 4180, read leniently",
        &[
            "cells with separators stand in double quotes",
            "empty lines carry no data",
            "the first row is a row like the others",
        ],
    ),
    aliases: &[("parse_csv", "parse")],
    ops: &[compute::<Parse>()],
};

params! {
    /// Reads a table in CSV (RFC 4180): a list of rows, each a list of cells.
    ///
    /// A cell in double quotes may contain separators and line ends, and `""` for a quote; a quote
    /// in a cell that does not start with a quote is an ordinary character. Cells are returned
    /// unchanged, including the space around them. Empty lines are skipped. Rows may have different
    /// numbers of cells, and the first row is a row like the others.
    struct Parse {
        /// The table.
        text: Text,
        /// The character between cells, for example `,`, `;` or a tab.
        sep: Text = ",".into(),
    }
}

impl Op for Parse {
    const NAME: &'static str = "parse";
    const YIELDS: Scheme = Scheme::List(&Scheme::List(&Scheme::Text, Max::Unknown), Max::Unknown);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "read a csv table",
        "parse comma-separated rows",
        "rows and cells of a spreadsheet export",
        "tab-separated values",
        "table with semicolons between the columns",
        "split csv lines with quoted cells",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A cell with a comma",
            r#""name,town\n\"Doe, Ann\",Oslo" >> parse_csv"#,
            r#"[["name","town"],["Doe, Ann","Oslo"]]"#,
        ),
        Example::ok("Tabs", r#""a\tb" >> parse_csv(sep: "\t")"#, r#"[["a","b"]]"#),
        Example::err("An open quote", r#"'a,"b' >> parse_csv"#, "unclosed quote in line 1"),
    ];
}

impl Compute for Parse {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let mut letters = self.sep.chars();
        let (Some(sep), None) = (letters.next(), letters.next()) else {
            let message = format!("expected one character for `sep`, found `{}`", self.sep);
            return Err(OpError::invalid_input(message));
        };
        if matches!(sep, '"' | '\n' | '\r') {
            let message = "`sep` cannot be a quote or a line end";
            return Err(OpError::invalid_input(message));
        }
        // Editors on Windows start a file with this mark.
        let text = self.text.strip_prefix('\u{feff}').unwrap_or(&self.text);
        let mut reader = Reader { rest: text, line: 1, sep };
        let mut rows = Vec::new();
        while let Some(row) = reader.row()? {
            if rows.len().is_multiple_of(ROWS_BETWEEN_CHECKS) {
                cx.check()?;
                test_list_len(rows.len() + 1)?;
            }
            rows.push(Value::List(row.into_iter().map(Value::from).collect()));
        }
        Ok(Value::List(rows.into()))
    }
}

const ROWS_BETWEEN_CHECKS: usize = 1_000;

/// The rest of a table.
struct Reader<'a> {
    rest: &'a str,
    line: usize,
    sep: char,
}

impl Reader<'_> {
    /// The next non-empty row.
    fn row(&mut self) -> Result<Option<Vec<String>>, OpError> {
        while self.line_end() {}
        if self.rest.is_empty() {
            return Ok(None);
        }
        let mut row = Vec::new();
        loop {
            let cell = self.cell()?;
            memory::make(cell.len() + size_of::<Value>())?;
            row.push(cell);
            match self.rest.strip_prefix(self.sep) {
                Some(rest) => self.rest = rest,
                None => break,
            }
        }
        self.line_end();
        Ok(Some(row))
    }

    fn line_end(&mut self) -> bool {
        let rest = self.rest.strip_prefix('\r').unwrap_or(self.rest);
        let after = rest.strip_prefix('\n').or((rest.len() < self.rest.len()).then_some(rest));
        if let Some(after) = after {
            self.rest = after;
            self.line += 1;
        }
        after.is_some()
    }

    fn cell(&mut self) -> Result<String, OpError> {
        let quoted = match self.rest.strip_prefix('"') {
            Some(rest) => {
                self.rest = rest;
                self.quoted()?
            }
            None => String::new(),
        };
        // Text after the closing quote belongs to the cell.
        let end = self.rest.find([self.sep, '\n', '\r']).unwrap_or(self.rest.len());
        let (plain, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(quoted + plain)
    }

    /// The text up to the closing quote.
    fn quoted(&mut self) -> Result<String, OpError> {
        let (mut cell, start) = (String::new(), self.line);
        loop {
            let Some((before, rest)) = self.rest.split_once('"') else {
                let message = format!("unclosed quote in line {start}");
                return Err(
                    OpError::invalid_input(message).help("write `\"\"` for a quote in a cell")
                );
            };
            cell.push_str(before);
            self.line += before.matches('\n').count();
            match rest.strip_prefix('"') {
                Some(rest) => {
                    cell.push('"');
                    self.rest = rest;
                }
                None => {
                    self.rest = rest;
                    return Ok(cell);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<Vec<String>> {
        let mut reader = Reader { rest: text, line: 1, sep: ',' };
        std::iter::from_fn(|| reader.row().unwrap()).collect()
    }

    #[test]
    fn quotes_hold_anything() {
        assert_eq!(rows("\"a,\"\"b\"\"\r\nc\",d"), [["a,\"b\"\r\nc", "d"]]);
        assert_eq!(rows("5\" pipe,\"x\"y"), [["5\" pipe", "xy"]]);
        assert_eq!(rows("\"\",\"\"\n"), [["", ""]]);
    }

    #[test]
    fn lines_end_in_every_way() {
        assert_eq!(rows("a\nb\r\nc\rd"), [["a"], ["b"], ["c"], ["d"]]);
        assert_eq!(rows("\n\na\n\n\nb\n\n"), [["a"], ["b"]]);
        assert_eq!(rows(""), Vec::<Vec<String>>::new());
        assert_eq!(rows(",\n"), [["", ""]]);
    }

    #[test]
    fn an_open_quote_is_reported_with_its_line() {
        let mut reader = Reader { rest: "a\n\"b\nc\",d\n\"e\n", line: 1, sep: ',' };
        let err = std::iter::from_fn(|| reader.row().transpose()).find_map(Result::err);
        assert!(err.unwrap().message.contains("unclosed quote in line 4"));
    }
}

//! Writes tables as CSV and Markdown.

use std::fmt::{self, Write as _};

use svc_contract::{
    registry::{CheckCall, ErrorKind, Example, Inline, Op, OpError, Scheme, params},
    value::{BoundedText, Text, Value, arithmetic::LONGEST_TEXT},
};

use super::{super::written, separator, table::Rows};

params! {
    /// Writes a list of records, or of lists of cells, as CSV (RFC 4180), with `\n` after each row.
    ///
    /// The columns of records are their fields, in the order of their first occurrence; a row
    /// without one of them has an empty cell. Null is an empty cell, units are written as the
    /// language writes them, lists and records as JSON. Cells are quoted where that is needed, so
    /// `parse_csv` returns the same cells. Fails if the result would be larger than 256 MiB.
    pub(super) struct Write {
        /// The rows.
        rows: Rows,
        /// The character between cells, for example `,`, `;` or a tab.
        sep: Text = ",".into(),
        /// Whether the first row has the names of the fields.
        header: bool = true,
    }
}

impl Op for Write {
    const NAME: &'static str = "write";
    const YIELDS: Scheme = Scheme::Text;
    const CHECK: Option<CheckCall> = Some(|call| call.test("sep", |it: Text| separator(&it)));
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "write records as csv",
        "export a table for a spreadsheet",
        "comma-separated text of a list",
        "make a csv with a header",
        "save rows as tab-separated values",
        "a table in plain text that excel opens",
        "comma-delimited output from an array of objects",
        "dump a table as a .csv",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Records",
            r#"[{ name: "Doe, Ann", age: 31 }, { name: "Bob", age: 40 }] >> to_csv"#,
            r#""name,age\n\"Doe, Ann\",31\nBob,40\n""#,
        ),
        Example::ok("Lists", r#"[["a", "b"]] >> to_csv(sep: ";")"#, r#""a;b\n""#),
        Example::err(
            "Not a table",
            "'[{\"a\": 1}, 2]' >> parse_json >> to_csv",
            "expected a record as row 2, found int",
        ),
    ];
}

impl Inline for Write {
    fn run(self) -> Result<Value, OpError> {
        let sep = separator(&self.sep)?;
        let columns = self.rows.columns()?;
        let names = columns.as_deref();
        let text = written(LONGEST_TEXT, |out| {
            if let Some(names) = names.filter(|_| self.header) {
                row(out, names, sep)?;
            }
            self.rows.cells(names).try_for_each(|it| row(out, &it, sep))
        })?;
        Ok(text.into())
    }
}

fn row(out: &mut BoundedText, cells: &[Text], sep: char) -> fmt::Result {
    for (idx, cell) in cells.iter().enumerate() {
        if idx > 0 {
            out.write_char(sep)?;
        }
        // A single empty cell would be an empty line, which carries no data.
        let is_empty_line = cells.len() == 1 && cell.is_empty();
        if is_empty_line || cell.contains([sep, '"', '\n', '\r', '\u{feff}']) {
            write!(out, "\"{}\"", cell.replace('"', "\"\""))?;
        } else {
            out.write_str(cell)?;
        }
    }
    out.write_char('\n')
}

params! {
    /// Writes a list of records, or of lists of cells, as a table in Markdown.
    ///
    /// The columns of records are their fields, in the order of their first occurrence; of lists,
    /// the first row is the header. Columns of numbers and units are aligned on the right. Null is
    /// an empty cell, `|` is escaped and a line end is `<br>`. An empty list is the empty string.
    /// Fails if the result would be larger than 256 MiB.
    pub(super) struct Markdown {
        /// The rows.
        rows: Rows,
    }
}

impl Op for Markdown {
    const NAME: &'static str = "markdown";
    const YIELDS: Scheme = Scheme::Text;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "show records as a markdown table",
        "table for a report or readme",
        "format rows with columns for people",
        "pretty table of the results",
        "rows as a table with pipes, for github",
        "ascii table for people",
        "show a nice grid",
        "tabulate",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Records",
            r#"[{ name: "Ann", age: 31 }] >> to_markdown"#,
            r#""| name | age |\n| --- | ---: |\n| Ann | 31 |\n""#,
        ),
        Example::err(
            "Not a table",
            "'[{\"a\": 1}, 2]' >> parse_json >> to_markdown",
            "expected a record as row 2, found int",
        ),
    ];
}

impl Inline for Markdown {
    fn run(self) -> Result<Value, OpError> {
        let columns = self.rows.columns()?;
        let mut rows = self.rows.cells(columns.as_deref());
        let Some(header) = columns.clone().or_else(|| rows.next()) else {
            return Ok("".into());
        };
        let rules: Vec<Text> = header
            .iter()
            .map(|it| if columns.is_some() && self.is_amounts(it) { "---:" } else { "---" }.into())
            .collect();
        let text = written(LONGEST_TEXT, |out| {
            line(out, &header, header.len())?;
            line(out, &rules, header.len())?;
            rows.try_for_each(|it| line(out, &it, header.len()))
        })?;
        Ok(text.into())
    }
}

impl Markdown {
    /// Whether a column has numbers or units, and nothing else.
    fn is_amounts(&self, column: &str) -> bool {
        let is_amount = |it: &&Value| {
            matches!(
                it,
                Value::Int(_)
                    | Value::Float(_)
                    | Value::Money(_)
                    | Value::Size(_)
                    | Value::Duration(_)
            )
        };
        let mut values = self.rows.values(column).filter(|it| !it.is_null()).peekable();
        values.peek().is_some() && values.all(|it| is_amount(&it))
    }
}

fn line(out: &mut BoundedText, cells: &[Text], width: usize) -> fmt::Result {
    out.write_char('|')?;
    for idx in 0..width.max(cells.len()) {
        let cell = cells.get(idx).map(AsRef::as_ref).unwrap_or_default();
        let cell = cell.replace("\r\n", "<br>").replace(['\r', '\n'], "<br>").replace('|', "\\|");
        write!(out, " {cell} |")?;
    }
    out.write_char('\n')
}

#[cfg(test)]
mod tests {
    use crate::testing::{World, call, fails, gives, list};

    use super::{super::read::Parse, *};

    #[test]
    fn every_field_has_a_column() {
        gives::<Write>(
            r#"[[{"a": 1, "b": null}, {"c": [1, {"x": 2}], "a": true}]]"#,
            r#""a,b,c\n1,,\ntrue,,\"[1,{\"\"x\"\":2}]\"\n""#,
        );
        gives::<Write>("[[]]", r#""""#);
        gives::<Write>(r#"[[{"a": ""}], ",", false]"#, r#""\"\"\n""#);
        assert_eq!(
            fails::<Write>(r#"[[["a"], {"a": 1}]]"#).message,
            "expected a list of cells as row 2, found record"
        );
        assert!(fails::<Write>(r#"[[], "ab"]"#).message.contains("one character"));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let cells = r#"[[["a,b", "\"q\"", "x\r\ny", " z ", "", "\ufeff"], [""], ["é;'", "\t"]]]"#;
        for sep in [",", ";", "\t", "é"] {
            let rows = list(cells).remove(0);
            let text = call::<Write>(vec![rows.clone(), sep.into(), true.into()]).unwrap();
            let again = World::default().call::<Parse>(vec![text, sep.into()]).unwrap();
            assert_eq!(again, rows);
        }
    }

    #[test]
    fn tables_in_markdown_stay_tables() {
        gives::<Markdown>(
            r#"[[{"a|b": "x|y\nz", "n": 1.5}, {"n": null}]]"#,
            r#""| a\\|b | n |\n| --- | ---: |\n| x\\|y<br>z | 1.5 |\n|  |  |\n""#,
        );
        gives::<Markdown>(r#"[[["h"], [1]]]"#, r#""| h |\n| --- |\n| 1 |\n""#);
        gives::<Markdown>("[[]]", r#""""#);
    }
}

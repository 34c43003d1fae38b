//! Reads CSV.

use svc_contract::{
    registry::{
        CheckCall, Compute, Cx, ErrorKind, Example, Generic, Max, Op, OpError, Scheme, params,
    },
    value::{Columns, Text, Type, Value, memory},
};

use super::{super::test_list_len, separator};

params! {
    /// Reads a table in CSV (RFC 4180): a list of rows, each a list of cells.
    ///
    /// A cell in double quotes may contain separators and line ends, and `""` for a quote; a quote
    /// in a cell that does not start with a quote is an ordinary character. Cells are returned
    /// unchanged, including the space around them. Empty lines are skipped. Rows may have different
    /// numbers of cells, and the first row is a row like the others.
    ///
    /// `parse_csv<Row>` returns a list of `Row`, a record type. The first row then names the
    /// columns, which may stand in any order; columns that are not fields are left out. The cells are
    /// converted to the types of the fields: numbers, booleans, units, choices, and null for an
    /// empty cell of an optional field. With `header: false`, the cells of a row are the fields in
    /// their order. `parse_csv<json>` returns records of all columns as strings. A missing column, a
    /// cell that cannot be converted, and a row with more cells than columns are errors of kind
    /// `invalid_input` with line and column.
    pub(super) struct Parse {
        /// The table.
        text: Text,
        /// The character between cells, for example `,`, `;` or a tab.
        sep: Text = ",".into(),
        /// Whether the first row names the columns; by default if a type is given.
        header: Option<bool> = None,
    }
}

impl Op for Parse {
    const NAME: &'static str = "parse";
    const YIELDS: Scheme = Scheme::List(&Scheme::List(&Scheme::Text, Max::Unknown), Max::Unknown);
    const CHECK: Option<CheckCall> = Some(|call| call.test("sep", |it: Text| separator(&it)));
    const GENERIC: Generic = Generic::Rows;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "read a csv table",
        "parse comma-separated rows",
        "rows and cells of a spreadsheet export",
        "tab-separated values",
        "table with semicolons between the columns",
        "split csv lines with quoted cells",
        "typed records from a csv file with a header",
        "delimited text from excel into rows",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A cell with a comma",
            r#""name,town\n\"Doe, Ann\",Oslo" >> parse_csv"#,
            r#"[["name","town"],["Doe, Ann","Oslo"]]"#,
        ),
        Example::ok("Tabs", r#""a\tb" >> parse_csv(sep: "\t")"#, r#"[["a","b"]]"#),
        Example::ok(
            "Typed records",
            r#"type Item = { name: string, price: money, stock: int? }
"stock,name,price\n3,pear,$0.50\n,fig,$2" >> parse_csv<Item>"#,
            r#"[{"name":"pear","price":"$0.50","stock":3},{"name":"fig","price":"$2.00","stock":null}]"#,
        ),
        Example::err("An open quote", r#"'a,"b' >> parse_csv"#, "unclosed quote in line 1"),
        Example::err(
            "Not a number",
            r#""name,age\nAnn,old" >> parse_csv<{ name: string, age: int }>()"#,
            "line 2: column `age`: expected int, found \"old\"",
        ),
    ];
}

impl Compute for Parse {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let sep = separator(&self.sep)?;
        // Editors on Windows start a file with this mark.
        let text = self.text.strip_prefix('\u{feff}').unwrap_or(&self.text);
        let mut reader = Reader { rest: text, line: 1, started: 1, sep };
        let kind = match cx.wanted() {
            Some(ty) => Kind::of(ty, self.header, &mut reader)?,
            None if self.header == Some(true) => return Err(untyped_header()),
            None => Kind::Cells,
        };
        let mut rows = Vec::new();
        while let Some(row) = reader.row()? {
            if rows.len().is_multiple_of(ROWS_BETWEEN_CHECKS) {
                cx.check()?;
                test_list_len(rows.len() + 1)?;
            }
            rows.push(kind.row(row, reader.started)?);
        }
        Ok(Value::List(rows.into()))
    }
}

/// What a row becomes.
enum Kind {
    Cells,
    Records(Columns),
}

impl Kind {
    /// Records of `ty`; the first row is taken as the header.
    fn of(ty: &Type, header: Option<bool>, reader: &mut Reader<'_>) -> Result<Self, OpError> {
        if header == Some(false) {
            return Columns::in_order(ty).map(Self::Records).map_err(OpError::invalid_input);
        }
        let Some(header) = reader.row()? else {
            let message = "the table is empty, so it has no header";
            return Err(OpError::invalid_input(message));
        };
        let header: Vec<Text> = header.into_iter().map(Text::from).collect();
        Columns::named(&header, ty).map(Self::Records).map_err(|why| {
            let line = reader.started;
            let help = "name the columns in the first row; `sep` is the character between cells";
            OpError::invalid_input(format!("line {line}: {why}")).help(help)
        })
    }

    fn row(&self, cells: Vec<String>, line: usize) -> Result<Value, OpError> {
        let cells: Vec<Value> = cells.into_iter().map(Value::from).collect();
        match self {
            Self::Cells => Ok(Value::from(cells)),
            Self::Records(columns) => columns
                .record(&cells)
                .map_err(|why| OpError::invalid_input(format!("line {line}: {why}"))),
        }
    }
}

fn untyped_header() -> OpError {
    OpError::invalid_input("`header: true` needs a type for the rows")
        .help("write `parse_csv<Row>` with a record type, or `parse_csv<json>`")
}

const ROWS_BETWEEN_CHECKS: usize = 1_000;

/// The rest of a table.
struct Reader<'a> {
    rest: &'a str,
    line: usize,
    /// The line in which the last row started.
    started: usize,
    sep: char,
}

impl Reader<'_> {
    /// The next non-empty row.
    fn row(&mut self) -> Result<Option<Vec<String>>, OpError> {
        while self.line_end() {}
        if self.rest.is_empty() {
            return Ok(None);
        }
        self.started = self.line;
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
    use svc_contract::value::json;

    use crate::testing::World;

    use super::*;

    fn rows(text: &str) -> Vec<Vec<String>> {
        let mut reader = Reader { rest: text, line: 1, started: 1, sep: ',' };
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

    fn typed(text: &str, header: Option<bool>) -> Result<String, String> {
        let fields = vec![("n".into(), Type::INT), ("s".into(), Type::Text.optional())];
        let cx = World::default().cx().wanting(Some(Type::record(fields)));
        let parse = Parse { text: text.into(), sep: ",".into(), header };
        parse.run(&cx).map(|it| json::write(&it)).map_err(|it| it.message)
    }

    #[test]
    fn records_are_typed_by_the_header() {
        let rows = r#"[{"n":1,"s":"x"},{"n":-2,"s":null}]"#;
        assert_eq!(typed("\u{feff}s,other, n\nx,y, 1\n\n,,-2\n", None).unwrap(), rows);
        assert_eq!(typed("n\n1,,\n", None).unwrap(), r#"[{"n":1,"s":null}]"#);
        assert_eq!(typed("1,x\n-2\n", Some(false)).unwrap(), rows);
        assert_eq!(typed("n,s\n", None).unwrap(), "[]");
    }

    #[test]
    fn a_wrong_table_is_reported_with_its_line() {
        let fails = |text, header| typed(text, header).unwrap_err();
        assert_eq!(fails("", None), "the table is empty, so it has no header");
        assert_eq!(fails("\na;b\n", None), "line 2: missing column `n`, found `a;b`");
        assert_eq!(fails("n,s,n\n", None), "line 1: duplicate column `n` in the header");
        assert_eq!(
            fails("s,n\n\"x\ny\",1\n\"x\ny\",z\n", None),
            "line 4: column `n`: expected int, found \"z\""
        );
        assert_eq!(fails("n,s\n1,x,y\n", None), "line 2: expected 2 cells, found 3");
        assert_eq!(fails("s,n\nx\n", None), "line 2: missing cell of column `n`");
        assert_eq!(fails("n\n1.5", None), "line 2: column `n`: expected int, found \"1.5\"");
        let cx = World::default().cx();
        let parse = Parse { text: "a".into(), sep: ",".into(), header: Some(true) };
        assert!(parse.run(&cx).unwrap_err().help.is_some());
    }

    #[test]
    fn an_open_quote_is_reported_with_its_line() {
        let mut reader = Reader { rest: "a\n\"b\nc\",d\n\"e\n", line: 1, started: 1, sep: ',' };
        let err = std::iter::from_fn(|| reader.row().transpose()).find_map(Result::err);
        assert!(err.unwrap().message.contains("unclosed quote in line 4"));
    }
}

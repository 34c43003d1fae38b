//! The tables of a PDF.

use svc_contract::{
    registry::{
        CheckCall, Compute, Cx, Effect, ErrorKind, Example, Field, Max, Op, OpError, Scheme, Scope,
        Size, params,
    },
    value::{Text, Value},
};
use svc_documents::{self as extract, PdfTable, PdfTableRules};

use super::{MAX_SIZE, SAMPLE, has_pages, ranges};
use crate::{Input, NamedTable, named_table};

/// A PDF with a table without lines between its cells.
const PRICES: &str = include_str!("prices.pdf");

params! {
    /// Returns the tables of a PDF, page by page from top to bottom, with their rows as objects.
    ///
    /// A table is found by the lines around its cells, or else by the gaps between its columns. A cell
    /// without lines inside, over several rows or columns, is in each of them. The first row names the
    /// columns: a column without a name has its letter, and a repeated name has a number. Cells are
    /// text with one space between words, and an empty one is null; rows and columns without text are
    /// left out. The name of a table is its page and its number there, such as `Page 2, table 1`; a
    /// table that continues on the next page is two.
    ///
    /// A table without lines has at least two rows with text in several columns, and short cells: columns
    /// of prose are none. Text in images and sideways text are not recognised.
    ///
    /// An encrypted file is an error of kind `unsupported`. A file that is not a PDF, is damaged or is
    /// larger than `max_size`, and a page that the PDF does not have, are errors of kind
    /// `invalid_input`. A page that cannot be read is skipped with a notice. The file is read in a
    /// process of its own with limits of memory and time.
    pub(super) struct Tables {
        /// The PDF: a path, a file in memory, or its content.
        from: Input,
        /// The pages to read, such as `1-3,7` or `12-`. By default, all.
        pages: Option<Text> = None,
        /// The maximum size of the file.
        max_size: Size = MAX_SIZE,
        /// The maximum distance of two rows of a table without lines, relative to the usual one.
        #[tune]
        #[range(0.5..=3)]
        line_gap: f64 = 1.2,
        /// The minimum distance of two columns of a table without lines, in widths of a space.
        #[tune]
        #[range(0.5..=6)]
        column_gap: f64 = 2.0,
    }
}

impl Op for Tables {
    const NAME: &'static str = "tables";
    const YIELDS: Scheme = Scheme::List(&NamedTable::SCHEME, Max::Unknown);
    const CHECK: Option<CheckCall> = Some(|call| call.test("pages", |it: Text| ranges(&it)));
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("from"))];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Unsupported, ErrorKind::Denied, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "tables of a pdf",
        "extract a table from a pdf report as rows",
        "numbers in the tables of a paper",
        "rows of a bank statement in pdf",
        "pdf table to csv, like pdfplumber or tabula",
        "price list in a .pdf as records",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A table with a line under its header",
            r#"path("prices.pdf") >> pdf_tables"#,
            r#"[{"name":"Page 1, table 1","rows":[{"fruit":"pear","cost":"12.50"},{"fruit":"fig","cost":"3.00"}]}]"#,
        )
        .with(&[("prices.pdf", PRICES)]),
        Example::ok("No table", r#"path("invoice.pdf") >> pdf_tables"#, "[]")
            .with(&[("invoice.pdf", SAMPLE)]),
        Example::err(
            "A page that is not there",
            r#"path("prices.pdf") >> pdf_tables(pages: "2")"#,
            "`prices.pdf` has no page 2, it has 1 page",
        )
        .with(&[("prices.pdf", PRICES)]),
    ];
}

impl Compute for Tables {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let ranges = self.pages.as_deref().map_or(Ok(Vec::new()), ranges)?;
        let (name, content) = self.from.read(self.max_size, cx)?;
        cx.check()?;
        let rules = PdfTableRules { line_gap: self.line_gap, column_gap: self.column_gap };
        let is_stopped = || cx.check().is_err();
        let found = extract::pdf_tables(&content, &ranges, rules, cx.host(), &is_stopped);
        // If the call was cancelled, that is the failure.
        cx.check()?;
        let found = found.map_err(|why| why.error(&name))?;
        has_pages(&name, &ranges, found.count)?;
        found.notices.iter().for_each(|it| cx.notice(format!("{name}: {it}")));
        let (mut page, mut number) = (0, 0);
        let tables = found.tables.into_iter().map(|it| {
            cx.check()?;
            number = if it.page == page { number + 1 } else { 1 };
            page = it.page;
            Ok(table(it, number).encode())
        });
        Ok(Value::List(tables.collect::<Result<_, OpError>>()?))
    }
}

fn table(table: PdfTable, number: usize) -> NamedTable {
    let cell = |it: String| if it.is_empty() { Value::Null } else { it.into() };
    let row = |row: Vec<String>| row.into_iter().map(cell).collect::<Vec<_>>();
    let name = format!("Page {}, table {number}", table.page);
    let mut rows: Vec<_> = table.rows.into_iter().map(row).collect();
    let header = if rows.len() > 1 { rows.remove(0) } else { Vec::new() };
    named_table(name.into(), header, rows)
}

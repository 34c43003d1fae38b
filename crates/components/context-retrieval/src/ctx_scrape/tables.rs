//! The tables of a page.

use svc_contract::{
    registry::{Compute, Cx, ErrorKind, Example, Field, Max, Op, OpError, Scheme, params},
    value::{Text, Value},
};
use svc_documents::{self as extract, HtmlTable};

use crate::{NamedTable, named_table};

params! {
    /// Returns the tables of a page, in its order, with their rows as objects.
    ///
    /// A cell over several rows or columns is in each of them. The names of the columns are the rows of
    /// `thead`, or the first rows that are all `th`, joined by a space; in a table without `th`
    /// they are the first row, and a column without a name has its letter. A name that is repeated has a
    /// number. Cells are text with one space between words, and an empty one is null.
    ///
    /// The name of a table is its caption, or else its number, such as `Table 2`. A table in a cell is
    /// a table of its own. Hidden parts, and tables and rows without content, are left out.
    ///
    /// A page that is larger than 16 MiB, has tables of more than 64 MiB, or takes too much time or
    /// memory is an error of kind `invalid_input`.
    pub(super) struct Tables {
        /// The page, as HTML.
        page: Text,
    }
}

impl Op for Tables {
    const NAME: &'static str = "tables";
    const YIELDS: Scheme = Scheme::List(&NamedTable::SCHEME, Max::Unknown);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unsupported, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "tables of a web page",
        "read an html table as rows",
        "scrape a table into records",
        "rows of a table in html with merged cells",
        "pandas read_html",
        "table from wikipedia as data",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A cell over two rows",
            r#""<table><caption>Prices</caption><tr><th>fruit<th>cost<tr><td rowspan=2>pear<td>1<tr><td>2</table>" >> html_tables"#,
            r#"[{"name":"Prices","rows":[{"fruit":"pear","cost":"1"},{"fruit":"pear","cost":"2"}]}]"#,
        ),
        Example::ok(
            "Letters for columns without names",
            r#""<table><tr><th>Born<td>1815<tr><th>Died<td>1852</table>" >> html_tables >> each { .rows } >> flatten >> each { at(path: "B") }"#,
            r#"["1815","1852"]"#,
        ),
        Example::ok("No table", r#""<p>x" >> html_tables"#, "[]"),
    ];
}

impl Compute for Tables {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let found = extract::html_tables(&self.page, &|| cx.check().is_err());
        // If the call was cancelled, that is the failure.
        cx.check()?;
        let found = found.map_err(|why| why.error("the page"))?;
        let tables = found.into_iter().enumerate().map(|(idx, it)| {
            cx.check()?;
            Ok(table(idx + 1, it).encode())
        });
        Ok(Value::List(tables.collect::<Result<_, OpError>>()?))
    }
}

fn table(number: usize, table: HtmlTable) -> NamedTable {
    let cell = |it: String| if it.is_empty() { Value::Null } else { it.into() };
    let cells = |row: Vec<String>| row.into_iter().map(cell).collect::<Vec<_>>();
    let name = table.name.unwrap_or_else(|| format!("Table {number}"));
    let rows = table.rows.into_iter().map(cells).collect();
    named_table(name.into(), table.header.map(cells).unwrap_or_default(), rows)
}

//! Reads the text, headings and tables of an office document.

use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field, Op, OpError, Scheme, Scope, Size, params,
        record,
    },
    value::{Text, Value},
};
use svc_documents::{self as extract, Table};

use super::sheet::SAMPLE;
use crate::{Input, NamedTable, named_table};

record! {
    /// A heading of a document.
    struct Heading {
        /// Its level, from 1, the outermost.
        level: i64,
        /// Its words.
        text: Text,
    }
}

record! {
    /// The content of an office document.
    struct OfficeText {
        /// Its text, with a form feed on a line of its own between pages, slides, sheets and
        /// chapters. A row of a table is a line with tabs between its cells.
        text: Text,
        /// Its headings, titles of slides and names of sheets.
        headings: Vec<Heading>,
        /// Its tables and sheets.
        tables: Vec<NamedTable>,
        /// `docx`, `pptx`, `xlsx`, `xls`, `odt`, `odp`, `ods` or `epub`.
        kind: Text,
    }
}

params! {
    /// Reads an office document or a book: DOCX, PPTX, XLSX, XLSB, XLS, ODT, ODP, ODS or EPUB.
    ///
    /// The content determines the format, not the name. Notes of slides and pages are part of the text;
    /// comments, deleted text, headers and footers are not. Pages of a DOCX or ODT begin at the
    /// breaks that are stored in it. The first row of a table names its columns, and one without a
    /// name has its letter; a table of one row has letters only. A table in a cell is text.
    ///
    /// A file that is not such a document, is damaged, has no text, or is larger than `max_size`
    /// is an error of kind `invalid_input`; an encrypted one is of kind `unsupported`. It is read in
    /// a process of its own with limits of memory and time. No external entity is loaded.
    pub(super) struct Infer {
        /// The document: a path, a file in memory, or its content.
        from: Input,
        /// The maximum size of the file.
        max_size: Size = Size(20 << 20),
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = OfficeText::SCHEME;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("from"))];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Unsupported, ErrorKind::Denied, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "read a word document",
        "text of a docx file",
        "what the slides of a powerpoint presentation say",
        "headings and tables of an office document",
        "get the words out of an odt or pptx",
        "chapters of an epub book",
        "open a .docx report",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The sheets of a workbook as text",
            r#"path("stock.xlsx") >> read_office >> { kind: .kind, headings: .headings >> each { .text } }"#,
            r#"{"kind":"xlsx","headings":["Stock","Notes"]}"#,
        )
        .with(&[("stock.xlsx", SAMPLE)]),
        Example::err(
            "Not an office document",
            r#"path("note.txt") >> read_office"#,
            "cannot read `note.txt`: it is not an office document",
        )
        .with(&[("note.txt", "buy milk")]),
    ];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let (name, content) = self.from.read(self.max_size, cx)?;
        cx.check()?;
        let found = extract::office(&content, true, cx.host(), &|| cx.check().is_err());
        // If the call was cancelled, that is the failure.
        cx.check()?;
        let found = found.map_err(|why| why.error(&name))?;
        let heading = |it: extract::Heading| Heading { level: it.level, text: it.text.into() };
        let tables = found.tables.into_iter().map(|it| {
            cx.check()?;
            Ok(table(it))
        });
        let tables = tables.collect::<Result<_, OpError>>()?;
        let headings = found.headings.into_iter().map(heading).collect();
        Ok(OfficeText { text: found.text, headings, tables, kind: found.kind }.encode())
    }
}

fn table(it: Table) -> NamedTable {
    let mut rows = it.rows;
    let header = if rows.len() > 1 { rows.remove(0) } else { Vec::new() };
    named_table(it.name.into(), header, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table_of(rows: &[&[&str]]) -> String {
        let rows = rows.iter().map(|row| row.iter().map(|it| Value::text(*it)).collect()).collect();
        Value::from(table(Table { name: "t".into(), rows }).rows).to_string()
    }

    #[test]
    fn the_first_row_names_the_columns() {
        assert_eq!(
            table_of(&[&["a", "", "a"], &["1", "2", "3", "4"]]),
            r#"[{"a":"1","B":"2","a 2":"3","D":"4"}]"#
        );
        assert_eq!(table_of(&[&["only"]]), r#"[{"A":"only"}]"#);
        assert_eq!(table_of(&[]), "[]");
    }
}

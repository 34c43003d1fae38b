//! Tables of Markdown.

/// A table; its cells are Markdown on one line.
pub(super) fn table(header: Option<Vec<String>>, rows: &[Vec<String>]) -> String {
    let width = rows.iter().map(Vec::len).max().unwrap_or_default();
    // A row alone is its header: a table cannot be without one.
    let (header, rows) = match header {
        Some(it) => (it, rows),
        None if rows.len() == 1 => (rows[0].clone(), &rows[1..]),
        None => (vec![String::new(); width], rows),
    };
    let mut out = String::new();
    row(&header, &mut out);
    out.push_str("\n|");
    out.push_str(&" --- |".repeat(header.len()));
    for it in rows {
        out.push('\n');
        row(it, &mut out);
    }
    out
}

fn row(cells: &[String], out: &mut String) {
    out.push('|');
    for cell in cells {
        out.extend([" ", cell, if cell.is_empty() { "|" } else { " |" }]);
    }
}

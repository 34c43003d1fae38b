//! A table as one self-contained HTML page.
//!
//! Values are only text: they are escaped, and the page's content security policy allows nothing
//! but its own style.

use std::fmt::Write as _;

use svc_columns::{Cell, Other as _, Table};
use svc_contract::value::{Value, json};
use svc_text::markup::escaped;

use crate::{page::hash, rows::typed};

const STYLE: &str = include_str!("page.css");

/// The page of a table.
pub(super) fn page(title: &str, table: &Table<Value>) -> String {
    let title = escaped(title);
    let count = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    let size = [count(table.len(), "row"), count(table.names.len(), "column")].join(", ");
    let policy = format!(
        "default-src 'none'; style-src '{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE)
    );
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n\
         <div role=\"region\" aria-labelledby=\"caption\" tabindex=\"0\">\n<table>\n\
         <caption id=\"caption\">{size}</caption>\n"
    );
    head(&mut text, table);
    text.push_str("<tbody>\n");
    for row in 0..table.len() {
        text.push_str("<tr>");
        for column in &table.columns {
            cell(&mut text, column.cell(row));
        }
        text.push_str("</tr>\n");
    }
    text + "</tbody>\n</table>\n</div>\n</main>\n</body>\n</html>\n"
}

fn head(text: &mut String, table: &Table<Value>) {
    text.push_str("<thead>\n<tr>");
    for (name, ty) in typed(table) {
        // Writing into a string cannot fail.
        let _ = write!(
            text,
            "<th scope=\"col\"><bdi>{}</bdi> <span class=\"type\">{ty}</span></th>",
            escaped(name)
        );
    }
    text.push_str("</tr>\n</thead>\n");
}

/// A cell: null is empty, numbers stand to the right, lists and records are JSON.
fn cell(text: &mut String, cell: Cell<'_, Value>) {
    let is_number =
        matches!(cell, Cell::Int(_) | Cell::Float(_) | Cell::Money(_) | Cell::Duration(_));
    let shown = match Value::of(cell) {
        Value::Null => String::new(),
        Value::Text(it) | Value::Path(it) => it.as_ref().to_owned(),
        it @ (Value::List(_) | Value::Record(_)) => json::write(&it),
        it => it.to_string(),
    };
    let kind = if is_number { " class=\"n\"" } else { " dir=\"auto\"" };
    let _ = write!(text, "<td{kind}>{}</td>", escaped(&shown));
}

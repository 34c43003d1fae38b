//! A job as a file.

use std::{fmt::Write as _, sync::Arc};

use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field as _, Op, OpError, Scheme, Tool, choices,
        params, record,
    },
    value::{Record, Text, Value, json},
};
use svc_text::markup::escaped;

use super::{Bench, READS, outside, view::JobView};

/// The most columns of a table; a record with more is written as JSON.
const MOST_COLUMNS: usize = 12;

choices! {
    /// The format of a file.
    enum Format { Markdown = "md", Json = "json", Html = "html" }
}

record! {
    /// An exported job.
    struct Exported {
        /// A name for its file.
        name: String,
        /// The media type.
        media_type: String,
        /// Its content.
        bytes: Arc<[u8]>,
    }
}

params! {
    /// Writes a job as Markdown, JSON or HTML: its result, its inputs and its tests.
    pub(super) struct Export {
        /// The job.
        job_id: Text,
        /// The format.
        format: Format = Format::Markdown,
        /// A version; the latest one if it is left out.
        version: Option<u32> = None,
    }
}

impl Op for Export {
    const NAME: &'static str = "export";
    const YIELDS: Scheme = Exported::SCHEME;
    const EFFECTS: &'static [Effect] = READS;
    const SAYS: &'static [&'static str] =
        &["export a job as a file", "download the result of a job", "job as a web page"];
    const TOOL: Option<Tool> = Some(Tool::researcher("job_export"));
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Unsupported, ErrorKind::Failed];
    const EXAMPLES: &'static [Example] = outside!(r#"workbench.export("job_1", format: "html")"#);
}

impl Compute for Export {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let bench = cx.lent::<Bench>()?;
        let row = bench.jobs()?.job(&bench.owner, &self.job_id, self.version)?;
        let view = bench.view(&row)?;
        let (ending, media_type, text) = match self.format {
            Format::Json => ("json", "application/json", json::write_pretty(&view.encode())),
            Format::Markdown => ("md", "text/markdown; charset=utf-8", markdown(&view)),
            Format::Html => ("html", "text/html; charset=utf-8", html(&view)),
        };
        let name = format!("{}-{}.{ending}", view_name(&row.name), row.version);
        let bytes = text.into_bytes().into();
        Ok(Exported { name, media_type: media_type.to_owned(), bytes }.encode())
    }
}

fn view_name(name: &str) -> String {
    name.replace('_', "-")
}

/// The parts of an export, in their order: a title, and a value or a text.
fn parts(view: &JobView) -> Vec<(&'static str, Value)> {
    let mut parts = Vec::new();
    match (&view.result, &view.error) {
        (Value::Null, error) if !error.is_null() => parts.push(("Error", error.clone())),
        (result, _) => parts.push(("Result", result.clone())),
    }
    parts.push(("Inputs", view.inputs.clone()));
    let list = |all: Vec<Value>| Value::List(all.into_iter().collect());
    if !view.checks.is_empty() {
        let checks = view.checks.iter().map(|it| it.clone().encode()).collect();
        parts.push(("Checks", list(checks)));
    }
    if !view.notes.is_empty() {
        let notes = view.notes.iter().map(|it| it.clone().encode()).collect();
        parts.push(("Notes", list(notes)));
    }
    parts
}

fn head(view: &JobView) -> String {
    format!("{} · version {} · {}", view.job_id, view.version, view.state)
}

fn markdown(view: &JobView) -> String {
    let mut out = format!("# {}\n\n{}\n", view.job, head(view));
    for (title, value) in parts(view) {
        let _ = write!(out, "\n## {title}\n\n");
        match (&value, table(&value)) {
            (Value::Text(text), _) => out.push_str(text),
            (_, Some((names, rows))) => {
                out.push_str(&line(&names));
                out.push_str(&line(&vec!["---".to_owned(); names.len()]));
                out.extend(rows.iter().map(|it| line(it)));
            }
            _ => {
                // A fence that the text does not contain.
                let _ = write!(out, "````json\n{}\n````", json::write_pretty(&value));
            }
        }
        out.push('\n');
    }
    out
}

fn line(cells: &[String]) -> String {
    let cells = cells.iter().map(|it| it.replace('|', "\\|").replace(['\n', '\r'], " "));
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

fn html(view: &JobView) -> String {
    let title = escaped(&view.job);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <style>body{{font:16px/1.5 sans-serif;margin:2rem auto;max-width:60rem}}\
         table{{border-collapse:collapse}}td,th{{border:1px solid #999;padding:.2rem .6rem;\
         text-align:left}}pre{{background:#f4f4f4;padding:1rem;white-space:pre-wrap}}</style>\
         </head><body><h1>{title}</h1><p>{}</p>\n",
        escaped(&head(view))
    );
    for (title, value) in parts(view) {
        let _ = writeln!(out, "<h2>{title}</h2>");
        match (&value, table(&value)) {
            (Value::Text(text), _) => {
                let _ = writeln!(out, "<pre>{}</pre>", escaped(text));
            }
            (_, Some((names, rows))) => {
                let row = |tag: &str, cells: &[String]| {
                    let cell = |it: &String| format!("<{tag}>{}</{tag}>", escaped(it));
                    format!("<tr>{}</tr>\n", cells.iter().map(cell).collect::<String>())
                };
                let body: String = rows.iter().map(|it| row("td", it)).collect();
                let _ = writeln!(out, "<table>\n{}{body}</table>", row("th", &names));
            }
            _ => {
                let _ = writeln!(out, "<pre>{}</pre>", escaped(&json::write_pretty(&value)));
            }
        }
    }
    out.push_str("</body></html>\n");
    out
}

/// A list of records with the same few fields, none of them nested, as a table.
fn table(value: &Value) -> Option<(Vec<String>, Vec<Vec<String>>)> {
    let Value::List(items) = value else { return None };
    let rows: Option<Vec<&Record>> = items.iter().map(Value::as_record).collect();
    let rows = rows.filter(|it| !it.is_empty())?;
    let names: Vec<Text> = rows[0].names().to_vec();
    if names.is_empty() || names.len() > MOST_COLUMNS {
        return None;
    }
    let cells = |row: &&Record| -> Option<Vec<String>> {
        if row.names()[..] != names[..] {
            return None;
        }
        row.iter().map(|(_, it)| cell(it)).collect()
    };
    let rows: Option<Vec<Vec<String>>> = rows.iter().map(cells).collect();
    Some((names.iter().map(ToString::to_string).collect(), rows?))
}

fn cell(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.to_string()),
        Value::Null => Some(String::new()),
        Value::List(_) | Value::Record(_) => None,
        other => Some(json::write(other).trim_matches('"').to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_the_cells_of_its_records() {
        let of = |it: &str| json::read(it).unwrap();
        let (names, rows) = table(&of(r#"[{"a":1,"b":"x|y"},{"a":2.5,"b":null}]"#)).unwrap();
        assert_eq!((names.len(), &rows[1]), (2, &vec!["2.5".to_owned(), String::new()]));
        assert_eq!(line(&rows[0]), "| 1 | x\\|y |\n");
        for other in ["[]", "3", r#"[{"a":[1]}]"#, r#"[{"a":1},{"b":1}]"#, "[1]"] {
            assert!(table(&of(other)).is_none(), "{other}");
        }
    }
}

//! Context and retrieval: searching, reading and condensing documents.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use svc_contract::{
    host,
    registry::{Component, Cx, Field, OpError, Scheme, Size, documents::File, record},
    value::{Record, Text, Type, Value},
};

/// The cases of a component, and the files that they read, in the folder `cases` of this cluster.
macro_rules! cases {
    ($lines:literal $(, $file:literal)*) => {
        svc_contract::registry::Cases::new(
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/cases/", $lines)),
            &[$(($file, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/cases/", $file)))),*],
        )
    };
}

mod context_engine;
mod ctx_docs;
mod ctx_fetch;
mod ctx_nlp;
mod ctx_office;
mod ctx_pdf;
mod ctx_rag;
mod ctx_rerank;
mod ctx_scrape;
mod ctx_search;
mod ctx_summary;
mod ctx_vectors;
mod meaning;
#[cfg(test)]
mod testing;

pub const ALL: &[&Component] = &[
    &ctx_search::COMPONENT,
    &ctx_rag::COMPONENT,
    &ctx_rerank::COMPONENT,
    &ctx_summary::COMPONENT,
    &ctx_docs::COMPONENT,
    &ctx_fetch::COMPONENT,
    &ctx_office::COMPONENT,
    &ctx_pdf::COMPONENT,
    &ctx_scrape::COMPONENT,
    &context_engine::COMPONENT,
    &ctx_vectors::COMPONENT,
    &ctx_nlp::COMPONENT,
];

/// A file to read: a path, or its content.
#[derive(Clone, Debug)]
enum Input {
    Path(PathBuf),
    Content(Text, Arc<[u8]>),
}

impl Field for Input {
    const SCHEME: Scheme = Scheme::OneOf(&[Scheme::Path, File::SCHEME, Scheme::Bytes]);

    fn decode(value: Value) -> Option<Self> {
        Some(match value {
            Value::Path(it) => Self::Path(it.as_ref().into()),
            Value::Bytes(it) => Self::Content("the file".into(), it),
            other => {
                let file = File::decode(other)?;
                Self::Content(format!("`{}`", file.name).into(), file.bytes)
            }
        })
    }

    fn encode(self) -> Value {
        match self {
            Self::Path(path) => path.encode(),
            Self::Content(_, bytes) => Value::Bytes(bytes),
        }
    }
}

impl Input {
    /// The name for messages, and the content.
    fn read(self, max_size: Size, cx: &Cx) -> Result<(Text, Arc<[u8]>), OpError> {
        match self {
            Self::Path(path) => {
                let content = host::read(cx.host(), &path, max_size.0);
                let content = content.map_err(|err| failed(err, &path))?;
                Ok((format!("`{}`", path.display()).into(), content.into()))
            }
            Self::Content(name, bytes) if bytes.len() as u64 <= max_size.0 => Ok((name, bytes)),
            Self::Content(name, _) => {
                let max = Value::Size(max_size.0);
                let message = format!("cannot read {name}: it is larger than {max}");
                Err(OpError::invalid_input(message).help("raise `max_size`"))
            }
        }
    }
}

fn failed(err: std::io::Error, path: &Path) -> OpError {
    let help = match err.kind() {
        std::io::ErrorKind::FileTooLarge => "raise `max_size`",
        std::io::ErrorKind::NotFound => {
            "check the path: in a script file it is relative to the script's folder, elsewhere to the current folder"
        }
        _ => return OpError::io(err, path),
    };
    OpError::io(err, path).help(help)
}

record! {
    /// One of several tables.
    struct NamedTable {
        /// The name of the sheet or table; a table without a name has its number.
        name: Text,
        /// Its rows, as objects with the names of the columns.
        rows: Vec<Value>,
    }
}

/// A table with the given names of its columns. A column without a name has its letter.
fn named_table(name: Text, mut header: Vec<Value>, rows: Vec<Vec<Value>>) -> NamedTable {
    let width = rows.iter().map(Vec::len).max().unwrap_or_default().max(header.len());
    header.resize(width, Value::Null);
    let names: Arc<[Text]> = distinct(names(header, 0)).into();
    let record = |mut cells: Vec<Value>| {
        cells.resize(width, Value::Null);
        Value::Record(Record::new(names.clone(), cells))
    };
    NamedTable { name, rows: rows.into_iter().map(record).collect() }
}

/// The names, with a number after those that are repeated.
fn distinct(names: Vec<Text>) -> Vec<Text> {
    let mut known = HashSet::new();
    // The next number of each name: counting from the start again takes quadratic time.
    let mut next: HashMap<Text, u32> = HashMap::new();
    let distinct = |name: Text| {
        let mut shown = name.clone();
        while !known.insert(shown.clone()) {
            let number = next.entry(name.clone()).or_insert(2);
            shown = format!("{name} {number}").into();
            *number += 1;
        }
        shown
    };
    names.into_iter().map(distinct).collect()
}

/// The names of columns; one without a name has its letters.
fn names(header: Vec<Value>, column: usize) -> Vec<Text> {
    let cells = header.into_iter().enumerate().map(|(idx, cell)| {
        let name = cell.of_cell(&Type::Text.optional()).ok().filter(|it| !it.is_null());
        let name = name.and_then(Text::decode).filter(|it| !it.trim().is_empty());
        name.unwrap_or_else(|| letters(column + idx).into())
    });
    cells.collect()
}

/// The letters of a column, counted from 0.
fn letters(column: usize) -> String {
    let mut rest = column + 1;
    let mut letters = Vec::new();
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'A' + u8::try_from(rest % 26).unwrap_or_default()));
        rest /= 26;
    }
    letters.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_names_have_numbers() {
        let given = ["a", "a 2", "a", "a"].map(Text::from).to_vec();
        assert_eq!(distinct(given), ["a", "a 2", "a 3", "a 4"].map(Text::from));
        assert_eq!(distinct(vec!["x".into(); 100_000]).len(), 100_000);
    }
}

//! The result of a run in a file: `--output FILE`.
//!
//! Tables are written by `table.write`, so that a file is the same whether a script or a command
//! writes it. Only JSON and the page are written here. The run that writes is one of the command: it
//! is not kept in a store, and no policy of a script restricts it.

mod page;

use std::{
    io,
    path::{Path, PathBuf},
};

use svc_columns::Table;
use svc_contract::{
    registry::{ErrorKind, OpError},
    value::{List, Type, Value},
};
use svc_engine::{Engine, Error};
use svc_lang::plan::Policy;

use crate::rows::{refused, script_over};

/// The endings of files, for messages and completion.
pub const ENDINGS: [&str; 8] =
    [".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx", ".html", ".csv.gz"];

/// How a result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// By `table.write`, which knows the format by the name of the file.
    Table,
    Json,
    Page,
}

/// A file for the result of a run.
#[derive(Clone, Debug)]
pub struct ResultFile {
    path: PathBuf,
    form: Form,
}

/// A file that was written.
#[derive(Clone, Debug)]
pub struct FileWritten {
    pub path: PathBuf,
    /// The number of rows of a table.
    pub rows: Option<usize>,
    pub bytes: u64,
}

impl ResultFile {
    /// The file, if its ending says how it is written.
    pub fn named(path: &Path) -> Result<Self, OpError> {
        let form = form(path).ok_or_else(|| {
            let message = format!("unknown ending of `{}`", path.display());
            OpError::invalid_input(message).help(format!("use one of {}", ENDINGS.join(", ")))
        })?;
        Ok(Self { path: path.to_owned(), form })
    }

    /// Whether the file can take a result of this type, before anything runs: a result that is
    /// never a table, and a folder in the place of the file, are errors.
    pub fn accepts(&self, ty: &Type, engine: &Engine) -> Result<(), OpError> {
        if engine.host().stat(&self.path).is_ok_and(|it| it.is_dir) {
            return Err(OpError::io(io::ErrorKind::IsADirectory.into(), &self.path)
                .help("name a file in it, such as `result.csv`"));
        }
        if self.form == Form::Json || may_be_table(ty) {
            return Ok(());
        }
        Err(no_table(&ty.to_string()))
    }

    /// Writes the result, atomically: an existing file is replaced when the new one is complete. A
    /// table without rows has the columns of its type.
    pub async fn write(
        &self,
        value: &Value,
        ty: &Type,
        engine: &Engine,
    ) -> Result<FileWritten, OpError> {
        let known = value.with_known_columns(ty);
        let value = known.as_ref().unwrap_or(value);
        match self.form {
            Form::Json => {
                let mut json = serde_json::to_vec_pretty(value).map_err(|err| {
                    OpError::failed(format!("cannot write the result as JSON: {err}"))
                })?;
                json.push(b'\n');
                self.put(&json, None, engine)
            }
            Form::Page => {
                let rows = rows(value)?;
                let table = columns(rows)?;
                let page = page::page(&self.title(), &table);
                self.put(page.as_bytes(), Some(rows.len()), engine)
            }
            Form::Table => self.table(rows(value)?, engine).await,
        }
    }

    fn put(
        &self,
        content: &[u8],
        rows: Option<usize>,
        engine: &Engine,
    ) -> Result<FileWritten, OpError> {
        let written = engine.host().write(&self.path, content);
        written.map_err(|err| OpError::io(err, &self.path))?;
        Ok(FileWritten { path: self.path.clone(), rows, bytes: content.len() as u64 })
    }

    async fn table(&self, rows: &List, engine: &Engine) -> Result<FileWritten, OpError> {
        let engine = engine.clone().without_store().with_policy(Policy::default());
        let script = script_over(
            &columns(rows)?,
            "param to: path\nrows >> table.write(to: to) >> .bytes",
            &engine,
        );
        let request = engine.run(script.as_str()).param("rows", Value::List(rows.clone()));
        let to = Value::Path(self.path.to_string_lossy().into());
        let bytes = match request.param("to", to).await.map_err(of_run)?.value {
            Value::Size(it) => it,
            _ => 0,
        };
        Ok(FileWritten { path: self.path.clone(), rows: Some(rows.len()), bytes })
    }

    fn title(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}

fn form(path: &Path) -> Option<Form> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let (plain, is_packed) = match name.strip_suffix(".gz") {
        Some(plain) => (plain, true),
        None => (name.as_str(), false),
    };
    let form = match plain.rsplit_once('.')?.1 {
        "csv" | "tsv" | "jsonl" | "ndjson" => return Some(Form::Table),
        "parquet" | "xlsx" => Form::Table,
        "json" => Form::Json,
        "html" | "htm" => Form::Page,
        _ => return None,
    };
    (!is_packed).then_some(form)
}

/// Whether a value of this type can be a list of records.
fn may_be_table(ty: &Type) -> bool {
    match ty.required() {
        Type::Unknown | Type::Never | Type::Json | Type::Var(_) => true,
        Type::List(item, _) => {
            matches!(
                item.required(),
                Type::Unknown
                    | Type::Never
                    | Type::Json
                    | Type::Var(_)
                    | Type::Record(_)
                    | Type::Map(_)
            )
        }
        _ => false,
    }
}

fn no_table(found: &str) -> OpError {
    OpError::invalid_input(format!("expected a list of records, found {found}"))
        .help("a file that ends in `.json` takes any result")
}

fn rows(value: &Value) -> Result<&List, OpError> {
    value.as_list().ok_or_else(|| no_table(value.kind()))
}

fn columns(rows: &List) -> Result<Table<Value>, OpError> {
    rows.columns().map_err(|err| refused(err, no_table))
}

/// The failure of `table.write` as one of the command.
fn of_run(error: Error) -> OpError {
    match error {
        Error::Run { error, .. } | Error::Input { error, .. } => error.error,
        // A program without the component for tables.
        Error::Check(report) => {
            let first = report.problems.first();
            let message = first.map_or_else(|| report.to_string(), |it| it.message.clone());
            OpError::new(ErrorKind::Unsupported, format!("cannot write the table: {message}"))
                .help("a file that ends in `.json` or `.html` needs no component")
        }
        other => OpError::failed(other.to_string()),
    }
}

#[cfg(test)]
mod tests;

//! Errors of `SQLite` as errors of ops.

use std::path::Path;

use rusqlite::{Error, ErrorCode};
use svc_contract::registry::{Cx, ErrorKind, OpError, nearest};

use crate::tables::MOST_COLUMNS;

/// A name as it stands in a statement.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// An error, and what it concerns.
pub(crate) struct Trouble {
    err: Error,
    /// The database, as messages name it.
    shown: String,
    stopped: Option<OpError>,
    refused: Option<String>,
}

/// Names of tables and columns, to find the one that was meant.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) tables: Vec<String>,
    pub(crate) columns: Vec<String>,
}

impl Trouble {
    pub(crate) fn of(err: Error, path: &Path, cx: &Cx) -> Self {
        let shown = if path.as_os_str().is_empty() {
            "the tables".to_owned()
        } else {
            format!("`{}`", path.display())
        };
        Self { err, shown, stopped: cx.check().err(), refused: None }
    }

    /// An error of a database in memory, outside of a call.
    pub(crate) fn unstopped(err: Error) -> Self {
        Self { err, shown: "the tables".to_owned(), stopped: None, refused: None }
    }

    pub(crate) fn refused(self, refused: Option<String>) -> Self {
        Self { refused, ..self }
    }

    /// The error, with the nearest of the names that there are.
    pub(crate) fn explained(self, known: &Known) -> OpError {
        let Self { err, shown, stopped, refused } = self;
        if let Some(stopped) = stopped {
            return stopped;
        }
        if let Some(why) = refused {
            return refusal(&why);
        }
        let code = match &err {
            Error::SqlInputError { error, .. } => Some(error.code),
            other => other.sqlite_error_code(),
        };
        if code == Some(ErrorCode::Unknown) {
            let (message, place) = (plain(&err), place(&err));
            let failed = OpError::invalid_input(format!("{place}{message}"));
            return match meant(&message, known) {
                Some(help) => failed.help(help),
                None => failed,
            }
            .because(err);
        }
        of_code(code, &err, &shown).because(err)
    }
}

fn refusal(why: &str) -> OpError {
    let failed = OpError::invalid_input(why);
    if why.contains("writes") {
        failed.help("`database.execute` runs statements that write")
    } else if why.contains("attach") {
        failed.help("read the other database with `query`, and pass its rows to `table.sql`")
    } else if why.contains("transaction") {
        failed.help("remove `BEGIN`, `COMMIT` and `ROLLBACK`")
    } else {
        failed
    }
}

fn of_code(code: Option<ErrorCode>, err: &Error, shown: &str) -> OpError {
    let why = plain(err);
    let new = |kind, message: String| OpError::new(kind, message);
    match code {
        Some(ErrorCode::NotADatabase) => OpError::invalid_input(format!(
            "{shown} is not a database of SQLite, or it is encrypted"
        ))
        .help("`table.read` reads CSV, JSON lines, Excel and Parquet"),
        Some(ErrorCode::DatabaseCorrupt) => {
            OpError::invalid_input(format!("{shown} is damaged: {why}"))
                .help("restore a copy of it, or run `.recover` of the program `sqlite3`")
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            let message = format!("{shown} is locked: another program writes to it");
            new(ErrorKind::Unavailable, message).help("try again when that program has finished")
        }
        Some(ErrorCode::CannotOpen) => {
            let message = format!("cannot open {shown}");
            new(ErrorKind::Failed, message)
                .help("check that it is a file, not a link, in a folder that may be written")
        }
        Some(ErrorCode::ReadOnly) => {
            let message = format!("{shown} can only be read: {why}");
            new(ErrorKind::Denied, message).help(
                "after a crash of a program that wrote, the first `database.execute` repairs it",
            )
        }
        Some(ErrorCode::PermissionDenied) => {
            new(ErrorKind::Denied, format!("cannot use {shown}: permission denied"))
        }
        Some(ErrorCode::OperationInterrupted) => OpError::cancelled(),
        Some(ErrorCode::DiskFull) => new(ErrorKind::Failed, format!("{shown}: no space left")),
        Some(ErrorCode::OutOfMemory) => {
            new(ErrorKind::Exhausted, "SQLite has no memory left".to_owned())
        }
        Some(ErrorCode::ConstraintViolation) => {
            new(ErrorKind::Failed, why).help("nothing of this call was kept")
        }
        Some(ErrorCode::TooBig) => {
            OpError::invalid_input(why).help("a text or blob has at most 256MiB")
        }
        Some(ErrorCode::Unknown | ErrorCode::TypeMismatch | ErrorCode::ParameterOutOfRange) => {
            OpError::invalid_input(why)
        }
        _ => new(ErrorKind::Failed, format!("{shown}: {why}")),
    }
}

/// The message of the database alone, with the limit that it leaves out.
fn plain(err: &Error) -> String {
    let message = match err {
        Error::SqliteFailure(_, Some(message)) => message.clone(),
        Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    };
    if message.starts_with("too many columns") {
        format!("{message} (limit {MOST_COLUMNS})")
    } else {
        message
    }
}

/// Where in a statement of several lines something is wrong.
fn place(err: &Error) -> String {
    let Error::SqlInputError { sql, offset, .. } = err else { return String::new() };
    let Some(before) = usize::try_from(*offset).ok().and_then(|it| sql.get(..it)) else {
        return String::new();
    };
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    if sql.trim().contains('\n') {
        format!("line {line}, column {column}: ")
    } else {
        format!("column {column}: ")
    }
}

fn meant(message: &str, known: &Known) -> Option<String> {
    const SHOWN: usize = 12;
    let (what, names) = [("no such table: ", &known.tables), ("no such column: ", &known.columns)]
        .into_iter()
        .find_map(|(start, names)| Some((message.strip_prefix(start)?, names)))?;
    // `t.a` is column `a` of table `t`, and `main.t` is table `t`.
    let name = what.rsplit('.').next().unwrap_or(what);
    if let Some(near) = nearest(name, names.iter().map(String::as_str)) {
        return Some(format!("did you mean `{near}`?"));
    }
    if message.starts_with("no such column: \"") {
        return Some("write a text in single quotes: `'text'`".to_owned());
    }
    if names.is_empty() {
        return Some("the database has no tables".to_owned());
    }
    let all: Vec<String> = names.iter().take(SHOWN).map(|it| format!("`{it}`")).collect();
    let more = if names.len() > SHOWN { ", …" } else { "" };
    Some(format!("there are {}{more}", all.join(", ")))
}

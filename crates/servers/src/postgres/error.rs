//! Errors of PostgreSQL as errors of ops.

use std::error::Error as _;

use svc_contract::registry::{ErrorKind, OpError};
use tokio_postgres::{
    Error,
    error::{DbError, ErrorPosition},
};

use crate::address::Address;

/// An error of a statement.
pub(super) struct Failure<'a> {
    pub(super) address: &'a Address,
    pub(super) err: &'a Error,
    /// Where in the statements of the caller a character is.
    pub(super) place: &'a dyn Fn(u32) -> String,
}

impl From<Failure<'_>> for OpError {
    fn from(failure: Failure<'_>) -> Self {
        let Failure { address, err, place } = failure;
        match err.as_db_error() {
            Some(db) => of_server(address, db, place),
            None => of_connection(address, err),
        }
    }
}

impl Address {
    /// The error of anything but a statement of the caller.
    pub(super) fn failure(&self, err: &Error) -> OpError {
        Failure { address: self, err, place: &|_| String::new() }.into()
    }

    /// The error of the end of a transaction.
    pub(super) fn uncommitted(&self, err: &Error) -> OpError {
        let failed = self.failure(err);
        if err.as_db_error().is_some() {
            return failed;
        }
        failed.help("it is unknown whether the changes were kept: look before another attempt")
    }
}

fn of_connection(address: &Address, err: &Error) -> OpError {
    let cause = err.source().map(ToString::to_string);
    let why = cause.unwrap_or_else(|| err.to_string());
    let server = address.shown();
    match err.to_string().as_str() {
        "error performing TLS handshake" => address.not_encrypted(&why),
        "authentication error" => {
            let message = format!("cannot log in to the server `{server}`: {why}");
            OpError::new(ErrorKind::Denied, message)
                .help("check the user and the password in the address")
        }
        shown
            if shown.starts_with("error encoding")
                || shown.starts_with("error serializing")
                || shown.starts_with("error deserializing") =>
        {
            OpError::invalid_input(why)
        }
        _ => address.lost(&why),
    }
}

fn of_server(address: &Address, db: &DbError, place: &dyn Fn(u32) -> String) -> OpError {
    let code = db.code().code();
    let at = match db.position() {
        Some(ErrorPosition::Original(at)) => place(*at),
        _ => String::new(),
    };
    let detail = db.detail().map(|it| format!(": {it}")).unwrap_or_default();
    let mut failed = OpError::new(kind(code), format!("{at}{}{detail} ({code})", db.message()));
    if let Some(help) = help(code, address).or_else(|| db.hint().map(str::to_owned)) {
        failed = failed.help(help);
    }
    failed
}

/// The kind of a code of SQLSTATE.
fn kind(code: &str) -> ErrorKind {
    match code {
        "25006" => ErrorKind::InvalidInput,
        "28000" | "28P01" | "42501" => ErrorKind::Denied,
        "3D000" => ErrorKind::NotFound,
        // Of the user who administers the server, or of `statement_timeout`.
        "57014" => ErrorKind::Timeout,
        "40001" | "40P01" | "55P03" | "57P01" | "57P02" | "57P03" | "57P05" => {
            ErrorKind::Unavailable
        }
        _ => match code.get(..2) {
            Some("08" | "53") => ErrorKind::Unavailable,
            Some("22" | "26" | "42" | "0A" | "21") => ErrorKind::InvalidInput,
            _ => ErrorKind::Failed,
        },
    }
}

fn help(code: &str, address: &Address) -> Option<String> {
    Some(match code {
        "25006" => "`database.execute_server` runs statements that write".to_owned(),
        "28000" | "28P01" => "check the user and the password in the address".to_owned(),
        "3D000" => format!("check the name of the database in the address: `{}`", address.database),
        "42P18" => "write the type of the param: `$1::text`".to_owned(),
        _ if code.starts_with("23") => "nothing of this call was kept".to_owned(),
        _ => return None,
    })
}

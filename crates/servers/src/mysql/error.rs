//! Errors of MySQL as errors of ops.

use std::io;

use mysql_async::{DriverError, Error, IoError, ServerError};
use svc_contract::registry::{ErrorKind, OpError};

use crate::address::Address;

impl Address {
    /// The error of a statement.
    pub(super) fn failed(&self, err: &Error) -> OpError {
        match err {
            Error::Server(err) => of_server(self, err),
            Error::Driver(DriverError::ConnectionClosed) => self.lost("the server closed it"),
            Error::Io(IoError::Io(err)) => self.lost(&err.to_string()),
            Error::Driver(DriverError::PacketTooLarge) => OpError::invalid_input(
                "the params are larger than `max_allowed_packet` of the server",
            ),
            other => self.lost(&other.to_string()),
        }
    }

    /// The error of the end of a transaction.
    pub(super) fn not_committed(&self, err: &Error) -> OpError {
        let failed = self.failed(err);
        if matches!(err, Error::Server(_)) {
            return failed;
        }
        failed.help("it is unknown whether the changes were kept: look before another attempt")
    }

    /// The error of a login.
    pub(super) fn no_login(&self, err: Error) -> OpError {
        let server = self.shown();
        match err {
            Error::Io(IoError::Io(err)) if is_of_tls(&err) => self.not_encrypted(&err.to_string()),
            Error::Io(IoError::Io(err)) => self.unreachable(err),
            Error::Io(IoError::Tls(err)) => self.not_encrypted(&err.to_string()),
            Error::Driver(DriverError::NoClientSslFlagFromServer) => {
                self.not_encrypted("server does not support TLS")
            }
            Error::Driver(
                err @ (DriverError::UnknownAuthPlugin { .. }
                | DriverError::CleartextPluginDisabled
                | DriverError::MysqlOldPasswordDisabled),
            ) => OpError::new(
                ErrorKind::Denied,
                format!("cannot log in to the server `{server}`: {err}"),
            ),
            other => self.failed(&other),
        }
    }
}

/// Errors of a handshake come as errors of the connection.
fn is_of_tls(err: &io::Error) -> bool {
    err.kind() == io::ErrorKind::InvalidData
}

fn of_server(address: &Address, err: &ServerError) -> OpError {
    let ServerError { code, message, state } = err;
    let failed = OpError::new(kind(*code, state), format!("{message} ({code}, {state})"));
    match help(*code, state, address) {
        Some(help) => failed.help(help),
        None => failed,
    }
}

/// The kind of a code of the server, and of SQLSTATE.
fn kind(code: u16, state: &str) -> ErrorKind {
    match code {
        1045 | 1044 | 1142 | 1143 | 1227 | 1370 | 1698 => ErrorKind::Denied,
        1049 => ErrorKind::NotFound,
        // KILL QUERY by someone else, and the limits of the server.
        1317 | 1969 | 3024 => ErrorKind::Timeout,
        // Too many connections, the end of the server, locks.
        1040 | 1053 | 1077 | 1078 | 1079 | 1203 | 1205 | 1213 | 1226 | 1927 => {
            ErrorKind::Unavailable
        }
        1292 | 1295 | 1366 | 1367 | 1792 => ErrorKind::InvalidInput,
        _ => match state.get(..2) {
            Some("08") => ErrorKind::Unavailable,
            Some("21" | "22" | "42") => ErrorKind::InvalidInput,
            _ => ErrorKind::Failed,
        },
    }
}

fn help(code: u16, state: &str, address: &Address) -> Option<String> {
    Some(match code {
        1792 => "`database.execute_server` runs statements that write".to_owned(),
        1045 | 1698 => "check the user and the password in the address".to_owned(),
        1049 => format!("check the name of the database in the address: `{}`", address.database),
        _ if state == "23000" => "nothing of this call was kept".to_owned(),
        _ => return None,
    })
}

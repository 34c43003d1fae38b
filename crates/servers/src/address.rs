//! The address of a server: `postgres://user:password@host:port/database?sslmode=..`.

use percent_encoding::percent_decode_str;
use svc_contract::{
    host::address::{self, host_and_port},
    registry::OpError,
    value::Secret,
};

use crate::tls::Tls;

/// The system of databases that a server runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    Postgres,
    MySql,
}

/// A server, and the login there.
pub(crate) struct Address {
    pub(crate) system: System,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) user: String,
    pub(crate) password: Option<String>,
    pub(crate) database: String,
    pub(crate) tls: Tls,
}

const FORM: &str = "write `postgres://user:password@host:5432/database` or `mysql://user:password@host:3306/database`; `@`, `:`, `/`, `?`, `#` and `%` in a password are `%40`, `%3A`, `%2F`, `%3F`, `%23` and `%25`";

/// No part of the secret is in the message: any of it may be the password.
fn invalid(why: &str) -> OpError {
    OpError::invalid_input(format!("the secret `server` is not the address of a server: {why}"))
        .help(FORM)
}

impl Address {
    pub(crate) fn read(secret: &Secret, ca: Option<&str>) -> Result<Self, OpError> {
        let text = secret.reveal().trim();
        let (scheme, rest) = text.split_once("://").ok_or_else(|| invalid(BEGINS))?;
        let (system, port) = match scheme.to_ascii_lowercase().as_str() {
            "postgres" | "postgresql" => (System::Postgres, 5432),
            "mysql" | "mariadb" => (System::MySql, 3306),
            _ => return Err(invalid(BEGINS)),
        };
        let (rest, settings) = rest.split_once('?').unwrap_or((rest, ""));
        let (login, place) =
            rest.rsplit_once('@').ok_or_else(|| invalid("it names no user before the host"))?;
        let (user, password) = match login.split_once(':') {
            Some((user, password)) => (user, Some(decoded(password)?)),
            None => (login, None),
        };
        let (authority, database) = place.split_once('/').unwrap_or((place, ""));
        let (host, own_port) =
            host_and_port(authority).map_err(|_| invalid("its host or port cannot be read"))?;
        let address = Self {
            system,
            tls: Tls::of(mode(settings)?, ca, is_near(&host))?,
            host,
            port: own_port.unwrap_or(port),
            user: decoded(user)?,
            password,
            database: decoded(database)?,
        };
        if address.user.is_empty() {
            return Err(invalid("it names no user before the host"));
        }
        if address.database.is_empty() {
            return Err(invalid("it names no database after the host"));
        }
        Ok(address)
    }

    /// The host and the port, for messages.
    pub(crate) fn shown(&self) -> String {
        format!("{}:{}", address::authority(&self.host), self.port)
    }
}

const BEGINS: &str = "it begins with neither `postgres://` nor `mysql://`";

fn decoded(text: &str) -> Result<String, OpError> {
    let text = percent_decode_str(text).decode_utf8();
    let text = text.map_err(|_| invalid("a part of it is not UTF-8"))?;
    if text.contains('\0') {
        return Err(invalid("a part of it contains a null character"));
    }
    Ok(text.into_owned())
}

/// The value of `sslmode`, the only setting.
fn mode(settings: &str) -> Result<Option<&str>, OpError> {
    let mut mode = None;
    for setting in settings.split('&').filter(|it| !it.is_empty()) {
        match setting.split_once('=') {
            Some(("sslmode", value)) => mode = Some(value),
            Some((name, _))
                if !name.is_empty()
                    && name.bytes().all(|it| it.is_ascii_lowercase() || it == b'_') =>
            {
                return Err(invalid(&format!("unknown setting `{name}`; there is `sslmode`")));
            }
            _ => return Err(invalid("a setting after `?` cannot be read")),
        }
    }
    Ok(mode)
}

/// Whether a host is this machine, or in a private network, by its name alone.
fn is_near(host: &str) -> bool {
    let url = format!("https://{}/", address::authority(host));
    address::Address::read(&url).is_ok_and(|it| it.refused().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Address, OpError> {
        Address::read(&Secret::new(text), None)
    }

    #[test]
    fn an_address_is_read() {
        let it = read("postgresql://an%20n:p%40%2F%3A@DB.example/shop?sslmode=require").unwrap();
        assert_eq!((it.system, it.shown().as_str()), (System::Postgres, "db.example:5432"));
        assert_eq!((it.user.as_str(), it.password.as_deref()), ("an n", Some("p@/:")));
        assert_eq!((it.database.as_str(), it.tls.is_verified()), ("shop", false));
        let it = read("mysql://ann@[::1]:3307/shop").unwrap();
        assert_eq!((it.system, it.shown().as_str()), (System::MySql, "[::1]:3307"));
        assert!(it.password.is_none() && !it.tls.is_verified());
        assert!(read("mysql://ann@db.example/shop").unwrap().tls.is_verified());
    }

    #[test]
    fn a_wrong_address_shows_nothing_of_itself() {
        for (text, why) in [
            ("hunter2secret", "begins with neither"),
            ("https://hunter2secret@db.example/", "begins with neither"),
            ("postgres://db.example/hunter2secret", "no user"),
            ("postgres://:hunter2secret@db.example/a", "no user"),
            ("postgres://ann:hunter2secret@db.example", "no database"),
            ("postgres://ann:hunter2secret@db.example:x/a", "host or port"),
            ("postgres://ann:hunter2secret@/a", "host or port"),
            ("postgres://ann:hunter2secret@%2Frun%2Fpostgresql/a", "host or port"),
            ("postgres://ann:x?hunter2secret@db.example/a", "no user"),
            ("postgres://ann@db.example/a?hunter2secret", "cannot be read"),
            ("postgres://ann@db.example/a?sslrootcert=hunter2secret", "`sslrootcert`"),
            ("postgres://ann@db.example/a?sslmode=hunter2secret", "sslmode"),
            ("postgres://ann:%00hunter2secret@db.example/a", "null character"),
            ("postgres://ann:%FFhunter2secret@db.example/a", "not UTF-8"),
        ] {
            let err = read(text).err().unwrap_or_else(|| panic!("{text}"));
            let shown = format!("{} {:?}", err.message, err.help);
            assert!(shown.contains(why) && !shown.contains("hunter2secret"), "{text}: {shown}");
        }
    }
}

//! The pepper: a secret in a file apart from the database, without which no key can be verified
//! and no entry of the audit can be made.
#![expect(clippy::disallowed_methods, reason = "the store owns its file and the files next to it")]

use std::{
    fmt,
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use rusqlite::{Connection, OptionalExtension as _};
use svc_contract::{
    host::Host,
    store::{StoreError, StoreErrorKind},
};

use crate::{
    error::{Result, SqlResult},
    private,
};

/// Its length in bytes.
const LEN: usize = 32;

/// The secret, which is never shown.
#[derive(Clone)]
pub struct Pepper([u8; LEN]);

impl Pepper {
    /// For a book in memory.
    pub(super) fn new(host: &dyn Host) -> Result<Self> {
        let mut bytes = [0; LEN];
        host.random(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// Reads the pepper, or creates it for a new database.
    pub(super) fn open(file: &Path, host: &dyn Host, is_new: bool) -> Result<Self> {
        match read(file)? {
            Some(pepper) => Ok(pepper),
            None if is_new => create(file, host),
            None => Err(missing(file)),
        }
    }

    /// A key for one purpose.
    pub fn derive(&self, purpose: &str) -> [u8; LEN] {
        blake3::derive_key(purpose, &self.0)
    }
}

impl fmt::Debug for Pepper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pepper(..)")
    }
}

fn read(path: &Path) -> Result<Option<Pepper>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(err) => return Err(unreadable(path, &err)),
    };
    is_private(path, &file)?;
    let mut bytes = Vec::new();
    file.take(LEN as u64 + 1).read_to_end(&mut bytes).map_err(|it| unreadable(path, &it))?;
    let pepper = bytes.try_into().map_err(|it: Vec<u8>| {
        let why = format!("expected {LEN} bytes, found {}", it.len());
        let message = format!("the pepper `{}` is damaged: {why}", path.display());
        StoreError::new(StoreErrorKind::Corrupt, message).help("restore a copy of it")
    })?;
    Ok(Some(Pepper(pepper)))
}

#[cfg(unix)]
fn is_private(path: &Path, file: &File) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = file.metadata()?.permissions().mode() & 0o777;
    if mode.trailing_zeros() >= 6 {
        return Ok(());
    }
    let path = path.display();
    let message = format!("the pepper `{path}` can be read by others (mode {mode:03o})");
    let help = "make it private with `chmod 600`; if others may have read it, remove the folder \
        and issue new keys";
    Err(StoreError::new(StoreErrorKind::ReadOnly, message).help(help))
}

#[cfg(not(unix))]
fn is_private(_: &Path, _: &File) -> Result<()> {
    Ok(())
}

/// Creates the file with its whole content, unless another process did.
fn create(path: &Path, host: &dyn Host) -> Result<Pepper> {
    let pepper = Pepper::new(host)?;
    match private::create_whole(path, &pepper.0) {
        Ok(()) => Ok(pepper),
        Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {
            read(path)?.ok_or_else(|| missing(path))
        }
        Err(err) => Err(err.into()),
    }
}

fn missing(path: &Path) -> StoreError {
    let message = format!("the pepper `{}` is missing", path.display());
    let help = "restore a copy of it: without it no key can be verified; or remove the folder and \
        issue new keys";
    StoreError::new(StoreErrorKind::Corrupt, message).help(help)
}

fn unreadable(path: &Path, err: &io::Error) -> StoreError {
    let message = format!("cannot read the pepper `{}`: {err}", path.display());
    StoreError::new(StoreErrorKind::ReadOnly, message).help("run as the user who owns it")
}

/// What the database knows of its pepper.
const KNOWN: &str = "SELECT value FROM meta WHERE name = 'pepper'";

/// Whether a database has no pepper yet.
pub(super) fn is_new(reader: &Connection) -> SqlResult<bool> {
    let known: Option<String> = reader.query_row(KNOWN, [], |it| it.get(0)).optional()?;
    Ok(known.is_none())
}

/// Notes the pepper in a new database, and compares it with that of an existing one.
pub(super) fn compare(own: &Connection, pepper: &Pepper) -> SqlResult<()> {
    let check = blake3::Hash::from_bytes(pepper.derive("svc 2026 check of the pepper"));
    own.execute(
        "INSERT OR IGNORE INTO meta (name, value) VALUES ('pepper', ?1)",
        [check.to_hex().as_str()],
    )?;
    let known: String = own.query_row(KNOWN, [], |it| it.get(0))?;
    if known == check.to_hex().as_str() {
        return Ok(());
    }
    let message = "the pepper is not that of this database, so no key can be verified";
    let help = "restore the pepper that belongs to it";
    Err(StoreError::new(StoreErrorKind::Corrupt, message).help(help).into())
}

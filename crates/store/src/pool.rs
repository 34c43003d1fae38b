//! The pool of reading connections.

use std::{
    ops::Deref,
    sync::{Mutex, PoisonError},
};

use rusqlite::{Connection, OpenFlags, config::DbConfig};

use super::{
    error::SqlResult,
    open::{self, Options},
    place::Place,
};

/// The number of idle connections that are kept.
const KEPT: usize = 4;

/// The access of the connections.
#[derive(Clone, Copy, Debug)]
pub(super) enum Access {
    /// They belong to a store that is open for writing.
    Sharing,
    /// They write nothing, and respect other writers.
    Reading,
    /// They write nothing, and the store has no other writers.
    Alone,
}

/// The idle connections. As many as are needed are opened.
#[derive(Debug)]
pub(super) struct Pool {
    place: Place,
    access: Access,
    idle: Mutex<Vec<Connection>>,
}

/// A connection, which returns to the pool when dropped.
pub(super) struct Reader<'a> {
    pool: &'a Pool,
    /// Present until dropped.
    connection: Option<Connection>,
}

impl Pool {
    pub(super) fn new(place: Place, access: Access) -> SqlResult<Self> {
        let pool = Self { place, access, idle: Mutex::default() };
        drop(pool.reader()?);
        Ok(pool)
    }

    pub(super) fn reader(&self) -> SqlResult<Reader<'_>> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = idle.map_or_else(|| self.connect(), Ok)?;
        Ok(Reader { pool: self, connection: Some(connection) })
    }

    /// Closes the idle connections. The last connection to close writes the log back, and that
    /// must be the writing one.
    pub(super) fn close(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn connect(&self) -> SqlResult<Connection> {
        let connection = match self.access {
            Access::Sharing => self.place.connect(OpenFlags::SQLITE_OPEN_READ_WRITE)?,
            Access::Reading => self.place.connect(OpenFlags::SQLITE_OPEN_READ_ONLY)?,
            Access::Alone => self.place.connect_alone()?,
        };
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        open::prepare(&connection, Options::default())?;
        connection.pragma_update(None, "query_only", "ON")?;
        Ok(connection)
    }
}

impl Deref for Reader<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("a reader has its connection until it is dropped")
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        let mut idle = self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.extend(self.connection.take());
        }
    }
}

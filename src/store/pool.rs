//! The connections that read.

use std::{
    ops::Deref,
    sync::{Mutex, PoisonError},
};

use rusqlite::{Connection, OpenFlags};

use super::{
    error::Result,
    open::{self, Options},
    place::Place,
};

/// So many connections are kept for the next reader.
const KEPT: usize = 4;

/// Connections that nobody reads from. As many as are needed are opened.
#[derive(Debug)]
pub(super) struct Pool {
    place: Place,
    idle: Mutex<Vec<Connection>>,
}

/// A connection until it is dropped, and so given back.
pub(super) struct Reader<'a> {
    pool: &'a Pool,
    /// Present until dropped.
    connection: Option<Connection>,
}

impl Pool {
    pub(super) fn new(place: Place) -> Result<Self> {
        let pool = Self { place, idle: Mutex::default() };
        drop(pool.reader()?);
        Ok(pool)
    }

    pub(super) fn reader(&self) -> Result<Reader<'_>> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = idle.map_or_else(|| self.connect(), Ok)?;
        Ok(Reader { pool: self, connection: Some(connection) })
    }

    fn connect(&self) -> Result<Connection> {
        let connection = self.place.connect(OpenFlags::SQLITE_OPEN_READ_WRITE)?;
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

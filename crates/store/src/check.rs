//! Checks the integrity of a store, and measures its size.
#![expect(clippy::disallowed_methods, reason = "the store owns its file and the files next to it")]

use std::{collections::BTreeSet, fs, io, path::Path};

use rusqlite::{Connection, params};
use svc_contract::store::{Hash, StoreErrorKind};

use super::{
    SqliteStore, blobs,
    error::{Result, SqlResult},
    mark::Mark,
    open,
    place::{self, Place},
};

/// The result of a thorough check of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// The problems, one sentence each; empty for an intact store.
    pub problems: Vec<String>,
    /// The number of contents that were read and compared with their hashes.
    pub contents: usize,
    /// Files of contents without a row, left behind by a crash. They do no harm.
    pub litter: usize,
}

/// The size of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Size of the database in bytes.
    pub database: u64,
    /// Size of the large contents next to it in bytes.
    pub files: u64,
    pub runs: u64,
    pub nodes: u64,
}

/// Every hash that a row refers to.
pub(super) const NAMED: &str = "SELECT text AS hash FROM runs
    UNION SELECT value FROM runs WHERE value IS NOT NULL
    UNION SELECT text FROM imports
    UNION SELECT output FROM nodes WHERE output IS NOT NULL
    UNION SELECT args_blob FROM nodes WHERE args_blob IS NOT NULL
    UNION SELECT input FROM nodes WHERE input IS NOT NULL
    UNION SELECT hash FROM model_uses
    UNION SELECT hash FROM model_names";

impl SqliteStore {
    /// Reads the whole store and reports its problems. Takes long for a large store.
    pub fn check(&self) -> Result<Health> {
        Ok(self.health()?)
    }

    /// The size of the store.
    pub fn size(&self) -> Result<Size> {
        Ok(self.measured()?)
    }

    fn health(&self) -> SqlResult<Health> {
        let reader = self.pool.reader()?;
        let mut look = Look { connection: &reader, place: &self.place, health: Health::default() };
        look.mark()?;
        look.pragma("integrity_check")?;
        look.owners()?;
        look.contents()?;
        look.names()?;
        look.litter()?;
        Ok(look.health)
    }

    fn measured(&self) -> SqlResult<Size> {
        let reader = self.pool.reader()?;
        let number = |sql: &str| reader.query_row(sql, [], |it| it.get(0));
        let pages: u64 = number("PRAGMA page_count")?;
        Ok(Size {
            database: pages * number("PRAGMA page_size")?,
            files: files(&self.place)?.iter().map(|it| it.bytes).sum(),
            runs: number("SELECT count(*) FROM runs")?,
            nodes: number("SELECT count(*) FROM nodes")?,
        })
    }
}

struct Look<'a> {
    connection: &'a Connection,
    place: &'a Place,
    health: Health,
}

impl Look<'_> {
    fn problem(&mut self, why: impl Into<String>) {
        self.health.problems.push(why.into());
    }

    /// The mark is read first: it may rise while the database is read.
    fn mark(&mut self) -> SqlResult<()> {
        let Some(file) = self.place.file() else { return Ok(()) };
        let mark = Mark::look(&place::sibling(file, "-mark"))?;
        let mark = mark.as_ref().map(Mark::read).transpose()?.flatten();
        if mark.is_none() {
            self.problem("the store has no high-water mark");
        }
        self.noted(open::compare(self.connection, mark))?;
        Ok(())
    }

    /// Reports damage as a problem; any other error ends the check.
    fn noted<T>(&mut self, found: SqlResult<T>) -> SqlResult<Option<T>> {
        match found {
            Err(err) if err.0.kind == StoreErrorKind::Corrupt => {
                self.problem(err.0.message);
                Ok(None)
            }
            other => other.map(Some),
        }
    }

    fn pragma(&mut self, name: &str) -> SqlResult<()> {
        let said: rusqlite::Result<Vec<String>> = self
            .connection
            .prepare(&format!("PRAGMA {name}"))?
            .query_map([], |it| it.get(0))?
            .collect();
        let said = self.noted(said.map_err(Into::into))?.unwrap_or_default();
        self.health.problems.extend(said.into_iter().filter(|it| it != "ok"));
        Ok(())
    }

    fn owners(&mut self) -> SqlResult<()> {
        let sql = "SELECT \"table\", count(*) FROM pragma_foreign_key_check GROUP BY 1";
        let row = |it: &rusqlite::Row<'_>| Ok((it.get::<_, String>(0)?, it.get::<_, i64>(1)?));
        let found: rusqlite::Result<Vec<_>> =
            self.connection.prepare(sql)?.query_map([], row)?.collect();
        for (table, count) in self.noted(found.map_err(Into::into))?.unwrap_or_default() {
            self.problem(format!("{count} rows of `{table}` refer to missing rows"));
        }
        Ok(())
    }

    fn contents(&mut self) -> SqlResult<()> {
        let mut last = 0;
        while let Some((no, hash)) = self.content_after(last)? {
            last = no;
            let read = || blobs::read(self.connection, self.place, hash);
            // Its run may have been removed between the two queries of the first reading.
            self.noted(read().or_else(|_| read()))?;
            self.health.contents += 1;
        }
        Ok(())
    }

    fn content_after(&mut self, no: i64) -> SqlResult<Option<(i64, Hash)>> {
        let sql = "SELECT no, hash FROM blobs WHERE no > ?1 ORDER BY no LIMIT 1";
        let mut found = self.connection.prepare_cached(sql)?;
        let row = found.query_row(params![no], |it| Ok((it.get(0)?, Hash(it.get(1)?))));
        match row {
            Err(rusqlite::Error::QueryReturnedNoRows) => Ok(None),
            other => Ok(self.noted(other.map_err(Into::into))?),
        }
    }

    fn names(&mut self) -> SqlResult<()> {
        let sql = format!("SELECT hash FROM ({NAMED}) WHERE hash NOT IN (SELECT hash FROM blobs)");
        let found: rusqlite::Result<Vec<_>> =
            self.connection.prepare(&sql)?.query_map([], |it| it.get(0).map(Hash))?.collect();
        for hash in self.noted(found.map_err(Into::into))?.unwrap_or_default() {
            self.problem(format!("the content {hash} is missing"));
        }
        Ok(())
    }

    fn litter(&mut self) -> SqlResult<()> {
        let named = in_files(self.connection)?;
        let is_litter = |it: &&Found| it.hash.is_none_or(|hash| !named.contains(&hash));
        self.health.litter = files(self.place)?.iter().filter(is_litter).count();
        Ok(())
    }
}

/// The hashes of the contents in files, according to the database.
pub(super) fn in_files(connection: &Connection) -> SqlResult<BTreeSet<Hash>> {
    let mut found = connection.prepare("SELECT hash FROM blobs WHERE data IS NULL")?;
    let hashes: rusqlite::Result<_> = found.query_map([], |it| it.get(0).map(Hash))?.collect();
    Ok(hashes?)
}

/// A file in the folder of large contents.
pub(super) struct Found {
    pub(super) path: std::path::PathBuf,
    /// `None` for a partial file of an interrupted write.
    pub(super) hash: Option<Hash>,
    pub(super) bytes: u64,
}

/// The files of large contents, according to their folder.
pub(super) fn files(place: &Place) -> SqlResult<Vec<Found>> {
    let mut found = Vec::new();
    for folder in place.blobs().map_or_else(|| Ok(Vec::new()), |it| listed(&it))? {
        for path in listed(&folder)? {
            let bytes = fs::metadata(&path)?.len();
            let name = |it: &Path| Some(it.file_name()?.to_str()?.to_owned());
            let hash = name(&folder).zip(name(&path)).map(|(front, rest)| front + rest.as_str());
            let hash = hash.and_then(|it| blake3::Hash::from_hex(it).ok());
            found.push(Found { path, hash: hash.map(|it| Hash(it.into())), bytes });
        }
    }
    Ok(found)
}

fn listed(folder: &Path) -> SqlResult<Vec<std::path::PathBuf>> {
    match fs::read_dir(folder) {
        Ok(found) => Ok(found.map(|it| Ok(it?.path())).collect::<io::Result<_>>()?),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(err) => Err(err.into()),
    }
}

//! What the desktop keeps: projects, resources, sessions, messages, usage, workers, devices, settings.
//!
//! All are rows of one table: a kind, what it belongs to, perhaps a name that is unique there, a
//! state, and a body as JSON. What a body contains and which states follow each other is decided
//! above; here a change of a row is one transaction.

use rusqlite::{Connection, OptionalExtension as _, Row, params, types::Type};

use super::{Book, JobRow, Written, work};
use crate::error::{Result, SqlResult};

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeskKind {
    Project,
    Resource,
    Session,
    Message,
    Usage,
    Worker,
    Device,
    Settings,
}

/// A row. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeskRow {
    /// Its place in the order of creation.
    pub no: i64,
    pub id: String,
    pub owner: String,
    pub kind: DeskKind,
    /// What it belongs to; empty for what belongs to nothing.
    pub parent: String,
    /// Unique among those of its kind and parent, if it has one.
    pub name: Option<String>,
    pub state: String,
    pub at: i64,
    /// The latest changed row has the greatest one.
    pub version: i64,
    /// JSON.
    pub body: String,
}

/// A row to be added.
#[derive(Clone, Debug)]
pub struct NewDeskRow {
    pub id: String,
    pub owner: String,
    pub kind: DeskKind,
    pub parent: String,
    pub name: Option<String>,
    pub state: String,
    pub at: i64,
    pub body: String,
}

/// What became of a row that was to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeskAdded {
    Done(Box<DeskRow>),
    /// This one has the name.
    Taken(Box<DeskRow>),
    /// Its parent has as many of its kind as it may have.
    Full,
}

/// Selects rows of a kind.
#[derive(Clone, Debug, Default)]
pub struct DeskFilter {
    /// Those that belong to this.
    pub parent: Option<String>,
    pub state: Option<String>,
    /// A part of the name, in any case.
    pub named: Option<String>,
    /// Only those created after this place, and before that one.
    pub after: Option<i64>,
    pub before: Option<i64>,
    /// Only those changed after this version.
    pub changed: Option<i64>,
    /// Whether the latest one is first.
    pub is_reversed: bool,
    /// None for all.
    pub limit: Option<u32>,
}

const ROW: &str =
    "SELECT no, id, owner, kind, parent, name, state, at, version, body FROM desk AS one";

const NEXT: &str = "(SELECT coalesce(max(version), 0) + 1 FROM desk)";

impl DeskKind {
    const ALL: [Self; 8] = [
        Self::Project,
        Self::Resource,
        Self::Session,
        Self::Message,
        Self::Usage,
        Self::Worker,
        Self::Device,
        Self::Settings,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Resource => "resource",
            Self::Session => "session",
            Self::Message => "message",
            Self::Usage => "usage",
            Self::Worker => "worker",
            Self::Device => "device",
            Self::Settings => "settings",
        }
    }
}

impl Book {
    /// Adds a row, unless its name is taken, or its parent has `most` of its kind that are in none of
    /// the states `gone`.
    pub fn add_to_desk(
        &self,
        new: NewDeskRow,
        (most, gone): (i64, &'static [&'static str]),
    ) -> Written<DeskAdded> {
        self.write(move |own| {
            if let Some(name) = &new.name {
                let sql =
                    format!("{ROW} WHERE owner = ?1 AND kind = ?2 AND parent = ?3 AND name = ?4");
                let of = params![new.owner, new.kind.name(), new.parent, name];
                let known = own.prepare_cached(&sql)?.query_row(of, row).optional()?;
                if let Some(known) = known {
                    return Ok(DeskAdded::Taken(Box::new(known)));
                }
            }
            if count(own, &new, |it| !gone.contains(&it))? >= most {
                return Ok(DeskAdded::Full);
            }
            insert(own, &new)?;
            let row = by_id(own, &new.owner, &new.id)?;
            Ok(row.map_or(DeskAdded::Full, |it| DeskAdded::Done(Box::new(it))))
        })
    }

    /// Adds several rows together, in their order, unless the parent of the last one has `most` of its
    /// kind in the states `open`. How many it had, if they were added.
    pub fn add_all_to_desk(
        &self,
        all: Vec<NewDeskRow>,
        (most, open): (i64, &'static [&'static str]),
    ) -> Written<Option<i64>> {
        self.write(move |own| {
            let Some(last) = all.last() else { return Ok(Some(0)) };
            let before = count(own, last, |it| open.contains(&it))?;
            if before >= most {
                return Ok(None);
            }
            all.iter().try_for_each(|it| insert(own, it))?;
            Ok(Some(before))
        })
    }

    /// Changes the name, the state and the body of a row, or fails without a change. None if no row of
    /// this owner has the id.
    pub fn change_desk<E: Send + 'static>(
        &self,
        owner: String,
        id: String,
        change: impl FnMut(&mut DeskRow) -> std::result::Result<(), E> + Send + 'static,
    ) -> Written<Option<std::result::Result<DeskRow, E>>> {
        self.change_desk_adding(owner, id, change, Vec::new())
    }

    /// The same, and adds rows if the change was made: both or nothing.
    pub fn change_desk_adding<E: Send + 'static>(
        &self,
        owner: String,
        id: String,
        mut change: impl FnMut(&mut DeskRow) -> std::result::Result<(), E> + Send + 'static,
        also: Vec<NewDeskRow>,
    ) -> Written<Option<std::result::Result<DeskRow, E>>> {
        self.write(move |own| {
            let Some(before) = by_id(own, &owner, &id)? else { return Ok(None) };
            let mut after = before.clone();
            if let Err(why) = change(&mut after) {
                return Ok(Some(Err(why)));
            }
            also.iter().try_for_each(|it| insert(own, it))?;
            if after == before {
                return Ok(Some(Ok(before)));
            }
            let sql = format!(
                "UPDATE desk SET name = ?2, state = ?3, body = ?4, version = {NEXT} WHERE no = ?1"
            );
            let of = params![before.no, after.name, after.state, after.body];
            own.prepare_cached(&sql)?.execute(of)?;
            Ok(by_id(own, &owner, &id)?.map(Ok))
        })
    }

    /// A row of an owner.
    pub fn desk_row(&self, owner: &str, kind: DeskKind, id: &str) -> Result<Option<DeskRow>> {
        let found = self.read(|own| by_id(own, owner, id))?;
        Ok(found.filter(|it| it.kind == kind))
    }

    /// Rows of an owner.
    pub fn desk_rows(
        &self,
        owner: &str,
        kind: DeskKind,
        filter: &DeskFilter,
    ) -> Result<Vec<DeskRow>> {
        self.read(|own| {
            let order = if filter.is_reversed { "DESC" } else { "ASC" };
            let sql = format!(
                "{ROW} WHERE owner = ?1 AND kind = ?2 AND (?3 IS NULL OR parent = ?3)
                    AND (?4 IS NULL OR state = ?4) AND (?5 IS NULL OR instr(lower(name), lower(?5)))
                    AND (?6 IS NULL OR no > ?6) AND (?7 IS NULL OR no < ?7)
                    AND (?8 IS NULL OR version > ?8) ORDER BY no {order} LIMIT ?9"
            );
            let mut found = own.prepare_cached(&sql)?;
            let rows = found.query_map(
                params![
                    owner,
                    kind.name(),
                    filter.parent,
                    filter.state,
                    filter.named,
                    filter.after,
                    filter.before,
                    filter.changed,
                    filter.limit.map_or(-1, i64::from),
                ],
                row,
            )?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The jobs of a session, the first one first.
    pub fn jobs_of_session(&self, owner: &str, session: &str) -> Result<Vec<JobRow>> {
        self.read(|own| work::of_session(own, owner, session))
    }
}

/// How many rows of a kind and parent are in some states.
fn count(own: &Connection, like: &NewDeskRow, is_counted: impl Fn(&str) -> bool) -> SqlResult<i64> {
    let sql = "SELECT state, count(*) FROM desk
        WHERE owner = ?1 AND kind = ?2 AND parent = ?3 GROUP BY state";
    let mut found = own.prepare_cached(sql)?;
    let of = params![like.owner, like.kind.name(), like.parent];
    let rows = found.query_map(of, |it| Ok((it.get::<_, String>(0)?, it.get::<_, i64>(1)?)))?;
    let mut count = 0;
    for row in rows {
        let (state, rows) = row?;
        count += if is_counted(&state) { rows } else { 0 };
    }
    Ok(count)
}

fn insert(own: &Connection, new: &NewDeskRow) -> SqlResult<()> {
    let sql = format!(
        "INSERT INTO desk (id, owner, kind, parent, name, state, at, version, body)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, {NEXT}, ?8)"
    );
    let of = params![
        new.id,
        new.owner,
        new.kind.name(),
        new.parent,
        new.name,
        new.state,
        new.at,
        new.body
    ];
    own.prepare_cached(&sql)?.execute(of)?;
    Ok(())
}

fn by_id(own: &Connection, owner: &str, id: &str) -> SqlResult<Option<DeskRow>> {
    let sql = format!("{ROW} WHERE id = ?1 AND owner = ?2");
    Ok(own.prepare_cached(&sql)?.query_row([id, owner], row).optional()?)
}

fn row(row: &Row<'_>) -> rusqlite::Result<DeskRow> {
    let kind: String = row.get(3)?;
    let kind = DeskKind::ALL.into_iter().find(|it| it.name() == kind).ok_or_else(|| {
        rusqlite::Error::FromSqlConversionFailure(3, Type::Text, "an unknown kind".into())
    })?;
    Ok(DeskRow {
        no: row.get(0)?,
        id: row.get(1)?,
        owner: row.get(2)?,
        kind,
        parent: row.get(4)?,
        name: row.get(5)?,
        state: row.get(6)?,
        at: row.get(7)?,
        version: row.get(8)?,
        body: row.get(9)?,
    })
}

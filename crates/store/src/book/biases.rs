//! The biases of components: their versions, which one is active, what guards it, and a log of all
//! changes, chained like the audit.
//!
//! A change, the version that it makes and its entry in the log are one transaction, so a book never
//! has a part of a change.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use svc_contract::store::StoreError;

use super::{Book, Break, FILE, TABLES, Written, bias_log as log, changed};
use crate::{
    error::{Result, SqlResult},
    place::{Place, sibling},
    pool::{Access, Pool},
    private,
};

/// What follows the name of the book in that of an empty file, which is there as soon as any bias was
/// changed: without it, a reader need not open the book.
const SIGN: &str = "-biases";

/// The most scores that are kept of one version.
pub const MOST_SCORES: i64 = 10_000;

/// The most traces that are kept.
pub const MOST_TRACES: i64 = 5_000;

/// What is kept of a component. Versions begin with 1, the defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BiasRow {
    pub component: String,
    pub active: u64,
    /// The draw by which its cases are sealed.
    pub seal: u64,
    /// How often its sealed cases were used since that draw.
    pub attempts: u64,
    /// The version to return to if the active one turns out to be worse.
    pub guarded: Option<u64>,
}

/// One version. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BiasVersion {
    pub version: u64,
    /// The version that was active before.
    pub parent: Option<u64>,
    pub at: i64,
    pub summary: String,
    /// The changed params as JSON.
    pub params: String,
}

/// An entry of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BiasEntry {
    /// From 1, without gaps.
    pub no: u64,
    pub at: i64,
    pub component: String,
    pub op: String,
    pub version: u64,
    pub outcome: String,
    pub detail: String,
}

/// What an evolution keeps until it ends.
#[derive(Clone, Debug)]
pub struct BiasResult {
    pub key: [u8; 32],
    pub component: String,
    pub at: i64,
    pub result: String,
}

/// How good a result of a version was.
#[derive(Clone, Debug, PartialEq)]
pub struct BiasScore {
    pub component: String,
    pub version: u64,
    pub at: i64,
    /// From 0 to 1.
    pub score: f64,
    pub source: String,
}

/// A candidate of a frontier: its params and its score, both as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frontier {
    pub params: String,
    pub score: String,
}

/// A change of the active version.
#[derive(Clone, Debug)]
pub struct Changing {
    pub component: String,
    /// The active version that the change is based on.
    pub based_on: u64,
    pub at: i64,
    pub op: &'static str,
    pub change: Change,
    pub detail: String,
}

/// What becomes active.
#[derive(Clone, Debug)]
pub enum Change {
    /// A new version with these params as JSON, which is guarded.
    Add { summary: String, params: String },
    /// An earlier version, which needs no guard.
    Return { to: u64 },
}

const VERSION: &str = "SELECT version, parent, at, summary, params FROM bias_versions";

impl Book {
    /// The components whose biases were ever changed, by name.
    pub fn biases(&self) -> Result<Vec<BiasRow>> {
        self.read(all)
    }

    /// What is kept of a component; a component without changes has version 1.
    pub fn bias(&self, component: &str) -> Result<BiasRow> {
        self.read(|own| bias(own, component))
    }

    /// The params of the active versions that differ from the defaults: each component with them as JSON.
    pub fn active_biases(&self) -> Result<Vec<(String, String)>> {
        self.read(active)
    }

    /// The same of the book in a folder, without opening it for writing; nothing if there is none.
    pub fn active_biases_in(folder: &Path) -> Result<Vec<(String, String)>> {
        let file = folder.join(FILE);
        if !sibling(&file, SIGN).exists() || !file.exists() {
            return Ok(Vec::new());
        }
        let pool = Pool::new(Place::File(file), Access::Reading)?;
        let found = pool.reader().and_then(|own| {
            // The book of an older program has no biases.
            let version: usize = own.pragma_query_value(None, "user_version", |it| it.get(0))?;
            let is_known = TABLES.own(&own)? && version >= TABLES.migrations.len();
            if is_known { active(&own) } else { Ok(Vec::new()) }
        });
        Ok(found?)
    }

    /// How often biases were changed, by any process.
    pub fn bias_changes(&self) -> Result<u64> {
        self.changes("biases")
    }

    /// A version of a component; `None` if it has none of this number.
    pub fn bias_version(&self, component: &str, version: u64) -> Result<Option<BiasVersion>> {
        self.read(|own| one_version(own, component, version))
    }

    /// The versions of a component, the latest first.
    pub fn bias_versions(&self, component: &str, limit: usize) -> Result<Vec<BiasVersion>> {
        self.read(|own| {
            let sql = format!("{VERSION} WHERE component = ?1 ORDER BY version DESC LIMIT ?2");
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let mut found = own.prepare_cached(&sql)?;
            let rows = found.query_map(params![component, limit], version)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Changes the active version in one transaction. Returns the version that is active now; `None` if
    /// another version than `based_on` was active.
    pub fn change_bias(&self, changing: Changing) -> Written<Option<u64>> {
        let chain = self.bias_chain();
        let sign = self.file.as_ref().map(|it| sibling(it, SIGN));
        self.write(move |own| {
            // Before the change: a sign without one costs a look, a change without one is not seen.
            sign.as_deref().map(private::create).transpose()?;
            change(own, chain, &changing)
        })
    }

    /// Adds an entry to the log. Returns its number once it is durable.
    pub fn log_bias(&self, entry: BiasEntry) -> Written<u64> {
        let chain = self.bias_chain();
        self.write(move |own| log::add(own, chain, &entry))
    }

    /// The latest entries, the latest first: of one component or of all, since a time.
    pub fn bias_log(
        &self,
        component: Option<&str>,
        since: Option<i64>,
        limit: usize,
    ) -> Result<Vec<BiasEntry>> {
        self.read(|own| log::latest(own, component, since, limit))
    }

    /// Verifies the chain of the log, and that the versions are those that it names. Returns the number
    /// of its entries.
    pub fn verify_bias_log(&self) -> Result<std::result::Result<u64, Break>> {
        let chain = self.bias_chain();
        self.read(|it| {
            let own = it.unchecked_transaction()?;
            let verified = log::verify(&own, chain);
            own.finish()?;
            verified
        })
    }

    /// Counts a use of the sealed cases of a component before they are read. Returns its number, from 1.
    pub fn attempt_bias(&self, component: String, at: i64) -> Written<u64> {
        self.write(move |own| {
            ensure(own, &component, at)?;
            let sql = "UPDATE biases SET attempts = attempts + 1 WHERE component = ?1
                RETURNING attempts";
            let count: i64 = own.prepare_cached(sql)?.query_row([&component], |it| it.get(0))?;
            Ok(count.cast_unsigned())
        })
    }

    /// Draws again which cases of a component are sealed. Returns the number of the draw.
    pub fn redraw_bias(&self, component: String, at: i64) -> Written<u64> {
        let chain = self.bias_chain();
        self.write(move |own| {
            ensure(own, &component, at)?;
            let sql = "UPDATE biases SET seal = seal + 1, attempts = 0 WHERE component = ?1
                RETURNING seal, active";
            let (seal, active): (i64, i64) = own
                .prepare_cached(sql)?
                .query_row([&component], |it| Ok((it.get(0)?, it.get(1)?)))?;
            log::add(
                own,
                chain,
                &BiasEntry {
                    no: 0,
                    at,
                    component: component.clone(),
                    op: "cases".to_owned(),
                    version: active.cast_unsigned(),
                    outcome: "drawn".to_owned(),
                    detail: format!("draw {seal} of the sealed cases"),
                },
            )?;
            Ok(seal.cast_unsigned())
        })
    }

    /// Ends the guard of the active version of a component.
    pub fn unguard_bias(&self, component: String) -> Written<()> {
        self.write(move |own| {
            let sql = "UPDATE biases SET guarded = NULL WHERE component = ?1";
            own.prepare_cached(sql)?.execute([&component])?;
            Ok(())
        })
    }

    /// A finished evaluation, as JSON.
    pub fn bias_result(&self, key: [u8; 32]) -> Result<Option<String>> {
        self.read(|own| {
            let sql = "SELECT result FROM bias_results WHERE key = ?1";
            Ok(own.prepare_cached(sql)?.query_row([key], |it| it.get(0)).optional()?)
        })
    }

    /// Keeps a finished evaluation. Does not wait until it is durable: it can be made again.
    pub fn keep_bias_result(&self, result: BiasResult) -> Result<()> {
        self.append(move |own| Ok(insert_result(own, &result)?))
    }

    /// Keeps what an evolution paid for, durably.
    pub fn set_bias_result(&self, result: BiasResult) -> Written<()> {
        self.write(move |own| Ok(insert_result(own, &result)?))
    }

    /// Drops the finished evaluations of a component, when its evolution has ended.
    pub fn drop_bias_results(&self, component: String) -> Written<()> {
        self.write(move |own| {
            let sql = "DELETE FROM bias_results WHERE component = ?1";
            own.prepare_cached(sql)?.execute([&component])?;
            Ok(())
        })
    }

    /// The frontier of a component, the best first.
    pub fn bias_frontier(&self, component: &str) -> Result<Vec<Frontier>> {
        self.read(|own| {
            let sql = "SELECT params, score FROM bias_frontier WHERE component = ?1 ORDER BY place";
            let mut found = own.prepare_cached(sql)?;
            let rows = found.query_map([component], |it| {
                Ok(Frontier { params: it.get(0)?, score: it.get(1)? })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Replaces the frontier of a component.
    pub fn set_bias_frontier(&self, component: String, all: Vec<Frontier>) -> Written<()> {
        self.write(move |own| {
            own.prepare_cached("DELETE FROM bias_frontier WHERE component = ?1")?
                .execute([&component])?;
            let sql = "INSERT INTO bias_frontier (component, place, params, score)
                VALUES (?1, ?2, ?3, ?4)";
            for (place, it) in (0_i64..).zip(&all) {
                own.prepare_cached(sql)?.execute(params![component, place, it.params, it.score])?;
            }
            Ok(())
        })
    }

    /// Adds a score of a version; the oldest ones of a version are dropped beyond [`MOST_SCORES`].
    pub fn add_bias_score(&self, score: BiasScore) -> Written<()> {
        self.write(move |own| Ok(insert_score(own, &score)?))
    }

    /// Sets the score of a source, which has one, and returns whether it had none before.
    pub fn set_bias_score(&self, score: BiasScore) -> Written<bool> {
        self.write(move |own| {
            let sql = "DELETE FROM bias_scores WHERE component = ?1 AND source = ?2";
            let before = own.prepare_cached(sql)?.execute([&score.component, &score.source])?;
            insert_score(own, &score)?;
            Ok(before == 0)
        })
    }

    /// The latest scores of a version, the latest first.
    pub fn bias_scores(&self, component: &str, version: u64, limit: usize) -> Result<Vec<f64>> {
        self.read(|own| {
            let sql = "SELECT score FROM bias_scores WHERE component = ?1 AND version = ?2
                ORDER BY no DESC LIMIT ?3";
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let mut found = own.prepare_cached(sql)?;
            let rows = found
                .query_map(params![component, version.cast_signed(), limit], |it| it.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Adds a trace of a workflow; the oldest ones are dropped beyond [`MOST_TRACES`].
    pub fn add_bias_trace(&self, at: i64, trace: String) -> Written<()> {
        self.write(move |own| {
            let sql = "INSERT INTO bias_traces (at, trace) VALUES (?1, ?2)";
            own.prepare_cached(sql)?.execute(params![at, trace])?;
            let sql = "DELETE FROM bias_traces WHERE no <= (
                SELECT no FROM bias_traces ORDER BY no DESC LIMIT 1 OFFSET ?1)";
            own.prepare_cached(sql)?.execute([MOST_TRACES])?;
            Ok(())
        })
    }

    /// The observed traces as JSON, the latest first.
    pub fn bias_traces(&self) -> Result<Vec<String>> {
        self.read(|own| {
            let mut found =
                own.prepare_cached("SELECT trace FROM bias_traces ORDER BY no DESC LIMIT ?1")?;
            let rows = found.query_map([MOST_TRACES], |it| it.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn bias_chain(&self) -> [u8; 32] {
        log::chain(&self.pepper)
    }
}

fn all(own: &Connection) -> SqlResult<Vec<BiasRow>> {
    let sql = "SELECT component, active, seal, attempts, guarded FROM biases ORDER BY component";
    let mut found = own.prepare_cached(sql)?;
    let rows = found.query_map([], bias_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn bias(own: &Connection, component: &str) -> SqlResult<BiasRow> {
    let sql = "SELECT component, active, seal, attempts, guarded FROM biases WHERE component = ?1";
    let found = own.prepare_cached(sql)?.query_row([component], bias_row).optional()?;
    let component = component.to_owned();
    Ok(found.unwrap_or(BiasRow { component, active: 1, seal: 0, attempts: 0, guarded: None }))
}

fn active(own: &Connection) -> SqlResult<Vec<(String, String)>> {
    let sql = "SELECT component, params FROM biases JOIN bias_versions USING (component)
        WHERE version = active AND params <> '{}' ORDER BY component";
    let mut found = own.prepare_cached(sql)?;
    let rows = found.query_map([], |it| Ok((it.get(0)?, it.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn one_version(own: &Connection, component: &str, no: u64) -> SqlResult<Option<BiasVersion>> {
    let sql = format!("{VERSION} WHERE component = ?1 AND version = ?2");
    let found = own.prepare_cached(&sql)?.query_row(params![component, no.cast_signed()], version);
    Ok(found.optional()?)
}

/// Adds the row of a component, and its first version.
fn ensure(own: &Connection, component: &str, at: i64) -> SqlResult<()> {
    own.prepare_cached("INSERT OR IGNORE INTO biases (component, active) VALUES (?1, 1)")?
        .execute([component])?;
    own.prepare_cached(
        "INSERT OR IGNORE INTO bias_versions (component, version, parent, at, summary, params)
            VALUES (?1, 1, NULL, ?2, 'the defaults', '{}')",
    )?
    .execute(params![component, at])?;
    Ok(())
}

fn change(own: &Connection, chain: [u8; 32], changing: &Changing) -> SqlResult<Option<u64>> {
    let Changing { component, based_on, at, op, change, detail } = changing;
    ensure(own, component, *at)?;
    if bias(own, component)?.active != *based_on {
        return Ok(None);
    }
    let (active, guarded) = match change {
        Change::Add { summary, params } => {
            let sql = "SELECT max(version) + 1 FROM bias_versions WHERE component = ?1";
            let next: i64 = own.prepare_cached(sql)?.query_row([component], |it| it.get(0))?;
            let sql = "INSERT INTO bias_versions (component, version, parent, at, summary, params)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let parent = based_on.cast_signed();
            own.prepare_cached(sql)?
                .execute(params![component, next, parent, at, summary, params])?;
            (next, Some(parent))
        }
        Change::Return { to } => {
            if one_version(own, component, *to)?.is_none() {
                return Err(
                    StoreError::not_found(format!("`{component}` has no version {to}")).into()
                );
            }
            (to.cast_signed(), None)
        }
    };
    let sql = "UPDATE biases SET active = ?2, guarded = ?3 WHERE component = ?1";
    own.prepare_cached(sql)?.execute(params![component, active, guarded])?;
    let entry = BiasEntry {
        no: 0,
        at: *at,
        component: component.clone(),
        op: (*op).to_owned(),
        version: active.cast_unsigned(),
        outcome: "done".to_owned(),
        detail: detail.clone(),
    };
    log::add_change(own, chain, &entry)?;
    changed(own, "biases")?;
    Ok(Some(active.cast_unsigned()))
}

fn bias_row(row: &Row<'_>) -> rusqlite::Result<BiasRow> {
    Ok(BiasRow {
        component: row.get(0)?,
        active: row.get::<_, i64>(1)?.cast_unsigned(),
        seal: row.get::<_, i64>(2)?.cast_unsigned(),
        attempts: row.get::<_, i64>(3)?.cast_unsigned(),
        guarded: row.get::<_, Option<i64>>(4)?.map(i64::cast_unsigned),
    })
}

fn version(row: &Row<'_>) -> rusqlite::Result<BiasVersion> {
    Ok(BiasVersion {
        version: row.get::<_, i64>(0)?.cast_unsigned(),
        parent: row.get::<_, Option<i64>>(1)?.map(i64::cast_unsigned),
        at: row.get(2)?,
        summary: row.get(3)?,
        params: row.get(4)?,
    })
}

/// Adds a score, and leaves the latest ones of its version.
fn insert_score(own: &rusqlite::Connection, score: &BiasScore) -> rusqlite::Result<()> {
    let BiasScore { component, version, at, score, source } = score;
    let version = version.cast_signed();
    let sql = "INSERT INTO bias_scores (component, version, at, score, source)
        VALUES (?1, ?2, ?3, ?4, ?5)";
    own.prepare_cached(sql)?.execute(params![component, version, at, score, source])?;
    let sql = "DELETE FROM bias_scores WHERE component = ?1 AND version = ?2 AND no <= (
        SELECT no FROM bias_scores WHERE component = ?1 AND version = ?2
        ORDER BY no DESC LIMIT 1 OFFSET ?3)";
    own.prepare_cached(sql)?.execute(params![component, version, MOST_SCORES])?;
    Ok(())
}

fn insert_result(own: &rusqlite::Connection, kept: &BiasResult) -> rusqlite::Result<()> {
    let BiasResult { key, component, at, result } = kept;
    let sql = "INSERT OR REPLACE INTO bias_results (key, component, at, result)
        VALUES (?1, ?2, ?3, ?4)";
    own.prepare_cached(sql)?.execute(params![key, component, at, result]).map(drop)
}

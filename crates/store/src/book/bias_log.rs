//! The log of the biases: each entry is linked to the one before, and one that makes a version active has
//! the hash of its params.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{Break, Pepper, audit::seal_first, biases::BiasEntry};
use crate::error::{Result, SqlResult};

const ENTRY: &str =
    "SELECT no, at, component, op, version, outcome, detail, chain, params FROM bias_log";
const PARAMS: &str = "SELECT params FROM bias_versions WHERE component = ?1 AND version = ?2";
const START: [u8; 32] = [0; 32];

/// The ops that change the active version, for entries without a hash.
const CHANGES: [&str; 4] = ["apply", "rollback", "import", "self_heal"];

/// The latest entries, the latest first.
pub(super) fn latest(
    own: &Connection,
    component: Option<&str>,
    since: Option<i64>,
    limit: usize,
) -> SqlResult<Vec<BiasEntry>> {
    let sql = format!(
        "{ENTRY} WHERE component = coalesce(?1, component) AND at >= coalesce(?2, at)
            ORDER BY no DESC LIMIT ?3"
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut found = own.prepare_cached(&sql)?;
    let rows = found.query_map(params![component, since, limit], |it| Ok(entry(it)?.0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Adds an entry.
pub(super) fn add(own: &Connection, chain: [u8; 32], given: &BiasEntry) -> SqlResult<u64> {
    added(own, chain, given, None)
}

/// Adds an entry about the version that is active now, with the params of that version.
pub(super) fn add_change(own: &Connection, chain: [u8; 32], given: &BiasEntry) -> SqlResult<u64> {
    let of = params![given.component, given.version.cast_signed()];
    let params: String = own.prepare_cached(PARAMS)?.query_row(of, |it| it.get(0))?;
    added(own, chain, given, Some(hashed(chain, &params)))
}

fn added(
    own: &Connection,
    chain: [u8; 32],
    given: &BiasEntry,
    params: Option<[u8; 32]>,
) -> SqlResult<u64> {
    let sql = "SELECT no, chain FROM bias_log ORDER BY no DESC LIMIT 1";
    let last = own.prepare_cached(sql)?.query_row([], |it| Ok((it.get(0)?, it.get(1)?)));
    let (last, before): (i64, [u8; 32]) = last.optional()?.unwrap_or((0, START));
    let entry = BiasEntry { no: (last + 1).cast_unsigned(), ..given.clone() };
    let link = link(chain, before, (&entry, params));
    let BiasEntry { no, at, component, op, version, outcome, detail } = &entry;
    let (no, version) = (no.cast_signed(), version.cast_signed());
    let sql =
        "INSERT INTO bias_log (no, at, component, op, version, outcome, detail, chain, params)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    own.prepare_cached(sql)?
        .execute(params![no, at, component, op, version, outcome, detail, link, params])?;
    let sql = "INSERT OR REPLACE INTO bias_log_head (one, entries, seal) VALUES (1, ?1, ?2)";
    own.prepare_cached(sql)?.execute(params![no, seal(chain, entry.no, link)])?;
    Ok(entry.no)
}

/// Verifies the chain, and that the versions are those that it names.
pub(super) fn verify(
    own: &Connection,
    chain: [u8; 32],
) -> SqlResult<std::result::Result<u64, Break>> {
    let broken = |no: u64, why: &str| Ok(Err(Break { no, why: why.to_owned() }));
    let (mut last, mut before) = (0, START);
    let mut found = own.prepare(&format!("{ENTRY} ORDER BY no"))?;
    let mut rows = found.query([])?;
    // The version that each component had last, and all that it ever had.
    let (mut active, mut made) = (BTreeMap::new(), BTreeSet::new());
    while let Some(row) = rows.next()? {
        let Ok((row, kept, params)) = entry(row) else { return broken(last + 1, "it was changed") };
        if row.no != last + 1 {
            return broken(last + 1, "it is missing");
        }
        if kept != link(chain, before, (&row, params)) {
            return broken(row.no, "it was changed, or those before it");
        }
        (last, before) = (row.no, kept);
        if let Some(params) = params {
            let of = params![row.component, row.version.cast_signed()];
            let now = own.prepare_cached(PARAMS)?.query_row(of, |it| it.get::<_, String>(0));
            if now.optional()?.is_none_or(|it| hashed(chain, &it) != params) {
                return broken(
                    row.no,
                    &format!("version {} of `{}` was changed", row.version, row.component),
                );
            }
        }
        if params.is_some() || (CHANGES.contains(&&*row.op) && row.outcome == "done") {
            made.insert((row.component.clone(), row.version));
            active.insert(row.component, row.version);
        }
    }
    let sql = "SELECT entries, seal FROM bias_log_head WHERE one = 1";
    let head = own.prepare_cached(sql)?.query_row([], |it| Ok((it.get(0)?, it.get(1)?)));
    let head: Option<(i64, [u8; 32])> = head.optional()?;
    let is_whole = head.is_some_and(|(entries, kept)| {
        entries.cast_unsigned() == last && kept == seal(chain, last, before)
    });
    if !is_whole {
        return broken(last + 1, "entries at the end are missing, or the head was changed");
    }
    match unlogged(own, &active, &made)? {
        Some(why) => broken(last, &why),
        None => Ok(Ok(last)),
    }
}

/// What differs between the versions and the entries about them.
fn unlogged(
    own: &Connection,
    active: &BTreeMap<String, u64>,
    made: &BTreeSet<(String, u64)>,
) -> SqlResult<Option<String>> {
    let mut found = own.prepare("SELECT component, version, params FROM bias_versions")?;
    let mut rows = found.query([])?;
    while let Some(row) = rows.next()? {
        let (component, version): (String, i64) = (row.get(0)?, row.get(1)?);
        let version = version.cast_unsigned();
        let is_default = version == 1 && row.get::<_, String>(2)? == "{}";
        if !is_default && !made.contains(&(component.clone(), version)) {
            return Ok(Some(format!("no entry is about version {version} of `{component}`")));
        }
    }
    let mut found = own.prepare("SELECT component, active FROM biases")?;
    let mut rows = found.query([])?;
    while let Some(row) = rows.next()? {
        let (component, now): (String, i64) = (row.get(0)?, row.get(1)?);
        let logged = active.get(&component).copied().unwrap_or(1);
        if now.cast_unsigned() != logged {
            return Ok(Some(format!(
                "version {now} of `{component}` is active, and the log says version {logged}"
            )));
        }
    }
    Ok(None)
}

/// Seals the head of a log that has no entry yet.
pub(super) fn seal_empty(own: &Connection, pepper: &Pepper) -> Result<()> {
    seal_first(own, "bias_log_head", seal(chain(pepper), 0, START))
}

/// The key of the chain.
pub(super) fn chain(pepper: &Pepper) -> [u8; 32] {
    pepper.derive("svc 2026 chain of the biases")
}

/// The hash of params, which only those with the pepper can compute.
fn hashed(chain: [u8; 32], params: &str) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_keyed(&chain);
    hasher.update(b"params").update(params.as_bytes());
    *hasher.finalize().as_bytes()
}

/// The link of an entry. Every field is written with its length.
fn link(
    chain: [u8; 32],
    before: [u8; 32],
    (row, params): (&BiasEntry, Option<[u8; 32]>),
) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_keyed(&chain);
    let mut field = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    field(b"entry");
    field(&before);
    for number in [row.no, row.at.cast_unsigned(), row.version] {
        field(&number.to_le_bytes());
    }
    for text in [&row.component, &row.op, &row.outcome, &row.detail] {
        field(text.as_bytes());
    }
    if let Some(params) = params {
        field(&params);
    }
    *hasher.finalize().as_bytes()
}

fn seal(chain: [u8; 32], entries: u64, link: [u8; 32]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_keyed(&chain);
    hasher.update(b"head").update(&entries.to_le_bytes()).update(&link);
    *hasher.finalize().as_bytes()
}

type Entry = (BiasEntry, [u8; 32], Option<[u8; 32]>);

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let entry = BiasEntry {
        no: row.get::<_, i64>(0)?.cast_unsigned(),
        at: row.get(1)?,
        component: row.get(2)?,
        op: row.get(3)?,
        version: row.get::<_, i64>(4)?.cast_unsigned(),
        outcome: row.get(5)?,
        detail: row.get(6)?,
    };
    Ok((entry, row.get(7)?, row.get(8)?))
}

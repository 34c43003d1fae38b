//! Queries of a store. Every answer reflects the state committed at the time of the query; all
//! queries block.

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use svc_contract::{
    registry::Usage,
    store::{
        Args, Attempt, Filter, Hash, Node, NodeState, Payment, Run, RunId, RunState, StoreError,
        StoreErrorKind,
    },
    value::Money,
};

use super::{SqliteStore, blobs, error::SqlResult};

pub(super) const RUN: &str =
    "SELECT id, script, text, folder, params, bounds, version, state, started,
    ended, tokens, cost, value, error, origin, about FROM runs";

pub(super) const NODE: &str =
    "SELECT runs.id, path, key, component, op.op, op.version, nodes.state, attempts,
    nodes.started, took, nodes.tokens, nodes.cost, output, nodes.error, args, args_blob, input,
    born, nodes.origin, nodes.about, cause
    FROM nodes JOIN runs ON runs.no = nodes.run JOIN ops AS op ON op.no = nodes.op";

impl SqliteStore {
    /// Lists runs, the latest first.
    pub(super) fn read_runs(&self, filter: &Filter) -> SqlResult<Vec<Run>> {
        let reader = self.pool.reader()?;
        let sql = format!(
            "{RUN} WHERE (?1 IS NULL OR script = ?1) AND (?2 IS NULL OR id < ?2)
                ORDER BY id DESC LIMIT ?3"
        );
        let before = filter.before.as_ref().map(RunId::as_str);
        let limit = filter.limit.map_or(-1, |it| i64::try_from(it).unwrap_or(-1));
        let mut found = reader.prepare_cached(&sql)?;
        let mut rows = found.query(params![filter.script, before, limit])?;
        let mut runs = Vec::new();
        while let Some(row) = rows.next()? {
            runs.push(self.seen(run(row)?)?);
        }
        Ok(runs)
    }

    /// The run of that name, of a unique prefix of it, or the latest run for `last`.
    pub(super) fn read_run(&self, name: &str) -> SqlResult<Run> {
        const SHOWN: usize = 4;
        let filter = Filter { limit: Some(1), ..Filter::default() };
        if name == "last" {
            let latest = self.read_runs(&filter)?.pop();
            let none = || StoreError::not_found("the store has no runs");
            return Ok(latest.ok_or_else(none)?);
        }
        let name = name.to_ascii_lowercase();
        let mut found = self.with_prefix(&name, SHOWN)?;
        match found.len() {
            0 => Err(StoreError::not_found(format!("unknown run `{name}`")).into()),
            1 => self.seen(found.remove(0)),
            _ => {
                let names: Vec<&str> = found.iter().map(|it| it.id.as_str()).collect();
                let message = format!("more than one run begins with `{name}`");
                Err(StoreError::new(StoreErrorKind::Ambiguous, message)
                    .help(format!("use a longer prefix, such as {}", names.join(", ")))
                    .into())
            }
        }
    }

    /// The latest name.
    pub(super) fn latest(&self) -> SqlResult<Option<RunId>> {
        let reader = self.pool.reader()?;
        let sql = "SELECT id FROM runs ORDER BY id DESC LIMIT 1";
        let found: Option<String> =
            reader.prepare_cached(sql)?.query_row([], |it| it.get(0)).optional()?;
        Ok(found.map(|it| RunId::parse(&it)).transpose()?)
    }

    fn with_prefix(&self, prefix: &str, limit: usize) -> SqlResult<Vec<Run>> {
        let is_prefix = !prefix.is_empty() && prefix.bytes().all(|it| it.is_ascii_alphanumeric());
        if !is_prefix {
            return Ok(Vec::new());
        }
        let reader = self.pool.reader()?;
        // No sign of a name sorts after `z`.
        let sql = format!("{RUN} WHERE id BETWEEN ?1 AND ?1 || '{{' ORDER BY id DESC LIMIT ?2");
        let mut found = reader.prepare_cached(&sql)?;
        let mut rows = found.query(params![prefix, limit])?;
        let mut runs = Vec::new();
        while let Some(row) = rows.next()? {
            runs.push(run(row)?);
        }
        Ok(runs)
    }

    /// A run without an end has died, unless it is claimed. Its spending is in its payments.
    fn seen(&self, mut run: Run) -> SqlResult<Run> {
        if run.state == RunState::Running {
            run.used = Payment::total(&self.read_payments(&run.id)?);
        }
        if run.state == RunState::Running && !self.claims.is_taken(&self.place, &run.id)? {
            // It may have ended between the two queries.
            let sql = "SELECT state FROM runs WHERE id = ?1";
            let reader = self.pool.reader()?;
            let state: Option<String> = reader
                .prepare_cached(sql)?
                .query_row([run.id.as_str()], |it| it.get(0))
                .optional()?;
            run.state = match state.as_deref().map(RunState::read).transpose()? {
                Some(RunState::Running) | None => RunState::Died,
                Some(_) => return self.read_run(run.id.as_str()),
            };
        }
        Ok(run)
    }

    /// The names and texts of the files that a run's script imports.
    pub(super) fn read_imports(&self, run: &RunId) -> SqlResult<Vec<(String, Hash)>> {
        imports(&*self.pool.reader()?, run)
    }

    /// Every node of a run, in the order in which they were first written.
    pub(super) fn read_nodes(&self, run: &RunId) -> SqlResult<Vec<Node>> {
        let reader = self.pool.reader()?;
        nodes(&reader, &format!("{NODE} WHERE runs.id = ?1 ORDER BY nodes.no"), run.as_str())
    }

    /// One node of a run by its path.
    pub(super) fn read_node(&self, run: &RunId, path: &str) -> SqlResult<Option<Node>> {
        let reader = self.pool.reader()?;
        let sql = format!("{NODE} WHERE runs.id = ?1 AND path = ?2");
        let mut found = reader.prepare_cached(&sql)?;
        let mut rows = found.query([run.as_str(), path])?;
        rows.next()?.map(node).transpose()
    }

    /// The nodes that finished under a key in other runs than `but`: nodes at the same place
    /// first, then the latest ones.
    pub(super) fn read_done(&self, key: [u8; 32], path: &str, but: &RunId) -> SqlResult<Vec<Node>> {
        const MOST: usize = 8;
        let reader = self.pool.reader()?;
        let sql = format!(
            "{NODE} WHERE substr(key, 1, 8) = substr(?1, 1, 8) AND key = ?1
                AND nodes.state = 'done' AND runs.id <> ?3
                ORDER BY path = ?2 DESC, born DESC LIMIT {MOST}"
        );
        let mut found = reader.prepare_cached(&sql)?;
        let mut rows = found.query(params![key, path, but.as_str()])?;
        let mut nodes = Vec::new();
        while let Some(row) = rows.next()? {
            nodes.push(node(row)?);
        }
        Ok(nodes)
    }

    /// The attempts of a node that had several, in order. A node with a single attempt contains
    /// all its facts.
    pub(super) fn read_attempts(&self, run: &RunId, path: &str) -> SqlResult<Vec<Attempt>> {
        attempts(&*self.pool.reader()?, run, path)
    }

    /// A content by its hash. The content is compared with its hash.
    pub(super) fn read_blob(&self, hash: Hash) -> SqlResult<Option<Vec<u8>>> {
        blobs::read(&*self.pool.reader()?, &self.place, hash)
    }
}

pub(super) fn imports(reader: &Connection, run: &RunId) -> SqlResult<Vec<(String, Hash)>> {
    let mut found = reader.prepare_cached(
        "SELECT name, imports.text FROM imports JOIN runs ON runs.no = imports.run
            WHERE runs.id = ?1 ORDER BY name",
    )?;
    let mut rows = found.query([run.as_str()])?;
    let mut imports = Vec::new();
    while let Some(row) = rows.next()? {
        imports.push((row.get(0)?, hash(row, 1)?));
    }
    Ok(imports)
}

pub(super) fn attempts(reader: &Connection, run: &RunId, path: &str) -> SqlResult<Vec<Attempt>> {
    let mut found = reader.prepare_cached(
        "SELECT number, attempts.started, attempts.took, attempts.tokens, attempts.cost,
                attempts.error
            FROM attempts JOIN nodes ON nodes.no = attempts.node
            JOIN runs ON runs.no = nodes.run
            WHERE runs.id = ?1 AND nodes.path = ?2 ORDER BY number",
    )?;
    let mut rows = found.query([run.as_str(), path])?;
    let mut attempts = Vec::new();
    while let Some(row) = rows.next()? {
        attempts.push(attempt(row)?);
    }
    Ok(attempts)
}

fn nodes(reader: &Connection, sql: &str, run: &str) -> SqlResult<Vec<Node>> {
    let mut found = reader.prepare_cached(sql)?;
    let mut rows = found.query([run])?;
    let mut nodes = Vec::new();
    while let Some(row) = rows.next()? {
        nodes.push(node(row)?);
    }
    Ok(nodes)
}

pub(super) fn run(row: &Row<'_>) -> SqlResult<Run> {
    Ok(Run {
        id: RunId::parse(&row.get::<_, String>(0)?)
            .map_err(|err| StoreError::corrupt(err.message))?,
        script: row.get(1)?,
        text: hash(row, 2)?,
        folder: row.get(3)?,
        params: row.get(4)?,
        bounds: row.get(5)?,
        version: row.get(6)?,
        state: RunState::read(&row.get::<_, String>(7)?)?,
        started: row.get(8)?,
        ended: row.get(9)?,
        used: used(row, 10)?,
        value: maybe_hash(row, 12)?,
        error: row.get(13)?,
        origin: origin(row, 14)?,
        about: row.get(15)?,
    })
}

pub(super) fn node(row: &Row<'_>) -> SqlResult<Node> {
    let args = match (row.get(14)?, maybe_hash(row, 15)?) {
        (Some(json), _) => Args::Here(json),
        (None, Some(hash)) => Args::Blob(hash),
        (None, None) => Args::None,
    };
    Ok(Node {
        run: RunId::parse(&row.get::<_, String>(0)?)
            .map_err(|err| StoreError::corrupt(err.message))?,
        path: row.get(1)?,
        key: row.get(2)?,
        component: row.get(3)?,
        op: row.get(4)?,
        version: row.get(5)?,
        state: NodeState::read(&row.get::<_, String>(6)?)?,
        attempts: row.get(7)?,
        started: row.get(8)?,
        took: count(row, 9)?,
        used: used(row, 10)?,
        output: maybe_hash(row, 12)?,
        error: row.get(13)?,
        args,
        input: maybe_hash(row, 16)?,
        born: row.get(17)?,
        origin: origin(row, 18)?,
        about: row.get(19)?,
        cause: row.get(20)?,
    })
}

pub(super) fn attempt(row: &Row<'_>) -> SqlResult<Attempt> {
    Ok(Attempt {
        number: row.get(0)?,
        started: row.get(1)?,
        took: count(row, 2)?,
        used: used(row, 3)?,
        error: row.get(5)?,
    })
}

pub(super) fn origin(row: &Row<'_>, at: usize) -> SqlResult<Option<RunId>> {
    let name: Option<String> = row.get(at)?;
    let id = name.map(|it| RunId::parse(&it)).transpose();
    Ok(id.map_err(|err| StoreError::corrupt(err.message))?)
}

/// Tokens and cost are adjacent columns.
pub(super) fn used(row: &Row<'_>, at: usize) -> SqlResult<Usage> {
    Ok(Usage { tokens: count(row, at)?, cost: Money::from_nanos(row.get(at + 1)?) })
}

pub(super) fn count(row: &Row<'_>, at: usize) -> SqlResult<u64> {
    let count: i64 = row.get(at)?;
    Ok(u64::try_from(count).map_err(|_| StoreError::corrupt("a count is negative"))?)
}

fn hash(row: &Row<'_>, at: usize) -> SqlResult<Hash> {
    Ok(Hash(row.get(at)?))
}

fn maybe_hash(row: &Row<'_>, at: usize) -> SqlResult<Option<Hash>> {
    Ok(row.get::<_, Option<[u8; 32]>>(at)?.map(Hash))
}

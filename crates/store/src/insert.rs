//! Converts entries to rows.

use std::collections::HashMap;

use rusqlite::{CachedStatement, Connection, OptionalExtension as _, params};
use svc_contract::store::{
    Args, Attempt, Blob, End, Entry, Node, Run, RunId, RunState, StoreError, StoreErrorKind,
};

use super::{blobs, error::SqlResult, models::Models, payments::Books, place::Place};

/// Writes entries, inside one transaction.
pub(super) struct Batch<'a> {
    connection: &'a Connection,
    place: &'a Place,
    /// Cached numbers of runs and operations. They are valid within the transaction only,
    /// because afterwards another process may remove the run.
    runs: HashMap<RunId, i64>,
    ops: HashMap<(String, String, u32), i64>,
}

impl<'a> Batch<'a> {
    pub(super) fn new(connection: &'a Connection, place: &'a Place) -> Self {
        Self { connection, place, runs: HashMap::new(), ops: HashMap::new() }
    }

    /// Writes one entry. An invalid entry does not affect the others.
    pub(super) fn entry(&mut self, entry: &Entry) -> SqlResult<()> {
        match entry {
            Entry::Run { run, text, imports } => self.run(run, text, imports),
            Entry::End(end) => self.end(end),
            Entry::Node { node, blobs, tries } => self.node(node, blobs, tries),
            Entry::Payment(it) => Books(self.connection).insert(self.run_no(&it.run)?, it),
            Entry::Settled { run, number, used } => {
                Books(self.connection).settle(self.run_no(run)?, *number, *used)
            }
            Entry::Model { run, model, content } => {
                self.put(content)?;
                Models(self.connection).uses(self.run_no(run)?, model)
            }
            Entry::ModelName { name, model: Some((model, content)) } => {
                self.put(content)?;
                Models(self.connection).name(name, model)
            }
            Entry::ModelName { name, model: None } => Models(self.connection).forget(name),
            Entry::TakenOver { run, payments } => {
                Books(self.connection).take_over(self.run_no(run)?, payments)
            }
        }
    }

    fn sql(&self, sql: &str) -> SqlResult<CachedStatement<'a>> {
        Ok(self.connection.prepare_cached(sql)?)
    }

    fn put(&self, blob: &Blob) -> SqlResult<()> {
        blobs::put(self.connection, self.place, blob)
    }

    fn run(&self, run: &Run, text: &Blob, imports: &[(String, Blob)]) -> SqlResult<()> {
        const SQL: &str = "INSERT INTO runs (id, script, text, folder, params, bounds, version,
                state, started, ended, tokens, cost, value, error, origin, about)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
            ON CONFLICT (id) DO UPDATE SET script = ?2, text = ?3, folder = ?4, params = ?5,
                bounds = ?6, version = ?7, state = ?8, started = ?9, ended = ?10, tokens = ?11,
                cost = ?12, value = ?13, error = ?14, origin = ?15, about = ?16
            RETURNING no";
        self.put(text)?;
        let row = params![
            run.id.as_str(),
            run.script,
            text.hash().0,
            run.folder,
            run.params,
            run.bounds,
            run.version,
            run.state.word(),
            run.started,
            run.ended,
            tokens(run.used.tokens),
            run.used.cost.nanos(),
            run.value.map(|it| it.0),
            run.error,
            run.origin.as_ref().map(RunId::as_str),
            run.about,
        ];
        let no: i64 = self.sql(SQL)?.query_row(row, |it| it.get(0))?;
        self.sql("DELETE FROM imports WHERE run = ?1")?.execute([no])?;
        for (name, text) in imports {
            self.put(text)?;
            self.sql("INSERT INTO imports (run, name, text) VALUES (?1, ?2, ?3)")?
                .execute(params![no, name, text.hash().0])?;
        }
        Ok(())
    }

    fn end(&self, end: &End) -> SqlResult<()> {
        const SQL: &str = "UPDATE runs SET state = ?2, ended = ?3, tokens = ?4, cost = ?5,
            value = ?6, error = ?7 WHERE id = ?1";
        if end.state == RunState::Died {
            return Err(StoreError::bug("a run cannot record that it died").into());
        }
        if let Some(value) = &end.value {
            self.put(value)?;
        }
        let row = params![
            end.run.as_str(),
            end.state.word(),
            end.at,
            tokens(end.used.tokens),
            end.used.cost.nanos(),
            end.value.as_ref().map(|it| it.hash().0),
            end.error,
        ];
        match self.sql(SQL)?.execute(row)? {
            0 => Err(unknown(&end.run).into()),
            _ => Ok(()),
        }
    }

    fn node(&mut self, node: &Node, blobs: &[Blob], tries: &[Attempt]) -> SqlResult<()> {
        const SQL: &str = "INSERT INTO nodes (run, path, key, op, state, attempts, started, took,
                tokens, cost, output, error, args, args_blob, input, born, origin, about, cause)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
                ?18, ?19)
            ON CONFLICT (run, path) DO UPDATE SET key = ?3, op = ?4, state = ?5, attempts = ?6,
                started = ?7, took = ?8, tokens = ?9, cost = ?10, output = ?11, error = ?12,
                args = ?13, args_blob = ?14, input = ?15, born = ?16, origin = ?17, about = ?18,
                cause = ?19";
        let run = self.run_no(&node.run)?;
        let op = self.op_no(node)?;
        for blob in blobs {
            self.put(blob)?;
        }
        self.is_there(node, blobs)?;
        let (args, args_blob) = match &node.args {
            Args::None => (None, None),
            Args::Here(json) => (Some(json), None),
            Args::Blob(hash) => (None, Some(hash.0)),
        };
        let row = params![
            run,
            node.path,
            node.key,
            op,
            node.state.word(),
            node.attempts,
            node.started,
            tokens(node.took),
            tokens(node.used.tokens),
            node.used.cost.nanos(),
            node.output.map(|it| it.0),
            node.error,
            args,
            args_blob,
            node.input.map(|it| it.0),
            node.born,
            node.origin.as_ref().map(RunId::as_str),
            node.about,
            node.cause,
        ];
        self.sql(SQL)?.execute(row)?;
        if tries.is_empty() {
            return Ok(());
        }
        // A separate query, because `RETURNING` doubles the cost of every node: SQLite creates
        // an in-memory table for it.
        let mut found = self.sql("SELECT no FROM nodes WHERE run = ?1 AND path = ?2")?;
        let no = found.query_row(params![run, node.path], |it| it.get(0))?;
        tries.iter().try_for_each(|it| self.attempt(no, it))
    }

    /// A reused output may have been removed with its run.
    fn is_there(&self, node: &Node, blobs: &[Blob]) -> SqlResult<()> {
        let is_new = |hash| blobs.iter().any(|it| it.hash() == hash);
        let Some(hash) = node.output.filter(|it| !is_new(*it)) else { return Ok(()) };
        if self.sql("SELECT 1 FROM blobs WHERE hash = ?1")?.exists([hash.0])? {
            return Ok(());
        }
        let message = format!("the content {hash} of `{}` was removed", node.path);
        Err(StoreError::new(StoreErrorKind::NotFound, message).into())
    }

    fn attempt(&self, node: i64, attempt: &Attempt) -> SqlResult<()> {
        const SQL: &str = "INSERT OR REPLACE INTO attempts
                (node, number, started, took, tokens, cost, error)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let row = params![
            node,
            attempt.number,
            attempt.started,
            tokens(attempt.took),
            tokens(attempt.used.tokens),
            attempt.used.cost.nanos(),
            attempt.error,
        ];
        self.sql(SQL)?.execute(row)?;
        Ok(())
    }

    fn run_no(&mut self, run: &RunId) -> SqlResult<i64> {
        if let Some(no) = self.runs.get(run) {
            return Ok(*no);
        }
        let mut found = self.sql("SELECT no FROM runs WHERE id = ?1")?;
        let no = found.query_row([run.as_str()], |it| it.get(0)).optional()?;
        let no = no.ok_or_else(|| unknown(run))?;
        self.runs.insert(run.clone(), no);
        Ok(no)
    }

    fn op_no(&mut self, node: &Node) -> SqlResult<i64> {
        const SQL: &str = "INSERT INTO ops (component, op, version) VALUES (?1, ?2, ?3)
            ON CONFLICT DO UPDATE SET version = ?3 RETURNING no";
        let name = (node.component.clone(), node.op.clone(), node.version);
        if let Some(no) = self.ops.get(&name) {
            return Ok(*no);
        }
        let no = self.sql(SQL)?.query_row(params![name.0, name.1, name.2], |it| it.get(0))?;
        self.ops.insert(name, no);
        Ok(no)
    }
}

fn unknown(run: &RunId) -> StoreError {
    StoreError::not_found(format!("unknown run `{run}`"))
}

/// `SQLite` counts to 2^63.
fn tokens(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

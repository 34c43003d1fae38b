//! Copies everything readable of a damaged store to a new one.
//!
//! **Invariant:** the damaged files are only read, and everything copied is complete: a run
//! with its script, and contents that match their hashes. A run with possibly missing calls is
//! marked, because resuming it could write or pay twice.
#![expect(clippy::disallowed_methods, reason = "the store owns its file and the files next to it")]

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, Row};
use svc_contract::store::{
    Args, Blob, End, Entry, Hash, ModelRow, Node, NodeState, Payment, Run, RunId, RunState,
    Store as _, StoreErrorKind,
};

use super::{
    SqliteStore, blobs,
    error::{Result, SqlResult},
    mark::Mark,
    models, open,
    payments::{self, PAYMENT},
    place::{self, Place},
    read::{self, NODE, RUN},
    repaired::RepairedCopy,
};

/// The result of recovering a damaged store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// The new location of the damaged store.
    pub aside: PathBuf,
    /// The number of recovered runs.
    pub runs: usize,
    pub nodes: usize,
    /// The incomplete runs: they can be inspected, but not resumed.
    pub partial: Vec<RunId>,
    /// The number of runs known to be lost. There may have been more.
    pub lost_runs: usize,
    pub lost_nodes: usize,
    pub lost_contents: usize,
    /// The number of missing commits at the end.
    pub lost_commits: u64,
}

impl SqliteStore {
    /// Sets a damaged store aside, complete, and opens a new one in its place with everything
    /// readable of the damaged one. Nothing is deleted or overwritten.
    pub fn recover(file: &Path, now: i64) -> Result<(Self, Recovered)> {
        place::refuse_foreign(file)?;
        let aside = open::set_aside(file, now)?;
        let store = Self::open(file, now)?;
        let recovered = match RepairedCopy::copy(&aside, now) {
            Ok(repaired) => Salvage::of(&aside, &repaired.connection, &store)?.all()?,
            Err(err) if err.0.kind == StoreErrorKind::Corrupt => Recovered::default(),
            Err(err) => return Err(err.into()),
        };
        Ok((store, Recovered { aside, ..recovered }))
    }
}

struct Salvage<'a> {
    from: &'a Connection,
    /// The location of the large contents.
    place: Place,
    len: u64,
    to: &'a SqliteStore,
    /// The number of readable nodes of each run.
    nodes: HashMap<RunId, usize>,
    payments: HashMap<RunId, usize>,
    /// The recovered runs.
    runs: HashMap<RunId, Run>,
    found: Recovered,
}

impl<'a> Salvage<'a> {
    fn of(aside: &Path, from: &'a Connection, to: &'a SqliteStore) -> SqlResult<Self> {
        let len = fs::metadata(aside).map_or(0, |it| it.len());
        let mark = Mark::look(&place::sibling(aside, "-mark"))?;
        let mark = mark.as_ref().map(Mark::read).transpose()?.flatten();
        let own = open::seen(from).ok();
        let lost = mark.zip(own).filter(|(mark, own)| mark.store == own.store);
        let lost_commits = lost.map_or(0, |(mark, own)| mark.commits.saturating_sub(own.commits));
        let place = Place::File(aside.to_owned());
        let found = Recovered { lost_commits, ..Recovered::default() };
        let (nodes, payments, runs) = (HashMap::new(), HashMap::new(), HashMap::new());
        Ok(Self { from, place, len, to, nodes, payments, runs, found })
    }

    fn all(mut self) -> SqlResult<Recovered> {
        let runs = format!("{RUN} WHERE no BETWEEN ?1 AND ?2");
        let nodes = format!("{NODE} WHERE nodes.no BETWEEN ?1 AND ?2 ORDER BY nodes.no");
        let payments = format!("{PAYMENT} WHERE payments.no BETWEEN ?1 AND ?2");
        self.each("nodes", &nodes, read::node, |it, node| {
            *it.nodes.entry(node.run).or_default() += 1;
            Ok(())
        })?;
        self.each("payments", &payments, payments::payment, |it, payment| {
            *it.payments.entry(payment.run).or_default() += 1;
            Ok(())
        })?;
        self.each("runs", &runs, read::run, Self::run)?;
        self.each("nodes", &nodes, read::node, Self::node)?;
        self.each("payments", &payments, payments::payment, Self::payment)?;
        let uses = format!("{} WHERE model_uses.no BETWEEN ?1 AND ?2", models::USE);
        self.each("model_uses", &uses, models::model_use, Self::model_use)?;
        let names = format!("{} WHERE no BETWEEN ?1 AND ?2", models::NAME);
        self.each("model_names", &names, models::model_name, Self::model_name)?;
        self.found.lost_runs = self.names().iter().filter(|it| !self.runs.contains_key(it)).count();
        for run in std::mem::take(&mut self.runs).into_values() {
            self.end(run)?;
        }
        self.to.flush().wait()?;
        self.found.partial.sort();
        Ok(self.found)
    }

    /// Visits each readable row of a table, in portions: an unreadable portion is halved until
    /// the damaged rows are isolated.
    fn each<T>(
        &mut self,
        table: &str,
        sql: &str,
        read: fn(&Row<'_>) -> SqlResult<T>,
        take: fn(&mut Self, T) -> SqlResult<()>,
    ) -> SqlResult<()> {
        const PORTION: i64 = 512;
        // A store of an earlier version does not have all tables.
        if self.from.prepare(&format!("SELECT no FROM {table}")).is_err() {
            return Ok(());
        }
        let last = self.last_of(table);
        let mut ranges: Vec<(i64, i64)> = (0..=last / PORTION)
            .rev()
            .map(|it| (it * PORTION, it * PORTION + PORTION - 1))
            .collect();
        while let Some((from, to)) = ranges.pop() {
            match self.rows(sql, (from, to), read) {
                Ok(rows) => rows.into_iter().try_for_each(|it| take(self, it))?,
                Err(_) if from == to => {}
                Err(_) => {
                    let middle = i64::midpoint(from, to);
                    ranges.extend([(middle + 1, to), (from, middle)]);
                }
            }
        }
        Ok(())
    }

    /// The highest number of a row, or more.
    fn last_of(&self, table: &str) -> i64 {
        const SHORTEST_ROW: u64 = 64;
        let sql = format!("SELECT max(no) FROM {table}");
        let most = i64::try_from(self.len / SHORTEST_ROW).unwrap_or(i64::MAX);
        let last = self.from.query_row(&sql, [], |it| it.get::<_, Option<i64>>(0));
        last.map_or(most, |it| it.unwrap_or(0).clamp(0, most))
    }

    fn rows<T>(
        &self,
        sql: &str,
        range: (i64, i64),
        read: fn(&Row<'_>) -> SqlResult<T>,
    ) -> SqlResult<Vec<T>> {
        let mut found = self.from.prepare_cached(sql)?;
        let mut rows = found.query([range.0, range.1])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            all.push(read(row)?);
        }
        Ok(all)
    }

    /// Recovers a run if its script is readable. Its end is written last.
    fn run(&mut self, run: Run) -> SqlResult<()> {
        let Some(text) = self.content(run.text).filter(|_| !self.runs.contains_key(&run.id)) else {
            return Ok(());
        };
        let named = read::imports(self.from, &run.id);
        let count = named.as_ref().ok().map(Vec::len);
        let imports: Vec<_> = named
            .unwrap_or_default()
            .into_iter()
            .filter_map(|(name, text)| Some((name, self.content(text)?)))
            .collect();
        let is_whole = count == Some(imports.len()) && self.has_all_nodes(&run);
        let mut begun = Run { state: RunState::Running, value: None, ..run.clone() };
        if !is_whole {
            begun.mark_partial();
            self.found.partial.push(run.id.clone());
        }
        self.found.runs += 1;
        self.append(Entry::Run { run: Box::new(begun), text, imports })?;
        self.runs.insert(run.id.clone(), run);
        Ok(())
    }

    /// Whether every call of the run is known. The names of nodes are also in an index.
    fn has_all_nodes(&mut self, run: &Run) -> bool {
        let readable = self.nodes.get(&run.id).copied().unwrap_or(0);
        let sql = "SELECT count(*) FROM nodes INDEXED BY sqlite_autoindex_nodes_1
            WHERE run = (SELECT no FROM runs WHERE id = ?1)";
        let named: Option<usize> = self.from.query_row(sql, [run.id.as_str()], |it| it.get(0)).ok();
        self.found.lost_nodes += named.unwrap_or(readable).saturating_sub(readable);
        // A run that succeeded made no further calls, whatever was lost after it.
        let is_late = self.found.lost_commits > 0 && run.state != RunState::Ok;
        named == Some(readable) && !is_late && self.has_all_payments(run)
    }

    /// Whether the complete spending of the run is known.
    fn has_all_payments(&self, run: &Run) -> bool {
        let readable = self.payments.get(&run.id).copied().unwrap_or(0);
        let sql = "SELECT count(*) FROM payments INDEXED BY sqlite_autoindex_payments_1
            WHERE run = (SELECT no FROM runs WHERE id = ?1)";
        let named: Option<usize> = self.from.query_row(sql, [run.id.as_str()], |it| it.get(0)).ok();
        named == Some(readable)
    }

    fn model_use(&mut self, (run, model): (RunId, ModelRow)) -> SqlResult<()> {
        match self.content(Hash(model.id.0)) {
            Some(content) if self.runs.contains_key(&run) => {
                self.append(Entry::Model { run, model, content })
            }
            _ => Ok(()),
        }
    }

    fn model_name(&mut self, (name, model): (String, ModelRow)) -> SqlResult<()> {
        match self.content(Hash(model.id.0)) {
            Some(content) => self.append(Entry::ModelName { name, model: Some((model, content)) }),
            None => Ok(()),
        }
    }

    fn payment(&mut self, payment: Payment) -> SqlResult<()> {
        if self.runs.contains_key(&payment.run) {
            self.append(Entry::Payment(Box::new(payment)))
        } else {
            Ok(())
        }
    }

    /// A node with a lost output counts as started: its result is unknown.
    fn node(&mut self, node: Node) -> SqlResult<()> {
        if !self.runs.contains_key(&node.run) {
            return Ok(());
        }
        let output = node.output.map(|it| (it, self.content(it)));
        let input = node.input.and_then(|it| self.content(it));
        let (args, long) = match node.args {
            Args::Blob(hash) => match self.content(hash) {
                Some(blob) => (Args::Blob(hash), Some(blob)),
                None => (Args::None, None),
            },
            short => (short, None),
        };
        let state = match output {
            Some((_, None)) => NodeState::Intended,
            _ => node.state,
        };
        let output = output.and_then(|(_, it)| it);
        let hash = |it: &Option<Blob>| it.as_ref().map(Blob::hash);
        let (out, entered) = (hash(&output), hash(&input));
        let tries = read::attempts(self.from, &node.run, &node.path).unwrap_or_default();
        let node = Box::new(Node { state, output: out, input: entered, args, ..node });
        let blobs = [output, input, long].into_iter().flatten().collect();
        self.append(Entry::Node { node, blobs, tries })?;
        self.found.nodes += 1;
        Ok(())
    }

    /// Records the end of a run. A run with a lost value can compute it again.
    fn end(&mut self, run: Run) -> SqlResult<()> {
        let value = run.value.and_then(|it| self.content(it));
        let is_known = run.value.is_some() == value.is_some() && run.state != RunState::Running;
        let Some(at) = run.ended.filter(|_| is_known) else { return Ok(()) };
        let Run { id, state, used, error, .. } = run;
        self.append(Entry::End(Box::new(End { run: id, state, at, used, value, error })))
    }

    /// A readable content that matches its hash.
    fn content(&mut self, hash: Hash) -> Option<Blob> {
        let found = blobs::read(self.from, &self.place, hash).ok().flatten();
        if found.is_none() {
            self.found.lost_contents += 1;
        }
        found.map(Blob::new)
    }

    /// The names of all runs in an index.
    fn names(&self) -> BTreeSet<RunId> {
        let sql = "SELECT id FROM runs INDEXED BY sqlite_autoindex_runs_1 WHERE id >= ''";
        let Ok(mut found) = self.from.prepare(sql) else { return BTreeSet::new() };
        let Ok(names) = found.query_map([], |it| it.get::<_, String>(0)) else {
            return BTreeSet::new();
        };
        names.map_while(rusqlite::Result::ok).filter_map(|it| RunId::parse(&it).ok()).collect()
    }

    /// An entry that the new store rejects is lost; later ones are not.
    fn append(&mut self, entry: Entry) -> SqlResult<()> {
        match self.to.append(entry.clone()) {
            Err(err) if err.is_of_entry() => {
                self.found.lost_nodes += 1;
                Ok(self.to.append(entry)?)
            }
            other => Ok(other?),
        }
    }
}

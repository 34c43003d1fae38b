//! Statements that write, rows that are added, and steps of a schema.

use std::{collections::BTreeSet, path::Path};

use rusqlite::{Statement, fallible_iterator::FallibleIterator};
use svc_contract::{
    host::Access,
    registry::{Cx, OpError},
    value::{Text, Value},
};

use crate::{bind::Given, session::Session};

impl Session<'_> {
    /// Opens a database and does `work` in one transaction. A database that did not exist is removed
    /// again if that fails.
    pub fn write<T>(
        cx: &Cx,
        path: &Path,
        work: impl FnOnce(&Session<'_>) -> Result<T, OpError>,
    ) -> Result<T, OpError> {
        // The real path: a call that may only write cannot ask what is at its path.
        let file = cx.host().library_file(path, Access::Write).ok();
        let size = || file.as_ref().and_then(|it| it.symlink_metadata().ok()).map(|it| it.len());
        let was_there = file.is_none() || size().is_some();
        let done = Session::writing(cx, path).and_then(|it| work(&it));
        if done.is_err() && !was_there && size() == Some(0) {
            // The first error matters; an empty file is only litter.
            let _ = cx.host().remove(path);
        }
        done
    }

    /// Runs one or several statements, all or nothing; returns the number of changed rows.
    pub fn execute(&self, sql: &str, params: &Value) -> Result<i64, OpError> {
        let given = Given::of(params)?;
        self.all_or_nothing(|it| it.run_all(sql, &given))
    }

    fn run_all(&self, sql: &str, given: &Given<'_>) -> Result<i64, OpError> {
        let mut all = rusqlite::Batch::new(&self.db, sql);
        let (mut rows, mut count, mut used) = (0, 0, BTreeSet::new());
        while let Some(mut statement) = all.next().map_err(|err| self.trouble(err))? {
            count += 1;
            if count > 1 && matches!(given, Given::Listed(_)) {
                let message = "a list of params is for one statement, found several";
                return Err(OpError::invalid_input(message).help(
                    "give the params names: `:name` in the statements, `params: { name: .. }`",
                ));
            }
            used.extend(given.bind(&mut statement, self)?);
            rows += self.run_one(&mut statement)?;
        }
        if count == 0 {
            return Err(OpError::invalid_input("expected an SQL statement, found an empty text"));
        }
        given.test_used(&used)?;
        Ok(rows)
    }

    fn run_one(&self, statement: &mut Statement<'_>) -> Result<i64, OpError> {
        let before = self.db.total_changes();
        let mut rows = statement.raw_query();
        while rows.next().map_err(|err| self.trouble(err))?.is_some() {}
        // `changes` is that of an earlier statement if this one changed nothing.
        let changed = if self.db.total_changes() > before { self.db.changes() } else { 0 };
        Ok(i64::try_from(changed).unwrap_or(i64::MAX))
    }

    /// Applies the steps that the database has not seen yet; returns their number.
    pub fn migrate(&self, steps: &[Text]) -> Result<i64, OpError> {
        for (idx, step) in steps.iter().enumerate() {
            self.all_or_nothing(|it| {
                let version = it.version()?;
                if version > steps.len() {
                    let message = format!(
                        "the database has {version} steps, and only {} are given",
                        steps.len()
                    );
                    return Err(OpError::invalid_input(message)
                        .help("add steps at the end, and never remove one"));
                }
                if version > idx {
                    return Ok(());
                }
                it.run_all(step, &Given::Nothing).map_err(|err| {
                    let message = format!("step {}: {}", idx + 1, err.message);
                    OpError { message, ..err }
                })?;
                it.unguarded(&format!("PRAGMA user_version = {}", idx + 1))
            })?;
        }
        Ok(i64::try_from(self.version()?).unwrap_or(i64::MAX))
    }

    fn version(&self) -> Result<usize, OpError> {
        let found: i64 = self.by_itself(|it| {
            it.patiently(|db| db.query_row("PRAGMA user_version", [], |row| row.get(0)))
        })?;
        Ok(usize::try_from(found).unwrap_or(0))
    }
}

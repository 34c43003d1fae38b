//! The models in a store.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use svc_contract::{
    registry::HintId,
    store::{Blob, Hash, ModelRow, RunId, StoreError},
    value::{AboutModel, Learnt, ModelId},
};

use super::{
    SqliteStore, blobs,
    error::{Result, SqlResult},
};

pub(super) const USE: &str = "SELECT runs.id, hash, model_uses.about
    FROM model_uses JOIN runs ON runs.no = model_uses.run";

pub(super) const NAME: &str = "SELECT name, hash, about FROM model_names";

/// A model in a store.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredModel {
    pub id: ModelId,
    pub about: AboutModel,
    /// The names that users gave to it, in order.
    pub names: Vec<String>,
    /// The number of runs that learnt or used it.
    pub runs: usize,
    /// The size of its content in bytes.
    pub bytes: u64,
}

/// The models of a transaction.
pub(super) struct Models<'a>(pub(super) &'a Connection);

impl Models<'_> {
    /// Records that a run uses a model, whose content is in the store.
    pub(super) fn uses(&self, run: i64, model: &ModelRow) -> SqlResult<()> {
        self.0
            .prepare_cached(
                "INSERT OR IGNORE INTO model_uses (run, hash, about) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![run, model.id.0, model.about])?;
        Ok(())
    }

    pub(super) fn name(&self, name: &str, model: &ModelRow) -> SqlResult<()> {
        const SQL: &str = "INSERT INTO model_names (name, hash, about) VALUES (?1, ?2, ?3)
            ON CONFLICT (name) DO UPDATE SET hash = ?2, about = ?3";
        self.0.prepare_cached(SQL)?.execute(params![name, model.id.0, model.about])?;
        Ok(())
    }

    pub(super) fn forget(&self, name: &str) -> SqlResult<()> {
        self.0.prepare_cached("DELETE FROM model_names WHERE name = ?1")?.execute([name])?;
        Ok(())
    }
}

/// A use of a model by a run.
pub(super) fn model_use(row: &Row<'_>) -> SqlResult<(RunId, ModelRow)> {
    let id: String = row.get(0)?;
    Ok((RunId::parse(&id)?, ModelRow { id: ModelId(row.get(1)?), about: row.get(2)? }))
}

/// A name of a model.
pub(super) fn model_name(row: &Row<'_>) -> SqlResult<(String, ModelRow)> {
    Ok((row.get(0)?, ModelRow { id: ModelId(row.get(1)?), about: row.get(2)? }))
}

impl SqliteStore {
    /// The models of all runs, and those with names, by component and id.
    pub fn models(&self) -> Result<Vec<StoredModel>> {
        Ok(self.read_models()?)
    }

    /// The model of that name, or whose id begins with it.
    pub fn model(&self, name: &str) -> Result<StoredModel> {
        const SHORTEST: usize = 4;
        let mut all = self.models()?;
        if let Some(at) = all.iter().position(|it| it.names.iter().any(|it| it == name)) {
            return Ok(all.swap_remove(at));
        }
        let begins = |it: &&StoredModel| it.id.to_string().starts_with(name);
        let found: Vec<_> = all.iter().filter(begins).filter(|_| name.len() >= SHORTEST).collect();
        match found[..] {
            [only] => Ok(only.clone()),
            [] => {
                Err(StoreError::not_found(format!("unknown model `{name}`"))
                    .help(HintId::FindModel))
            }
            _ => Err(StoreError::not_found(format!("more than one model begins with `{name}`"))
                .help("write more of its id")),
        }
    }

    /// The content of a model.
    pub fn learnt(&self, id: ModelId) -> Result<Learnt> {
        let hash = Hash(id.0);
        let reader = self.pool.reader().map_err(StoreError::from)?;
        let bytes = blobs::read(&reader, &self.place, hash).map_err(StoreError::from)?;
        let missing = || StoreError::not_found(format!("the content of model {id} is missing"));
        let damaged = || StoreError::corrupt(format_args!("the content of model {id} is damaged"));
        Learnt::from_bytes(&bytes.ok_or_else(missing)?).ok_or_else(damaged)
    }

    /// Adds a model under a name; a model that already has the name loses it.
    pub fn name_model(&self, name: &str, content: &Learnt) -> Result<()> {
        let row = ModelRow::of(content);
        let blob = Blob::new(content.to_bytes());
        self.commit(svc_contract::store::Entry::ModelName {
            name: name.to_owned(),
            model: Some((row, blob)),
        })
        .wait()
    }

    /// Removes a name. The content goes with the last run that used it, when runs are pruned.
    pub fn forget_model(&self, name: &str) -> Result<()> {
        let name = name.to_owned();
        self.commit(svc_contract::store::Entry::ModelName { name, model: None }).wait()
    }

    /// The id of the model with this name.
    pub(super) fn read_model_named(&self, name: &str) -> SqlResult<Option<ModelId>> {
        let reader = self.pool.reader()?;
        let mut found = reader.prepare_cached("SELECT hash FROM model_names WHERE name = ?1")?;
        Ok(found.query_row([name], |it| it.get(0)).optional()?.map(ModelId))
    }

    fn read_models(&self) -> SqlResult<Vec<StoredModel>> {
        let reader = self.pool.reader()?;
        let mut all: BTreeMap<ModelId, StoredModel> = BTreeMap::new();
        let mut add = |row: ModelRow| -> SqlResult<ModelId> {
            if let std::collections::btree_map::Entry::Vacant(free) = all.entry(row.id) {
                let about = serde_json::from_str(&row.about).map_err(StoreError::corrupt)?;
                let size = "SELECT size FROM blobs WHERE hash = ?1";
                let mut found = reader.prepare_cached(size)?;
                let bytes = found.query_row([row.id.0], |it| it.get(0)).optional()?.unwrap_or(0);
                let (names, runs) = (Vec::new(), 0);
                free.insert(StoredModel { id: row.id, about, names, runs, bytes });
            }
            Ok(row.id)
        };
        let mut uses = Vec::new();
        let mut found = reader.prepare_cached(USE)?;
        let mut rows = found.query([])?;
        while let Some(row) = rows.next()? {
            uses.push(add(model_use(row)?.1)?);
        }
        let mut named = Vec::new();
        let mut found = reader.prepare_cached(NAME)?;
        let mut rows = found.query([])?;
        while let Some(row) = rows.next()? {
            let (name, row) = model_name(row)?;
            named.push((add(row)?, name));
        }
        for id in uses {
            all.entry(id).and_modify(|it| it.runs += 1);
        }
        for (id, name) in named {
            all.entry(id).and_modify(|it| it.names.push(name));
        }
        let mut all: Vec<StoredModel> = all.into_values().collect();
        for model in &mut all {
            model.names.sort();
        }
        all.sort_by(|a, b| (&a.about.component, a.id).cmp(&(&b.about.component, b.id)));
        Ok(all)
    }
}

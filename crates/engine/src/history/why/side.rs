//! One of two compared runs, as it was stored.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, HashMap},
};

use serde_json::Value as Json;
use svc_contract::{
    store::{Hash, Node, Run, Store, StoreError},
    value::json,
};
use svc_lang::plan::Plan;

use crate::{Engine, run::place_of};

/// One of two compared runs.
pub(super) struct Side<'a> {
    engine: &'a Engine,
    store: &'a dyn Store,
    pub(super) run: Run,
    pub(super) by_path: BTreeMap<String, Node>,
    pub(super) by_place: HashMap<String, Vec<String>>,
    /// The tunings, by name.
    pub(super) tuned: Json,
    /// `None` if the script no longer passes the check.
    plan: OnceCell<Option<Plan>>,
}

impl<'a> Side<'a> {
    pub(super) fn of(
        engine: &'a Engine,
        store: &'a dyn Store,
        run: Run,
    ) -> Result<Self, StoreError> {
        let nodes = store.nodes(&run.id)?;
        Ok(Self::with(engine, store, run, nodes))
    }

    pub(super) fn with(
        engine: &'a Engine,
        store: &'a dyn Store,
        run: Run,
        nodes: Vec<Node>,
    ) -> Self {
        let mut by_place: HashMap<String, Vec<String>> = HashMap::new();
        for node in &nodes {
            by_place.entry(place_of(&node.path)).or_default().push(node.path.clone());
        }
        let by_path = nodes.into_iter().map(|it| (it.path.clone(), it)).collect();
        let mut about: Json = serde_json::from_str(&run.about).unwrap_or_default();
        let tuned = about["tuned"].take();
        Self { engine, store, run, by_path, by_place, tuned, plan: OnceCell::new() }
    }

    pub(super) fn plan(&self) -> Option<&Plan> {
        let planned = || {
            let plan = self.engine.plan_of(self.store, &self.run).ok()?;
            plan.ok()
        };
        self.plan.get_or_init(planned).as_ref()
    }

    pub(super) fn param(&self, name: &str) -> Option<String> {
        json::read(&self.run.params).ok()?.as_record()?.get(name).map(json::write)
    }

    /// The text of a call in the script, and its file.
    pub(super) fn text(&self, place: &str) -> Option<(&str, &str)> {
        let node = self.plan()?.nodes().iter().find(|it| it.path == place)?;
        Some((node.source.text().get(node.span.range())?, node.source.name()))
    }

    /// The contents of the files that the script uses, by name.
    pub(super) fn files(&self) -> BTreeMap<String, Hash> {
        self.store.imports(&self.run.id).unwrap_or_default().into_iter().collect()
    }
}

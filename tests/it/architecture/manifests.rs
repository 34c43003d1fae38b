//! What crates depend on, by their manifests and by `Cargo.lock`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use super::root;

/// What a crate depends on where it is not tested.
pub(super) fn dependencies(name: &str) -> Vec<String> {
    needed(&manifest(&format!("crates/{name}")))
}

/// The dependencies in a manifest, for every system.
pub(super) fn needed(manifest: &toml::Table) -> Vec<String> {
    let of_system = manifest.get("target").and_then(toml::Value::as_table);
    let tables = of_system.into_iter().flat_map(toml::Table::values);
    let tables = tables.filter_map(toml::Value::as_table).chain([manifest]);
    let all = tables.filter_map(|it| it.get("dependencies")?.as_table());
    all.flat_map(toml::Table::keys).cloned().collect()
}

pub(super) fn manifest(folder: &str) -> toml::Table {
    let file = root().join(folder).join("Cargo.toml");
    fs::read_to_string(file).unwrap().parse().unwrap()
}

/// What every package depends on, by `NAME` and by `NAME VERSION`. For packages of others this
/// includes what they use on other systems, or with features of another package.
pub(super) struct Lock(BTreeMap<String, Vec<String>>);

impl Lock {
    pub(super) fn read() -> Self {
        let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
        let lock: toml::Table = lock.parse().unwrap();
        let mut all = BTreeMap::new();
        for package in lock["package"].as_array().unwrap() {
            let [name, version] = ["name", "version"].map(|it| package[it].as_str().unwrap());
            let needed = package.get("dependencies").and_then(toml::Value::as_array);
            let needed = needed.into_iter().flatten().map(|it| it.as_str().unwrap().to_owned());
            let needed: Vec<String> = needed.collect();
            all.insert(format!("{name} {version}"), needed.clone());
            all.insert(name.to_owned(), needed);
        }
        // The lock does not say which dependencies are only for tests.
        let root = toml::Value::from("");
        let members = manifest("")["workspace"]["members"].as_array().unwrap().clone();
        for folder in members.iter().chain([&root]) {
            let own = manifest(folder.as_str().unwrap());
            all.insert(own["package"]["name"].as_str().unwrap().to_owned(), needed(&own));
        }
        Self(all)
    }

    /// The names of all packages that a package depends on, directly or not.
    pub(super) fn dependencies_of(&self, package: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut open = vec![package.to_owned()];
        while let Some(next) = open.pop() {
            let needed = self.0.get(&next).unwrap_or_else(|| panic!("{next} is not in the lock"));
            open.extend(needed.iter().filter(|it| found.insert((*it).clone())).cloned());
        }
        found.iter().map(|it| it.split(' ').next().unwrap().to_owned()).collect()
    }
}

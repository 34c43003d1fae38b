//! What changed between two locks of an API.

use std::collections::BTreeMap;

use crate::{
    lock::{Entry, Lock, LockError},
    operations::Operation,
    parameters::Parameter,
};

/// What changed between two locks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    pub added: Vec<String>,
    pub removed: Vec<String>,
    pub changed: Vec<Change>,
    /// What changed for all operations: the address, the secrets.
    pub common: Vec<String>,
}

/// What changed of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub name: String,
    pub details: Vec<String>,
}

impl Difference {
    /// What changed from one lock to another.
    pub fn between(old: &Lock<'_>, new: &Lock<'_>) -> Result<Self, LockError> {
        let before: BTreeMap<&str, &Entry<'_>> =
            old.entries.iter().map(|it| (it.name, it)).collect();
        let after: BTreeMap<&str, &Entry<'_>> =
            new.entries.iter().map(|it| (it.name, it)).collect();
        let only = |one: &BTreeMap<&str, _>, other: &BTreeMap<&str, _>| -> Vec<String> {
            let names = one.keys().filter(|it| !other.contains_key(*it));
            names.map(|it| (*it).to_owned()).collect()
        };
        let mut changed = Vec::new();
        for (name, entry) in &before {
            let Some(now) = after.get(name).filter(|it| it.fingerprint != entry.fingerprint) else {
                continue;
            };
            let details = details(&entry.operation()?, &now.operation()?);
            changed.push(Change { name: (*name).to_owned(), details });
        }
        let mut common = Vec::new();
        if old.head.server != new.head.server {
            common.push(format!("the address is `{}`, was `{}`", new.head.server, old.head.server));
        }
        if old.head.access != new.head.access {
            common.push("the security schemes changed".to_owned());
        }
        Ok(Self { added: only(&after, &before), removed: only(&before, &after), changed, common })
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What differs between two forms of an operation.
pub fn details(old: &Operation, new: &Operation) -> Vec<String> {
    let mut all = Vec::new();
    let request = |it: &Operation| format!("{} {}", it.method, it.path);
    if request(old) != request(new) {
        all.push(format!("it sends `{}`, was `{}`", request(new), request(old)));
    }
    let find = |all: &[Parameter], name: &str| all.iter().find(|it| it.name == name).cloned();
    for param in &old.params {
        match find(&new.params, &param.name) {
            None => all.push(format!("the param `{}` is gone", param.name)),
            Some(now) if now.shape != param.shape => {
                all.push(format!("`{}` is {}, was {}", param.name, now.shape, param.shape));
            }
            Some(_) => {}
        }
    }
    for param in new.params.iter().filter(|it| find(&old.params, &it.name).is_none()) {
        let kind = if param.is_required() { "required" } else { "optional" };
        all.push(format!("a new {kind} param `{}: {}`", param.name, param.shape));
    }
    if old.result != new.result {
        all.push(format!("the result is {}, was {}", new.result, old.result));
    }
    if old.access != new.access {
        all.push("it needs other secrets".to_owned());
    }
    if all.is_empty() {
        all.push("a type that it uses changed".to_owned());
    }
    all
}

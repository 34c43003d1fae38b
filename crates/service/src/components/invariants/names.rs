//! Names that mean one thing, and declarations that say what they must.

use std::collections::HashMap;

use svc_contract::registry::OpError;

use super::{
    system::{Depth, System},
    table::Looked,
};

/// No two components share a name or an alias, and every alias names an op of its component.
pub(super) fn unique(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    let mut owners: HashMap<&str, Vec<&str>> = HashMap::new();
    for component in &system.all {
        owners.entry(component.name).or_default().push(component.name);
        for (alias, _) in component.aliases.iter().filter(|it| it.0 != component.name) {
            owners.entry(alias).or_default().push(component.name);
        }
    }
    let mut looked = Looked::new("components");
    for component in &system.components {
        (depth.look)()?;
        let mut names = vec![component.name];
        names.extend(component.aliases.iter().map(|it| it.0));
        let shared = names.iter().find_map(|it| {
            let all = owners.get(it).filter(|all| all.len() > 1)?;
            Some(format!("expected a name of its own, found `{it}` of {}", all.join(" and ")))
        });
        let dangling = component.aliases.iter().find(|it| component.op(it.1).is_none());
        let dangling = dangling.map(|(alias, op)| {
            format!("expected an op for the alias `{alias}`, found none called `{op}`")
        });
        let twice = component.ops.iter().enumerate().find_map(|(at, op)| {
            let is_again = component.ops[..at].iter().any(|it| it.name == op.name);
            is_again.then(|| format!("expected one op `{}`, found two", op.name))
        });
        looked.case(component.name, shared.or(dangling).or(twice));
    }
    Ok(looked)
}

/// Every tool has a valid name that no other tool has.
pub(super) fn tools(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    let of_all = system.all.iter().flat_map(|it| it.ops.iter().filter_map(|op| op.tool));
    let mut counts: HashMap<&str, usize> = HashMap::new();
    of_all.for_each(|it| *counts.entry(it.name).or_default() += 1);
    let mut looked = Looked::new("tools");
    for op in system.ops() {
        (depth.look)()?;
        let Some(tool) = op.op.tool else { continue };
        let count = counts.get(tool.name).copied().unwrap_or(0);
        let found = if !is_valid(tool.name) {
            Some("expected 2 to 64 lower case letters, digits and `_`, found another name".into())
        } else if count > 1 {
            Some(format!("expected one tool of this name, found {count}"))
        } else {
            None
        };
        looked.case(format!("{} of {op}", tool.name), found);
    }
    Ok(looked)
}

fn is_valid(name: &str) -> bool {
    let is_sign = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'_';
    (2..=64).contains(&name.len())
        && name.as_bytes()[0].is_ascii_lowercase()
        && name.bytes().all(is_sign)
}

/// Every op has documentation, three to eight phrasings, and an example.
pub(super) fn documented(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    let mut looked = Looked::new("ops");
    for op in system.ops() {
        (depth.look)()?;
        let phrasings = op.op.says.len();
        let found = if op.op.summary().is_empty() {
            Some("expected documentation, found none".to_owned())
        } else if !(3..=8).contains(&phrasings) {
            Some(format!("expected 3 to 8 phrasings, found {phrasings}"))
        } else if op.op.examples.is_empty() {
            Some("expected an example, found none".to_owned())
        } else {
            None
        };
        looked.case(op.to_string(), found);
    }
    Ok(looked)
}

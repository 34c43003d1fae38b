//! The components and the standard library as a list: `svc components`.

use schemars::JsonSchema;
use serde::Serialize;
use svc_contract::registry::Component;
use svc_lang::stdlib::Module;

use crate::library::ModuleJson;

/// An entry of `svc components --json`.
#[derive(JsonSchema, Serialize)]
#[serde(untagged)]
pub enum EntryJson {
    Component(ComponentJson),
    Module(ModuleJson),
}

/// A component without its documentation.
#[derive(JsonSchema, Serialize)]
pub struct ComponentJson {
    name: &'static str,
    cluster: &'static str,
    summary: &'static str,
    version: u32,
    aliases: Vec<AliasJson>,
    ops: Vec<&'static str>,
    /// Whether it learns models.
    learns: bool,
    /// The features that this build lacks.
    needs: Vec<NeedJson>,
}

/// A feature that this build lacks, and the ops that need it.
#[derive(JsonSchema, Serialize)]
pub struct NeedJson {
    pub feature: &'static str,
    pub ops: Vec<&'static str>,
}

/// A short name for scripts, and its op.
#[derive(JsonSchema, Serialize)]
pub(crate) struct AliasJson {
    name: &'static str,
    op: &'static str,
}

impl ComponentJson {
    fn new(component: &Component) -> Self {
        Self {
            name: component.name,
            cluster: component.cluster,
            summary: component.summary,
            version: component.version,
            aliases: aliases(component),
            ops: component.ops.iter().map(|it| it.name).collect(),
            learns: component.learns(),
            needs: needs(component),
        }
    }
}

/// The features that this build lacks, each with the ops that need it.
pub fn needs(component: &Component) -> Vec<NeedJson> {
    let mut needs: Vec<NeedJson> = Vec::new();
    for op in component.ops {
        let Some(feature) = op.lacks() else { continue };
        match needs.iter_mut().find(|it| it.feature == feature) {
            Some(need) => need.ops.push(op.name),
            None => needs.push(NeedJson { feature, ops: vec![op.name] }),
        }
    }
    needs
}

pub(crate) fn aliases(component: &Component) -> Vec<AliasJson> {
    component.aliases.iter().map(|(name, op)| AliasJson { name, op }).collect()
}

/// The components, followed by the modules.
pub fn entries(components: &[&Component], modules: &[&Module<'_>]) -> Vec<EntryJson> {
    let components = components.iter().map(|it| EntryJson::Component(ComponentJson::new(it)));
    let modules = modules.iter().map(|it| EntryJson::Module(ModuleJson::new(it)));
    components.chain(modules).collect()
}

/// All components by cluster, both in the registry's order.
pub fn by_cluster<'a>(components: &[&'a Component]) -> Vec<(&'a str, Vec<&'a Component>)> {
    let mut clusters: Vec<(&str, Vec<&Component>)> = Vec::new();
    for component in components {
        match clusters.iter_mut().find(|(name, _)| *name == component.cluster) {
            Some((_, members)) => members.push(component),
            None => clusters.push((component.cluster, vec![component])),
        }
    }
    clusters
}

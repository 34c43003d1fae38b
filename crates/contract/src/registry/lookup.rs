//! The available components, and their lookup by name.

use std::{collections::HashMap, fmt};

use super::{
    Component, ErrorKind, OpDef, OpError, SharedType, Tool, Version, flow::unbound_flow, nearest,
    shared, stateless,
};
use crate::value::Type;

/// The components that a program is checked against. Immutable: another set of components is
/// another registry.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    components: Vec<&'static Component>,
    by_name: HashMap<&'static str, &'static Component>,
    by_alias: HashMap<&'static str, OpRef>,
    by_tool: HashMap<&'static str, OpRef>,
    types: Vec<SharedType>,
    /// Names that a feature of the program would add, with that feature.
    missing: HashMap<&'static str, &'static str>,
}

/// An op and the component it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct OpRef {
    pub component: &'static Component,
    pub op: &'static OpDef,
}

/// The result of looking up a name.
#[derive(Clone, Copy, Debug)]
pub enum Found {
    Op(OpRef),
    /// A component without an op for its bare name.
    Component(&'static Component),
}

/// The op that a bare component name calls.
const DEFAULT_OP: &str = "infer";

impl Registry {
    /// Adds components; a component with the name of an existing one replaces it, with its
    /// aliases.
    ///
    /// # Panics
    ///
    /// If an alias is taken by another component, or names no op of its own: the scripts that use
    /// it would silently call something else. If the name of a tool is invalid or taken: the
    /// programs that call it would. If an op calls a flow whose input no other parameter can be.
    #[must_use]
    pub fn with(mut self, components: &[&'static Component]) -> Self {
        for component in components {
            self.components.retain(|it| it.name != component.name);
            self.by_alias.retain(|_, it| it.component.name != component.name);
            self.by_tool.retain(|_, it| it.component.name != component.name);
            self.components.push(component);
            self.by_name.insert(component.name, component);
            for (alias, op) in component.aliases {
                let op = find_op(component, op).expect("an alias names an op of its component");
                if let Some(other) = self.by_alias.insert(alias, op) {
                    let (one, two) = (other.component.name, component.name);
                    assert!(one == two, "`{alias}` is an alias of both `{one}` and `{two}`");
                }
            }
            for op in component.ops.iter().filter(|it| !it.params.is_later()) {
                let unbound = unbound_flow(*op.params).map(|(flow, _)| flow.signature());
                let name = component.name;
                assert!(
                    unbound.is_none(),
                    "nothing determines the input of {unbound:?} of `{name}`"
                );
            }
            self.add_tools(component);
        }
        self
    }

    fn add_tools(&mut self, component: &'static Component) {
        for op in component.ops {
            let Some(tool) = op.tool else { continue };
            let (added, name) = (OpRef { component, op }, tool.name);
            assert!(tool.has_valid_name(), "`{name}`, the tool of `{added}`, is not a valid name");
            if let Some(other) = self.by_tool.insert(name, added) {
                panic!("`{name}` is the tool of both `{other}` and `{added}`");
            }
        }
    }

    /// Notes the names that a feature of the program would add: messages then name the feature.
    #[must_use]
    pub fn without(mut self, feature: &'static str, names: &[&'static str]) -> Self {
        self.missing.extend(names.iter().map(|it| (*it, feature)));
        self
    }

    /// The feature of the program that would add this unknown name.
    pub fn missing_feature(&self, name: &str) -> Option<&'static str> {
        self.missing.get(name).filter(|_| self.find(name).is_none()).copied()
    }

    /// Adds record types that scripts can name; a known name is replaced.
    #[must_use]
    pub fn with_types(mut self, types: &[SharedType]) -> Self {
        self.types.retain(|it| types.iter().all(|new| new.name != it.name));
        self.types.extend(types);
        self
    }

    /// The record types that scripts can name without declaring them.
    pub fn types(&self) -> impl Iterator<Item = &SharedType> {
        let is_replaced = |name: &str| self.types.iter().any(|it| it.name == name);
        shared::TYPES.iter().filter(move |it| !is_replaced(it.name)).chain(&self.types)
    }

    /// The shared record type of this name.
    pub fn shared_type(&self, name: &str) -> Option<Type> {
        self.types().find(|it| it.name == name).map(SharedType::ty)
    }

    /// All components, in the order in which they were added.
    pub fn components(&self) -> &[&'static Component] {
        &self.components
    }

    /// The ops that have a public name outside of scripts, in the order of the components.
    pub fn tools(&self) -> impl Iterator<Item = (Tool, OpRef)> {
        let ops = self
            .components
            .iter()
            .flat_map(|component| component.ops.iter().map(|op| OpRef { component, op }));
        ops.filter_map(|it| it.op.tool.map(|tool| (tool, it)))
    }

    /// The op with this public name.
    pub fn find_tool(&self, name: &str) -> Option<OpRef> {
        self.by_tool.get(name).copied()
    }

    /// Looks up a name: an alias, or a component.
    pub fn find(&self, name: &str) -> Option<Found> {
        if let Some(op) = self.by_alias.get(name) {
            return Some(Found::Op(*op));
        }
        let component = self.by_name.get(name)?;
        Some(match find_op(component, DEFAULT_OP) {
            Some(op) => Found::Op(op),
            None => Found::Component(component),
        })
    }

    /// The op `op` of the component with this name or alias.
    pub fn find_op(&self, name: &str, op: &str) -> Option<OpRef> {
        find_op(self.find(name)?.component(), op)
    }

    /// The op at `path`: `search`, `ctx_search` or `ctx_search.infer`.
    pub fn resolve(&self, path: &str) -> Option<OpRef> {
        match path.split_once('.') {
            Some((name, op)) => self.find_op(name, op),
            None => match self.find(path)? {
                Found::Op(op) => Some(op),
                Found::Component(_) => None,
            },
        }
    }

    /// Every name that can occur in a script.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.by_alias.keys().chain(self.by_name.keys()).copied()
    }

    /// The known name closest to an unknown one.
    pub fn suggest(&self, name: &str) -> Option<&'static str> {
        nearest(name, self.names())
    }

    /// The components that match `query`, best first; all of them for an empty query.
    pub fn search(&self, query: &str) -> Vec<&'static Component> {
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        let mut ranked: Vec<_> = self
            .components
            .iter()
            .map(|it| (words.iter().map(|word| relevance(it, word)).sum::<usize>(), *it))
            .filter(|(rank, _)| words.is_empty() || *rank > 0)
            .collect();
        ranked.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
        ranked.into_iter().map(|(_, it)| it).collect()
    }
}

/// The relevance of a component for a word: names count more than documentation.
fn relevance(component: &Component, word: &str) -> usize {
    let named = |it: &str| usize::from(it == word) * 8 + usize::from(it.contains(word)) * 4;
    let mentions = |it: &str| usize::from(it.to_lowercase().contains(word));
    let aliases: usize = component.aliases.iter().map(|(it, _)| named(it)).sum();
    let ops: usize = component.ops.iter().map(|it| named(it.name) + mentions(it.doc)).sum();
    named(component.name)
        + aliases
        + ops
        + mentions(component.summary) * 2
        + mentions(component.cluster)
}

fn find_op(component: &'static Component, name: &str) -> Option<OpRef> {
    let own = component.op(name);
    let op = own.or_else(|| stateless::OPS.iter().find(|it| it.name == name))?;
    Some(OpRef { component, op })
}

impl Found {
    pub fn component(self) -> &'static Component {
        match self {
            Self::Op(it) => it.component,
            Self::Component(it) => it,
        }
    }
}

impl OpRef {
    /// Converts an error of a kind that the op does not declare to a bug of the op.
    pub fn checked_error(&self, err: OpError) -> OpError {
        let always = [ErrorKind::InvalidInput, ErrorKind::Cancelled, ErrorKind::Bug];
        if always.contains(&err.kind) || self.op.errors.contains(&err.kind) {
            return err;
        }
        let message = format!("`{self}` raised `{}`, which it does not declare: {err}", err.kind);
        OpError::bug(message).because(err)
    }

    /// The version of its implementation; 0 if it is unknown.
    pub fn version(&self) -> u32 {
        match self.op.version {
            Version::OfComponent => self.component.version,
            Version::Own(version) => version,
            Version::Unknown => 0,
        }
    }

    /// The shortest name of the op in a script.
    pub fn script_name(&self) -> String {
        let alias = self.component.aliases.iter().find(|(_, op)| *op == self.op.name);
        match alias {
            Some((alias, _)) => (*alias).to_owned(),
            None if self.op.name == DEFAULT_OP => self.component.name.to_owned(),
            None => self.to_string(),
        }
    }
}

impl fmt::Display for OpRef {
    /// The canonical name: `ctx_search.infer`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.component.name, self.op.name)
    }
}

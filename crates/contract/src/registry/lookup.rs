//! The available components, and their lookup by name.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
};

use super::{Component, ErrorKind, OpDef, OpError, Param, nearest, stateless};
use crate::value::Value;

/// The components that a program is checked against. Immutable: another set of components is
/// another registry.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    components: Vec<&'static Component>,
    by_name: HashMap<&'static str, &'static Component>,
    by_alias: HashMap<&'static str, OpRef>,
    /// Changed defaults, by component and param.
    tuned: BTreeMap<(&'static str, &'static str), Value>,
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
    /// it would silently call something else.
    #[must_use]
    pub fn with(mut self, components: &[&'static Component]) -> Self {
        for component in components {
            self.components.retain(|it| it.name != component.name);
            self.by_alias.retain(|_, it| it.component.name != component.name);
            self.components.push(component);
            self.by_name.insert(component.name, component);
            for (alias, op) in component.aliases {
                let op = find_op(component, op).expect("an alias names an op of its component");
                if let Some(other) = self.by_alias.insert(alias, op) {
                    let (one, two) = (other.component.name, component.name);
                    assert!(one == two, "`{alias}` is an alias of both `{one}` and `{two}`");
                }
            }
        }
        self
    }

    /// Changes the default of a tunable param: a number with a range and a default. Applies to
    /// every op of the component that has such a param.
    pub fn tuned(mut self, path: &str, value: Value) -> Result<Self, OpError> {
        let (name, param) = path.rsplit_once('.').ok_or_else(|| {
            OpError::invalid_input(format!("`{path}` is not a tunable"))
                .help("write `component.param`, such as `rerank.keep`")
        })?;
        let found = self
            .find(name)
            .ok_or_else(|| OpError::not_found(format!("unknown component `{name}`")))?;
        let component = found.component();
        let params = component.ops.iter().flat_map(|it| it.params).filter(|it| it.is_tunable());
        let Some(known) = params.clone().find(|it| it.name == param) else {
            let names: Vec<&str> = params.map(|it| it.name).collect();
            let help = if names.is_empty() {
                format!("`{name}` has no tunables")
            } else {
                format!("the tunables of `{name}` are {}", names.join(", "))
            };
            let message = format!("`{param}` is not a tunable of `{name}`");
            return Err(OpError::not_found(message).help(help));
        };
        known.test(&value)?;
        self.tuned.insert((component.name, known.name), value);
        Ok(self)
    }

    /// The default of a param, including tunings.
    pub fn default_of(&self, component: &Component, param: &Param) -> Option<Value> {
        let tuned = || self.tuned.get(&(component.name, param.name)).cloned();
        param.default.map(|it| tuned().unwrap_or_else(it))
    }

    /// The tunings: `ctx_rerank.keep`, with its value.
    pub fn tunings(&self) -> impl Iterator<Item = (String, &Value)> {
        self.tuned.iter().map(|((component, param), it)| (format!("{component}.{param}"), it))
    }

    /// All components, in the order in which they were added.
    pub fn components(&self) -> &[&'static Component] {
        &self.components
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

//! Changed defaults of params: an overlay over the immutable registry.

use std::{collections::BTreeMap, fmt};

use super::{Component, OpError, Param, Registry};
use crate::value::Value;

/// Values that replace the defaults of tunable params. An argument in a script takes precedence.
///
/// Cheap to create and to clone: it contains only what differs. Tuned values are arguments of
/// the calls that use them, so they are part of the keys of those calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tuning {
    /// By component and param.
    values: BTreeMap<(&'static str, &'static str), Value>,
    version: u64,
}

impl Tuning {
    /// Changes the default of a tunable param, such as `rerank.window`. Applies to every op of
    /// the component that has such a param, so it must be a value for each of them.
    pub fn set(&mut self, registry: &Registry, path: &str, value: Value) -> Result<(), OpError> {
        let (component, param) = tunable(registry, path)?;
        let params = component.ops.iter().flat_map(|it| it.params);
        for other in params.filter(|it| it.name == param.name && it.is_tunable()) {
            other.tuned_value(value.clone())?;
        }
        let value = param.tuned_value(value)?;
        self.values.insert((component.name, param.name), value);
        self.version += 1;
        Ok(())
    }

    /// The same with a value as text, as a person writes it: `0.5`, `true`, `30s`, or a variant
    /// of an enum.
    pub fn set_text(&mut self, registry: &Registry, path: &str, text: &str) -> Result<(), OpError> {
        let (_, param) = tunable(registry, path)?;
        let value = Value::from_words(text.into(), &param.scheme.plain());
        self.set(registry, path, value)
    }

    /// The component and the param at `component.param`, if it is tunable.
    pub fn find(
        registry: &Registry,
        path: &str,
    ) -> Result<(&'static Component, &'static Param), OpError> {
        tunable(registry, path)
    }

    /// The changed default of a param.
    pub fn changed(&self, component: &Component, param: &Param) -> Option<&Value> {
        self.values.get(&(component.name, param.name))
    }

    /// Restores the default of a param; returns whether it was changed.
    pub fn reset(&mut self, registry: &Registry, path: &str) -> Result<bool, OpError> {
        let (component, param) = tunable(registry, path)?;
        let was_set = self.values.remove(&(component.name, param.name)).is_some();
        self.version += u64::from(was_set);
        Ok(was_set)
    }

    /// The default of a param, including a tuned one.
    pub fn default_of(&self, component: &Component, param: &Param) -> Option<Value> {
        let tuned = || self.changed(component, param).cloned();
        param.default.map(|it| tuned().unwrap_or_else(|| it.value()))
    }

    /// The changed defaults: `ctx_rerank.window`, with its value.
    pub fn iter(&self) -> impl Iterator<Item = (String, &Value)> {
        self.values.iter().map(|((component, param), it)| (format!("{component}.{param}"), it))
    }

    /// This tuning, with the values of `other` taking precedence.
    #[must_use]
    pub fn with(mut self, other: &Self) -> Self {
        self.values.extend(other.values.iter().map(|(name, it)| (*name, it.clone())));
        self.version += other.version;
        self
    }

    /// Counts the changes.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Sets the version, for a tuning that comes from a history of them.
    #[must_use]
    pub fn at_version(self, version: u64) -> Self {
        Self { version, ..self }
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl fmt::Display for Tuning {
    /// `ctx_rerank.window = 4, ctx_search.k1 = 1.5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (idx, (name, value)) in self.iter().enumerate() {
            let comma = if idx == 0 { "" } else { ", " };
            write!(f, "{comma}{name} = {}", Param::written(value))?;
        }
        Ok(())
    }
}

/// The param at `component.param`, if it is tunable.
fn tunable(
    registry: &Registry,
    path: &str,
) -> Result<(&'static Component, &'static Param), OpError> {
    let (name, param) = path.rsplit_once('.').ok_or_else(|| {
        OpError::invalid_input(format!("`{path}` is not a tunable"))
            .help("write `component.param`, such as `rerank.keep`")
    })?;
    let found = registry.find(name).ok_or_else(|| {
        let error = OpError::not_found(format!("unknown component `{name}`"));
        match registry.suggest(name) {
            Some(near) => error.help(format!("did you mean `{near}.{param}`?")),
            None => error,
        }
    })?;
    let component = found.component();
    if let Some(known) = component.tunables().find(|it| it.name == param) {
        return Ok((component, known));
    }
    let names: Vec<&str> = component.tunables().map(|it| it.name).collect();
    let help = if names.is_empty() {
        format!("`{name}` has no tunables")
    } else {
        format!("the tunables of `{name}` are {}", names.join(", "))
    };
    Err(OpError::not_found(format!("`{param}` is not a tunable of `{name}`")).help(help))
}

/// A registry with changed defaults.
#[derive(Clone, Copy, Debug)]
pub struct TunedRegistry<'a> {
    registry: &'a Registry,
    tuning: &'a Tuning,
}

static UNTUNED: Tuning = Tuning { values: BTreeMap::new(), version: 0 };

impl<'a> TunedRegistry<'a> {
    pub fn new(registry: &'a Registry, tuning: &'a Tuning) -> Self {
        Self { registry, tuning }
    }

    pub fn registry(self) -> &'a Registry {
        self.registry
    }

    /// The default of a param, including a tuned one.
    pub fn default_of(self, component: &Component, param: &Param) -> Option<Value> {
        self.tuning.default_of(component, param)
    }
}

impl<'a> From<&'a Registry> for TunedRegistry<'a> {
    fn from(registry: &'a Registry) -> Self {
        Self { registry, tuning: &UNTUNED }
    }
}

impl std::ops::Deref for TunedRegistry<'_> {
    type Target = Registry;

    fn deref(&self) -> &Registry {
        self.registry
    }
}

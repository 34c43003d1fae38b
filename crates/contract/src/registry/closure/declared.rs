//! The declarations of closures, as components of a registry.

use std::collections::BTreeSet;

use super::{
    ClosureOp,
    names::{Kept, is_name, kept},
};
use crate::registry::{
    Bias, Body, Component, Deferred, Effect, Lent, Max, OpDef, OpError, Param, Price, Registry,
    Scheme, Version, flow::unbound_flow,
};

static OPS: Kept<OpDef> = Kept::new();
static COMPONENTS: Kept<Component> = Kept::new();

impl Registry {
    /// Adds ops made from closures. The ops of one component may be added at different times.
    ///
    /// Returns this registry with their declarations, and `lent` with their closures; an error
    /// if a name is invalid or taken.
    pub fn with_closures(
        mut self,
        mut lent: Lent,
        ops: impl IntoIterator<Item = ClosureOp>,
    ) -> Result<(Self, Lent), OpError> {
        let mut parts: Vec<Parts> = Vec::new();
        for op in ops {
            let idx = match parts.iter().position(|it| it.name == op.component) {
                Some(idx) => idx,
                None => {
                    parts.push(Parts::of(&self, &op)?);
                    parts.len() - 1
                }
            };
            parts[idx].add(&self, &op)?;
            lent = lent.with_closures(|it| it.add(kept(&op.component), kept(&op.name), op.code));
        }
        aliases_differ(&parts)?;
        let components: Vec<&'static Component> = parts.iter().map(Parts::component).collect();
        self = self.with(&components);
        Ok((self, lent))
    }
}

/// Whether an op is made from a closure.
fn is_closure(op: &OpDef) -> bool {
    op.version != Version::OfComponent
}

/// The parts of a component.
struct Parts {
    name: String,
    ops: Vec<OpDef>,
    aliases: Vec<(&'static str, &'static str)>,
}

impl Parts {
    /// The parts of the component that the registry has, or none.
    fn of(registry: &Registry, op: &ClosureOp) -> Result<Self, OpError> {
        let name = &op.component;
        let known = registry.components().iter().find(|it| it.name == name);
        let (mut ops, mut aliases) = (Vec::new(), Vec::new());
        if let Some(known) = known {
            if !known.ops.iter().all(is_closure) {
                let message = format!("cannot add `{}`: `{name}` is a component", op.shown());
                return Err(OpError::invalid_input(message).help("choose another name"));
            }
            ops.extend(known.ops.iter().cloned());
            aliases.extend(known.aliases);
        } else {
            is_free(registry, op, name)?;
        }
        Ok(Self { name: name.clone(), ops, aliases })
    }

    fn add(&mut self, registry: &Registry, op: &ClosureOp) -> Result<(), OpError> {
        if let Some(mistake) = &op.mistake {
            let message = format!("cannot add `{}`: {mistake}", op.shown());
            return Err(OpError { message, ..mistake.clone() });
        }
        [&op.component, &op.name].into_iter().try_for_each(|it| named(op, it))?;
        if self.ops.iter().any(|it| it.name == op.name) {
            return Err(OpError::invalid_input(format!("duplicate op `{}`", op.shown()))
                .help("choose another name, or add the ops to an engine without this one"));
        }
        let def = op.definition()?;
        for alias in &op.aliases {
            named(op, alias)?;
            is_free(registry, op, alias)?;
            self.aliases.push((kept(alias), def.name));
        }
        self.ops.push(def.clone());
        Ok(())
    }

    fn component(&self) -> &'static Component {
        let (ops, aliases) = (self.ops.clone(), self.aliases.clone());
        COMPONENTS.get(format!("{} {aliases:?} {ops:?}", self.name), || Component {
            name: kept(&self.name),
            cluster: "program",
            summary: kept(&self.summary()),
            version: 1,
            bias: Bias::NONE,
            aliases: aliases.leak(),
            ops: ops.leak(),
        })
    }

    fn summary(&self) -> String {
        match &self.ops[..] {
            [op] => op.summary().to_owned(),
            _ => format!("The ops `{}` of the program.", self.name),
        }
    }
}

impl ClosureOp {
    /// Its declaration as constant data.
    fn definition(&self) -> Result<&'static OpDef, OpError> {
        let mut effects = self.effects.clone();
        if !matches!(self.def.price, Price::Free) && !effects.contains(&Effect::Spends) {
            effects.push(Effect::Spends);
        }
        self.test(&effects)?;
        let params = self.counted()?;
        self.calls_are_possible(&params)?;
        let Self { name, doc, def, .. } = self;
        let content = format!("{name} {doc:?} {params:?} {effects:?} {def:?}");
        Ok(OPS.get(content, || OpDef {
            name: kept(name),
            doc: kept(doc),
            params: Deferred::Is(params.leak()),
            effects: effects.leak(),
            ..def.clone()
        }))
    }

    fn test(&self, effects: &[Effect]) -> Result<(), OpError> {
        let name = self.shown();
        let unnamed = self.params.iter().take(self.unnamed);
        unnamed.map(|it| it.name).try_for_each(|it| named(self, it))?;
        let mut names = BTreeSet::new();
        if let Some(twice) = self.params.iter().find(|it| !names.insert(it.name)) {
            let message = format!("duplicate parameter `{}` of `{name}`", twice.name);
            return Err(OpError::invalid_input(message).help("rename one of both"));
        }
        let place = |it: &Effect| it.scope().and_then(super::super::Scope::param);
        if let Some(unknown) = effects.iter().filter_map(place).find(|it| !names.contains(it)) {
            let message = format!("`{name}` has no parameter `{unknown}`, which an effect names");
            return Err(OpError::invalid_input(message).help(known(&self.params)));
        }
        if self.def.is_inline() && !effects.is_empty() {
            let message = format!("`{name}` has effects, but is an inline op");
            return Err(OpError::invalid_input(message).help("make it with `op` or `io_op`"));
        }
        if self.def.is_inline() && self.params.iter().any(|it| it.scheme.flow().is_some()) {
            let message = format!("`{name}` takes a flow, but is an inline op");
            return Err(OpError::invalid_input(message).help("make it with `io_op`"));
        }
        self.letters_are_bound()
    }

    /// Returns an error if the check could not know a type of a call: no argument has it.
    fn letters_are_bound(&self) -> Result<(), OpError> {
        let (name, params) = (self.shown(), &self.params);
        if let Some((flow, letter)) = unbound_flow(params) {
            let message = format!(
                "`{name}` calls `{}`, but no other parameter has the type `{letter}`",
                flow.signature()
            );
            let help = format!(
                "state the type, as in `Flow<String, f64>`, or take a value of it: `Var<'{letter}'>`"
            );
            return Err(OpError::invalid_input(message).help(help));
        }
        let Some(letter) = self.def.yields.unbound_variable(params) else { return Ok(()) };
        let message =
            format!("`{name}` returns the type `{letter}`, which no parameter determines");
        Err(OpError::invalid_input(message).help("return a type that is known, such as `String`"))
    }

    /// The parameters with the stated numbers of calls.
    fn counted(&self) -> Result<Vec<Param>, OpError> {
        let (name, mut params) = (self.shown(), self.params.clone());
        for (flow, most) in &self.calls {
            let Some(param) = params.iter_mut().find(|it| it.name == *flow) else {
                let message = format!("`{name}` has no parameter `{flow}` that it could call");
                return Err(OpError::invalid_input(message).help(known(&self.params)));
            };
            let Scheme::Flow(takes, gives, _) = param.scheme else {
                let message = format!("the parameter `{flow}` of `{name}` is not a flow");
                return Err(OpError::invalid_input(message).help("declare it as a `Flow<A, B>`"));
            };
            param.scheme = Scheme::Flow(takes, gives, *most);
        }
        Ok(params)
    }

    /// Returns an error if it takes flows that it cannot call, or as often as an argument says that
    /// it does not have.
    fn calls_are_possible(&self, params: &[Param]) -> Result<(), OpError> {
        let name = self.shown();
        for param in params {
            let Some((_, _, most)) = param.scheme.flow() else { continue };
            if matches!(self.def.body, Body::Compute(_)) && !matches!(most, Max::Never) {
                let message = format!("`{name}` calls a flow, but it computes");
                return Err(OpError::invalid_input(message).help("make it with `io_op`"));
            }
            let (Max::Arg(arg) | Max::InputOr(arg)) = most else { continue };
            let is_number = |it: &&Param| matches!(it.scheme, Scheme::Int | Scheme::IntRange(..));
            if !params.iter().filter(is_number).any(|it| it.name == arg) {
                let message = format!(
                    "`{name}` calls `{}` as often as `{arg}` says, which is not an int parameter",
                    param.name
                );
                return Err(OpError::invalid_input(message)
                    .help("state a number, or add the parameter with the type `i64`"));
            }
        }
        Ok(())
    }
}

fn known(params: &[Param]) -> String {
    let names: Vec<String> = params.iter().map(|it| format!("`{}`", it.name)).collect();
    format!("name one of its parameters: {}", names.join(", "))
}

fn named(op: &ClosureOp, name: &str) -> Result<(), OpError> {
    if is_name(name) {
        return Ok(());
    }
    let message = format!("cannot add `{}`: invalid name `{name}`", op.shown());
    Err(OpError::invalid_input(message).help("write lower case letters, digits and `_`"))
}

/// Whether nothing else has this name.
fn is_free(registry: &Registry, op: &ClosureOp, name: &str) -> Result<(), OpError> {
    let Some(other) = registry.find(name) else { return Ok(()) };
    let (shown, other) = (op.shown(), other.component().name);
    let message = format!("cannot add `{shown}`: `{name}` is a name of the component `{other}`");
    Err(OpError::invalid_input(message).help("choose another name"))
}

/// Returns an error if two new components have the same alias, or one has the name of another.
fn aliases_differ(parts: &[Parts]) -> Result<(), OpError> {
    let mut names: BTreeSet<&str> = parts.iter().map(|it| it.name.as_str()).collect();
    for (alias, _) in parts.iter().flat_map(|it| &it.aliases) {
        if !names.insert(alias) {
            let message = format!("duplicate name `{alias}`");
            return Err(OpError::invalid_input(message).help("choose another alias"));
        }
    }
    Ok(())
}

//! `:tune`: changed defaults of tunable params, for the lines that follow.

use svc_contract::registry::{Component, OpRef, Param, Registry, Scheme, Tuning};

use super::{
    super::{
        exit::Result,
        terminal,
        tuning::{reset, set, wrong_usage},
    },
    session::{Outcome, Repl},
};

/// The word that restores a default.
const DEFAULT: &str = "default";

/// Lists the changed defaults, shows one, changes it or restores it.
pub(super) fn tune(repl: &mut Repl, rest: &str) -> Result<Outcome> {
    let (name, value) = rest.split_once(['=', ' ', '\t']).unwrap_or((rest, ""));
    match (name.trim(), value.trim().trim_start_matches('=').trim()) {
        ("", _) => list(repl),
        (name, "") => show(repl, name),
        (name, value) => change(repl, name, value),
    }
}

fn change(repl: &mut Repl, name: &str, value: &str) -> Result<Outcome> {
    let engine = repl.session.engine.clone();
    let engine = if value == DEFAULT { reset(engine, name)? } else { set(engine, name, value)? };
    repl.use_engine(engine);
    Ok(Outcome::Done)
}

fn list(repl: &Repl) -> Result<Outcome> {
    let (registry, tuning) = (repl.session.engine.registry(), repl.session.engine.tuning());
    if tuning.is_empty() {
        repl.remark("no default is changed; `:inspect NAME` marks what can be tuned")?;
    }
    for (path, _) in tuning.iter() {
        let (component, param) = Tuning::find(registry, &path).map_err(wrong_usage)?;
        terminal::print(&line(component, param, tuning))?;
    }
    Ok(Outcome::Done)
}

fn show(repl: &Repl, name: &str) -> Result<Outcome> {
    let (registry, tuning) = (repl.session.engine.registry(), repl.session.engine.tuning());
    let (component, param) = Tuning::find(registry, name).map_err(wrong_usage)?;
    terminal::print(&line(component, param, tuning))?;
    Ok(Outcome::Done)
}

/// The current default of a param, its type, and the default that it replaces.
fn line(component: &Component, param: &Param, tuning: &Tuning) -> String {
    let value = tuning.default_of(component, param).unwrap_or_default();
    let value = Param::written(&value);
    let default = param.default.map(|it| Param::written(&it.value()));
    let default = default.filter(|it| *it != value).map(|it| format!(" (default {it})"));
    let (name, ty) = (param.name, param.scheme.show());
    format!("  {}.{name}: {ty} = {value}{}\n", component.name, default.unwrap_or_default())
}

/// The names of all tunables, with the name of the component and with its alias.
pub(super) fn names(registry: &Registry) -> Vec<String> {
    let of = |component: &'static Component| {
        let alias = component.op("infer").map(|op| OpRef { component, op }.script_name());
        let heads = alias.into_iter().chain([component.name.to_owned()]);
        heads.flat_map(|head| component.tunables().map(move |it| format!("{head}.{}", it.name)))
    };
    registry.components().iter().flat_map(|it| of(it)).collect()
}

/// The values of a tunable that can be listed.
pub(super) fn values(registry: &Registry, name: &str) -> Vec<String> {
    let Ok((_, param)) = Tuning::find(registry, name) else { return Vec::new() };
    let listed: &[&str] = match param.scheme {
        Scheme::Bool => &["true", "false"],
        other => other.variants(),
    };
    listed.iter().chain(&[DEFAULT]).map(|it| (*it).to_owned()).collect()
}

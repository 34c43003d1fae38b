//! `svc inspect`: shows the documentation of a component.

use clap::Args;
use svc_contract::registry::{Component, OpRef, Registry, nearest};

use super::{
    Session,
    exit::{Failure, NOT_FOUND, OK, Result},
    library,
    op_json::InspectJson,
    op_text, terminal,
};

/// Show a component's documentation: ops, params, types, effects, errors, examples.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Inspect {
    /// A component, an op (its short name or `component.op`), or a module (`std:NAME`).
    #[arg(value_name = "NAME")]
    name: String,
    /// Print the documentation as JSON.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  svc inspect search
  svc inspect text
  svc inspect text.upper
  svc inspect std:panel
  svc inspect --json search | jq '.ops[].params[].name'";

/// The meaning of a name: a component, and the selected ops of it.
pub(super) struct Subject {
    pub(super) component: &'static Component,
    pub(super) ops: Vec<OpRef>,
}

impl Inspect {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        if let Some(module) = library::named(&self.name) {
            library::show(module?, self.json, session.terminal.out)?;
            return Ok(OK);
        }
        let registry = session.engine.registry();
        let subject = find(registry, &self.name).ok_or_else(|| unknown(registry, &self.name))?;
        if self.json {
            terminal::print_json(&InspectJson::new(&subject))?;
        } else {
            terminal::print(terminal::styled(&op_text::page(&subject, session.terminal.out)))?;
        }
        Ok(OK)
    }
}

/// The name of a component selects all of its ops; any other name selects one op.
fn find(registry: &Registry, name: &str) -> Option<Subject> {
    if let Some(component) = registry.components().iter().find(|it| it.name == name).copied() {
        let ops = component.ops.iter().map(|op| OpRef { component, op }).collect();
        return Some(Subject { component, ops });
    }
    let op = registry.resolve(name)?;
    Some(Subject { component: op.component, ops: vec![op] })
}

fn unknown(registry: &Registry, name: &str) -> Failure {
    let failure = Failure::new(NOT_FOUND, format!("unknown component or op `{name}`"));
    match meant(registry, name) {
        Some(meant) => failure.help(format!("did you mean `{meant}`?")),
        None => failure.help("list all components with `svc components`"),
    }
}

/// The known name nearest to `name`; after a dot, an op of a component.
fn meant(registry: &Registry, name: &str) -> Option<String> {
    let Some((component, op)) = name.split_once('.') else {
        return registry.suggest(name).map(str::to_owned);
    };
    match registry.find(component) {
        Some(found) => {
            let ops = found.component().ops.iter().map(|it| it.name);
            nearest(op, ops).map(|it| format!("{component}.{it}"))
        }
        None => registry.suggest(component).map(|it| format!("{it}.{op}")),
    }
}

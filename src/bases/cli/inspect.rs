//! `svc inspect`: shows the documentation of a component.

use clap::Args;
use svc_api::inspect::{InspectJson, find, meant};
use svc_contract::registry::Registry;

use super::{
    Session,
    exit::{Failure, NOT_FOUND, OK, Result},
    library, op_text, terminal,
    tuning::TuneArgs,
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
    #[command(flatten)]
    tuning: TuneArgs,
}

const EXAMPLES: &str = "Examples:
  svc inspect search
  svc inspect text
  svc inspect text.upper
  svc inspect std:panel
  svc inspect rerank --tune rerank.window=4
  svc inspect --json search | jq '.ops[].params[].name'";

impl Inspect {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        if let Some(module) = library::named(&self.name) {
            library::show(module?, self.json, session.terminal.out)?;
            return Ok(OK);
        }
        let session = &self.tuning.session(session)?;
        let (registry, tuning) = (session.engine.registry(), session.engine.tuning());
        let subject = find(registry, &self.name).ok_or_else(|| unknown(registry, &self.name))?;
        if self.json {
            terminal::print_json(&InspectJson::new(&subject, tuning))?;
        } else {
            let page = op_text::page(&subject, tuning, session.terminal.out);
            terminal::print(terminal::styled(&page))?;
        }
        Ok(OK)
    }
}

fn unknown(registry: &Registry, name: &str) -> Failure {
    let failure = Failure::new(NOT_FOUND, format!("unknown component or op `{name}`"));
    match meant(registry, name) {
        Some(meant) => failure.help(format!("did you mean `{meant}`?")),
        None => failure.help("list all components with `svc components`"),
    }
}

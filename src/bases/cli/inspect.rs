//! `svc inspect`: shows the documentation of a component, or of a word of the language.

use clap::Args;
use svc_api::inspect::{ConstructJson, InspectJson, find, meant};
use svc_contract::registry::Registry;
use svc_lang::constructs::Construct;

use super::{
    Session, construct_text,
    exit::{Failure, NOT_FOUND, OK, Result, answered},
    library, op_text, terminal,
    tuning::TuneArgs,
};

/// Show the documentation of a component, op or word.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Inspect {
    /// A component, an op (its short name or `component.op`), a module (`std:NAME`), or a word of
    /// the language, such as `each`.
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
  svc inspect each
  svc inspect rerank --tune rerank.window=4
  svc inspect --json search | jq '.ops[].params[].name'";

impl Inspect {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        answered(self.json, self.printed(session))
    }

    fn printed(&self, session: &Session) -> Result<u8> {
        if let Some(module) = library::named(&self.name) {
            library::show(module?, self.json, session.terminal.out)?;
            return Ok(OK);
        }
        let construct = Construct::find(&self.name);
        if let Some(construct) =
            construct.filter(|_| find(session.engine.registry(), &self.name).is_none())
        {
            return self.construct(construct, session);
        }
        let session = &self.tuning.session(session)?;
        let (registry, tuning) = (session.engine.registry(), session.engine.tuning());
        let subject = find(registry, &self.name).ok_or_else(|| unknown(registry, &self.name))?;
        if self.json {
            terminal::print_json(&InspectJson::new(&subject, tuning))?;
        } else {
            let page = op_text::page(&subject, tuning, session.terminal.out);
            terminal::print(terminal::styled(&page))?;
            // `map` is a component and a type.
            if let Some(construct) = construct {
                let page = construct_text::page(construct, session.terminal.out);
                terminal::print(terminal::styled(&format!("\n{page}")))?;
            }
        }
        Ok(OK)
    }

    fn construct(&self, construct: &Construct, session: &Session) -> Result<u8> {
        if self.json {
            terminal::print_json(&ConstructJson::new(construct))?;
        } else {
            let page = construct_text::page(construct, session.terminal.out);
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

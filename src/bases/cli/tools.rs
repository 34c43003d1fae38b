//! `svc tools`: lists what other programs can call by a public name.

use clap::{Args, ValueEnum};
use svc_api::rest::tool_view;
use svc_contract::registry::Tier;
use svc_service::{components, tools};

use super::{
    Session,
    exit::{Failure, NOT_FOUND, OK, Result, answered},
    terminal::{self, Ink},
};

/// List the tools for other programs.
///
/// A tool is an op with a public name, which `svc call` and `svc serve` call.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Tools {
    /// Only the tool of this name.
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Only tools of this tier.
    #[arg(long, value_enum, value_name = "TIER")]
    tier: Option<TierArg>,
    /// Print the tools as JSON, with the schemas of their arguments and results.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  svc tools
  svc tools --tier free
  svc tools guide_ask --json | jq '.[0].input_schema'";

#[derive(Clone, Copy, ValueEnum)]
enum TierArg {
    Free,
    Researcher,
    Builder,
    Bias,
}

impl TierArg {
    fn tier(self) -> Tier {
        match self {
            Self::Free => Tier::Free,
            Self::Researcher => Tier::Researcher,
            Self::Builder => Tier::Builder,
            Self::Bias => Tier::Bias,
        }
    }
}

impl Tools {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        answered(self.json, self.printed(session))
    }

    fn printed(&self, session: &Session) -> Result<u8> {
        let engine = session.engine.clone().with(components::ALL);
        let is_wanted = |it: &tools::Row| {
            self.tier.is_none_or(|tier| tier.tier() == it.tier)
                && self.name.as_deref().is_none_or(|name| name == it.name)
        };
        let rows: Vec<tools::Row> =
            tools::table(engine.registry()).into_iter().filter(is_wanted).collect();
        if let (Some(name), true) = (&self.name, rows.is_empty()) {
            let failure = Failure::new(NOT_FOUND, format!("unknown tool `{name}`"));
            return Err(failure.help("list the tools with `svc tools`"));
        }
        if self.json {
            terminal::print_json(&rows.iter().map(tool_view).collect::<Vec<_>>())?;
            return Ok(OK);
        }
        let out = session.terminal.out;
        let line = |it: &tools::Row| {
            let name = out.paint(it.name, Ink::Cyan);
            let effects =
                if it.effects.is_empty() { "pure".to_owned() } else { it.effects.join(", ") };
            format!("{name}  {}, {effects}\n    {}\n", it.tier, it.description)
        };
        terminal::print(terminal::styled(&rows.iter().map(line).collect::<String>()))?;
        Ok(OK)
    }
}

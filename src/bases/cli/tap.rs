//! `svc tap`: prints a value of a run.

use clap::Args;
use svc_contract::value::{Value, json};
use svc_store::{Run, Store};

use super::{
    Session,
    exit::{Failure, NOT_FOUND, OK, Result},
    keeping::{self, StoreArgs},
    run::{print_value, reader},
    show, terminal,
};

/// Print the result of a call in a run; without PATH, the result of the run.
#[derive(Args)]
pub(super) struct Tap {
    /// The run: its name, a prefix of it, or `last`.
    #[arg(value_name = "RUN")]
    run: String,
    /// The path of the call, as in `svc show`.
    #[arg(value_name = "PATH")]
    path: Option<String>,
    /// Print the arguments of the call instead.
    #[arg(long, requires = "path")]
    args: bool,
    /// Print the value as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    keeping: StoreArgs,
}

impl Tap {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let store = self.keeping.reading(session)?;
        let engine = session.engine.clone().with_store(store.clone());
        let run = store.run(&self.run).map_err(keeping::failure)?;
        let value = match &self.path {
            // Results of inline ops are not stored, but can be computed again.
            Some(path) if store.node(&run.id, path).map_err(keeping::failure)?.is_none() => {
                let tapped = engine.tap(run.clone(), path).ok().flatten();
                tapped.ok_or_else(|| self.missing(path))?
            }
            _ => self.value(&store, &run)?,
        };
        if self.json {
            terminal::print_json(&value)?;
        } else {
            print_value(&show::show(&value, reader(session)), reader(session))?;
        }
        Ok(OK)
    }

    fn missing(&self, path: &str) -> Failure {
        let help = format!("list the nodes with `svc show {}`", self.run);
        Failure::new(NOT_FOUND, format!("unknown node `{path}` of the run")).help(help)
    }

    fn value(&self, store: &Store, run: &Run) -> Result<Value> {
        let hash = match &self.path {
            None => run.value,
            Some(path) => {
                let node = store.node(&run.id, path).map_err(keeping::failure)?;
                let node = node.ok_or_else(|| self.missing(path))?;
                if self.args {
                    let args = store.arguments(&node).map_err(keeping::failure)?;
                    return json::read(&args).map_err(|_| self.missing(path));
                }
                node.output
            }
        };
        let nothing = || Failure::new(NOT_FOUND, "no result recorded");
        let text = store.text(hash.ok_or_else(nothing)?).map_err(keeping::failure)?;
        text.and_then(|it| json::read(&it).ok()).ok_or_else(nothing)
    }
}

//! `svc show`: shows the calls of a run.

use std::{
    io,
    path::{Path, PathBuf},
};

use clap::Args;
use serde::Serialize;
use svc_contract::registry::OpError;
use svc_lang::plan::Plan;
use svc_store::{Node, Run, Store};

use super::{
    Session,
    exit::{FAILED, Failure, OK, Result},
    given,
    keeping::{self, StoreArgs},
    page::{Left, Limits, Page},
    run::{print_list, reader},
    runs::{RunJson, recorded_error, run_json, run_row},
    script, show, show_nodes, terminal,
};

/// Show what a run did: every call with its state, tries, time and cost.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Show {
    /// The run: its name, a prefix of it, or `last`.
    #[arg(value_name = "RUN")]
    run: String,
    /// Show every call on its own line. By default, the items of an `each` are one line, with
    /// the failed and the slowest ones below.
    #[arg(long)]
    all: bool,
    /// Print the run as JSON, with every call.
    #[arg(long, group = "form")]
    json: bool,
    /// Write one self-contained HTML page with the graph, a timeline and every value; `-` is
    /// standard output.
    #[arg(long, value_name = "FILE", group = "form")]
    html: Option<PathBuf>,
    /// The largest value that the page holds in full: `10MB`. Larger values are cut. The
    /// default is 1 MiB, and 256 MiB for all values together.
    #[arg(long, value_name = "SIZE", value_parser = given::size, requires = "html")]
    max_size: Option<u64>,
    #[command(flatten)]
    keeping: StoreArgs,
}

const EXAMPLES: &str = "Examples:
  svc show last
  svc show 01j9 --all
  svc show last --html run.html
  svc show last --json | jq '.nodes[] | select(.state == \"failed\").path'";

/// The default limits of a page.
const LIMITS: Limits = Limits { value: 1 << 20, page: 256 << 20 };

#[derive(Serialize)]
struct NodeJson {
    path: String,
    op: String,
    state: &'static str,
    tries: u32,
    /// Milliseconds since 1970.
    started: i64,
    /// Microseconds.
    took: u64,
    tokens: u64,
    cost: String,
    error: Option<serde_json::Value>,
}

#[derive(Serialize)]
struct Shown {
    run: RunJson,
    nodes: Vec<NodeJson>,
}

impl Show {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let store = self.keeping.reading(session)?;
        let run = store.run(&self.run).map_err(keeping::failure)?;
        let nodes = store.calls(&run.id).map_err(keeping::failure)?;
        if let Some(file) = &self.html {
            let plan = planned(session, &store, &run);
            let limits = self.max_size.map_or(LIMITS, |it| Limits { value: it, page: u64::MAX });
            let page = Page::new(&store, (&run, &nodes), plan, limits)?;
            report_left(session, write(session, file, &page)?);
        } else if self.json {
            let nodes = nodes.iter().map(node_json).collect();
            terminal::print_json(&Shown { run: run_json(&run), nodes })?;
        } else {
            let shown = show::show(&run_row(&run), reader(session));
            print_list(&(shown + "\n"), reader(session))?;
            let rows = if self.all {
                show_nodes::all(&run, &nodes, reader(session))
            } else {
                show_nodes::folded(&run, &nodes, reader(session))
            };
            print_list(&show::show(&rows, reader(session)), reader(session))?;
        }
        Ok(OK)
    }
}

/// The plan of the stored script, if it still checks.
fn planned(session: &Session, store: &std::sync::Arc<Store>, run: &Run) -> Option<Plan> {
    let engine = session.engine.clone().with_store(store.clone());
    engine.resume(run.id.as_str()).ok()?.plan().ok()
}

/// Writes a page into a file atomically, or to standard output.
fn write(session: &Session, file: &Path, page: &Page<'_>) -> Result<Left> {
    if script::is_stdin(file) {
        return terminal::print_with(|out| page.write(out));
    }
    let mut outcome = Err(Failure::new(FAILED, "nothing was written"));
    let written = session.engine.host().write_with(file, &mut |out| {
        outcome = page.write(out);
        // This error makes the host discard the file; `outcome` keeps the reason.
        outcome.as_ref().map(|_| ()).map_err(|err| io::Error::other(err.message.clone()))
    });
    match (outcome, written) {
        (Ok(_), Err(err)) => Err(Failure::reading(OpError::io(err, file))),
        (outcome, _) => outcome,
    }
}

/// Reports which values were cut.
fn report_left(session: &Session, left: Left) {
    if left.values > 0 {
        let what = format!("cut in the page: {left}; raise the limit with `--max-size`");
        session.terminal.note(&what);
    }
}

fn node_json(node: &Node) -> NodeJson {
    NodeJson {
        path: node.path.clone(),
        op: format!("{}.{}", node.component, node.op),
        state: node.state.word(),
        tries: node.attempts,
        started: node.started,
        took: node.took,
        tokens: node.used.tokens,
        cost: node.used.cost.to_string(),
        error: recorded_error(node.error.as_deref()),
    }
}

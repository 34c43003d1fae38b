//! `svc show`: shows the calls of a run.

use std::{
    io,
    path::{Path, PathBuf},
};

use clap::Args;
use svc_api::{
    calls::Calls,
    failure::with_step,
    page::{Left, Page, PageLimits},
    runs::run_record,
    show::{ShowJson, planned},
    store::RunStore,
    tap::{TapError, Tapped, tap},
    tuning::{self, drawn, fronts_of},
};
use svc_contract::{registry::OpError, value::Value};

use super::{
    Session,
    exit::{FAILED, Failure, NOT_FOUND, OK, Result, answered},
    given,
    keeping::{self, StoreArgs},
    output::{Output, OutputArgs},
    run::{print_list, reader},
    script,
    show::{self, Reader},
    terminal,
};

/// Show what a run did.
///
/// Every call with its state, tries, time and cost.
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
    output: OutputArgs,
    #[command(flatten)]
    keeping: StoreArgs,
}

const EXAMPLES: &str = "Examples:
  svc show last
  svc show 01j9 --all
  svc show last --html run.html
  svc show last --output result.csv
  svc show last --json | jq '.nodes[] | select(.state == \"failed\").path'";

/// The default limits of a page.
const LIMITS: PageLimits = PageLimits { value: 1 << 20, page: 256 << 20 };

/// The terminal width from which bars are shown, in columns.
const ROOMY: u16 = 100;

impl Show {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        answered(self.json, self.printed(session).await)
    }

    async fn printed(&self, session: &Session) -> Result<u8> {
        let output = self.output.open(session)?;
        let store = self.keeping.reading(session)?;
        if let Some(output) = output {
            let code = self.write_result(&output, &store, session).await?;
            if !self.json && self.html.is_none() {
                return Ok(code);
            }
        }
        let run = store.run(&self.run).map_err(keeping::failure)?;
        let nodes = store.calls(&run.id).map_err(keeping::failure)?;
        if let Some(file) = &self.html {
            let plan = planned(&session.engine, &store, &run);
            let nodes = with_step(&run, nodes, plan.as_ref());
            let limits =
                self.max_size.map_or(LIMITS, |it| PageLimits { value: it, page: u64::MAX });
            let page = Page::new(&store, (&run, &nodes), plan, limits)?;
            let folder = self.keeping.service_folder(session)?;
            let work = || tuning::opened(&folder, &session.engine);
            let fronts = fronts_of(&store, &nodes, work).map_err(keeping::failure)?;
            let page = page.with_pictures(drawn(fronts, &session.engine).await);
            report_left(session, write(session, file, &page)?);
        } else if self.json {
            terminal::print_json(&ShowJson::new(&run, &nodes))?;
        } else {
            let nodes = with_step(&run, nodes, None);
            let shown = show::show(&run_record(&run), reader(session));
            print_list(&(shown + "\n"), reader(session))?;
            let calls =
                if self.all { Calls::all(&run, &nodes) } else { Calls::folded(&run, &nodes) };
            print_list(
                &show::show(&table(&calls, reader(session)), reader(session)),
                reader(session),
            )?;
        }
        Ok(OK)
    }
}

impl Show {
    /// Writes the result of the run to a file.
    async fn write_result(
        &self,
        output: &Output<'_>,
        store: &RunStore,
        session: &Session,
    ) -> Result<u8> {
        let value =
            tap(&session.engine, store, &self.run, Tapped::Result).map_err(|err| match err {
                TapError::Store(err) => keeping::failure(err),
                other => {
                    let help = format!("`svc show {}` says how the run ended", self.run);
                    Failure::new(NOT_FOUND, other.to_string()).help(help)
                }
            })?;
        output.write(&value, session, None).await
    }
}

/// The calls as a table. A pipe always receives the same columns; a terminal omits empty columns and
/// shows bars if it is wide enough.
fn table(calls: &Calls, reader: Reader) -> Value {
    let Reader::Terminal { width, .. } = reader else { return calls.table(|it| it != "time") };
    calls.table(|column| match column {
        "time" => width >= ROOMY,
        _ => calls.is_used(column),
    })
}

/// Writes a page into a file atomically, or to standard output.
fn write(session: &Session, file: &Path, page: &Page<'_>) -> Result<Left> {
    if script::is_stdin(file) {
        return terminal::print_with(|out| Ok(page.write(out)?));
    }
    let mut outcome = Err(Failure::new(FAILED, "nothing was written"));
    let written = session.engine.host().write_with(file, &mut |out| {
        outcome = page.write(out).map_err(Failure::from);
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

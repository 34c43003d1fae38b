//! `svc run`: runs a script and prints its result.

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::Args;
use comfy_table::Table;
use svc_api::run::{FailedJson, only_missing};
use svc_contract::{registry::ErrorKind, store::RunId, value::Value};
use svc_engine::{Error, Request, Response, run::Partial};
use svc_lang::{check::Input, plan::Plan};
use tokio_util::sync::CancellationToken;

use super::{
    Session,
    again::{self, WatchArgs},
    exit::{INTERRUPTED, INVALID, OK, Result, answered},
    given::{self, Given},
    help,
    keeping::OptionalStoreArgs,
    mcp_servers,
    output::{Output, OutputArgs},
    policy::Rules,
    progress::Drawing,
    script,
    show::{self, Reader},
    signals::{Asked, Signals},
    terminal,
    tuning::TuneArgs,
    watch::Watch,
};

/// Run a script and print its result.
#[derive(Args)]
#[command(after_help = SHORT, after_long_help = EXAMPLES, disable_help_flag = true)]
#[command(override_usage = "svc run [OPTIONS] <FILE> [INPUT]")]
pub(super) struct Run {
    /// The script; `-` reads it from standard input.
    #[arg(value_name = "FILE", required_unless_present_any = ["help", "short_help"])]
    file: Option<PathBuf>,
    #[command(flatten)]
    given: Given,
    /// Print the result, or the failure of the run, as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    output: OutputArgs,
    /// Run inline code in sandboxed processes with little memory.
    #[arg(long)]
    untrusted: bool,
    #[command(flatten)]
    watch: WatchArgs,
    #[command(flatten)]
    rules: Rules,
    #[command(flatten)]
    tuning: TuneArgs,
    #[command(flatten)]
    keeping: OptionalStoreArgs,
    #[command(flatten)]
    asked: help::HelpArgs,
}

const SHORT: &str = "Examples:
  svc run report.svc -p folder=docs -p top_k=5
  svc run report.svc --help                    the params, bounds and estimate of the script

`svc run --help` explains all options and how results are printed.";

const EXAMPLES: &str = r#"Examples:
  svc run examples/research.svc "how are budgets enforced?"
  svc run report.svc -p folder=docs -p top_k=5
  cat notes.txt | svc run shorten.svc
  echo '"hello" >> upper' | svc run -
  svc run report.svc --json | jq .text
  svc run orders.svc --output orders.xlsx
  svc run report.svc --allow "reads fs:./docs" --deny spends
  svc run triage.svc --max-cost '$0.10' --timeout 5m
  svc run report.svc --watch                   again after every change of a script

How results are printed:
  null                   nothing
  a string               itself
  a list                 one item per line
  a list of records      a table, cut to the terminal; complete and tab-separated in a pipe
  { text, sources }      the text, followed by the numbered sources
  another record         `name  value`, one field per line
  --json                 the whole value as JSON
  --output FILE          nothing: the file has the result
A pipe receives every byte. On a terminal, control and hidden characters are escaped, as in
\u{1b}; line ends and tabs are kept.

A failed run prints no result. If it failed because a cap could not fund a call, it prints
the finished part. With --json, a run that failed, a script that does not check, a wrong
param and a missing file print
{ "error": { phase, kind, message, help, path, file, line, problems, partial, .. } }.

Progress, notes and errors go to standard error. Ctrl-C ends the run within about a second
and reports what had finished; a second Ctrl-C exits at once. SIGTERM and SIGHUP also end
the run; sent twice, they change nothing more."#;

impl Run {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let Some(file) = &self.file else { return self.asked.of_command("run", session) };
        if self.asked.is_asked() {
            return help::of_script(file, session);
        }
        answered(self.json, self.given.refuse_doubles())?;
        let goes_on = session.goes_on || self.watch.watch;
        let session = &Session { engine: session.engine.clone(), goes_on, ..*session };
        let files = std::slice::from_ref(file);
        let round = async || answered(self.json, self.run(file, session).await);
        again::repeat(session, self.watch, files, round).await
    }

    async fn run(&self, file: &Path, session: &Session) -> Result<u8> {
        let mut output = self.output.open(session)?;
        let session = &session.at(file)?;
        let session = &self.tuning.session(&self.rules.with_rules(session)?)?;
        let session = &session.trusting(!self.untrusted);
        let plan = script::plan(session, file)?;
        terminal::print_err(terminal::styled(
            &plan.program().warnings.render(session.terminal.err.style()),
        ));
        if let (Some(output), Some(main)) = (&mut output, &plan.program().main) {
            output.accept(&main.ty)?;
        }
        mcp_servers::agreed(&plan, file, session).await?;
        let piped = self.piped(file, &plan)?;

        let watch = Arc::new(Watch::new(session.terminal));
        let engine = session.engine.clone().with_observer(watch.clone());
        let engine = self.keeping.kept(session, engine)?;
        let request = self.given.give(engine.run_plan(plan), piped.as_ref());
        let printed = Printed { json: self.json, output: output.as_ref() };
        conclude(request, &watch, printed, session).await
    }

    /// Reads the only missing input from standard input. Never waits for a terminal. A run that
    /// is repeated reads nothing there: only the first one would get it.
    fn piped(&self, file: &Path, plan: &Plan) -> Result<Option<(String, String)>> {
        let is_taken = self.given.input.is_some() || self.watch.watch || script::is_stdin(file);
        let Some(input) = self.needed(plan).filter(|_| !is_taken) else { return Ok(None) };
        if std::io::stdin().is_terminal() {
            return Ok(None);
        }
        let text = script::read_input()?;
        // Empty input is a valid string, but not a valid number or list.
        let is_given = !text.is_empty() || input.ty.required().is_text();
        Ok(is_given.then(|| (input.name.to_string(), text)))
    }

    /// The input of the script that a pipe can pass.
    fn needed<'p>(&self, plan: &'p Plan) -> Option<&'p Input> {
        only_missing(plan, |it| self.given.params.iter().any(|(name, _)| **name == *it.name))
    }
}

/// Where the result of a run goes.
#[derive(Clone, Copy, Default)]
pub(super) struct Printed<'a> {
    pub(super) json: bool,
    pub(super) output: Option<&'a Output<'a>>,
}

/// Runs a request, prints its result or failure, and returns the exit code.
pub(super) async fn conclude(
    request: Request<'_>,
    watch: &Arc<Watch>,
    printed: Printed<'_>,
    session: &Session,
) -> Result<u8> {
    let id = request.id().cloned();
    let engine = request.engine().clone();
    let code = match watched(request, watch, session).await {
        Ok(response) => {
            let id = id.filter(|it| engine.knows(it));
            return put(&response.value, printed, id.as_ref(), session).await;
        }
        Err(error) => fail(&error, watch, printed.json, session)?,
    };
    // A run that did not begin is not in the store.
    if let Some(id) = id.filter(|it| engine.knows(it)) {
        session.terminal.note(&format!("`svc resume {id}` resumes it"));
    }
    Ok(code)
}

/// Prints a result, or writes it to a file. If that fails, the result is not lost: it is in the store,
/// or else printed.
async fn put(
    value: &Value,
    printed: Printed<'_>,
    id: Option<&RunId>,
    session: &Session,
) -> Result<u8> {
    let Some(output) = printed.output else { return print(value, printed.json, session) };
    let way = match id {
        Some(id) => {
            format!("the run is recorded: `svc show {id} --output FILE` writes its result")
        }
        None => "the result is printed instead".to_owned(),
    };
    let written = output.write(value, session, Some(way)).await;
    if printed.json || (written.is_err() && id.is_none()) {
        print(value, printed.json, session)?;
    }
    match written {
        // The output has the result, so it cannot have the failure as well.
        Err(failure) if printed.json => Ok(failure.report(session.terminal)),
        written => written,
    }
}

fn print(value: &Value, json: bool, session: &Session) -> Result<u8> {
    if json {
        terminal::print_json(value)?;
        return Ok(OK);
    }
    let reader = reader(session);
    let text = show::show(value, reader);
    if text.is_empty() && session.terminal.out.is_terminal {
        let what = if value.is_null() { "null" } else { "empty" };
        session.terminal.note(&format!("the result is {what}"));
    }
    print_value(&text, reader)?;
    Ok(OK)
}

/// Reports why a run failed, and prints its partial result.
pub(super) fn fail(error: &Error, watch: &Watch, json: bool, session: &Session) -> Result<u8> {
    let code = report(error, watch, session);
    if json {
        terminal::print_json(&FailedJson { error: given::answer(error) })?;
    } else if let Some(partial) = error.partial() {
        let reader = reader(session);
        print_value(&show::show(&partial.value, reader), reader)?;
    }
    Ok(code)
}

/// Prints a rendered value, as raw data into a pipe.
pub(super) fn print_value(shown: &str, reader: Reader) -> Result<()> {
    match reader {
        Reader::Terminal { .. } => terminal::print(terminal::styled(shown)),
        Reader::Pipe => terminal::print_data(shown),
    }
}

/// Prints a rendered list for people.
pub(super) fn print_list(shown: &str, reader: Reader) -> Result<()> {
    match reader {
        Reader::Terminal { .. } => terminal::print(terminal::styled(shown)),
        Reader::Pipe => terminal::print(shown),
    }
}

/// Prints a list of records as a table.
pub(super) fn print_rows(rows: impl Iterator<Item = Value>, session: &Session) -> Result<()> {
    let reader = reader(session);
    print_list(&show::show(&rows.collect::<Vec<_>>().into(), reader), reader)
}

/// The reader of the results: a terminal or a pipe.
pub(super) fn reader(session: &Session) -> Reader {
    let out = session.terminal.out;
    // 80 columns, the classic width, if the terminal does not report one.
    let width = Table::new().width().unwrap_or(80);
    if out.is_terminal { Reader::Terminal { width, colour: out.colour } } else { Reader::Pipe }
}

/// Runs a request while drawing progress and listening for signals.
pub(super) async fn watched(
    request: Request<'_>,
    watch: &Arc<Watch>,
    session: &Session,
) -> std::result::Result<Response, Error> {
    let cancel = CancellationToken::new();
    let listening =
        tokio::spawn(interrupts(Signals::new(), cancel.clone(), watch.clone(), session.is_prompt));
    let drawing = Drawing::start(watch.clone());
    let response = request.cancelled_by(cancel.clone()).await;
    // Nothing is left to wait for: the next Ctrl-C ends the process.
    cancel.cancel();
    drawing.stop().await;
    watch.sum_up();
    if session.goes_on {
        // The next signal belongs to the next run.
        listening.abort();
    }
    response
}

/// Cancels the run at the first signal. Exits the process at a Ctrl-C during cancellation, and at
/// any signal after the run. The prompt survives a second Ctrl-C.
async fn interrupts(
    mut signals: Signals,
    cancel: CancellationToken,
    watch: Arc<Watch>,
    is_prompt: bool,
) {
    let mut is_stopping = false;
    while let Some(asked) = signals.next().await {
        if !cancel.is_cancelled() {
            is_stopping = true;
            cancel.cancel();
            watch.hint(if is_prompt { "stopping" } else { "stopping; Ctrl-C again exits at once" });
        } else if is_prompt && asked == Asked::Interrupt {
            // The engine abandons whatever does not stop in time.
        } else if asked == Asked::Interrupt || !is_stopping {
            watch.screen.clear();
            svc_host_os::kill_programs();
            std::process::exit(INTERRUPTED.into());
        }
    }
}

/// Reports why a run failed and how far it got, and returns the exit code.
fn report(error: &Error, watch: &Watch, session: &Session) -> u8 {
    let drawn = error.render(session.terminal.err.style());
    match error {
        Error::Input { error, .. } => given::print_error(error, session),
        Error::Run { error, .. } if error.kind() == ErrorKind::Cancelled => {
            terminal::print_err(&watch.report());
            INTERRUPTED
        }
        Error::Run { error, .. } => {
            terminal::print_err(terminal::styled(&drawn));
            if let Some(finished) = watch.finished() {
                session.terminal.note(&format!("finished before: {finished}"));
            }
            if let Some(partial) = error.partial.as_deref() {
                report_partial(partial, session);
            }
            error.kind().exit_code()
        }
        _ => {
            terminal::print_err(terminal::styled(&drawn));
            INVALID
        }
    }
}

/// Reports which partial result is printed of a run that ran out of its budget.
fn report_partial(partial: &Partial, session: &Session) {
    session.terminal.note(&format!("{partial}"));
    for inner in &partial.inside {
        session.terminal.note(&format!("{inner}; `--json` shows it"));
    }
}

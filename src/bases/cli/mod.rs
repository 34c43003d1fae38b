//! The command line: arguments in, text and an exit code out.
//!
//! Results go to standard output; problems, notes and progress go to standard error. Every command
//! is one file: its arguments, and one call into the engine.

mod access;
mod again;
mod against;
mod api;
mod ask;
mod audit;
mod bias;
mod book;
mod call;
mod card;
mod certify;
mod check;
mod ci;
mod complete;
mod completions;
mod components;
mod construct_text;
mod data_folder;
mod desktop;
mod doc;
mod doctor;
mod exit;
mod expand;
mod explain;
mod find;
mod fix;
mod fmt;
mod given;
mod grammar;
mod guide;
mod guide_run;
mod help;
mod hooks;
mod init;
mod inspect;
mod jobs;
mod keeping;
mod keys;
mod library;
mod lines;
mod logs;
mod lsp;
mod man;
mod mcp;
mod mcp_servers;
mod models;
mod op_text;
mod openapi;
mod output;
mod panics;
mod plan;
mod policy;
mod progress;
mod prose;
mod prune;
mod repl;
mod replay;
mod resume;
mod run;
mod runs;
mod schedule;
mod schema;
mod screen;
mod script;
mod scripts;
mod serve;
mod service_args;
mod show;
mod show_run;
mod signals;
mod store;
mod table;
mod tap;
mod terminal;
mod test;
mod tools;
mod traces;
mod tuning;
mod verify;
mod watch;
mod why;

use std::{ffi::OsString, path::Path, process::ExitCode};

use clap::{FromArgMatches as _, Parser, Subcommand};

use exit::Result;
pub use panics::panics_are_brief;
use svc_engine::Engine;
use svc_host_os::{self as os};
use svc_lang::diag::{visible, visible_line};
use terminal::{Color, Terminal};

/// The version, with the commit that it was built from.
const VERSION: &str = env!("SVC_VERSION");

/// Checks pipelines as a whole, then runs them.
#[derive(Parser)]
#[command(name = "svc", version = VERSION, after_help = help::SHORT, after_long_help = TOUR)]
struct Cli {
    /// When to use colour: auto, always or never. `auto` means on a terminal unless `NO_COLOR`
    /// is set.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    #[arg(hide_possible_values = true, hide_default_value = true)]
    color: Color,
    #[command(flatten)]
    logs: logs::Logs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Run),
    Repl(repl::ReplArgs),
    Resume(resume::Resume),
    Runs(runs::Runs),
    Jobs(jobs::Jobs),
    Models(models::Models),
    Bias(bias::BiasArgs),
    Show(show_run::Show),
    Table(table::TableArgs),
    Tap(tap::Tap),
    Why(why::Why),
    Replay(replay::Replay),
    Store(store::Upkeep),
    Doctor(doctor::Doctor),
    Init(init::Init),
    Check(check::Check),
    Test(test::Test),
    Ci(ci::Ci),
    Certify(certify::Certify),
    Verify(verify::Verify),
    Fix(fix::Fix),
    Fmt(fmt::Fmt),
    Doc(doc::Doc),
    Expand(expand::Expand),
    Plan(plan::Show),
    Components(components::Components),
    Inspect(inspect::Inspect),
    Find(find::Find),
    Ask(ask::Ask),
    Guide(guide::Guide),
    Desktop(desktop::Desktop),
    Serve(serve::Serve),
    Mcp(mcp::Mcp),
    Call(call::CallTool),
    Tools(tools::Tools),
    Openapi(openapi::Openapi),
    Keys(keys::Keys),
    Hooks(hooks::Hooks),
    Access(access::AccessArgs),
    Audit(audit::Audit),
    Lsp(lsp::Lsp),
    Schema(schema::Schema),
    Explain(explain::Explain),
    Grammar(grammar::Grammar),
    Api(api::Api),
    Card(card::Card),
    Completions(completions::Completions),
    Man(man::Manual),
    Book(book::Book),
}

const TOUR: &str = r#"A short tour:
  echo '"hello" >> upper' | svc run -              run a script from standard input
  svc run examples/research.svc "your question"    run a file, with its first input
  svc run report.svc -p style=bullets --json       pass params, print JSON
  svc repl                                         explore, with completion by type at a prompt
  svc init reports                                 make a small project
  svc check .                                      find every problem, run nothing
  svc test triage.svc                              run the tests in the script
  svc fix report.svc                               apply the safe fixes
  svc fmt report.svc                               format it
  svc expand report.svc                            show what its templates build
  svc plan report.svc                              show what would run, its effects and its cost
  svc resume last                                  resume a run where it stopped
  svc guide plan "summarise report.pdf"            get a script for a goal
  svc find "remove duplicates"                     find the op for a task
  svc ask "how are budgets enforced?"              ask the documentation a question
  svc inspect search                               show its documentation
  svc desktop                                      projects, files and a chat in the browser
  svc serve examples                               offer scripts and components over HTTP
  svc mcp examples                                 offer them to an agent, as an MCP server
  svc inspect each                                 explain a word of the language
  svc explain E203                                 explain an error

Exit codes:
  0 ok, 1 the run failed, 2 wrong usage or params, 6 not found, 7 the script has errors,
  8 timeout, 130 interrupted

Environment:
  SVC_MODEL   the language model of `ask`, as `provider/model`; `svc inspect ask` lists
              the variables for keys and for other models
  SVC_PRICES  a price table that replaces the built-in one
  SVC_STORE   the store of runs (default: `runs.db` in the user's data folder)
  SVC_HISTORY the history file of `svc repl`
  SVC_MODULES the folder of your modules, `use "user:name"` (default: `svc/modules` in the
              folder of your configuration)
  SVC_CACHE   the folder of search indexes (default: `svc` in the user's cache folder)
  SVC_LOG     the log level, as for `--log` (default: no log); with
              SVC_LOG_FORMAT=json, every line is a JSON object
  NO_COLOR    no colour, unless `--color` asks for it"#;

/// The servers that a command can start. Each serves until its client disconnects, and returns the
/// exit code.
#[derive(Clone, Copy)]
pub(super) struct Servers {
    pub(in crate::bases) lsp: fn(&Engine) -> u8,
    pub(in crate::bases) http: svc_api::rest::Server,
    pub(in crate::bases) mcp: svc_api::mcp::StreamServer,
}

/// The state that every command needs.
struct Session {
    engine: Engine,
    servers: Servers,
    terminal: Terminal,
    /// Whether the command was entered at the prompt.
    is_prompt: bool,
    /// Whether other commands may run after this one.
    goes_on: bool,
}

impl Session {
    /// The session for a script, or for the scripts in a folder: with the components of its
    /// project.
    fn at(&self, place: &Path) -> Result<Self> {
        let host = self.engine.host();
        let is_folder = host.stat(place).is_ok_and(|it| it.is_dir);
        let folder = if is_folder { Some(place) } else { place.parent() };
        let folder = folder.filter(|it| !it.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let extended = svc_api::apis::engine(&self.engine, folder);
        let (engine, problems) = extended.map_err(|why| exit::Failure::new(exit::USAGE, why))?;
        for problem in &problems {
            self.terminal.note(problem);
        }
        Ok(Self { engine, ..*self })
    }

    /// The session for the current folder.
    fn here(&self) -> Result<Self> {
        self.at(Path::new("."))
    }

    /// The same session, which treats scripts as untrusted unless `is_trusted`.
    fn trusting(&self, is_trusted: bool) -> Self {
        let engine = self.engine.clone();
        Self { engine: if is_trusted { engine } else { engine.untrusted() }, ..*self }
    }
}

/// Runs the program with the arguments of the process and the components of `engine`.
pub(super) async fn main(engine: Engine, servers: Servers) -> ExitCode {
    if let Some(done) = complete::answer(&os::command_line(), &engine) {
        return done.unwrap_or_else(|failure| failure.code).into();
    }
    let cli = match Cli::read(os::command_line()) {
        Ok(cli) => cli,
        Err(err) => {
            terminal::usage(&err);
            return u8::try_from(err.exit_code()).unwrap_or(exit::USAGE).into();
        }
    };
    panics_are_brief();
    os::without_core_dumps();
    let _limits = file_size_limits_are_errors();
    let terminal = Terminal::new(cli.color, engine.host());
    let traces = match cli.logs.start(engine.host(), terminal) {
        Ok(traces) => traces,
        Err(failure) => return failure.report(terminal).into(),
    };
    let engine = keeping::with_notes(engine);
    let session = Session { engine, servers, terminal, is_prompt: false, goes_on: false };
    let done = cli.command.execute(&session).await;
    let code = done.unwrap_or_else(|failure| failure.report(session.terminal));
    traces.end(terminal).await;
    // A run that was abandoned may have left some.
    os::kill_programs();
    code.into()
}

/// Makes a write beyond the file size limit fail like any other write. By default the system ends
/// the process with SIGXFSZ, without a message.
#[cfg(unix)]
fn file_size_limits_are_errors() -> Option<tokio::signal::unix::Signal> {
    const SIGXFSZ: i32 = 25;
    tokio::signal::unix::signal(tokio::signal::unix::SignalKind::from_raw(SIGXFSZ)).ok()
}

#[cfg(not(unix))]
fn file_size_limits_are_errors() {}

impl Cli {
    /// Parses the words of a command line, the first of which is the name of the program.
    ///
    /// A shell may have expanded `*` to file names with control characters, so error messages show
    /// the words with such characters escaped.
    fn read(words: Vec<OsString>) -> std::result::Result<Self, clap::Error> {
        let shown = words.iter().map(|it| visible_line(&it.to_string_lossy()).into_owned());
        let shown: Vec<String> = shown.collect();
        Self::parsed(words).map_err(|err| match Self::parsed(shown) {
            Err(complaint) => complaint,
            // Escaping the words removed the problem, so escape the message instead.
            Ok(_) => clap::Error::raw(err.kind(), visible(&err.to_string())),
        })
    }

    fn parsed(
        words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    ) -> std::result::Result<Self, clap::Error> {
        let mut line = command_line();
        let matches = line.try_get_matches_from_mut(words)?;
        Self::from_arg_matches(&matches).map_err(|err| err.format(&mut line))
    }
}

impl Command {
    async fn execute(self, session: &Session) -> Result<u8> {
        match self {
            Self::Run(it) => it.execute(session).await,
            Self::Repl(it) => {
                let session = &session.at(&it.place(session))?;
                it.execute(session).await
            }
            Self::Resume(it) => {
                let session = &session.at(&it.place(session))?;
                it.execute(session).await
            }
            Self::Runs(it) => it.execute(session),
            Self::Jobs(it) => it.execute(&session.here()?).await,
            Self::Bias(it) => it.execute(session).await,
            Self::Models(it) => it.execute(session),
            Self::Show(it) => it.execute(session).await,
            Self::Table(it) => it.execute(&session.here()?).await,
            Self::Tap(it) => it.execute(session),
            Self::Why(it) => it.execute(session),
            Self::Replay(it) => {
                let session = &session.at(&it.place(session))?;
                it.execute(session).await
            }
            Self::Store(it) => it.execute(session),
            Self::Doctor(it) => it.execute(session),
            Self::Init(it) => it.execute(session),
            Self::Check(it) => it.execute(session).await,
            Self::Test(it) => it.execute(session).await,
            Self::Ci(it) => it.execute(session).await,
            Self::Certify(it) => it.execute(session),
            Self::Verify(it) => it.execute(session),
            Self::Fix(it) => it.execute(session),
            Self::Fmt(it) => it.execute(session),
            Self::Doc(it) => it.execute(session),
            Self::Expand(it) => it.execute(session),
            Self::Plan(it) => it.execute(session),
            Self::Components(it) => it.execute(&session.here()?),
            Self::Inspect(it) => it.execute(&session.here()?),
            Self::Find(it) => it.execute(&session.here()?).await,
            Self::Ask(it) => it.execute(&session.here()?).await,
            Self::Guide(it) => it.execute(&session.here()?).await,
            Self::Desktop(it) => {
                let session = &session.at(&it.place(session))?;
                it.execute(session).await
            }
            Self::Serve(it) => {
                let session = &session.at(&it.place(session))?;
                it.execute(session).await
            }
            Self::Mcp(it) => it.execute(session).await,
            Self::Call(it) => it.execute(&session.here()?).await,
            Self::Tools(it) => it.execute(&session.here()?),
            Self::Openapi(it) => it.execute(&session.here()?),
            Self::Keys(it) => it.execute(session),
            Self::Hooks(it) => it.execute(session),
            Self::Access(it) => it.execute(session),
            Self::Audit(it) => it.execute(session),
            Self::Lsp(it) => it.execute(&session.here()?),
            Self::Schema(it) => it.execute(session),
            Self::Explain(it) => it.execute(session),
            Self::Grammar(it) => it.execute(session),
            Self::Api(it) => it.execute(session).await,
            Self::Card(_) => card::Card::execute(),
            Self::Completions(it) => it.execute(),
            Self::Man(it) => it.execute(session),
            Self::Book(it) => it.execute(session),
        }
    }
}

/// The whole command line interface.
fn command_line() -> clap::Command {
    help::grouped(<Cli as clap::CommandFactory>::command())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_sound() {
        crate::bases::cli::command_line().debug_assert();
    }
}

//! The session of a prompt: each statement is checked, run, shown and remembered.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use svc_assist::session::{self, ANSWER, Statement};
use svc_contract::{
    registry::Usage,
    value::{Type, Value, units},
};
use svc_engine::{Engine, Error, Request, Response};
use svc_lang::{
    diag::{Report, visible_line},
    plan::Plan,
};

use super::{
    super::{
        Session,
        exit::{FAILED, INVALID, OK, Result, USAGE},
        mcp_servers,
        run::{fail, print_value, reader, watched},
        script, terminal,
        terminal::Ink,
        watch::Watch,
    },
    commands,
    settings::Settings,
    view::{self, Rest},
};

/// A session, and the statements entered so far.
pub(super) struct Repl {
    pub(super) session: Session,
    pub(super) entered: session::Session,
    pub(super) settings: Settings,
    /// The store named on the command line, for commands that read it.
    pub(super) store: Option<PathBuf>,
    /// The usage of all lines together.
    pub(super) spent: Usage,
    rest: Rest,
    /// The lines of this session and of earlier ones.
    pub(super) lines: Vec<String>,
}

/// The outcome of a statement or command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Done,
    Leave,
    /// It failed, with this exit code.
    Failed(u8),
}

impl Outcome {
    pub(super) fn of(code: u8) -> Self {
        if code == OK { Self::Done } else { Self::Failed(code) }
    }
}

impl Repl {
    pub(super) fn new(session: Session, settings: Settings, store: Option<&Path>) -> Self {
        let entered = session::Session::new(session.engine.clone(), ".");
        let (store, spent, rest) = (store.map(Path::to_owned), Usage::default(), Rest::default());
        Self { session, entered, settings, store, spent, rest, lines: Vec::new() }
    }

    /// Replaces the engine for the following lines.
    pub(super) fn use_engine(&mut self, engine: Engine) {
        self.entered.use_engine(engine.clone());
        self.session.engine = engine;
    }

    /// Executes a line.
    pub(super) async fn execute(&mut self, text: &str) -> Result<Outcome> {
        match self.command(text) {
            Some(command) => commands::run_command(self, command).await,
            None => self.enter(text).await,
        }
    }

    /// The command of a line, without its colon. `exit`, `quit` and `help` need none, unless the
    /// session has something of that name.
    pub(super) fn command<'t>(&self, text: &'t str) -> Option<&'t str> {
        let text = text.trim();
        let is_bound = |word: &str| self.entered.bindings().iter().any(|it| &*it.name == word);
        text.strip_prefix(':').or_else(|| {
            let word = commands::plain(text)?;
            (!is_bound(word)).then_some(text)
        })
    }

    /// Enters all statements of a script.
    pub(super) async fn load(&mut self, file: &Path) -> Result<Outcome> {
        let source = script::read(self.session.engine.host(), file)?;
        if let Some(folder) = source.folder().filter(|_| self.entered.bindings().is_empty()) {
            self.entered.stands_in(folder.as_path());
        }
        self.enter(source.text()).await
    }

    async fn enter(&mut self, text: &str) -> Result<Outcome> {
        let (statements, report) = match self.entered.read(text) {
            Ok(read) => read,
            Err(report) => return Ok(self.refuse(&report)),
        };
        self.report(&report);
        // Declarations may be used above their place, so they are entered first.
        let (declared, others): (Vec<_>, Vec<_>) =
            statements.iter().partition(|it| !it.runs() && !it.is_test());
        for statement in declared.into_iter().chain(others) {
            if let failed @ Outcome::Failed(_) = self.step(statement).await? {
                return Ok(failed);
            }
        }
        Ok(Outcome::Done)
    }

    pub(super) fn refuse(&self, report: &Report) -> Outcome {
        self.report(report);
        Outcome::Failed(INVALID)
    }

    fn report(&self, report: &Report) {
        terminal::print_err(terminal::styled(&report.render(self.session.terminal.err.style())));
    }

    async fn step(&mut self, statement: &Statement) -> Result<Outcome> {
        if statement.runs() {
            return self.compute(statement).await;
        }
        let outcome = if statement.is_test() { self.test(statement)? } else { Outcome::Done };
        self.entered.keep(statement, None);
        if statement.bounds() {
            self.remark("these bounds apply to each statement of the script")?;
        }
        if let Some(name) = statement.name() {
            self.remark(&format!("`{name}` is declared"))?;
        }
        Ok(outcome)
    }

    async fn compute(&mut self, statement: &Statement) -> Result<Outcome> {
        let plan = match self.entered.plan(statement) {
            Ok(plan) => plan,
            Err(report) => return Ok(self.refuse(&report)),
        };
        // The project is that of the folder in which the prompt was started.
        if let Err(failure) = mcp_servers::agreed(&plan, Path::new(""), &self.session).await {
            return Ok(Outcome::Failed(failure.report(self.session.terminal)));
        }
        let ty = plan.program().main.as_ref().map_or(Type::Unknown, |it| it.ty.clone());
        let watch = Arc::new(Watch::new(self.session.terminal));
        let engine = self.session.engine.clone().with_observer(watch.clone());
        let began = Instant::now();
        let request = self.request(&engine, plan);
        match watched(request, &watch, &self.session).await {
            Ok(response) => {
                self.spend(response.usage);
                self.entered.keep(statement, Some((ty.clone(), response.value.clone())));
                self.show(statement, &ty, &response, began.elapsed())
            }
            Err(error) => {
                if let Error::Run { error, .. } = &error {
                    self.spend(error.usage);
                }
                let error = self.entered.placed(error, statement);
                if let Error::Input { error, .. } = &error {
                    let help = "set it with `:param NAME VALUE`";
                    let help = error.error.help.as_deref().unwrap_or(help);
                    self.session.terminal.print_error(&error.to_string(), Some(help));
                    return Ok(Outcome::Failed(USAGE));
                }
                Ok(Outcome::Failed(fail(&error, &watch, false, &self.session)?))
            }
        }
    }

    /// The request for a plan, with the caps of a line.
    pub(super) fn request<'e>(&self, engine: &'e Engine, plan: Plan) -> Request<'e> {
        self.settings.give(self.entered.run(engine, plan), self.spent)
    }

    fn spend(&mut self, used: Usage) {
        self.spent = self.spent.plus(used);
    }

    /// Shows a value. From a pipe, a value bound to a name is not a result and is not shown.
    fn show(
        &mut self,
        statement: &Statement,
        ty: &Type,
        response: &Response,
        took: Duration,
    ) -> Result<Outcome> {
        if !self.session.is_prompt && statement.is_let() {
            return Ok(Outcome::Done);
        }
        self.show_value(&response.value)?;
        let name = statement.name().unwrap_or(ANSWER);
        let mut line = format!("{name}: {ty} · {}", units::show_measured(took));
        let Usage { tokens, cost } = response.usage;
        if tokens > 0 {
            line += &format!(" · {tokens} tokens");
        }
        self.remark(&format!("{line} · {cost}"))?;
        Ok(Outcome::Done)
    }

    /// Shows a value, up to the number of lines in the settings.
    pub(super) fn show_value(&mut self, value: &Value) -> Result<()> {
        self.rest = Rest::new(view::lines(value, &self.settings, &self.session));
        self.show_rest(self.settings.rows())
    }

    /// Shows the next `rows` lines of the last value.
    pub(super) fn show_rest(&mut self, rows: usize) -> Result<()> {
        if self.rest.is_empty() {
            return Ok(());
        }
        let shown = self.rest.next(rows, self.session.terminal.out);
        print_value(&shown, reader(&self.session))
    }

    pub(super) fn has_rest(&self) -> bool {
        !self.rest.is_empty()
    }

    /// Prints a remark next to the results, if a person is at the terminal.
    pub(super) fn remark(&self, text: &str) -> Result<()> {
        if !self.session.is_prompt {
            return Ok(());
        }
        let out = self.session.terminal.out;
        terminal::print(terminal::styled(&(out.paint(text, Ink::Dim) + "\n")))
    }

    fn test(&self, statement: &Statement) -> Result<Outcome> {
        let results = match self.entered.test(statement) {
            Ok(results) => results,
            Err(report) => return Ok(self.refuse(&report)),
        };
        let mut outcome = Outcome::Done;
        for result in results {
            let word = if result.passed() { "ok" } else { "failed" };
            terminal::print(&format!("{word}  {}\n", visible_line(&result.name)))?;
            if !result.passed() {
                self.report(&result.report);
                outcome = Outcome::Failed(FAILED);
            }
        }
        Ok(outcome)
    }
}

//! `svc plan`: shows the plan of a script.

use std::path::{Path, PathBuf};

use clap::Args;
use svc_contract::registry::OpError;
use svc_engine::{Error, output::planned::Planned};
use svc_lang::plan::Holds;

use super::{
    Session, against,
    exit::{Failure, INVALID, OK, Result, answered},
    given::{self, Given},
    keeping::OptionalStoreArgs,
    policy::Rules,
    run::reader,
    script,
    show::Reader,
    terminal,
    tuning::TuneArgs,
};

/// Show what a script would run, its effects and its estimate.
#[derive(Args)]
#[command(name = "plan", after_help = EXAMPLES)]
pub(super) struct Show {
    /// The script; `-` is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    given: Given,
    /// Print the plan as JSON (`svc schema plan`).
    #[arg(long, group = "form")]
    json: bool,
    /// Print the plan as a Mermaid flowchart.
    #[arg(long, group = "form")]
    mermaid: bool,
    /// Write the plan as an SVG picture; `-` is standard output.
    #[arg(long, value_name = "FILE", group = "form")]
    svg: Option<PathBuf>,
    /// Show which calls a run would reuse from the earlier run RUN (a name, a prefix of it, or
    /// `last`), and what that saves.
    #[arg(long, value_name = "RUN", conflicts_with = "form")]
    against: Option<String>,
    #[command(flatten)]
    rules: Rules,
    #[command(flatten)]
    tuning: TuneArgs,
    #[command(flatten)]
    keeping: OptionalStoreArgs,
}

const EXAMPLES: &str = "Examples:
  svc plan report.svc
  svc plan report.svc -p top_k=5 --max-cost 0.10
  svc plan report.svc --deny writes
  svc plan --against last report.svc
  svc plan --svg report.svg report.svc
  svc plan --mermaid report.svc
  svc plan --json report.svc | jq '.envelope.cost.max, .effects'

`~` marks the expected amount, `≤` the upper bound; `any` means that nothing limits it.";

impl Show {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        answered(self.json, self.plan(session))
    }

    fn plan(&self, session: &Session) -> Result<u8> {
        self.given.refuse_doubles()?;
        let session = &session.at(&self.file)?;
        let session = &self.tuning.session(&self.rules.using(session)?)?;
        let plan = script::plan(session, &self.file)?;
        let engine = self.keeping.knowing(session.engine.clone())?;
        if let Some(run) = &self.against {
            return against::show(&engine, run, plan.program().source.clone(), session);
        }
        let plan = match self.given.give(engine.run_plan(plan), None).plan() {
            Ok(plan) => plan,
            Err(error) => {
                let code = match &error {
                    Error::Input { error, .. } => given::print_error(error, session),
                    _ => {
                        let shown = error.render(session.terminal.err.style());
                        terminal::print_err(terminal::styled(&shown));
                        INVALID
                    }
                };
                return Err(Failure::shown(code, error));
            }
        };
        let refused = self.rules.refused(&plan, session)?;
        if self.json {
            terminal::print_json(&Planned::of(&plan, &refused))?;
        } else if self.mermaid {
            let chart = plan.mermaid();
            terminal::print_data(&chart)?;
            // Its first line, if it exceeds what Mermaid draws by default.
            if let Some(why) = chart.lines().next().and_then(|it| it.strip_prefix("%% ")) {
                session.terminal.note(&format!("{why}; `--svg` has no limit"));
            }
        } else if let Some(file) = &self.svg {
            write(session, file, &plan.svg())?;
        } else {
            let style = session.terminal.out.style();
            let shown = match reader(session) {
                Reader::Terminal { width, .. } => plan.render_within(style, width.into()),
                Reader::Pipe => plan.render(style),
            };
            terminal::print(terminal::styled(&shown))?;
        }
        terminal::print_err(terminal::styled(&refused.render(session.terminal.err.style())));
        let is_hopeless = plan.verdicts().iter().any(|it| it.holds == Holds::Impossible);
        Ok(if refused.has_errors() || is_hopeless { INVALID } else { OK })
    }
}

/// Writes a picture to a file or to standard output.
fn write(session: &Session, file: &Path, picture: &str) -> Result<()> {
    if script::is_stdin(file) {
        return terminal::print_data(picture);
    }
    let written = session.engine.host().write(file, picture.as_bytes());
    written.map_err(|err| Failure::reading(OpError::io(err, file)))
}

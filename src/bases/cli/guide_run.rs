//! `svc guide plan --run`: runs the script of a goal, after asking if it does more than to read.

use std::sync::Arc;

use svc_contract::registry::ErrorKind;
use svc_lang::{
    diag::Source,
    plan::{Plan, Verb},
};

use super::{
    Session,
    exit::{Failure, INVALID, Result},
    run, terminal,
    watch::Watch,
};

const NAME: &str = "goal.svc";

/// Runs a script and prints its result.
pub(super) async fn run(script: &str, is_allowed: bool, session: &Session) -> Result<u8> {
    let source = Source::new(NAME, script).in_folder(".");
    let plan = session.engine.plan_before_inputs(source).map_err(|report| {
        terminal::print_err(terminal::styled(&report.render(session.terminal.err.style())));
        Failure::shown(INVALID, report.into())
    })?;
    let acts = acts(&plan);
    if !acts.is_empty() && !is_allowed {
        ask(script, &acts, session).await?;
    }
    let watch = Arc::new(Watch::new(session.terminal));
    let engine = session.engine.clone().with_observer(watch.clone());
    run::conclude(engine.run_plan(plan), &watch, run::Printed::default(), session).await
}

/// What a plan does besides reading: `writes fs:out.txt`.
fn acts(plan: &Plan) -> Vec<String> {
    let acts = plan.effects().iter().filter(|it| it.verb != Verb::Reads);
    acts.map(ToString::to_string).collect()
}

/// Asks on the terminal, as `approve` does.
async fn ask(script: &str, acts: &[String], session: &Session) -> Result<()> {
    let acts = acts.join(", ");
    let details = format!("{script}\nThis script {acts}.");
    match session.engine.host().ask_person("Run it?", &details).await {
        Ok(true) => Ok(()),
        Ok(false) => {
            Err(Failure::new(ErrorKind::Denied.exit_code(), "the script was not run: not allowed"))
        }
        Err(err) => {
            let message = format!("the script {acts}, which needs your permission: {err}");
            let failure = Failure::new(ErrorKind::Unsupported.exit_code(), message);
            Err(failure.help("add `--yes` to run it, or write it with `-o FILE` and read it first"))
        }
    }
}

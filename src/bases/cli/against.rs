//! The calls that a script would reuse from an earlier run.

use svc_api::against::{rerun_lines, summary, text};
use svc_engine::Engine;
use svc_lang::diag::Source;

use super::{
    Session,
    exit::{OK, Result},
    keeping, replay, terminal,
};

/// Prints the comparison for `svc plan --against`.
pub(super) fn show(engine: &Engine, run: &str, script: Source, session: &Session) -> Result<u8> {
    let run = engine.kept_run(run).map_err(keeping::failure)?;
    match engine.against(run, script) {
        Ok(dry_run) => {
            terminal::print(&text(&dry_run))?;
            Ok(OK)
        }
        Err(err) => Err(replay::refused(err, session)),
    }
}

/// Prints a summary before a run begins. Errors are left to the run itself.
pub(super) fn announce(engine: &Engine, run: &str, script: Source, session: &Session) {
    let dry_run = engine.kept_run(run).ok().and_then(|it| engine.against(it, script).ok());
    if let Some(dry_run) = dry_run {
        session.terminal.note(&summary(&dry_run));
        for line in rerun_lines(&dry_run) {
            session.terminal.note(&format!("made again: {line}"));
        }
    }
}

//! What a script would take from an earlier run.

use super::{
    Session,
    exit::{OK, Result},
    replay, terminal,
};
use crate::{
    diag::Source,
    engine::{Engine, Fate, Rehearsed},
};

/// Shows it for `svc plan --against`.
pub(super) fn show(engine: &Engine, run: &str, script: Source, session: &Session) -> Result<u8> {
    match engine.against(run, script) {
        Ok(rehearsed) => {
            terminal::print(&told(&rehearsed))?;
            Ok(OK)
        }
        Err(err) => Ok(replay::refused(&err, session)),
    }
}

/// Says it before a run begins. What is wrong is told by the run itself.
pub(super) fn announce(engine: &Engine, run: &str, script: Source, session: &Session) {
    if let Ok(rehearsed) = engine.against(run, script) {
        session.terminal.note(&summary(&rehearsed));
        for (path, cause) in anew(&rehearsed) {
            session.terminal.note(&format!("{path}: made anew, because {cause}"));
        }
    }
}

fn anew(rehearsed: &Rehearsed) -> impl Iterator<Item = (&str, &crate::engine::cause::Cause)> {
    rehearsed.calls.iter().filter_map(|(path, fate)| match fate {
        Fate::Anew(cause) => Some((path.as_str(), cause)),
        _ => None,
    })
}

/// `takes 40 of 43 calls from 01j9…, which saves 1_200 tokens, $0.03`.
fn summary(rehearsed: &Rehearsed) -> String {
    let (same, saved) = (rehearsed.same(), rehearsed.saved());
    let calls = if same == 1 { "1 call" } else { &format!("{same} calls") };
    let saves = match saved == crate::registry::Usage::default() {
        true => String::new(),
        false => format!(", which saves {saved}"),
    };
    format!("takes {calls} of {} from {}{saves}", rehearsed.recorded.len(), rehearsed.run.id)
}

fn told(rehearsed: &Rehearsed) -> String {
    let mut text = format!("{}\n", summary(rehearsed));
    let anew: Vec<_> = anew(rehearsed).collect();
    if !anew.is_empty() {
        text.push_str("\nmade anew\n");
    }
    for (path, cause) in anew {
        text.push_str(&format!("  {path}: {cause}\n"));
    }
    let later = rehearsed.not_reached();
    if !later.is_empty() {
        text.push_str("\nneed what is made anew\n");
    }
    for place in later {
        text.push_str(&format!("  {place}\n"));
    }
    text
}

//! Scripts that are entered and written, and the lines that were entered before.

use std::path::{Path, PathBuf};

use svc_contract::{host::Host, registry::OpError};

use super::{
    super::{
        exit::{FAILED, Failure, Result, USAGE},
        terminal,
    },
    talk::{Heard, Talk},
};

/// Enters a script, with params that it needs.
pub(super) async fn load(talk: &mut Talk<'_>, rest: &str) -> Result<Heard> {
    let words = shlex::split(rest).ok_or_else(|| Failure::new(USAGE, "a quote is not closed"))?;
    let Some((file, params)) = words.split_first() else {
        return Err(Failure::new(USAGE, "name a script: `:load report.svc`"));
    };
    for param in params {
        let Some((name, value)) = param.split_once('=') else {
            return Err(Failure::new(USAGE, format!("`{param}` is no NAME=VALUE")));
        };
        talk.entered.give(name, value);
    }
    talk.load(Path::new(file)).await
}

/// Prints the script that gives the last answer.
pub(super) fn script(talk: &Talk<'_>) -> Result<Heard> {
    let saved = talk.entered.saved();
    terminal::print_data(&saved.text)?;
    if saved.report.has_errors() {
        return Ok(talk.refuse(&saved.report));
    }
    Ok(Heard::Done)
}

/// Writes it, if it checks.
pub(super) fn save(talk: &Talk<'_>, file: &str, over: bool) -> Result<Heard> {
    let (host, file) = (talk.session.engine.host(), Path::new(file));
    if file.as_os_str().is_empty() {
        return Err(Failure::new(USAGE, "name a file: `:save report.svc`"));
    }
    let saved = talk.entered.saved();
    if saved.text.trim().is_empty() {
        return Err(Failure::new(FAILED, "nothing was entered that could be saved"));
    }
    if saved.report.has_errors() {
        let heard = talk.refuse(&saved.report);
        talk.session.terminal.note("nothing was written: the script would not check");
        return Ok(heard);
    }
    if !over && host.stat(file).is_ok() {
        let message = format!("`{}` is there already", file.display());
        let help = format!("`:save! {}` writes over it", file.display());
        return Err(Failure::new(FAILED, message).help(help));
    }
    let written = host.write(file, saved.text.as_bytes());
    written.map_err(|err| Failure::reading(OpError::io(err, file)))?;
    talk.remark(&format!("wrote {}; it checks", file.display()))?;
    if !saved.left_out.is_empty() {
        let names = saved.left_out.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>();
        talk.remark(&format!("left out, as the answer needs none of it: {}", names.join(", ")))?;
    }
    Ok(Heard::Done)
}

/// Where the lines are kept that were entered, of all prompts.
pub(super) fn history_file(host: &dyn Host) -> Option<PathBuf> {
    let named = host.env("SVC_HISTORY").map(PathBuf::from);
    named.or_else(|| Some(host.data_dir().ok()?.join("repl_history")))
}

/// Prints the last lines.
pub(super) fn history(talk: &Talk<'_>, rest: &str) -> Result<Heard> {
    const FEW: usize = 20;
    let wrong = |_| Failure::new(USAGE, format!("`{rest}` is no number of lines"));
    let count = if rest.is_empty() { FEW } else { rest.parse().map_err(wrong)? };
    let from = talk.lines.len().saturating_sub(count);
    for line in &talk.lines[from..] {
        terminal::print(&format!("{line}\n"))?;
    }
    Ok(Heard::Done)
}

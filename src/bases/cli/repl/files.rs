//! Loading and saving of scripts, and the history.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use svc_contract::{host::Host, registry::OpError};

use super::{
    super::{
        exit::{FAILED, Failure, Result, USAGE},
        terminal,
    },
    session::{Outcome, Repl},
};

/// Loads a script with the params that it needs.
pub(super) async fn load(repl: &mut Repl, rest: &str) -> Result<Outcome> {
    let words = shlex::split(rest).ok_or_else(|| Failure::new(USAGE, "unclosed quote"))?;
    let Some((file, params)) = words.split_first() else {
        return Err(Failure::new(USAGE, "missing file, as in `:load report.svc`"));
    };
    for param in params {
        let Some((name, value)) = param.split_once('=') else {
            return Err(Failure::new(USAGE, format!("expected NAME=VALUE, found `{param}`")));
        };
        repl.entered.give(name, value);
    }
    repl.load(Path::new(file)).await
}

/// Prints the script for the last answer.
pub(super) fn script(repl: &Repl) -> Result<Outcome> {
    let saved = repl.entered.saved();
    terminal::print_data(&saved.text)?;
    if saved.report.has_errors() {
        return Ok(repl.refuse(&saved.report));
    }
    Ok(Outcome::Done)
}

/// Saves the script for the last answer, if it checks.
pub(super) fn save(repl: &Repl, file: &str, over: bool) -> Result<Outcome> {
    let (host, file) = (repl.session.engine.host(), Path::new(file));
    if file.as_os_str().is_empty() {
        return Err(Failure::new(USAGE, "missing file, as in `:save report.svc`"));
    }
    let saved = repl.entered.saved();
    if saved.text.trim().is_empty() {
        return Err(Failure::new(FAILED, "there is nothing to save"));
    }
    if saved.report.has_errors() {
        let outcome = repl.refuse(&saved.report);
        repl.session.terminal.note("cannot save: the script has errors");
        return Ok(outcome);
    }
    if !over && host.stat(file).is_ok() {
        let message = format!("`{}` exists already", file.display());
        let help = format!("replace it with `:save! {}`", file.display());
        return Err(Failure::new(FAILED, message).help(help));
    }
    let written = host.write(file, saved.text.as_bytes());
    written.map_err(|err| Failure::reading(OpError::io(err, file)))?;
    repl.remark(&format!("saved {}; it checks", file.display()))?;
    if !saved.given.is_empty() {
        let given = saved.given.iter().map(|(name, text)| format!("{name}={text}"));
        let given: Vec<_> = given.map(|it| format!(" -p {}", quoted(&it))).collect();
        let (file, given) = (file.to_string_lossy(), given.concat());
        let file = quoted(&file);
        repl.remark(&format!("the params are not part of it: `svc run {file}{given}`"))?;
    }
    if !saved.left_out.is_empty() {
        let names = saved.left_out.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>();
        repl.remark(&format!(
            "omitted, because the answer does not need it: {}",
            names.join(", ")
        ))?;
    }
    Ok(Outcome::Done)
}

/// The text as one word of a command line.
fn quoted(text: &str) -> Cow<'_, str> {
    shlex::try_quote(text).unwrap_or(Cow::Borrowed(text))
}

/// The history file, shared by all prompts.
pub(super) fn history_file(host: &dyn Host) -> Option<PathBuf> {
    let named = host.env("SVC_HISTORY").map(PathBuf::from);
    named.or_else(|| Some(host.data_dir().ok()?.join("repl_history")))
}

/// Prints the last lines of the history.
pub(super) fn history(repl: &Repl, rest: &str) -> Result<Outcome> {
    const FEW: usize = 20;
    let wrong = |_| Failure::new(USAGE, format!("expected a number of lines, found `{rest}`"));
    let count = if rest.is_empty() { FEW } else { rest.parse().map_err(wrong)? };
    let from = repl.lines.len().saturating_sub(count);
    for line in &repl.lines[from..] {
        terminal::print(&format!("{line}\n"))?;
    }
    Ok(Outcome::Done)
}

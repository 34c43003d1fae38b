//! Completion in shells: the scripts of `svc completions` call this program with a variable set.
//!
//! clap's engine completes commands, options and paths. Names of components, params of scripts,
//! runs and codes come from [`values`].

mod bash;
mod values;

use std::{ffi::OsString, path::Path};

use clap_complete::env::{Elvish, EnvCompleter, Fish, Powershell, Shells, Zsh};
use svc_api::apis;
use svc_engine::Engine;

use super::{
    exit::{Failure, OK, Result, USAGE},
    terminal,
};

/// The variable that names the shell that asks.
const VARIABLE: &str = "SVC_COMPLETE";

const NAME: &str = "svc";

const SHELLS: Shells<'static> = Shells(&[&bash::Bash, &Elvish, &Fish, &Powershell, &Zsh]);

/// The names of the shells.
pub(super) fn shells() -> Vec<&'static str> {
    SHELLS.names().collect()
}

/// The script that a shell reads.
pub(super) fn registration(shell: &str) -> Result<String> {
    let mut text = Vec::new();
    shell_named(shell)?.write_registration(VARIABLE, NAME, NAME, NAME, &mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Answers the request of a shell, if this is one.
pub(super) fn answer(words: &[OsString], engine: &Engine) -> Option<Result<u8>> {
    let shell = engine.host().env(VARIABLE).filter(|it| !it.is_empty())?;
    // Wrong settings of a project are for its other commands to report.
    let extended = apis::engine(engine, Path::new("."));
    Some(print(&shell, words, extended.as_ref().map_or(engine, |it| &it.0)))
}

fn print(shell: &str, words: &[OsString], engine: &Engine) -> Result<u8> {
    let typed = words.iter().skip_while(|it| *it != "--").skip(1).cloned().collect::<Vec<_>>();
    let mut line = values::completing(super::command_line(), engine, &typed);
    line.build();
    let folder = engine.host().current_dir().ok();
    let mut text = Vec::new();
    shell_named(shell)?.write_complete(&mut line, typed, folder.as_deref(), &mut text)?;
    terminal::print_data(&String::from_utf8_lossy(&text))?;
    Ok(OK)
}

fn shell_named(name: &str) -> Result<&'static dyn EnvCompleter> {
    let found = SHELLS.0.iter().copied().find(|it| it.is(name));
    found.ok_or_else(|| {
        let failure = Failure::new(USAGE, format!("unknown shell `{name}`"));
        failure.help(format!("the shells are {}", shells().join(", ")))
    })
}

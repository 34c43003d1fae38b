//! The help of the command line: commands by purpose, and the help of a script.

use std::path::Path;

use clap::{
    Args,
    builder::{StyledStr, Styles},
};
use svc_api::usage;
use svc_lang::diag::visible_line;

use super::{
    Session, command_line,
    exit::{OK, Result},
    script, terminal,
};

/// The commands by purpose.
const GROUPS: [(&str, &[&str]); 10] = [
    ("Run scripts", &["run", "repl", "resume", "replay"]),
    (
        "Write scripts",
        &[
            "init", "api", "check", "test", "ci", "fix", "fmt", "plan", "doc", "expand", "certify",
            "verify",
        ],
    ),
    ("Find help", &["inspect", "components", "find", "ask", "guide", "explain", "card", "help"]),
    ("Look at data", &["table"]),
    ("Look into runs", &["runs", "show", "tap", "why"]),
    ("Keep runs and models", &["models", "store", "doctor"]),
    ("Tune components", &["bias"]),
    ("For other programs", &["desktop", "serve", "mcp", "jobs", "call", "tools", "openapi"]),
    ("Decide who may call", &["keys", "hooks", "access", "audit"]),
    ("For editors and shells", &["lsp", "schema", "grammar", "completions", "man", "book"]),
];

/// What follows the short help.
pub(super) const SHORT: &str = "\
Begin with `svc init`, `svc repl` or `svc guide plan \"GOAL\"`. `svc COMMAND --help` explains a
command, and `svc --help` shows a tour, the exit codes and the variables.";

/// The width of the column of names.
const NAMES: usize = 13;

/// The command line, whose help lists its commands by purpose.
pub(super) fn grouped(line: clap::Command) -> clap::Command {
    let header = *Styles::styled().get_header();
    let literal = *Styles::styled().get_literal();
    let mut commands = String::new();
    for (title, names) in GROUPS {
        commands += &format!("{header}{title}:{header:#}\n");
        for name in names {
            let about = about(&line, name);
            commands += &format!("  {literal}{name:<NAMES$}{literal:#}{about}\n");
        }
        commands.push('\n');
    }
    let (options, usage) = (format!("{header}Options:{header:#}"), "{usage-heading} {usage}");
    line.help_template(StyledStr::from(format!(
        "{{about-with-newline}}\n{usage}\n\n{commands}{options}\n{{options}}{{after-help}}"
    )))
}

fn about(line: &clap::Command, name: &str) -> String {
    match line.find_subcommand(name).and_then(clap::Command::get_about) {
        Some(about) => about.to_string(),
        // clap adds this command itself.
        None => "Show the help of a command".to_owned(),
    }
}

/// The options of a command that shows the help of a script.
#[derive(Args, Clone, Copy)]
pub(super) struct HelpArgs {
    /// Print the params, bounds and estimate of FILE; without FILE, print this help.
    #[arg(long)]
    help: bool,
    /// The same; without FILE, print a shorter help.
    #[arg(short = 'h')]
    short_help: bool,
}

impl HelpArgs {
    pub(super) fn is_asked(self) -> bool {
        self.help || self.short_help
    }

    /// Prints the help of a command.
    pub(super) fn of_command(self, name: &str, session: &Session) -> Result<u8> {
        let mut line = command_line();
        line.build();
        if let Some(command) = line.find_subcommand_mut(name) {
            let page = if self.help { command.render_long_help() } else { command.render_help() };
            let colours = session.terminal.out.colour;
            let page = if colours { page.ansi().to_string() } else { page.to_string() };
            terminal::print(terminal::styled(&page))?;
        }
        Ok(OK)
    }
}

/// Prints how a script is run: its params, result, effects, bounds and estimate.
pub(super) fn of_script(file: &Path, session: &Session) -> Result<u8> {
    let plan = script::plan(session, file)?;
    let name = file.display().to_string();
    terminal::print(&usage::page(&visible_line(&name), &plan))?;
    let totals = plan.render_totals(session.terminal.out.style());
    terminal::print(terminal::styled(&format!("\n{totals}")))?;
    Ok(OK)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_command_has_one_purpose() {
        let line = command_line();
        let shown = line.get_subcommands().filter(|it| !it.is_hide_set());
        let mut commands: Vec<&str> = shown.map(clap::Command::get_name).collect();
        commands.push("help");
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let distinct: BTreeSet<&str> = grouped.iter().copied().collect();
        assert_eq!(distinct.len(), grouped.len(), "a command is listed twice");
        assert_eq!(distinct, commands.into_iter().collect());
    }
}

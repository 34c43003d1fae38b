//! `svc completions`: prints completion scripts for shells.

use clap::{Args, builder::PossibleValuesParser};

use super::{
    complete,
    exit::{OK, Result},
    terminal,
};

/// Print the completion script for a shell.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Completions {
    /// The shell.
    #[arg(value_parser = PossibleValuesParser::new(complete::shells()))]
    shell: String,
}

const EXAMPLES: &str = "Examples:
  svc completions bash > ~/.local/share/bash-completion/completions/svc
  svc completions zsh > ~/.zfunc/_svc
  svc completions fish > ~/.config/fish/completions/svc.fish

The scripts call `svc`, which must be in the PATH. They complete commands, options, names of
components and words, params of scripts, runs and error codes.";

impl Completions {
    pub(super) fn execute(self) -> Result<u8> {
        terminal::print_data(&complete::registration(&self.shell)?)?;
        Ok(OK)
    }
}

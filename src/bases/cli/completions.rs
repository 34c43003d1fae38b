//! `svc completions`: prints completion scripts for shells.

use clap::Args;
use clap_complete::Shell;

use super::{
    exit::{OK, Result},
    terminal,
};

/// Print the completion script for a shell.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Completions {
    /// The shell.
    shell: Shell,
}

const EXAMPLES: &str = "Examples:
  svc completions bash > ~/.local/share/bash-completion/completions/svc
  svc completions zsh > ~/.zfunc/_svc
  svc completions fish > ~/.config/fish/completions/svc.fish";

impl Completions {
    pub(super) fn execute(self) -> Result<u8> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut super::command_line(), "svc", &mut text);
        terminal::print_data(&String::from_utf8_lossy(&text))?;
        Ok(OK)
    }
}

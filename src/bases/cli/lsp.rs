//! `svc lsp`: the language server, for editors.

use clap::Args;

use super::{Session, exit::Result, policy::Rules};

/// Serve an editor: the Language Server Protocol over standard input and output.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Lsp {
    /// Taken and ignored: editors that can talk otherwise say so.
    #[arg(long, hide = true)]
    stdio: bool,
    #[command(flatten)]
    rules: Rules,
}

const EXAMPLES: &str = "An editor starts it; `docs/tools.md` says how to set one up.

Exits with 0 after `shutdown` and `exit`, else with 1.";

impl Lsp {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let Self { stdio: _, rules } = self;
        Ok((session.servers.lsp)(&rules.held(session)?.engine))
    }
}

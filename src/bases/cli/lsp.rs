//! `svc lsp`: the language server, for editors.

use clap::Args;

use super::Session;

/// Serve an editor: the Language Server Protocol over standard input and output.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Lsp {
    /// Taken and ignored: editors that can talk otherwise say so.
    #[arg(long, hide = true)]
    stdio: bool,
}

const EXAMPLES: &str = "An editor starts it; `docs/tools.md` says how to set one up.

Exits with 0 after `shutdown` and `exit`, else with 1.";

impl Lsp {
    pub(super) fn execute(self, session: &Session) -> u8 {
        let Self { stdio: _ } = self;
        (session.servers.lsp)(&session.engine)
    }
}

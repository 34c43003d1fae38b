//! `svc lsp`: the language server, for editors.

use clap::Args;

use super::{Session, exit::Result, policy::Rules};

/// Start the language server.
///
/// It speaks the Language Server Protocol over standard input and output.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Lsp {
    /// Accepted for editors that pass it; standard input and output is the only transport.
    #[arg(long, hide = true)]
    stdio: bool,
    #[command(flatten)]
    rules: Rules,
}

const EXAMPLES: &str = "Editors start this command; `docs/tools.md` describes the setup.

The exit code is 0 after `shutdown` and `exit`, otherwise 1.";

impl Lsp {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let Self { stdio: _, rules } = self;
        Ok((session.servers.lsp)(&rules.with_rules(session)?.engine))
    }
}

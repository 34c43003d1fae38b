//! `svc grammar`: prints the grammar of the language for other programs.

use clap::Args;
use svc_assist::{Notation, grammar};

use super::{
    Session,
    exit::{OK, Result},
    terminal,
};

/// Print the grammar of the language.
///
/// It includes the names of the components.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[group(multiple = false)]
pub(super) struct Grammar {
    /// Print EBNF in the notation of the W3C, for people (default).
    #[arg(long)]
    ebnf: bool,
    /// Print a grammar for Lark and llguidance.
    #[arg(long)]
    lark: bool,
    /// Print a grammar for llama.cpp and compatible programs.
    #[arg(long)]
    gbnf: bool,
}

const EXAMPLES: &str = "Examples:
  svc grammar | less
  svc grammar --lark > svc.lark
  svc grammar --gbnf > svc.gbnf

With such a grammar, constrained decoding prevents a language model from writing invalid
syntax.";

impl Grammar {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let notation = match (self.lark, self.gbnf) {
            (true, _) => Notation::Lark,
            (_, true) => Notation::Gbnf,
            _ => Notation::Ebnf,
        };
        terminal::print_data(&grammar(session.engine.registry(), notation))?;
        Ok(OK)
    }
}

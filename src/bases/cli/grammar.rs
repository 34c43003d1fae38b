//! `svc grammar`: the language for other programs.

use clap::Args;
use svc_engine::Notation;

use super::{
    Session,
    exit::{OK, Result},
    terminal,
};

/// Print the grammar of the language, with the names of the components as words.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[group(multiple = false)]
pub(super) struct Grammar {
    /// For people, in the notation of the W3C; this is what is printed by default.
    #[arg(long)]
    ebnf: bool,
    /// For Lark and llguidance.
    #[arg(long)]
    lark: bool,
    /// For llama.cpp and what reads its grammars.
    #[arg(long)]
    gbnf: bool,
}

const EXAMPLES: &str = "Examples:
  svc grammar | less
  svc grammar --lark > svc.lark
  svc grammar --gbnf > svc.gbnf

With such a grammar, a decoder keeps a language model from writing what is no script.";

impl Grammar {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let notation = match (self.lark, self.gbnf) {
            (true, _) => Notation::Lark,
            (_, true) => Notation::Gbnf,
            _ => Notation::Ebnf,
        };
        terminal::print_data(&session.engine.grammar(notation))?;
        Ok(OK)
    }
}

//! `svc card`: prints the language on one page.

use clap::Args;

use super::{
    exit::{OK, Result},
    terminal,
};

/// Print the language reference on one page.
///
/// For people and for language models.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Card {}

const EXAMPLES: &str = "Examples:
  svc card
  (svc card; svc components --json) > prompt.txt";

const CARD: &str = include_str!("../../../docs/card.md");

impl Card {
    pub(super) fn execute() -> Result<u8> {
        terminal::print_data(CARD)?;
        Ok(OK)
    }
}

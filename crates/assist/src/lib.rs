//! Help while writing a script: completions, signatures, the types and documentation of items, the
//! role of each word, sessions of a prompt, and the grammar for programs that write scripts.
//!
//! Used by editors and by the REPL; each renders the answers in its own way. Nothing here is
//! needed to run a script.

mod callable;
mod colours;
mod complete;
mod component;
mod document;
pub mod editor;
mod fill;
mod grammar;
mod hover;
mod inlay;
mod page;
mod place;
mod selection;
pub mod session;

pub use callable::{Callable, Port, active};
pub use colours::{Mark, Piece, Role, pieces};
pub use complete::{Asked, Choice, Choices, Sort, complete};
pub use component::ComponentPage;
pub use document::{Document, Edit};
pub use fill::{Fill, fills};
pub use grammar::{Notation, files as grammar_files, grammar};
pub use hover::{Hover, hover, mention_at};
pub use inlay::{Inlay, inlays};
pub use page::{Encoding, Page, Position};
pub use place::{Call, call_at};
pub use selection::Parts;

use svc_engine::{Engine, Unsaved};
use svc_lang::{check::Analysis, diag::Source};

/// A script that is being written, with the facts about it.
#[derive(Clone, Copy)]
pub struct Draft<'a> {
    pub engine: &'a Engine,
    pub source: &'a Source,
    /// The unsaved texts of files that it uses.
    pub unsaved: &'a Unsaved,
    pub analysis: &'a Analysis,
}

impl<'a> Draft<'a> {
    pub fn text(&self) -> &'a str {
        self.source.text()
    }

    /// Analyses another text in its place.
    fn analyse(&self, text: String) -> Analysis {
        self.engine.analyse_with(self.source.clone().with_text(text), self.unsaved)
    }
}

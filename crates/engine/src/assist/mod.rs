//! What those are told who are writing a script: what may stand at the cursor, what a call
//! takes, what each word stands for.
//!
//! An editor and a prompt ask the same; each draws the answers in its own way.

mod callable;
mod colours;
mod complete;
mod place;

pub use callable::{Callable, Port, active};
pub use colours::{Mark, Piece, Role, pieces};
pub use complete::{Asked, Choice, Choices, Sort, complete};
pub use place::{Call, call_at};

use svc_lang::{check::Analysis, diag::Source};

use super::{Engine, Unsaved};

/// A script that is being written, with what is known of it.
#[derive(Clone, Copy)]
pub struct Draft<'a> {
    pub engine: &'a Engine,
    pub source: &'a Source,
    /// What stands for the files that it uses.
    pub unsaved: &'a Unsaved,
    pub analysis: &'a Analysis,
}

impl<'a> Draft<'a> {
    pub fn text(&self) -> &'a str {
        self.source.text()
    }

    /// What is known of another text in its place.
    fn analyse(&self, text: String) -> Analysis {
        self.engine.analyse_with(self.source.clone().with_text(text), self.unsaved)
    }
}

//! One handle for an editor: a text, what is known about it, and help at its places.

use std::{fmt, ops::Range};

use svc_engine::{Engine, Unsaved};
use svc_lang::{
    check::{Analysis, Target},
    diag::{Problem, Source, Span},
};

use super::{
    Asked, Call, Choices, Draft, Encoding, Hover, Page, Piece, Position, call_at, complete, hover,
    mention_at, pieces,
};

/// The policy refuses every call of a hovered op.
const REFUSED: &str = "The policy does not allow this.";

/// Opens scripts in an editor.
pub trait Edit {
    /// Opens a script that a user is editing. It is analysed at once; see [`Document`].
    fn edit(&self, script: impl Into<Source>) -> Document;
}

impl Edit for Engine {
    fn edit(&self, script: impl Into<Source>) -> Document {
        Document::new(self, script.into())
    }
}

/// A script that a user is editing, with its problems, completions and hovers, also while it has
/// errors.
///
/// It knows the policy of its engine: what the policy refuses is a problem, and is not offered.
/// Places are offsets in bytes. [`Document::offset`] and [`Document::position`] convert them to lines
/// and columns in UTF-16 code units, both from 0, as browsers and the language server protocol
/// count. An offset after the end means the end, and one inside a character its start.
pub struct Document {
    engine: Engine,
    source: Source,
    unsaved: Unsaved,
    analysis: Analysis,
    page: Page,
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document").field("source", &self.source).finish_non_exhaustive()
    }
}

impl Document {
    fn new(engine: &Engine, source: Source) -> Self {
        let (engine, unsaved) = (engine.clone(), Unsaved::default());
        let analysis = engine.analyse_with(source.clone(), &unsaved);
        let page = Page::new(source.text(), Encoding::Utf16);
        Self { engine, source, unsaved, analysis, page }
    }

    pub fn text(&self) -> &str {
        self.source.text()
    }

    /// Replaces the text, and analyses it.
    pub fn set_text(&mut self, text: &str) {
        self.source = self.source.with_text(text);
        self.page = Page::new(text, Encoding::Utf16);
        self.analyse();
    }

    /// Replaces the text of a file that the script uses, by its path, and analyses the script.
    pub fn set_unsaved(&mut self, path: &str, text: &str) {
        self.unsaved.insert(path.to_owned(), text.into());
        self.analyse();
    }

    fn analyse(&mut self) {
        self.analysis = self.engine.analyse_with(self.source.clone(), &self.unsaved);
    }

    /// The errors and warnings in this text, in source order. Those of the files that it uses are in
    /// the report of the analysis.
    pub fn problems(&self) -> &[Problem] {
        &self.analysis.report.problems
    }

    /// Everything known about the script.
    pub fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    /// What can be written at a place, best first; `None` where nothing can be completed.
    pub fn complete(&self, at: usize) -> Option<Choices> {
        complete(&self.draft(), self.inside(at), Asked::Plainly)
    }

    /// The type and the documentation of the item at a place, as Markdown.
    pub fn hover(&self, at: usize) -> Option<Hover> {
        let (at, facts) = (self.inside(at), &self.analysis.facts);
        let mut hover = hover(self.text(), facts, self.engine.registry(), at)?;
        let target = mention_at(facts, at).map(|it| &it.target);
        if matches!(target, Some(Target::Op(op)) if !self.engine.policy().admits(op.op)) {
            hover.text = format!("{}\n\n{REFUSED}", hover.text);
        }
        Some(hover)
    }

    /// The call around a place, for the help on its parameters.
    pub fn call_at(&self, at: usize) -> Option<Call<'_>> {
        call_at(self.text(), self.inside(at))
    }

    /// The words of the text with their roles, for colours.
    pub fn pieces(&self) -> Vec<Piece> {
        pieces(self.text(), &self.analysis.facts.mentions, self.engine.registry())
    }

    /// The byte offset of a line and a column; a line after the last one means the end.
    pub fn offset(&self, position: Position) -> usize {
        self.page.clamped(position)
    }

    /// The line and the column of a byte offset.
    pub fn position(&self, offset: usize) -> Position {
        self.page.position(offset)
    }

    /// The lines and columns of a place, such as the span of a problem.
    pub fn range(&self, span: Span) -> Range<Position> {
        self.position(span.start)..self.position(span.end)
    }

    fn draft(&self) -> Draft<'_> {
        let Self { engine, source, unsaved, analysis, .. } = self;
        Draft { engine, source, unsaved, analysis }
    }

    fn inside(&self, at: usize) -> usize {
        self.text().floor_char_boundary(at)
    }
}

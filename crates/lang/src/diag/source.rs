//! The text of a script, and places in it.

use std::{ops::Range, path::PathBuf, sync::Arc};

/// A range of bytes of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// The empty span at the end of this one.
    #[must_use]
    pub fn after(self) -> Self {
        Self::new(self.end, self.end)
    }

    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// The text of a script, its name in messages, and the folder that its paths are relative to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    name: Arc<str>,
    text: Arc<str>,
    folder: Option<Arc<PathBuf>>,
    is_built: bool,
}

impl Source {
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), text: text.into(), folder: None, is_built: false }
    }

    /// Makes paths in the script relative to `folder` instead of the current directory.
    #[must_use]
    pub fn in_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(Arc::new(folder.into()));
        self
    }

    /// The same source with another text.
    #[must_use]
    pub fn with_text(&self, text: impl Into<Arc<str>>) -> Self {
        Self { text: text.into(), ..self.clone() }
    }

    /// The source of a pipeline built by a template of this file:
    /// `panel.rhai: review(reviewers: 3)`.
    #[must_use]
    pub fn built(&self, call: &str, text: impl Into<Arc<str>>) -> Self {
        let name = format!("{}: {call}", self.name).into();
        Self { name, text: text.into(), is_built: true, folder: self.folder.clone() }
    }

    /// Whether a template built this text, so no file contains it.
    pub fn is_built(&self) -> bool {
        self.is_built
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn folder(&self) -> Option<&PathBuf> {
        self.folder.as_deref()
    }

    /// The line and column of a byte, both counted from 1; columns count characters.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let before = &self.text[..self.text.floor_char_boundary(offset)];
        let line_start = before.rfind('\n').map_or(0, |it| it + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

/// Makes a source without a file.
impl From<&str> for Source {
    fn from(text: &str) -> Self {
        Self::new("script", text)
    }
}

impl From<String> for Source {
    fn from(text: String) -> Self {
        Self::new("script", text)
    }
}

//! Where sentences stand: in the passages, their files and their pages.

use std::ops::Range;

use svc_contract::{
    registry::documents::Cite,
    value::{Record, Text, Value},
};
use svc_text::{claims::statements, pages};

/// A passage or document, and where its text starts.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub id: Text,
    pub path: Text,
    pub text: Text,
    /// Where the text starts in the file, or in the text of its document.
    pub start: i64,
    /// The page on which the text starts.
    pub page: Option<i64>,
}

impl Place {
    /// The place of a document, a passage or a cite; `None` for a record without a text.
    pub(super) fn of(record: &Record) -> Option<Self> {
        let text = |name| match record.get(name) {
            Some(Value::Text(it) | Value::Path(it)) => Some(it.clone()),
            _ => None,
        };
        let int = |name| match record.get(name) {
            Some(Value::Int(it)) => Some(*it),
            _ => None,
        };
        let (path, said) = (text("path").unwrap_or_default(), text("text")?);
        let cited = text("source");
        let id = text("id").or_else(|| cited.clone()).unwrap_or_default();
        let page = match cited {
            Some(_) => int("page"),
            None => pages::first(int("page"), &id, &path, &said),
        };
        let start = int("start").filter(|start| {
            let len = int("end").and_then(|end| usize::try_from(end.saturating_sub(*start)).ok());
            len == Some(said.len())
        });
        Some(Self { id, path, text: said, start: start.unwrap_or_default(), page })
    }

    /// A text without a name.
    pub(super) fn unnamed(text: Text) -> Self {
        Self { text, ..Self::default() }
    }

    /// The ranges of its sentences; what is not prose counts line by line.
    pub(super) fn sentences(&self) -> impl Iterator<Item = Range<usize>> {
        statements(&self.text)
    }

    pub(super) fn cite(&self, range: Range<usize>) -> Cite {
        let place = |it: usize| self.start.saturating_add(i64::try_from(it).unwrap_or(i64::MAX));
        Cite {
            source: self.id.clone(),
            path: self.path.clone(),
            page: self.page.map(|first| pages::at(first, &self.text, range.start)),
            start: place(range.start),
            end: place(range.end),
            text: self.text.get(range).unwrap_or_default().into(),
        }
    }
}

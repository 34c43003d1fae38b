//! Cuts a document into passages at the boundaries of headings, blocks and sentences.

use std::{ops::Range, sync::Arc};

use svc_contract::{
    registry::{Cx, OpError},
    value::Text,
};
use svc_text::{
    blocks::{Block, Kind, blocks},
    plain::plain,
    sentences::split,
};

/// A part of a document.
#[derive(Clone, Debug)]
pub(super) struct Passage {
    /// The position of the passage in the document's text.
    pub range: Range<usize>,
    /// The headings above the passage, outermost first.
    pub headings: Arc<[Text]>,
    /// Whether the passage has sentences, and not only code or tables.
    pub is_prose: bool,
}

/// The length of passages, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// The length up to which text is packed.
    pub target: usize,
    /// The length up to which code, tables and the last lines of a section may extend a passage.
    pub most: usize,
}

/// Returns the passages of `text`. Together they cover all of it except headings and blank lines.
pub(super) fn passages(text: &str, sizes: Sizes, cx: &Cx) -> Result<Vec<Passage>, OpError> {
    let mut packer = Packer::new(text, sizes);
    for (idx, block) in blocks(text).enumerate() {
        if idx % 1_024 == 0 {
            cx.check()?;
        }
        packer.block(&block);
    }
    packer.close();
    if packer.done.is_empty() {
        // Only headings: they are the whole content of this document.
        packer.pieces(0..text.len(), true);
        packer.close();
    }
    Ok(packer.done)
}

struct Packer<'a> {
    text: &'a str,
    sizes: Sizes,
    headings: Vec<(u8, Text)>,
    path: Arc<[Text]>,
    open: Option<Range<usize>>,
    is_prose: bool,
    done: Vec<Passage>,
}

/// Cuts a part of a text that has no better boundaries than lines and words.
pub(super) fn pieces(text: &str, range: Range<usize>, sizes: Sizes) -> Vec<Passage> {
    let mut packer = Packer::new(text, sizes);
    packer.pieces(range, true);
    packer.close();
    packer.done
}

impl<'a> Packer<'a> {
    fn new(text: &'a str, sizes: Sizes) -> Self {
        Self {
            text,
            sizes,
            headings: Vec::new(),
            path: Arc::default(),
            open: None,
            is_prose: false,
            done: Vec::new(),
        }
    }

    fn block(&mut self, block: &Block) {
        let range = block.range.clone();
        match block.kind {
            Kind::Heading(level) => self.enter(level, &block.body),
            Kind::Paragraph | Kind::Item if range.len() <= self.sizes.target => {
                self.add(range, self.sizes.target, true);
            }
            Kind::Paragraph | Kind::Item => self.sentences(range),
            Kind::Code | Kind::Table if range.len() <= self.sizes.most => {
                self.add(range, self.sizes.most, false);
            }
            Kind::Code | Kind::Table | Kind::Markup => {
                self.close();
                self.pieces(range, false);
                self.close();
            }
        }
    }

    fn enter(&mut self, level: u8, title: &Range<usize>) {
        self.close();
        self.headings.retain(|(it, _)| *it < level);
        let end = self.text.floor_char_boundary(title.end.min(title.start.saturating_add(200)));
        let title = plain(self.text.get(title.start..end).unwrap_or_default());
        if !title.is_empty() {
            self.headings.push((level, title.into()));
        }
        self.path = self.headings.iter().map(|(_, it)| it.clone()).collect();
    }

    fn sentences(&mut self, range: Range<usize>) {
        for sentence in split(self.text, range) {
            if sentence.len() <= self.sizes.target {
                self.add(sentence, self.sizes.target, true);
            } else {
                self.pieces(sentence, true);
            }
        }
    }

    /// Adds a range that has no better boundaries than lines and words.
    fn pieces(&mut self, range: Range<usize>, is_prose: bool) {
        let mut at = range.start;
        while at < range.end {
            let end = self.piece_end(at, range.end);
            if self.text.get(at..end).is_some_and(|it| !it.trim().is_empty()) {
                self.add(at..end, self.sizes.target, is_prose);
            }
            at = end;
        }
    }

    fn piece_end(&self, at: usize, end: usize) -> usize {
        let limit = self.text.floor_char_boundary(at.saturating_add(self.sizes.target));
        if limit >= end {
            return end;
        }
        let half = self.text.ceil_char_boundary(at + (limit - at) / 2);
        let part = self.text.get(half..limit).unwrap_or_default();
        let border = part.rfind('\n').or_else(|| part.rfind(char::is_whitespace));
        border.map_or(limit, |it| half + it)
    }

    /// Extends the open passage by `range`, or starts another if it would be longer than `most`.
    fn add(&mut self, range: Range<usize>, most: usize, is_prose: bool) {
        if self.open.as_ref().is_some_and(|open| range.end - open.start > most) {
            self.close();
        }
        let start = self.open.take().map_or(range.start, |it| it.start);
        self.open = Some(start..range.end);
        self.is_prose |= is_prose;
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let is_prose = std::mem::take(&mut self.is_prose);
        let is_rest = open.len() < self.sizes.target / 4;
        if let Some(last) = self.done.last_mut()
            && is_rest
            && last.is_prose == is_prose
            && Arc::ptr_eq(&last.headings, &self.path)
            && open.end - last.range.start <= self.sizes.most
        {
            last.range.end = open.end;
        } else {
            self.done.push(Passage { range: open, headings: self.path.clone(), is_prose });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::cx;

    const SMALL: Sizes = Sizes { target: 60, most: 90 };

    fn shown(text: &str) -> Vec<(String, &str)> {
        let show = |it: Passage| (it.headings.join("/"), &text[it.range]);
        passages(text, SMALL, &cx()).unwrap().into_iter().map(show).collect()
    }

    #[test]
    fn headings_sentences_and_code_are_borders() {
        let text = "Intro.\n\n# A *b*\n## C\nOne sentence of some thirty bytes. Another one of \
                    thirty bytes here.\n\n```\ncode is not cut\n\n# even here\n```\n# D\nEnd.";
        assert_eq!(
            shown(text),
            [
                (String::new(), "Intro."),
                ("A b/C".into(), "One sentence of some thirty bytes."),
                (
                    "A b/C".into(),
                    "Another one of thirty bytes here.\n\n```\ncode is not cut\n\n# even here\n```"
                ),
                ("D".into(), "End."),
            ]
        );
    }

    #[test]
    fn a_document_of_headings_is_a_passage() {
        assert_eq!(shown("# A\n# B\n"), [("B".into(), "# A\n# B\n")]);
        assert_eq!(shown("").len(), 0);
        assert_eq!(shown("\n\n").len(), 0);
    }

    #[test]
    fn hostile_texts_stay_within_the_sizes() {
        for text in [
            "a".repeat(1 << 20),
            "ü ".repeat(1 << 18),
            "- x\n".repeat(1 << 16),
            "# x\ny\n".repeat(1 << 16),
            format!("```\n{}", "code\r\n".repeat(1 << 16)),
            ".".repeat(1 << 20),
        ] {
            let made = passages(&text, SMALL, &cx()).unwrap();
            assert!(!made.is_empty());
            assert!(made.iter().all(|it| !it.range.is_empty() && it.range.len() <= SMALL.most));
        }
    }
}

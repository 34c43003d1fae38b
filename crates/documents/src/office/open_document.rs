//! ODT and ODP: paragraphs, headings, tables and pages of text documents and presentations.

use std::collections::HashSet;

use super::{
    super::Unreadable,
    package::Package,
    properties::{self, OF_OPEN_DOCUMENT, Properties},
    writer::{Grid, Writer},
    xml::{Step, Tag, Visit, walk},
};

/// Elements whose content is not shown.
const UNSEEN: &[&str] = &["annotation", "tracked-changes", "note-citation", "forms", "scripts"];

/// The maximum number of spaces that one element stands for.
const MOST_SPACES: usize = 1_000;

pub(super) fn read(package: &mut Package, writer: &mut Writer) -> Result<(), Unreadable> {
    let xml = package.needed("content.xml")?;
    let mut body = Body::new(writer);
    walk(&xml, |step| body.take(step))
}

/// What the document declares.
pub(super) fn properties(package: &mut Package) -> Result<Properties, Unreadable> {
    let xml = package.text("meta.xml")?;
    xml.map_or(Ok(Properties::default()), |xml| properties::read(&xml, OF_OPEN_DOCUMENT))
}

struct Body<'a> {
    writer: &'a mut Writer,
    grid: Grid,
    /// The paragraphs that have not ended, with the levels of headings. A note is in one.
    open: Vec<(String, Option<i64>)>,
    /// The automatic styles that start a page.
    breaking: HashSet<String>,
    style: Option<String>,
    slides: usize,
}

impl<'a> Body<'a> {
    fn new(writer: &'a mut Writer) -> Self {
        let (grid, open, breaking) = (Grid::default(), Vec::new(), HashSet::new());
        Self { writer, grid, open, breaking, style: None, slides: 0 }
    }

    #[expect(clippy::needless_pass_by_value, reason = "a walk gives its steps away")]
    fn take(&mut self, step: Step) -> Result<Visit, Unreadable> {
        match step {
            Step::Open(tag) => return self.enter(tag),
            Step::Text(text) => {
                if let Some((open, _)) = self.open.last_mut() {
                    // White space of the XML is one space; other spaces are elements.
                    super::push_words(open, text);
                }
            }
            Step::Close(name) => self.leave(name)?,
        }
        Ok(Visit::Enter)
    }

    fn enter(&mut self, tag: &Tag) -> Result<Visit, Unreadable> {
        match tag.name() {
            name if UNSEEN.contains(&name) => return Ok(Visit::Skip),
            "style" => self.style = tag.get("name"),
            "paragraph-properties" if tag.get("break-before").is_some_and(|it| it == "page") => {
                self.breaking.extend(self.style.clone());
            }
            "p" | "h" => {
                if tag.get("style-name").is_some_and(|it| self.breaking.contains(&it)) {
                    self.end_page()?;
                }
                let level = tag.get("outline-level").and_then(|it| it.parse().ok()).unwrap_or(1);
                let level = (tag.name() == "h").then_some(level);
                self.open.push((String::new(), level));
            }
            "s" => {
                let count = tag.get("c").and_then(|it| it.parse().ok()).unwrap_or(1_usize);
                self.push(&" ".repeat(count.min(MOST_SPACES)));
            }
            "tab" => self.push("\t"),
            "line-break" => self.push("\n"),
            "soft-page-break" => self.end_page()?,
            // A slide.
            "page" => {
                self.slides += 1;
                if self.slides > 1 {
                    self.writer.page_break()?;
                }
            }
            "table" => self.grid.open(tag.get("name").unwrap_or_default()),
            "table-row" => self.grid.row(),
            "table-cell" => self.grid.cell(),
            _ => {}
        }
        Ok(Visit::Enter)
    }

    fn push(&mut self, text: &str) {
        if let Some((open, _)) = self.open.last_mut() {
            open.push_str(text);
        }
    }

    /// A page that ends inside a paragraph or a table ends before it.
    fn end_page(&mut self) -> Result<(), Unreadable> {
        if self.writer.text.is_empty() || self.writer.is_at_page_start() {
            return Ok(());
        }
        self.writer.page_break()
    }

    fn leave(&mut self, name: &str) -> Result<(), Unreadable> {
        match name {
            "style" => self.style = None,
            "p" | "h" => {
                let Some((text, level)) = self.open.pop() else { return Ok(()) };
                match level {
                    _ if self.grid.is_open() => self.grid.add(&text),
                    Some(level) => self.writer.heading(level, &text)?,
                    None => self.writer.paragraph(&text)?,
                }
            }
            "table" => self.grid.close(self.writer)?,
            _ => {}
        }
        Ok(())
    }
}

//! DOCX: paragraphs, headings, tables, notes and pages of a text document.

use std::collections::HashMap;

use super::{
    super::Unreadable,
    package::Package,
    writer::{Grid, Writer},
    xml::{Step, Tag, Visit, walk},
};

/// Elements whose content is not shown, or is shown elsewhere.
const UNSEEN: &[&str] =
    &["Fallback", "del", "moveFrom", "instrText", "delText", "commentReference"];

/// Reads the document whose main part this is. Returns the paragraph with the style of a title.
pub(super) fn read(
    package: &mut Package,
    main: &str,
    writer: &mut Writer,
) -> Result<Option<String>, Unreadable> {
    let relations = package.relations(main)?;
    let of = |kind: &str| relations.values().find(|it| it.kind == kind).map(|it| it.path.clone());
    let styles = match of("styles") {
        Some(path) => package.text(&path)?.map_or(Ok(HashMap::new()), |xml| styles(&xml))?,
        None => HashMap::new(),
    };
    let xml = package.needed(main)?;
    let mut body = Body::new(&styles, writer);
    walk(&xml, |step| body.take(step))?;
    let title = body.title;
    for kind in ["footnotes", "endnotes"] {
        let Some(path) = of(kind) else { continue };
        let Some(xml) = package.text(&path)? else { continue };
        let mut notes = Body::new(&styles, writer);
        walk(&xml, |step| notes.take(step))?;
    }
    Ok(title)
}

/// The level of a heading, from 1, or that of the document's title.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Title,
    Level(i64),
}

/// The styles of headings by their ids: the ids depend on the language of the program, the names do
/// not.
fn styles(xml: &str) -> Result<HashMap<String, Style>, Unreadable> {
    let (mut all, mut open) = (HashMap::new(), None);
    walk(xml, |step| {
        match step {
            Step::Open(tag) if tag.name() == "style" => open = tag.get("styleId"),
            Step::Open(tag) if tag.name() == "name" => {
                let style = tag.get("val").and_then(|it| named(&it));
                if let (Some(id), Some(style)) = (&open, style) {
                    all.insert(id.clone(), style);
                }
            }
            Step::Open(tag) if tag.name() == "outlineLvl" => {
                if let (Some(id), Some(level)) = (&open, outline(tag)) {
                    all.entry(id.clone()).or_insert(level);
                }
            }
            Step::Close("style") => open = None,
            _ => {}
        }
        Ok(Visit::Enter)
    })?;
    Ok(all)
}

fn named(name: &str) -> Option<Style> {
    let name = name.to_ascii_lowercase();
    if name == "title" {
        return Some(Style::Title);
    }
    let level = name.strip_prefix("heading")?.trim().parse().ok()?;
    (1..=9).contains(&level).then_some(Style::Level(level))
}

fn outline(tag: &Tag) -> Option<Style> {
    let level: i64 = tag.get("val")?.parse().ok()?;
    (0..9).contains(&level).then_some(Style::Level(level + 1))
}

/// A paragraph that has not ended. A text box is a paragraph in a paragraph.
#[derive(Default)]
struct Paragraph {
    text: String,
    style: Option<Style>,
    /// The pages that end in it.
    breaks: usize,
}

struct Body<'a> {
    styles: &'a HashMap<String, Style>,
    writer: &'a mut Writer,
    grid: Grid,
    open: Vec<Paragraph>,
    is_text: bool,
    title: Option<String>,
}

impl<'a> Body<'a> {
    fn new(styles: &'a HashMap<String, Style>, writer: &'a mut Writer) -> Self {
        let (grid, open) = (Grid::default(), Vec::new());
        Self { styles, writer, grid, open, is_text: false, title: None }
    }

    #[expect(clippy::needless_pass_by_value, reason = "a walk gives its steps away")]
    fn take(&mut self, step: Step) -> Result<Visit, Unreadable> {
        match step {
            Step::Open(tag) => return self.enter(tag),
            Step::Text(text) if self.is_text => self.push(text),
            Step::Text(_) => {}
            Step::Close(name) => self.leave(name)?,
        }
        Ok(Visit::Enter)
    }

    fn push(&mut self, text: &str) {
        if let Some(open) = self.open.last_mut() {
            open.text.push_str(text);
        }
    }

    fn enter(&mut self, tag: &Tag) -> Result<Visit, Unreadable> {
        match tag.name() {
            name if UNSEEN.contains(&name) => return Ok(Visit::Skip),
            // The lines between the text and its notes.
            "footnote" | "endnote" if tag.get("type").is_some_and(|it| it != "normal") => {
                return Ok(Visit::Skip);
            }
            "p" => self.open.push(Paragraph::default()),
            "pStyle" => self.set_style(tag.get("val").and_then(|it| self.styles.get(&it).copied())),
            "outlineLvl" => self.set_style(outline(tag)),
            "t" => self.is_text = true,
            "tab" if !self.open.is_empty() => self.push("\t"),
            // The places of tabs, which the text of the paragraph does not have.
            "tabs" => return Ok(Visit::Skip),
            "cr" => self.push("\n"),
            "noBreakHyphen" => self.push("-"),
            "br" if tag.get("type").is_some_and(|it| it == "page") => self.end_page()?,
            "br" => self.push("\n"),
            "lastRenderedPageBreak" if !self.is_at_page_start() => self.end_page()?,
            "pageBreakBefore" if !self.is_at_page_start() && is_on(tag) => self.end_page()?,
            "tbl" => self.grid.open(String::new()),
            "tr" => self.grid.row(),
            "tc" => self.grid.cell(),
            _ => {}
        }
        Ok(Visit::Enter)
    }

    fn set_style(&mut self, style: Option<Style>) {
        if let (Some(open), Some(style)) = (self.open.last_mut(), style) {
            open.style = Some(style);
        }
    }

    /// Ends a page before the paragraph if it has no text yet, otherwise after it.
    fn end_page(&mut self) -> Result<(), Unreadable> {
        match self.open.first_mut() {
            Some(open) if self.grid.is_open() || !open.text.trim().is_empty() => open.breaks += 1,
            _ => return self.writer.page_break(),
        }
        Ok(())
    }

    /// Whether the program has written a page break that it also marks as one.
    fn is_at_page_start(&self) -> bool {
        let blank = self.open.iter().all(|it| it.text.trim().is_empty());
        let broken = self.open.first().is_some_and(|it| it.breaks > 0);
        broken || (blank && (self.writer.text.is_empty() || self.writer.is_at_page_start()))
    }

    fn leave(&mut self, name: &str) -> Result<(), Unreadable> {
        match name {
            "t" => self.is_text = false,
            "p" => self.end_paragraph()?,
            "tbl" => self.grid.close(self.writer)?,
            _ => {}
        }
        Ok(())
    }

    fn end_paragraph(&mut self) -> Result<(), Unreadable> {
        let Some(Paragraph { text, style, breaks }) = self.open.pop() else { return Ok(()) };
        match style {
            _ if self.grid.is_open() => self.grid.add(&text),
            Some(Style::Title) => {
                if self.title.is_none() {
                    self.title = Some(text.trim().to_owned()).filter(|it| !it.is_empty());
                }
                self.writer.paragraph(&text)?;
            }
            Some(Style::Level(level)) => self.writer.heading(level, &text)?,
            None => self.writer.paragraph(&text)?,
        }
        (0..breaks).try_for_each(|_| self.writer.page_break())
    }
}

fn is_on(tag: &Tag) -> bool {
    tag.get("val").is_none_or(|it| !matches!(&*it, "0" | "false" | "off"))
}

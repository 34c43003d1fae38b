//! PPTX: the slides of a presentation in their order, each with its notes.

use super::{
    super::Unreadable,
    package::Package,
    writer::{Grid, Writer},
    xml::{Step, Tag, Visit, walk},
};

/// Placeholders that repeat on slides.
const REPEATED: &[&str] = &["sldNum", "dt", "ftr", "hdr", "sldImg"];

/// Reads the presentation whose main part this is.
pub(super) fn read(
    package: &mut Package,
    main: &str,
    writer: &mut Writer,
) -> Result<(), Unreadable> {
    let relations = package.relations(main)?;
    let xml = package.needed(main)?;
    let mut slides = Vec::new();
    walk(&xml, |step| {
        if let Step::Open(tag) = step
            && tag.name() == "sldId"
            && let Some(slide) = tag.get_prefixed("id").and_then(|it| relations.get(&it))
        {
            slides.push(slide.path.clone());
        }
        Ok(Visit::Enter)
    })?;
    for (idx, slide) in slides.iter().enumerate() {
        if idx > 0 {
            writer.page_break()?;
        }
        part(package, slide, writer)?;
        let relations = package.relations(slide)?;
        if let Some(notes) = relations.values().find(|it| it.kind == "notesSlide") {
            part(package, &notes.path, writer)?;
        }
    }
    Ok(())
}

fn part(package: &mut Package, name: &str, writer: &mut Writer) -> Result<(), Unreadable> {
    let Some(xml) = package.text(name)? else { return Ok(()) };
    let mut slide = Slide::new(writer);
    walk(&xml, |step| slide.take(step))
}

/// A shape is a text with a place, or a table.
struct Slide<'a> {
    writer: &'a mut Writer,
    grid: Grid,
    paragraph: String,
    is_text: bool,
    is_title: bool,
    is_repeated: bool,
}

impl<'a> Slide<'a> {
    fn new(writer: &'a mut Writer) -> Self {
        let (grid, paragraph) = (Grid::default(), String::new());
        Self { writer, grid, paragraph, is_text: false, is_title: false, is_repeated: false }
    }

    #[expect(clippy::needless_pass_by_value, reason = "a walk gives its steps away")]
    fn take(&mut self, step: Step) -> Result<Visit, Unreadable> {
        match step {
            Step::Open(tag) => return Ok(self.enter(tag)),
            Step::Text(text) if self.is_text => self.paragraph.push_str(text),
            Step::Text(_) => {}
            Step::Close(name) => self.leave(name)?,
        }
        Ok(Visit::Enter)
    }

    fn enter(&mut self, tag: &Tag) -> Visit {
        match tag.name() {
            "Fallback" => return Visit::Skip,
            "sp" => (self.is_title, self.is_repeated) = (false, false),
            "ph" => {
                let kind = tag.get("type").unwrap_or_default();
                self.is_title = matches!(&*kind, "title" | "ctrTitle");
                self.is_repeated = REPEATED.contains(&&*kind);
            }
            "p" => self.paragraph.clear(),
            "t" => self.is_text = true,
            "br" => self.paragraph.push('\n'),
            "tbl" => self.grid.open(String::new()),
            "tr" => self.grid.row(),
            "tc" => self.grid.cell(),
            _ => {}
        }
        Visit::Enter
    }

    fn leave(&mut self, name: &str) -> Result<(), Unreadable> {
        match name {
            "t" => self.is_text = false,
            "p" => {
                let text = std::mem::take(&mut self.paragraph);
                match () {
                    () if self.grid.is_open() => self.grid.add(&text),
                    () if self.is_repeated => {}
                    () if self.is_title => self.writer.heading(1, &text)?,
                    () => self.writer.paragraph(&text)?,
                }
            }
            "tbl" => self.grid.close(self.writer)?,
            "sp" => (self.is_title, self.is_repeated) = (false, false),
            _ => {}
        }
        Ok(())
    }
}

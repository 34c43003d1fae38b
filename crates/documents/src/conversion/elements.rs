//! Elements that are read in ways of their own: links, pictures, code, headings and tables.

use super::{
    from_html::{Open, Undo, Walker},
    inline::{Inline, Mark},
    tables,
};
use crate::{
    html::{Step, walk},
    html_tables::{Row, grid, table},
    tree::{Id, Seen, Tree},
};

impl Walker<'_> {
    pub(super) fn link(&mut self, id: Id) -> Undo {
        let url = self.html.attribute(id, "href").map(str::trim);
        let is_script =
            |it: &str| it.get(..11).is_some_and(|it| it.eq_ignore_ascii_case("javascript:"));
        match url.filter(|it| !is_script(it)) {
            None => Undo::Nothing,
            Some(url) => {
                let title = self.html.attribute(id, "title").unwrap_or_default().to_owned();
                self.mark(Mark::Link { url: url.to_owned(), title })
            }
        }
    }

    /// Reads an element without content, or one whose content is read as a whole.
    pub(super) fn single(&mut self, id: Id, name: &str) -> Undo {
        let said = |name| self.html.attribute(id, name).unwrap_or_default().trim();
        match name {
            "br" if self.table.is_some() => self.inline.raw("<br>".to_owned()),
            "br" if self.heading.is_some() => self.inline.space(),
            "br" => self.inline.line_break(),
            "img" if said("src").starts_with("data:") => {
                let alt = said("alt").to_owned();
                self.inline.text(&alt);
            }
            "img" => self.inline.image(said("alt"), said("src"), said("title")),
            "input" if said("type") == "checkbox" && self.layout.is_in_item(id) => {
                let mark = if self.html.has(id, "checked") { "[x]" } else { "[ ]" };
                self.inline.raw(mark.to_owned());
                self.inline.space();
            }
            "hr" if !self.is_flat() => {
                self.flush();
                self.blocks.rule();
            }
            "pre" => self.preformatted(id),
            _ => {}
        }
        Undo::Nothing
    }

    fn preformatted(&mut self, id: Id) {
        let code = verbatim(self.html, id);
        if self.is_flat() {
            self.inline.code(code.trim());
            return;
        }
        self.flush();
        let inner = self.html.children(id).find(|it| self.html.name(*it) == Some("code"));
        let language = std::iter::once(id).chain(inner).find_map(|it| language(self.html, it));
        self.blocks.code(language.unwrap_or_default(), &code);
    }

    pub(super) fn enter_heading(&mut self, name: &str) -> Undo {
        self.flush();
        if self.is_flat() {
            return Undo::Block;
        }
        self.heading = name.as_bytes().get(1).map(|it| usize::from(it - b'0'));
        Undo::Heading
    }

    pub(super) fn enter_cell(&mut self, name: &str) -> Undo {
        let outer = Box::new(std::mem::take(&mut self.inline));
        if name == "caption" { Undo::Caption(outer) } else { Undo::Cell(outer) }
    }

    pub(super) fn row(&mut self, id: Id) -> Undo {
        let group = self.html.parent(id).filter(|it| self.html.name(*it) != Some("table"));
        let is_head = group.and_then(|it| self.html.name(it)) == Some("thead");
        if let Some(table) = &mut self.table {
            table.rows.push(Row { group, is_head, cells: Vec::new() });
        }
        Undo::Nothing
    }

    pub(super) fn cell_text(&mut self, outer: Inline) -> String {
        let text = std::mem::replace(&mut self.inline, outer).take();
        text.replace("\\\n", " ").replace('|', "\\|")
    }

    pub(super) fn leave_table(&mut self) {
        let Some(Open { rows, caption }) = self.table.take() else { return };
        match grid(rows, &mut self.left) {
            Err(why) => self.failed = Some(why),
            Ok(lines) => {
                let Some(found) = table(caption, lines) else { return };
                if let Some(name) = &found.name {
                    self.blocks.paragraph(name);
                }
                self.blocks.block(&tables::table(found.header, &found.rows));
            }
        }
    }
}

/// The text of an element with its white space.
fn verbatim(html: &Tree, root: Id) -> String {
    let mut text = String::new();
    walk(html, root, |step| {
        match step {
            Step::In(_, Seen::Text(it)) => text.push_str(it),
            Step::In(id, _) if html.name(id) == Some("br") => text.push('\n'),
            _ => {}
        }
        true
    });
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The language of code, as highlighters name it: `class="language-rust"`.
fn language(html: &Tree, id: Id) -> Option<&str> {
    let class = html.attribute(id, "class")?;
    let named = |it: &'_ str| {
        let start = it.find('-').filter(|at| matches!(&it[..*at], "language" | "lang"))?;
        Some(start + 1)
    };
    let language = class.split_ascii_whitespace().find_map(|it| Some(&it[named(it)?..]))?;
    (!language.contains(['`', '\\', '&'])).then_some(language)
}

//! HTML as Markdown, by a walk through the tree of the page without recursion.

use svc_contract::value::units::show_size;

use super::{
    blocks::Blocks,
    inline::{Inline, Mark},
    layout::Layout,
};
use crate::{
    Unreadable, article,
    html::{self, Step, walk},
    html_tables::{LARGEST_ANSWER, Row, cell, grid, table},
    tree::{Id, Seen, Tree},
};

/// Elements whose content is not part of the document.
const UNSEEN: &[&str] = &[
    "audio", "button", "canvas", "head", "iframe", "math", "noscript", "object", "script",
    "select", "style", "svg", "template", "textarea", "title", "video",
];

/// Elements that end the paragraph before them, and begin another.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "body",
    "caption",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "hgroup",
    "legend",
    "main",
    "menu",
    "nav",
    "p",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
];

/// How many nodes are read between two checks of whether the result is still needed.
const BETWEEN_CHECKS: u64 = 1_000;

/// Converts HTML to Markdown (`CommonMark`, with tables and strikethrough as on GitHub).
pub fn from_html(page: &str, is_stopped: &dyn Fn() -> bool) -> Result<String, Unreadable> {
    let tree = html::tree(page, is_stopped)?;
    let mut walker = Walker {
        html: &tree,
        layout: Layout::of(&tree),
        blocks: Blocks::default(),
        inline: Inline::default(),
        undo: Vec::new(),
        heading: None,
        codes: 0,
        table: None,
        left: LARGEST_ANSWER,
        failed: None,
    };
    let mut nodes = 0_u64;
    walk(&tree, tree.ids().start, |step| {
        nodes += 1;
        if nodes.is_multiple_of(BETWEEN_CHECKS) && walker.failed.is_none() {
            walker.check(is_stopped);
        }
        if walker.failed.is_some() {
            return false;
        }
        match step {
            Step::In(id, node) => {
                let (undo, goes_in) = walker.enter(id, &node);
                walker.undo.push(undo);
                goes_in
            }
            Step::Out(id, _) => {
                if let Some(undo) = walker.undo.pop() {
                    walker.leave(id, undo);
                }
                true
            }
        }
    });
    walker.flush();
    match walker.failed {
        Some(why) => Err(why),
        None => Ok(walker.blocks.out),
    }
}

/// What to do at the end of an element.
enum Undo {
    Nothing,
    Block,
    Heading,
    Quote(bool),
    List,
    Item(bool),
    /// A term of a list of definitions, with its mark.
    Term(bool),
    /// A definition: whether it is indented, and an item.
    Definition(bool, bool),
    Mark(Mark),
    Code,
    Cell(Box<Inline>),
    Caption(Box<Inline>),
    Table,
}

/// A table whose rows are being read.
#[derive(Default)]
struct Open {
    rows: Vec<Row>,
    caption: String,
}

struct Walker<'a> {
    html: &'a Tree,
    layout: Layout,
    blocks: Blocks,
    inline: Inline,
    undo: Vec<Undo>,
    /// The level of the heading around the text.
    heading: Option<usize>,
    /// How many elements of code are around the text.
    codes: usize,
    table: Option<Open>,
    /// The room for the cells of all tables.
    left: usize,
    failed: Option<Unreadable>,
}

impl Walker<'_> {
    fn check(&mut self, is_stopped: &dyn Fn() -> bool) {
        if self.blocks.out.len() > LARGEST_ANSWER {
            let limit = show_size(LARGEST_ANSWER as u64);
            let why = format!("its Markdown is larger than {limit}");
            self.failed = Some(Unreadable::Damaged(why));
        } else if is_stopped() {
            self.failed = Some(Unreadable::Unread(std::io::ErrorKind::Interrupted.into()));
        }
    }

    /// Whether text is on one line: in a heading or in a cell of a table.
    fn is_flat(&self) -> bool {
        self.heading.is_some() || self.table.is_some()
    }

    /// Ends the paragraph.
    fn flush(&mut self) {
        if self.is_flat() {
            self.inline.space();
        } else {
            let text = self.inline.take();
            self.blocks.paragraph(&text);
        }
    }

    /// Enters a node: what to do at its end, and whether to read its content.
    fn enter(&mut self, id: Id, node: &Seen<'_>) -> (Undo, bool) {
        let name = match node {
            Seen::Text(text) if self.codes > 0 => {
                self.inline.code(text);
                return (Undo::Nothing, true);
            }
            Seen::Text(text) => {
                self.inline.text(text);
                return (Undo::Nothing, true);
            }
            Seen::Other => return (Undo::Nothing, true),
            Seen::Element { name, .. } => *name,
        };
        if UNSEEN.contains(&name) || article::is_hidden(self.html, id) {
            return (Undo::Nothing, false);
        }
        let undo = match name {
            "b" | "strong" => self.mark(Mark::Strong),
            "em" | "i" => self.mark(Mark::Emphasis),
            "del" | "s" | "strike" => self.mark(Mark::Strike),
            "a" => self.link(id),
            "code" | "kbd" | "samp" | "tt" => {
                self.codes += 1;
                Undo::Code
            }
            "br" | "hr" | "img" | "input" | "pre" => return (self.single(id, name), false),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.enter_heading(name),
            "td" | "th" | "caption" if self.table.is_some() => self.enter_cell(name),
            "tr" if self.table.is_some() => self.row(id),
            "table" if self.layout.is_data(id) && !self.is_flat() => {
                self.flush();
                self.table = Some(Open::default());
                Undo::Table
            }
            _ if self.is_flat() => {
                if is_block(name) {
                    self.inline.space();
                }
                Undo::Block
            }
            _ => self.enter_block(id, name),
        };
        (undo, true)
    }

    fn mark(&mut self, mark: Mark) -> Undo {
        self.inline.open(mark.clone());
        Undo::Mark(mark)
    }

    fn link(&mut self, id: Id) -> Undo {
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
    fn single(&mut self, id: Id, name: &str) -> Undo {
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

    fn enter_heading(&mut self, name: &str) -> Undo {
        self.flush();
        if self.is_flat() {
            return Undo::Block;
        }
        self.heading = name.as_bytes().get(1).map(|it| usize::from(it - b'0'));
        Undo::Heading
    }

    fn enter_cell(&mut self, name: &str) -> Undo {
        let outer = Box::new(std::mem::take(&mut self.inline));
        if name == "caption" { Undo::Caption(outer) } else { Undo::Cell(outer) }
    }

    fn row(&mut self, id: Id) -> Undo {
        let group = self.html.parent(id).filter(|it| self.html.name(*it) != Some("table"));
        let is_head = group.and_then(|it| self.html.name(it)) == Some("thead");
        if let Some(table) = &mut self.table {
            table.rows.push(Row { group, is_head, cells: Vec::new() });
        }
        Undo::Nothing
    }

    fn enter_block(&mut self, id: Id, name: &str) -> Undo {
        match name {
            "blockquote" => {
                self.flush();
                Undo::Quote(self.blocks.enter_quote())
            }
            "ul" | "ol" | "menu" | "dir" | "dl" => {
                self.flush();
                let first = self.html.attribute(id, "start").and_then(|it| it.trim().parse().ok());
                let next = (name == "ol").then_some(first.unwrap_or(1));
                self.blocks.enter_list(next, self.layout.is_tight(id));
                Undo::List
            }
            "li" => {
                self.flush();
                Undo::Item(self.blocks.enter_item())
            }
            "dt" => {
                self.flush();
                let is_item = self.blocks.enter_item();
                self.inline.open(Mark::Strong);
                Undo::Term(is_item)
            }
            "dd" => {
                self.flush();
                let is_indented = self.blocks.enter_indent();
                Undo::Definition(is_indented, self.blocks.enter_item())
            }
            name if BLOCKS.contains(&name) => {
                self.flush();
                Undo::Block
            }
            _ => Undo::Nothing,
        }
    }

    fn leave(&mut self, id: Id, undo: Undo) {
        match undo {
            Undo::Nothing => {}
            Undo::Block => {
                let name = self.html.name(id).unwrap_or_default();
                if is_block(name) {
                    self.flush();
                }
            }
            Undo::Heading => {
                let (level, text) = (self.heading.take(), self.inline.take());
                self.blocks.heading(level.unwrap_or(1), &text);
            }
            Undo::Quote(enters) => {
                self.flush();
                if enters {
                    self.blocks.leave_quote();
                }
            }
            Undo::List => {
                self.flush();
                self.blocks.leave_list();
            }
            Undo::Item(enters) => {
                self.flush();
                if enters {
                    let is_kept = self.html.children(id).all(|it| self.html.name(it).is_none());
                    self.blocks.leave_item(is_kept);
                }
            }
            Undo::Term(enters) => {
                self.inline.close(&Mark::Strong);
                self.flush();
                if enters {
                    self.blocks.leave_item(false);
                }
            }
            Undo::Definition(is_indented, enters) => {
                self.flush();
                if enters {
                    self.blocks.leave_item(false);
                }
                if is_indented {
                    self.blocks.leave_indent();
                }
            }
            Undo::Mark(mark) => self.inline.close(&mark),
            Undo::Code => self.codes -= 1,
            Undo::Cell(outer) => {
                let text = self.cell_text(*outer);
                if let Some(row) = self.table.as_mut().and_then(|it| it.rows.last_mut()) {
                    row.cells.push(cell(self.html, id, text));
                }
            }
            Undo::Caption(outer) => {
                let text = self.cell_text(*outer);
                if let Some(table) = &mut self.table {
                    table.caption = text;
                }
            }
            Undo::Table => self.leave_table(),
        }
    }

    fn cell_text(&mut self, outer: Inline) -> String {
        let text = std::mem::replace(&mut self.inline, outer).take();
        text.replace("\\\n", " ").replace('|', "\\|")
    }

    fn leave_table(&mut self) {
        let Some(Open { rows, caption }) = self.table.take() else { return };
        match grid(rows, &mut self.left) {
            Err(why) => self.failed = Some(why),
            Ok(lines) => {
                let Some(found) = table(caption, lines) else { return };
                if let Some(name) = &found.name {
                    self.blocks.paragraph(name);
                }
                self.blocks.block(&super::tables::table(found.header, &found.rows));
            }
        }
    }
}

/// Whether the text of an element is apart from that around it.
fn is_block(name: &str) -> bool {
    let is_other =
        matches!(name, "blockquote" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "li" | "ol" | "ul");
    is_other || BLOCKS.contains(&name)
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

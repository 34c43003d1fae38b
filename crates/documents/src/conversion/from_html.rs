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
    html_tables::{LARGEST_ANSWER, Row, cell},
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
    if walker.failed.is_none() {
        walker.check(is_stopped);
    }
    match walker.failed {
        Some(why) => Err(why),
        None => Ok(walker.blocks.out),
    }
}

/// What to do at the end of an element.
pub(super) enum Undo {
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
pub(super) struct Open {
    pub(super) rows: Vec<Row>,
    pub(super) caption: String,
}

pub(super) struct Walker<'a> {
    pub(super) html: &'a Tree,
    pub(super) layout: Layout,
    pub(super) blocks: Blocks,
    pub(super) inline: Inline,
    undo: Vec<Undo>,
    /// The level of the heading around the text.
    pub(super) heading: Option<usize>,
    /// How many elements of code are around the text.
    codes: usize,
    pub(super) table: Option<Open>,
    /// The room for the cells of all tables.
    pub(super) left: usize,
    pub(super) failed: Option<Unreadable>,
}

impl Walker<'_> {
    fn check(&mut self, is_stopped: &dyn Fn() -> bool) {
        if self.blocks.is_full() {
            let limit = show_size(LARGEST_ANSWER as u64);
            let why = format!("its Markdown is larger than {limit}");
            self.failed = Some(Unreadable::Damaged(why));
        } else if is_stopped() {
            self.failed = Some(Unreadable::Unread(std::io::ErrorKind::Interrupted.into()));
        }
    }

    /// Whether text is on one line: in a heading or in a cell of a table.
    pub(super) fn is_flat(&self) -> bool {
        self.heading.is_some() || self.table.is_some()
    }

    /// Ends the paragraph.
    pub(super) fn flush(&mut self) {
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

    pub(super) fn mark(&mut self, mark: Mark) -> Undo {
        self.inline.open(mark.clone());
        Undo::Mark(mark)
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
}

/// Whether the text of an element is apart from that around it.
fn is_block(name: &str) -> bool {
    let is_other =
        matches!(name, "blockquote" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "li" | "ol" | "ul");
    is_other || BLOCKS.contains(&name)
}

//! What the elements of a page are for: which tables have data, and which lists are tight.

use std::collections::HashSet;

use crate::{
    html::{Step, walk},
    tree::{Id, Tree},
};

/// Elements that cannot be in a cell of a Markdown table.
const TOO_LARGE: &[&str] =
    &["blockquote", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "ol", "pre", "table", "ul"];

/// The tables with data, the lists whose items are paragraphs, and the check boxes of items.
#[derive(Default)]
pub(super) struct Layout {
    data: HashSet<Id>,
    loose: HashSet<Id>,
    boxes: HashSet<Id>,
}

/// A table around the current node.
struct Open {
    id: Id,
    cells: usize,
    is_wide: bool,
    is_data: bool,
}

impl Layout {
    pub(super) fn of(html: &Tree) -> Self {
        let mut layout = Self::default();
        let mut open: Vec<Open> = Vec::new();
        walk(html, html.ids().start, |step| {
            match step {
                Step::In(id, _) => layout.enter(html, id, &mut open),
                Step::Out(id, _) => {
                    if let Some(table) = open.pop_if(|it| it.id == id)
                        && table.is_data
                        && table.is_wide
                    {
                        layout.data.insert(id);
                    }
                }
            }
            true
        });
        layout
    }

    fn enter(&mut self, html: &Tree, id: Id, open: &mut Vec<Open>) {
        let Some(name) = html.name(id) else { return };
        if let Some(table) = open.last_mut() {
            match name {
                "tr" => table.cells = 0,
                "td" => table.cells += 1,
                "th" => table.is_wide = true,
                name if TOO_LARGE.contains(&name) => table.is_data = false,
                _ => {}
            }
            table.is_wide |= table.cells > 1;
        }
        match name {
            "table" => {
                let is_data = !matches!(html.attribute(id, "role"), Some("presentation" | "none"));
                open.push(Open { id, cells: 0, is_wide: false, is_data });
            }
            "p" => self.paragraph(html, id),
            "input" => self.check_box(html, id),
            _ => {}
        }
    }

    /// A list is loose if an item has a paragraph.
    fn paragraph(&mut self, html: &Tree, id: Id) {
        if let Some(item) = html.parent(id)
            && html.name(item) == Some("li")
        {
            self.loose.extend(html.parent(item));
        }
    }

    /// A box is that of an item if it is the first in it, or in its first paragraph.
    fn check_box(&mut self, html: &Tree, id: Id) {
        let is_first = |id: Id| html.parent(id).and_then(|it| html.first(it)) == Some(id);
        let mut at = id;
        for _ in 0..3 {
            let Some(parent) = html.parent(at).filter(|_| is_first(at)) else { return };
            if html.name(parent) == Some("li") {
                self.boxes.insert(id);
                return;
            }
            at = parent;
        }
    }

    pub(super) fn is_data(&self, table: Id) -> bool {
        self.data.contains(&table)
    }

    pub(super) fn is_tight(&self, list: Id) -> bool {
        !self.loose.contains(&list)
    }

    pub(super) fn is_in_item(&self, check_box: Id) -> bool {
        self.boxes.contains(&check_box)
    }
}

//! What a part of a page consists of, in numbers.

use super::super::{
    html::{Step, walk},
    tree::{Id, Seen, Tree},
};

/// The number of letters, links and elements below a node, without those that were dropped.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts {
    pub(super) chars: usize,
    /// Letters in links.
    pub(super) linked: usize,
    /// Letters in lists.
    pub(super) listed: usize,
    /// Letters in headings.
    pub(super) headed: usize,
    pub(super) commas: usize,
    pub(super) paragraphs: usize,
    pub(super) images: usize,
    pub(super) items: usize,
    pub(super) inputs: usize,
    pub(super) blocks: usize,
}

impl Facts {
    /// The share of letters in links, from 0 to 1.
    pub(super) fn link_density(&self) -> f64 {
        share(self.linked, self.chars)
    }

    /// Letters outside links.
    pub(super) fn plain(&self) -> usize {
        self.chars - self.linked
    }

    fn add(&mut self, other: &Self) {
        self.chars += other.chars;
        self.linked += other.linked;
        self.listed += other.listed;
        self.headed += other.headed;
        self.commas += other.commas;
        self.paragraphs += other.paragraphs;
        self.images += other.images;
        self.items += other.items;
        self.inputs += other.inputs;
        self.blocks += other.blocks;
    }

    fn of_text(text: &str) -> Self {
        let chars = text.split_whitespace().map(|it| it.chars().count() + 1).sum();
        let commas = text.chars().filter(|it| matches!(it, ',' | '،' | '、' | '，')).count();
        Self { chars, commas, ..Self::default() }
    }

    /// Adds the element around what was counted.
    fn close(&mut self, name: &str, is_link: bool) {
        match name {
            "a" if is_link => self.linked = self.chars,
            "ul" | "ol" => self.listed = self.chars,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.headed = self.chars,
            _ => {}
        }
        match name {
            "p" => self.paragraphs += 1,
            "img" | "picture" => self.images += 1,
            "li" => self.items += 1,
            "input" | "select" | "textarea" | "button" => self.inputs += 1,
            _ => {}
        }
        if BLOCKS.contains(&name) {
            self.blocks += 1;
        }
    }
}

/// Elements that make a `div` more than a paragraph.
const BLOCKS: &[&str] = &[
    "article",
    "blockquote",
    "div",
    "dl",
    "figure",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "ul",
];

pub(super) fn share(part: usize, whole: usize) -> f64 {
    // Pages are far too small for the numbers to lose digits.
    #[expect(clippy::cast_precision_loss, reason = "both are numbers of letters of a page")]
    let share = part as f64 / whole.max(1) as f64;
    share
}

/// Counts below `root`, in `facts`, which has a place for each node. After an element was counted, `drops` says whether to drop it: then it adds
/// nothing to those around it.
pub(super) fn count(
    html: &Tree,
    root: Id,
    dropped: &mut [bool],
    facts: &mut [Facts],
    mut drops: impl FnMut(Id, &Facts) -> bool,
) {
    walk(html, root, |step| match step {
        Step::In(id, seen) => {
            facts[id] = match seen {
                Seen::Text(text) => Facts::of_text(text),
                _ => Facts::default(),
            };
            !dropped[id]
        }
        Step::Out(id, seen) => {
            if let Seen::Element { name, .. } = seen {
                facts[id].close(name, html.has(id, "href"));
                dropped[id] |= id != root && drops(id, &facts[id]);
            }
            if dropped[id] {
                facts[id] = Facts::default();
            } else if let Some(parent) = html.parent(id).filter(|_| id != root) {
                let below = facts[id];
                facts[parent].add(&below);
            }
            true
        }
    });
}

//! The tree of an HTML page, built by html5ever within limits.
//!
//! A page of some bytes can be a tree of any size: formatting that is open in one paragraph is
//! opened once more in each that follows. So the page is handed on in pieces, the smaller the
//! larger the tree is, and between two of them it is looked at how far things have come.
//! Attributes are not kept, but for `hidden`.

use std::{
    borrow::Cow,
    cell::{Ref, RefCell},
    fmt,
    time::{Duration, Instant},
};

use html5ever::{
    Attribute, QualName, expanded_name, local_name, ns, parse_document,
    tendril::{StrTendril, TendrilSink},
    tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink},
};

/// The most elements and pieces of text of a page.
const MOST_NODES: usize = 2_000_000;

/// The largest page takes a second.
const TIME: Duration = Duration::from_secs(20);

/// Why a page is not read to its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    Nodes,
    Time,
    /// Nobody wants it any more.
    Unwanted,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nodes => write!(f, "it has more than {MOST_NODES} elements and texts"),
            Self::Time => write!(f, "reading it takes longer than {}s", TIME.as_secs()),
            Self::Unwanted => f.write_str("it is not wanted any more"),
        }
    }
}

/// The place of a node among all.
pub(super) type Id = usize;

const ROOT: Id = 0;

#[derive(Default)]
struct Node {
    parent: Option<u32>,
    previous: Option<u32>,
    next: Option<u32>,
    first: Option<u32>,
    last: Option<u32>,
    kind: Kind,
}

#[derive(Default)]
enum Kind {
    Element {
        name: QualName,
        is_hidden: bool,
    },
    Text(StrTendril),
    /// The page itself, a comment, and the like.
    #[default]
    Other,
}

/// What a node is for whoever reads the page.
pub(super) enum Seen<'a> {
    Element { name: &'a str, is_hidden: bool },
    Text(&'a str),
    Other,
}

pub(super) struct Tree {
    nodes: Vec<Node>,
    /// For what is not an element, of which nobody should ask.
    nameless: QualName,
}

/// Reads a page, unless that takes too much.
pub(super) fn read(html: &str, is_stopped: &dyn Fn() -> bool) -> Result<Tree, Stopped> {
    const LARGEST_PIECE: usize = 4 << 10;
    const SMALLEST_PIECE: usize = 8;
    /// The fewest bytes of a tag and a letter, which open all formatting once more.
    const REOPENING: usize = 4;

    let started = Instant::now();
    let mut parser = parse_document(Building::new(), html5ever::ParseOpts::default());
    let mut rest = html;
    while !rest.is_empty() {
        let count = parser.tokenizer.sink.sink.0.borrow().nodes.len();
        if count > MOST_NODES {
            return Err(Stopped::Nodes);
        }
        if started.elapsed() > TIME {
            return Err(Stopped::Time);
        }
        if is_stopped() {
            return Err(Stopped::Unwanted);
        }
        // Each of its tags may open as many elements as there are.
        let len = (REOPENING * MOST_NODES / count).clamp(SMALLEST_PIECE, LARGEST_PIECE);
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(len));
        parser.process(StrTendril::from_slice(piece));
        rest = after;
    }
    Ok(parser.finish())
}

impl Tree {
    pub(super) fn ids(&self) -> std::ops::Range<Id> {
        ROOT..self.nodes.len()
    }

    pub(super) fn seen(&self, id: Id) -> Seen<'_> {
        match &self.nodes[id].kind {
            Kind::Element { name, is_hidden } => {
                Seen::Element { name: &name.local, is_hidden: *is_hidden }
            }
            Kind::Text(text) => Seen::Text(text),
            Kind::Other => Seen::Other,
        }
    }

    /// The name of an element.
    pub(super) fn name(&self, id: Id) -> Option<&str> {
        match &self.nodes[id].kind {
            Kind::Element { name, .. } => Some(&name.local),
            _ => None,
        }
    }

    pub(super) fn parent(&self, id: Id) -> Option<Id> {
        self.nodes[id].parent.map(place)
    }

    pub(super) fn next(&self, id: Id) -> Option<Id> {
        self.nodes[id].next.map(place)
    }

    pub(super) fn first(&self, id: Id) -> Option<Id> {
        self.nodes[id].first.map(place)
    }

    fn add(&mut self, kind: Kind) -> Id {
        self.nodes.push(Node { kind, ..Node::default() });
        self.nodes.len() - 1
    }

    fn detach(&mut self, id: Id) {
        let node = &mut self.nodes[id];
        let (parent, previous, next) = (node.parent.take(), node.previous.take(), node.next.take());
        let Some(parent) = parent else { return };
        match previous {
            Some(it) => self.nodes[place(it)].next = next,
            None => self.nodes[place(parent)].first = next,
        }
        match next {
            Some(it) => self.nodes[place(it)].previous = previous,
            None => self.nodes[place(parent)].last = previous,
        }
    }

    /// Puts a node in front of another one, or behind all of its parent's.
    fn insert(&mut self, parent: Id, id: Id, next: Option<Id>) {
        self.detach(id);
        let previous = match next {
            Some(next) => self.nodes[next].previous.replace(number(id)),
            None => self.nodes[parent].last.replace(number(id)),
        };
        match previous {
            Some(it) => self.nodes[place(it)].next = Some(number(id)),
            None => self.nodes[parent].first = Some(number(id)),
        }
        let node = &mut self.nodes[id];
        (node.parent, node.previous, node.next) =
            (Some(number(parent)), previous, next.map(number));
    }

    fn put(&mut self, parent: Id, child: NodeOrText<Id>, next: Option<Id>) {
        let text = match child {
            NodeOrText::AppendNode(id) => return self.insert(parent, id, next),
            NodeOrText::AppendText(text) => text,
        };
        let before = match next {
            Some(next) => self.nodes[next].previous,
            None => self.nodes[parent].last,
        };
        if let Some(before) = before
            && let Kind::Text(written) = &mut self.nodes[place(before)].kind
        {
            written.push_tendril(&text);
            return;
        }
        let id = self.add(Kind::Text(text));
        self.insert(parent, id, next);
    }
}

// There are never more nodes than a number has room for: `MOST_NODES`, twice.

fn number(id: Id) -> u32 {
    u32::try_from(id).unwrap_or(u32::MAX)
}

fn place(number: u32) -> Id {
    number as Id
}

/// A tree on which html5ever works.
struct Building(RefCell<Tree>);

impl Building {
    fn new() -> Self {
        let nameless = QualName::new(None, ns!(), local_name!(""));
        let nodes = vec![Node::default()];
        Self(RefCell::new(Tree { nodes, nameless }))
    }
}

impl TreeSink for Building {
    type Handle = Id;
    type Output = Tree;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Tree {
        self.0.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Id {
        ROOT
    }

    fn elem_name<'a>(&'a self, target: &'a Id) -> Ref<'a, QualName> {
        Ref::map(self.0.borrow(), |tree| match &tree.nodes[*target].kind {
            Kind::Element { name, .. } => name,
            _ => &tree.nameless,
        })
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, _: ElementFlags) -> Id {
        let is_hidden = attrs.iter().any(|it| it.name.local == local_name!("hidden"));
        let is_template = name.expanded() == expanded_name!(html "template");
        let mut tree = self.0.borrow_mut();
        let id = tree.add(Kind::Element { name, is_hidden });
        if is_template {
            let contents = tree.add(Kind::Other);
            tree.insert(id, contents, None);
        }
        id
    }

    fn create_comment(&self, _: StrTendril) -> Id {
        self.0.borrow_mut().add(Kind::Other)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Id {
        self.0.borrow_mut().add(Kind::Other)
    }

    fn append(&self, parent: &Id, child: NodeOrText<Id>) {
        self.0.borrow_mut().put(*parent, child, None);
    }

    fn append_based_on_parent_node(&self, element: &Id, previous: &Id, child: NodeOrText<Id>) {
        let has_parent = self.0.borrow().parent(*element).is_some();
        match has_parent {
            true => self.append_before_sibling(element, child),
            false => self.append(previous, child),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    /// They were put there when the template was made.
    fn get_template_contents(&self, target: &Id) -> Id {
        target + 1
    }

    fn same_node(&self, one: &Id, other: &Id) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Id, child: NodeOrText<Id>) {
        let mut tree = self.0.borrow_mut();
        if let NodeOrText::AppendNode(id) = &child {
            tree.detach(*id);
        }
        if let Some(parent) = tree.parent(*sibling) {
            tree.put(parent, child, Some(*sibling));
        }
    }

    fn add_attrs_if_missing(&self, _: &Id, _: Vec<Attribute>) {}

    fn remove_from_parent(&self, target: &Id) {
        self.0.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &Id, parent: &Id) {
        let mut tree = self.0.borrow_mut();
        while let Some(child) = tree.first(*node) {
            tree.insert(*parent, child, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(html: &str) -> Result<usize, Stopped> {
        read(html, &|| false).map(|it| it.nodes.len())
    }

    #[test]
    fn a_tree_ends_at_its_limit() {
        let open: String = (0..900).map(|it| format!("<b x{it}>")).collect();
        assert!(of(&open).is_ok_and(|it| (900..1_000).contains(&it)));
        let many = format!("<p>{open}{}", "<p>x".repeat(10_000));
        // On a machine that has no time for it, the time ends first.
        assert!(matches!(of(&many), Err(Stopped::Nodes | Stopped::Time)));
        assert_eq!(read(&many, &|| true).err(), Some(Stopped::Unwanted));
    }

    #[test]
    fn attributes_cannot_take_longer_than_anybody_waits() {
        let many: String = (0..3_000_000).map(|it| format!(" a{it}")).collect();
        let started = Instant::now();
        let stop = || started.elapsed() > Duration::from_secs(1);
        let read = read(&format!("<p{many}>"), &stop);
        assert_eq!(read.err(), Some(Stopped::Unwanted));
        assert!(started.elapsed() < TIME);
    }
}

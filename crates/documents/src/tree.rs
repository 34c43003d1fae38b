//! The tree of an HTML page, as built by html5ever, with the attributes that `parse` keeps.

use std::{
    borrow::Cow,
    cell::{Cell, Ref, RefCell, RefMut},
};

use html5ever::{
    Attribute, QualName, expanded_name, local_name, ns,
    tendril::StrTendril,
    tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink},
};

/// The index of a node.
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
        attributes: Box<[Attribute]>,
    },
    Text(StrTendril),
    /// The page itself, a comment, or similar.
    #[default]
    Other,
}

/// The role of a node for a reader of the page.
pub(super) enum Seen<'a> {
    Element { name: &'a str, is_hidden: bool },
    Text(&'a str),
    Other,
}

pub(super) struct Tree {
    nodes: Vec<Node>,
    /// The name of nodes that are not elements, which should never be requested.
    nameless: QualName,
}

impl Tree {
    pub(super) fn ids(&self) -> std::ops::Range<Id> {
        ROOT..self.nodes.len()
    }

    pub(super) fn seen(&self, id: Id) -> Seen<'_> {
        match &self.nodes[id].kind {
            Kind::Element { name, .. } => {
                Seen::Element { name: &name.local, is_hidden: self.has(id, "hidden") }
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

    /// The value of an attribute, if the element has it and `parse` keeps it.
    pub(super) fn attribute(&self, id: Id, name: &str) -> Option<&str> {
        let Kind::Element { attributes, .. } = &self.nodes[id].kind else { return None };
        let found = attributes.iter().find(|it| &*it.name.local == name);
        found.map(|it| &*it.value)
    }

    pub(super) fn has(&self, id: Id, attribute: &str) -> bool {
        self.attribute(id, attribute).is_some()
    }

    pub(super) fn parent(&self, id: Id) -> Option<Id> {
        self.nodes[id].parent.map(place)
    }

    pub(super) fn children(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        std::iter::successors(self.first(id), |it| self.next(*it))
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

    /// Inserts a node before another one, or after all children of its parent.
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

// There are never more nodes than fit into the number: `parse` ensures that.

fn number(id: Id) -> u32 {
    u32::try_from(id).unwrap_or(u32::MAX)
}

fn place(number: u32) -> Id {
    number as Id
}

/// A tree that html5ever is building.
pub(super) struct Building {
    tree: RefCell<Tree>,
    /// The number of requests of html5ever, which grows with its work.
    steps: Cell<u64>,
}

impl Building {
    pub(super) fn new() -> Self {
        let nameless = QualName::new(None, ns!(), local_name!(""));
        let tree = Tree { nodes: vec![Node::default()], nameless };
        Self { tree: RefCell::new(tree), steps: Cell::default() }
    }

    /// The number of nodes so far, including those that were removed from the tree.
    pub(super) fn len(&self) -> usize {
        self.tree.borrow().nodes.len()
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps.get()
    }

    fn step(&self) {
        self.steps.update(|it| it + 1);
    }

    fn change(&self) -> RefMut<'_, Tree> {
        self.step();
        self.tree.borrow_mut()
    }
}

impl TreeSink for Building {
    type Handle = Id;
    type Output = Tree;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Tree {
        self.tree.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Id {
        ROOT
    }

    fn elem_name<'a>(&'a self, target: &'a Id) -> Ref<'a, QualName> {
        self.step();
        Ref::map(self.tree.borrow(), |tree| match &tree.nodes[*target].kind {
            Kind::Element { name, .. } => name,
            _ => &tree.nameless,
        })
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, _: ElementFlags) -> Id {
        let is_template = name.expanded() == expanded_name!(html "template");
        let mut tree = self.change();
        let id = tree.add(Kind::Element { name, attributes: attrs.into() });
        if is_template {
            let contents = tree.add(Kind::Other);
            tree.insert(id, contents, None);
        }
        id
    }

    fn create_comment(&self, _: StrTendril) -> Id {
        self.change().add(Kind::Other)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Id {
        self.change().add(Kind::Other)
    }

    fn append(&self, parent: &Id, child: NodeOrText<Id>) {
        self.change().put(*parent, child, None);
    }

    fn append_based_on_parent_node(&self, element: &Id, previous: &Id, child: NodeOrText<Id>) {
        let has_parent = self.tree.borrow().parent(*element).is_some();
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    /// The contents were added when the template was created.
    fn get_template_contents(&self, target: &Id) -> Id {
        target + 1
    }

    fn same_node(&self, one: &Id, other: &Id) -> bool {
        self.step();
        one == other
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Id, child: NodeOrText<Id>) {
        let mut tree = self.change();
        if let NodeOrText::AppendNode(id) = &child {
            tree.detach(*id);
        }
        if let Some(parent) = tree.parent(*sibling) {
            tree.put(parent, child, Some(*sibling));
        }
    }

    fn add_attrs_if_missing(&self, _: &Id, _: Vec<Attribute>) {}

    fn remove_from_parent(&self, target: &Id) {
        self.change().detach(*target);
    }

    fn reparent_children(&self, node: &Id, parent: &Id) {
        let mut tree = self.change();
        while let Some(child) = tree.first(*node) {
            self.step();
            tree.insert(*parent, child, None);
        }
    }
}

//! EPUB: the chapters of a book in their order.

use std::collections::HashMap;

use super::{
    super::{
        Unreadable, elements_of_text,
        parse::parse,
        tree::{Id, Seen, Tree},
    },
    package::{Package, resolved},
    properties::{self, OF_BOOK, Properties},
    writer::{Grid, Writer},
    xml::{Step, Visit, walk},
};

/// Reads the book. Returns what it declares.
pub(super) fn read(package: &mut Package, writer: &mut Writer) -> Result<Properties, Unreadable> {
    let container = package.needed("META-INF/container.xml")?;
    let mut root = None;
    walk(&container, |step| {
        if let Step::Open(tag) = step
            && tag.name() == "rootfile"
            && root.is_none()
        {
            root = tag.get("full-path");
        }
        Ok(Visit::Enter)
    })?;
    let damaged = || Unreadable::Damaged("it is not a readable book (it names no content)".into());
    let root = root.ok_or_else(damaged)?;
    let root = resolved("", &root);
    let xml = package.needed(&root)?;
    let folder = root.rsplit_once('/').map_or("", |(it, _)| it);
    for (idx, chapter) in spine(&xml)?.iter().enumerate() {
        if idx > 0 {
            writer.page_break()?;
        }
        let path = resolved(folder, chapter);
        if let Some(page) = package.text(&path)? {
            html(&page, writer)?;
        }
    }
    properties::read(&xml, OF_BOOK)
}

/// The chapters in the order of reading.
fn spine(xml: &str) -> Result<Vec<String>, Unreadable> {
    let (mut files, mut order) = (HashMap::new(), Vec::new());
    walk(xml, |step| {
        if let Step::Open(tag) = step {
            match tag.name() {
                "item" => {
                    if let (Some(id), Some(file)) = (tag.get("id"), tag.get("href")) {
                        files.insert(id, decoded(&file));
                    }
                }
                "itemref" => order.extend(tag.get("idref")),
                _ => {}
            }
        }
        Ok(Visit::Enter)
    })?;
    Ok(order.into_iter().filter_map(|id| files.get(&id).cloned()).collect())
}

/// The path of a reference, with `%20` as a space and without the place in the file.
fn decoded(reference: &str) -> String {
    let path = reference.split('#').next().unwrap_or_default();
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|it| std::str::from_utf8(it).ok());
        match code.and_then(|it| u8::from_str_radix(it, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Writes what a page shows.
pub(super) fn html(page: &str, writer: &mut Writer) -> Result<(), Unreadable> {
    let tree = parse(page, &|| false)
        .map_err(|why| Unreadable::Damaged(format!("a chapter is damaged: {why}")))?;
    let mut shown = Shown { writer, grid: Grid::default(), line: String::new(), verbatim: 0 };
    visit(&tree, &mut shown)?;
    shown.end_line(None)
}

/// Visits all nodes in their order, without recursion.
fn visit(tree: &Tree, shown: &mut Shown) -> Result<(), Unreadable> {
    let root: Id = tree.ids().start;
    let mut node = root;
    loop {
        let goes_in = shown.enter(&tree.seen(node))?;
        if let Some(child) = tree.first(node).filter(|_| goes_in) {
            node = child;
            continue;
        }
        loop {
            shown.leave(&tree.seen(node))?;
            if node == root {
                return Ok(());
            }
            if let Some(next) = tree.next(node) {
                node = next;
                break;
            }
            let Some(parent) = tree.parent(node) else { return Ok(()) };
            node = parent;
        }
    }
}

struct Shown<'a> {
    writer: &'a mut Writer,
    grid: Grid,
    line: String,
    /// The number of open `pre` elements.
    verbatim: usize,
}

impl Shown<'_> {
    fn enter(&mut self, node: &Seen) -> Result<bool, Unreadable> {
        match node {
            Seen::Text(text) if self.verbatim > 0 => self.line.push_str(text),
            Seen::Text(text) => super::push_words(&mut self.line, text),
            Seen::Element { name, is_hidden } => {
                if *is_hidden || elements_of_text::is_unseen(name) {
                    return Ok(false);
                }
                if elements_of_text::is_block(name) {
                    self.end_line(None)?;
                }
                match *name {
                    "br" => self.line.push('\n'),
                    "pre" => self.verbatim += 1,
                    "table" => self.grid.open(String::new()),
                    "tr" => self.grid.row(),
                    "td" | "th" => self.grid.cell(),
                    _ => {}
                }
            }
            Seen::Other => {}
        }
        Ok(true)
    }

    fn leave(&mut self, node: &Seen) -> Result<(), Unreadable> {
        let Seen::Element { name, .. } = node else { return Ok(()) };
        match *name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.end_line(name[1..].parse().ok())?;
            }
            "table" => {
                self.end_line(None)?;
                self.grid.close(self.writer)?;
            }
            "pre" => {
                self.end_line(None)?;
                self.verbatim = self.verbatim.saturating_sub(1);
            }
            name if elements_of_text::is_block(name) => self.end_line(None)?,
            _ => {}
        }
        Ok(())
    }

    fn end_line(&mut self, level: Option<i64>) -> Result<(), Unreadable> {
        let line = std::mem::take(&mut self.line);
        match level {
            _ if self.grid.is_open() => self.grid.add(&line),
            Some(level) => return self.writer.heading(level, &line),
            None => return self.writer.paragraph(&line),
        }
        Ok(())
    }
}

//! The book as sources for mdBook: the chapters, and a page for every component, op and word of the
//! language, made from the registry.

mod chapters;
mod components;
mod library;
mod words;

use std::path::Path;

use svc_contract::registry::Registry;

use chapters::Chapters;

/// Reads a file by its path from the folder of the chapters; `None` if it is not a readable file.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Option<Vec<u8>>;

/// A file of the book.
pub struct BookFile {
    /// Its path, with `/`.
    pub path: String,
    pub content: Vec<u8>,
}

/// The overview of the chapters, in their folder.
pub const OVERVIEW: &str = "README.md";

const SETTINGS: &str = r#"[book]
title = "svc"
description = "A pipeline language that is checked before it runs"
language = "en"

[build]
build-dir = "site"
# Braces in chapters are text.
use-default-preprocessors = false

[output.html]
no-section-label = true

[output.html.fold]
enable = true

[output.html.playground]
runnable = false
copyable = true

[output.html.search]
# Names of ops are in headings.
boost-title = 4
boost-hierarchy = 1
limit-results = 40
use-boolean-and = true
"#;

impl BookFile {
    fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: format!("src/{}", path.into()), content: text.into().into_bytes() }
    }

    /// Whether it is a page of Markdown.
    pub fn is_page(&self) -> bool {
        is_markdown(&self.path)
    }
}

/// A line of the table of contents, with those under it.
struct Entry {
    title: String,
    path: String,
    inner: Vec<Entry>,
}

impl Entry {
    fn new(title: &str, path: &str) -> Self {
        Self { title: title.to_owned(), path: path.to_owned(), inner: Vec::new() }
    }

    fn lines(&self, depth: usize) -> String {
        let own = format!("{}- [{}]({})\n", "  ".repeat(depth), self.title, self.path);
        self.inner.iter().fold(own, |text, it| text + &*it.lines(depth + 1))
    }
}

/// All files of the book: its settings, its contents and its pages. `None` if there are chapters
/// without an overview.
pub fn files(registry: &Registry, read: Option<ReadFile<'_>>) -> Option<Vec<BookFile>> {
    let chapters = match read {
        Some(read) => Chapters::read(read)?,
        None => Chapters::default(),
    };
    let (words, entry) = words::page(&chapters);
    let mut pages = vec![words];
    let mut reference = vec![entry];
    for (more, entry) in [components::pages(registry), library::pages()] {
        pages.extend(more);
        reference.push(entry);
    }
    let lines = |entries: &[Entry]| entries.iter().map(|it| it.lines(0)).collect::<String>();
    let contents = format!(
        "# Summary\n\n[Overview](index.md)\n\n# Chapters\n\n{}\n# Reference\n\n{}",
        lines(&chapters.entries),
        lines(&reference)
    );
    if chapters.entries.is_empty() {
        pages.push(BookFile::new("index.md", overview(&reference)));
    }
    pages.extend(chapters.pages);
    pages.push(BookFile::new("SUMMARY.md", contents.replace("# Chapters\n\n\n", "")));
    pages.push(BookFile { path: "book.toml".into(), content: SETTINGS.into() });
    Some(pages)
}

fn is_markdown(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|it| it == "md")
}

fn overview(reference: &[Entry]) -> String {
    let links: String =
        reference.iter().map(|it| ["- [", &it.title, "](", &it.path, ")\n"].concat()).collect();
    format!("# Reference of svc\n\n{links}")
}

/// A block of code; its fence is longer than any in it.
fn fenced(language: &str, text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end())
}

/// Code in a line.
fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_and_spans_hold_any_text() {
        assert_eq!(fenced("svc", "a\n```\nb\n"), "````svc\na\n```\nb\n````\n");
        assert_eq!((code("[T]"), code("a`b")), ("`[T]`".into(), "`` a`b ``".into()));
    }
}

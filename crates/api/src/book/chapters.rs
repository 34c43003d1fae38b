//! The chapters of the book, with links that lead to pages and files of the book only.

use std::collections::BTreeMap;

use svc_text::links::{Link, links};

use super::{BookFile, Entry, OVERVIEW, ReadFile, is_markdown};

/// The chapters that an overview names, and the files that they link to.
#[derive(Default)]
pub(super) struct Chapters {
    pub(super) entries: Vec<Entry>,
    pub(super) pages: Vec<BookFile>,
}

impl Chapters {
    pub(super) fn read(read: ReadFile<'_>) -> Option<Self> {
        let text = |name: &str| read(name).and_then(|it| String::from_utf8(it).ok());
        let mut texts = vec![(OVERVIEW.to_owned(), text(OVERVIEW)?)];
        for name in named(&texts[0].1) {
            if let Some(text) = text(&name) {
                texts.push((name, text));
            }
        }
        let entry = |(name, text): &(String, String)| Entry::new(title(text), name);
        let mut book = Linked { read, files: BTreeMap::new(), chapters: &texts };
        let pages: Vec<BookFile> = texts
            .iter()
            .map(|(name, text)| BookFile::new(place(name), book.linked(text)))
            .collect();
        let files = book
            .files
            .into_iter()
            .map(|(name, content)| BookFile { path: format!("src/{name}"), content });
        let pages = pages.into_iter().chain(files).collect();
        Some(Self { entries: texts.iter().skip(1).map(entry).collect(), pages })
    }

    /// Whether the book has a chapter.
    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|it| it.path == name)
    }
}

/// The path of a chapter in the book.
fn place(name: &str) -> &str {
    if name == OVERVIEW { "index.md" } else { name }
}

fn title(text: &str) -> &str {
    text.lines().find_map(|it| it.strip_prefix("# ")).unwrap_or("Chapter").trim()
}

/// The chapters that a text links to, in their order.
fn named(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for Link { target, .. } in links(text) {
        let name = target.split('#').next().unwrap_or_default();
        if is_markdown(name) && !name.contains('/') && !names.iter().any(|it| it == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The chapters while their links are changed.
struct Linked<'a> {
    read: ReadFile<'a>,
    /// The files that chapters link to, by their path in the book.
    files: BTreeMap<String, Vec<u8>>,
    chapters: &'a [(String, String)],
}

impl Linked<'_> {
    /// The text with links to places in the book. What the book does not have is named without a
    /// link.
    fn linked(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for Link { range, target } in links(&text).into_iter().rev() {
            let Some(source) = text.get(range.clone()).map(str::to_owned) else { continue };
            let end = format!("]({target})");
            let Some(shown) = source.strip_suffix(&end) else { continue };
            match self.target(&target) {
                Some(other) => text.replace_range(range, &format!("{shown}]({other})")),
                None => text.replace_range(range, shown.trim_start_matches(['!', '['])),
            }
        }
        text
    }

    fn target(&mut self, target: &str) -> Option<String> {
        if target.contains("://") || target.starts_with(['#', '<']) {
            return Some(target.to_owned());
        }
        let (name, anchor) = match target.split_once('#') {
            Some((name, anchor)) => (name, format!("#{anchor}")),
            None => (target, String::new()),
        };
        if self.chapters.iter().any(|(known, _)| known == name) {
            return Some(format!("{}{anchor}", place(name)));
        }
        // Pages of Markdown would need a place in the contents.
        let content = (self.read)(name).filter(|_| !is_markdown(name))?;
        let own = name.trim_start_matches("../").to_owned();
        self.files.insert(own.clone(), content);
        Some(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str) -> Option<Vec<u8>> {
        let text = match name {
            OVERVIEW => "# Book\n\n| [A](a.md) |\n|---|\n| [again](a.md#x), [gone](gone.md) |\n",
            "a.md" => {
                "# A *b*\n\n[home](README.md#book) ![plan](p.svg) [`c`](../x/c.rs) [d](../x) \
                 [web](https://a.example/b.md) `[n](o.md)` [self](#a-b) [e](../E.md)"
            }
            "p.svg" | "../x/c.rs" | "../E.md" => "file",
            _ => return None,
        };
        Some(text.into())
    }

    #[test]
    fn links_lead_to_places_in_the_book() {
        let chapters = Chapters::read(&read).unwrap();
        assert!(chapters.has("a.md") && !chapters.has("gone.md"));
        assert_eq!(chapters.entries[0].title, "A *b*");
        let paths: Vec<&str> = chapters.pages.iter().map(|it| &*it.path).collect();
        assert_eq!(paths, ["src/index.md", "src/a.md", "src/p.svg", "src/x/c.rs"]);
        let text = |idx: usize| String::from_utf8_lossy(&chapters.pages[idx].content);
        assert!(text(0).contains("[again](a.md#x), gone |"), "{}", text(0));
        let wanted = "[home](index.md#book) ![plan](p.svg) [`c`](x/c.rs) d \
                      [web](https://a.example/b.md) `[n](o.md)` [self](#a-b) e";
        assert!(text(1).ends_with(wanted), "{}", text(1));
    }

    #[test]
    fn chapters_need_an_overview() {
        assert!(Chapters::read(&|_| None).is_none());
    }
}

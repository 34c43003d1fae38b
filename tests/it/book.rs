//! The book: every chapter is in it, every component and op has a page, and no link is dead, neither in
//! the book nor between the pages of the repository.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Component, Path, PathBuf},
};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A page of Markdown: its links, and the anchors of its headings.
#[derive(Default)]
struct Page {
    links: Vec<String>,
    anchors: BTreeSet<String>,
}

impl Page {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let mut page = Self::default();
        let mut heading: Option<String> = None;
        for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.into_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::Text(text) | Event::Code(text) => {
                    heading = heading.map(|it| it + &*text);
                }
                Event::End(TagEnd::Heading(_)) => {
                    let title = heading.take().unwrap_or_default();
                    page.add_anchor(&anchor(&title));
                }
                _ => {}
            }
        }
        page
    }

    /// A heading that repeats another one has a number.
    fn add_anchor(&mut self, name: &str) {
        let numbered = (1..).map(|it| format!("{name}-{it}"));
        let mut names = [name.to_owned()].into_iter().chain(numbered);
        let free = names.find(|it| !self.anchors.contains(it)).unwrap();
        self.anchors.insert(free);
    }
}

/// The anchor of a heading, as GitHub and mdBook make it.
fn anchor(title: &str) -> String {
    let title = title.trim().to_lowercase();
    let letters = title.chars().filter(|it| it.is_alphanumeric() || matches!(it, ' ' | '-' | '_'));
    letters.map(|it| if it == ' ' { '-' } else { it }).collect()
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, it| {
        match it {
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir => {}
            other => path.push(other),
        }
        path
    })
}

/// The links of the pages that lead to no file, or to no heading of a page.
fn dead(pages: &[PathBuf]) -> Vec<String> {
    let read: BTreeMap<PathBuf, Page> =
        pages.iter().map(|it| (plain(it), Page::read(it))).collect();
    let mut dead = Vec::new();
    for (path, page) in &read {
        for link in page.links.iter().filter(|it| !it.contains("://")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => path.clone(),
                file => plain(&path.parent().unwrap().join(file)),
            };
            let has_heading = || {
                let other = target.extension().is_some_and(|it| it == "md");
                let other = other.then(|| Page::read(&target));
                heading.is_empty() || other.is_some_and(|it| it.anchors.contains(heading))
            };
            if !target.exists() || !has_heading() {
                dead.push(format!("{}: {link}", path.display()));
            }
        }
    }
    dead
}

/// The files of this extension in a folder and its folders.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|it| it == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn no_link_of_the_repository_is_dead() {
    let mut pages: Vec<PathBuf> = ["docs", "examples", "editors", "bindings", "benches"]
        .iter()
        .flat_map(|it| files(&root().join(it), "md"))
        .filter(|it| !it.components().any(|it| it.as_os_str() == "node_modules"))
        .collect();
    let own = fs::read_dir(root()).unwrap().map(|it| it.unwrap().path());
    pages.extend(own.filter(|it| it.extension().is_some_and(|it| it == "md")));
    assert!(pages.len() > 20, "{pages:?}");
    assert_eq!(dead(&pages), Vec::<String>::new());
}

#[test]
fn a_dead_link_is_found() {
    let place = tempfile::tempdir().unwrap();
    let page = place.path().join("a.md");
    let text = "# One\n\n## One\n\n[a](#one-1) [b](b.txt) [c](a.md#one) [d](#two) [e](c.txt) \
                [f](b.txt#x) [g](https://a.example/#x)";
    fs::write(&page, text).unwrap();
    fs::write(place.path().join("b.txt"), "").unwrap();
    let found = dead(&[page]);
    let links: Vec<&str> = found.iter().filter_map(|it| it.split(": ").last()).collect();
    assert_eq!(links, ["#two", "c.txt", "b.txt#x"]);
}

fn svc(args: &[&str]) -> std::process::Output {
    let svc = assert_cmd::cargo::cargo_bin!("svc");
    std::process::Command::new(svc).args(args).current_dir(root()).output().unwrap()
}

/// The targets of the table of contents, in its order.
fn contents(sources: &Path) -> Vec<String> {
    Page::read(&sources.join("SUMMARY.md")).links
}

#[test]
fn the_book_has_every_chapter_and_op_and_no_dead_link() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().to_str().unwrap();
    let done = svc(&["book", folder, "--chapters", "docs"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let sources = place.path().join("src");
    let pages = files(&sources, "md");
    assert_eq!(dead(&pages), Vec::<String>::new());

    // Every page is in the contents, once, and nothing else is.
    let listed = contents(&sources);
    let distinct: BTreeSet<PathBuf> = listed.iter().map(|it| sources.join(it)).collect();
    assert_eq!(distinct.len(), listed.len(), "a page is listed twice");
    let own = sources.join("SUMMARY.md");
    let written: BTreeSet<PathBuf> = pages.into_iter().filter(|it| *it != own).collect();
    assert_eq!(distinct, written);

    let listed: BTreeSet<String> = listed.into_iter().collect();
    for chapter in files(&root().join("docs"), "md") {
        let name = chapter.file_name().unwrap().to_str().unwrap();
        assert!(name == "README.md" || listed.contains(name), "docs/README.md lacks {name}");
    }
    for component in svc::engine().registry().components() {
        let page = format!("components/{}.md", component.name);
        assert!(listed.contains(&page), "{page}");
        for op in component.ops {
            let page = format!("components/{}/{}.md", component.name, op.name);
            let text = fs::read_to_string(sources.join(&page)).unwrap();
            let params = op.params.iter().map(svc::registry::Param::signature);
            let scripts = op.examples.iter().map(|it| it.script.trim().to_owned());
            for part in params.chain(scripts).chain([op.yields.show()]) {
                assert!(text.contains(&part), "{page} lacks {part}");
            }
        }
    }
}

#[test]
fn the_reference_needs_no_chapters() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().to_str().unwrap();
    assert!(svc(&["book", folder]).status.success());
    let sources = place.path().join("src");
    assert_eq!(dead(&files(&sources, "md")), Vec::<String>::new());
    assert_eq!(contents(&sources)[..2], ["index.md", "words.md"]);

    let done = svc(&["book", folder, "--chapters", "examples/data"]);
    let message = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(6), "{message}");
    assert!(message.contains("cannot read `examples/data/README.md`"), "{message}");
}

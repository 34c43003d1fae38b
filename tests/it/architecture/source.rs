//! Reads files of Rust as far as the rules need it: the paths that a file uses, and its public
//! types.

use std::{collections::BTreeMap, fs, path::PathBuf};

use super::root;

/// A file of Rust.
pub(super) struct Source {
    /// Its path from the root of the project.
    pub(super) name: String,
    /// The path of its module in its crate.
    pub(super) module: Vec<String>,
    pub(super) text: String,
    /// Its words and signs, without comments and strings.
    pub(super) tokens: Vec<String>,
}

/// The path of an imported item, without its root.
#[derive(Clone, Debug)]
pub(super) struct Used {
    pub(super) path: Vec<String>,
}

impl Used {
    /// Everything else that the crate's root exports belongs to the engine.
    pub(super) fn is_macro(&self) -> bool {
        matches!(self.path[0].as_str(), "params" | "record" | "choices" | "needs" | "without_body")
    }

    pub(super) fn shown(&self) -> String {
        self.path.join("::")
    }
}

impl Source {
    pub(super) fn new(name: &str, text: &str) -> Self {
        let inside = name.split_once("src/").map_or(name, |it| it.1);
        let parts = inside.trim_end_matches(".rs").split('/').map(str::to_owned);
        let module = parts.filter(|it| !matches!(it.as_str(), "mod" | "lib" | "main")).collect();
        Self { name: name.to_owned(), module, text: text.to_owned(), tokens: tokens(text) }
    }

    pub(super) fn is_of(&self, crate_name: &str) -> bool {
        self.name.starts_with(&format!("crates/{crate_name}/"))
    }

    /// The folder of its crate; the empty path for the root. Files outside `src` have none.
    pub(super) fn crate_folder(&self) -> Option<&str> {
        let root = self.name.starts_with("src/").then_some("");
        root.or_else(|| self.name.split_once("/src/").map(|it| it.0))
    }

    /// The names of its public types, without those in macros and tests.
    pub(super) fn public_types(&self) -> Vec<&str> {
        const SKIPPED: [&[&str]; 2] =
            [&["macro_rules", "!"], &["#", "[", "cfg", "(", "test", ")", "]"]];
        let mut names = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let skipped = SKIPPED.iter().find(|it| self.is_at(at, it));
            if let Some(skipped) = skipped {
                at = self.item_end(at + skipped.len());
                continue;
            }
            let is_type = matches!(self.token(at + 1), "struct" | "enum" | "trait" | "type");
            if self.token(at) == "pub" && is_type && is_word(self.token(at + 2)) {
                names.push(self.token(at + 2));
            }
            at += 1;
        }
        names
    }

    /// The index after an item: after its `;` or its block.
    pub(super) fn item_end(&self, start: usize) -> usize {
        let mut depth = 0_usize;
        for at in start..self.tokens.len() {
            match self.token(at) {
                "{" | "(" | "[" => depth += 1,
                "}" if depth <= 1 => return at + 1,
                "}" | ")" | "]" => depth = depth.saturating_sub(1),
                ";" if depth == 0 => return at + 1,
                _ => {}
            }
        }
        self.tokens.len()
    }

    /// Everything that is used by a path from `root`. Paths from `super` are made absolute.
    pub(super) fn uses(&self, root: &str) -> Vec<Used> {
        let mut used = Vec::new();
        for (idx, token) in self.tokens.iter().enumerate() {
            let before = idx.checked_sub(1).map_or("", |it| self.tokens[it].as_str());
            if token != root || before == "::" {
                continue;
            }
            let start = if root == "super" { self.parent(idx) } else { Vec::new() };
            self.tree(idx + 1, start, &mut used);
        }
        used.retain(|it| !it.path.is_empty());
        used
    }

    /// The parent module of the one that contains the token `idx`.
    pub(super) fn parent(&self, idx: usize) -> Vec<String> {
        let mut module = self.module.clone();
        let mut braces = Vec::new();
        for (at, token) in self.tokens[..idx].iter().enumerate() {
            match token.as_str() {
                "{" => braces.push(at > 1 && self.token(at - 2) == "mod"),
                "}" => drop(braces.pop()),
                _ => {}
            }
        }
        let inline = braces.into_iter().filter(|is_module| *is_module).count();
        module.extend(std::iter::repeat_n("inline".to_owned(), inline));
        module.pop();
        module
    }

    /// Reads the rest of a path; returns the index after it.
    pub(super) fn tree(&self, at: usize, mut path: Vec<String>, used: &mut Vec<Used>) -> usize {
        if self.token(at) != "::" {
            used.push(Used { path });
            return at;
        }
        match self.token(at + 1) {
            "{" => self.branches(at + 2, &path, used),
            "super" => {
                path.pop();
                self.tree(at + 2, path, used)
            }
            "self" => self.tree(at + 2, path, used),
            name if is_word(name) => {
                path.push(name.to_owned());
                self.tree(at + 2, path, used)
            }
            _ => {
                used.push(Used { path });
                at + 2
            }
        }
    }

    pub(super) fn branches(&self, mut at: usize, path: &[String], used: &mut Vec<Used>) -> usize {
        while !matches!(self.token(at), "}" | "") {
            if is_word(self.token(at)) {
                let name = Some(self.token(at).to_owned()).filter(|it| it != "self");
                at = self.tree(at + 1, path.iter().cloned().chain(name).collect(), used);
                // `Op as _`
                while !matches!(self.token(at), "," | "}" | "") {
                    at += 1;
                }
            } else {
                at += 1;
            }
        }
        at + 1
    }

    /// Whether these tokens stand at an index.
    pub(super) fn is_at(&self, at: usize, wanted: &[&str]) -> bool {
        wanted.iter().enumerate().all(|(idx, it)| self.token(at + idx) == *it)
    }

    pub(super) fn token(&self, idx: usize) -> &str {
        self.tokens.get(idx).map_or("", String::as_str)
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|it: char| it.is_alphabetic() || it == '_')
}

/// Words, `::` and single characters. Strings and comments are skipped; a raw string is read up to
/// its first quote, which is close enough to find paths.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let len = match next {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '"' => string_len(rest),
            '\'' if rest[1..].starts_with(['"', '\\']) => {
                2 + rest[2..].find('\'').map_or(0, |it| it + 1)
            }
            ':' if rest.starts_with("::") => push(&mut tokens, rest, 2),
            it if it.is_alphanumeric() || it == '_' => {
                let word = rest.find(|it: char| !it.is_alphanumeric() && it != '_');
                push(&mut tokens, rest, word.unwrap_or(rest.len()))
            }
            it if it.is_whitespace() => it.len_utf8(),
            it => push(&mut tokens, rest, it.len_utf8()),
        };
        rest = &rest[len..];
    }
    tokens
}

fn push(tokens: &mut Vec<String>, rest: &str, len: usize) -> usize {
    tokens.push(rest[..len].to_owned());
    len
}

fn string_len(text: &str) -> usize {
    let mut escaped = false;
    for (idx, it) in text.char_indices().skip(1) {
        match it {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return idx + 1,
            _ => {}
        }
    }
    text.len()
}

/// All files of Rust that are not tests of the whole, by name.
pub(super) fn sources() -> Vec<Source> {
    let mut files = BTreeMap::new();
    let mut folders: Vec<PathBuf> = vec![root().join("src"), root().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") && !path.ends_with("build.rs") {
                let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
                files.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    assert!(files.len() > 10, "the sources are found");
    files.iter().map(|(name, text)| Source::new(name, text)).collect()
}

#[test]
fn public_types_are_found() {
    let text = r"
        // pub struct Comment;
        pub struct A { pub x: u8 }
        pub(crate) struct Inner;
        macro_rules! made { ($name:ident) => { pub struct $name; pub struct Fixed; }; }
        mod nested { pub enum B<T> { One(T) } }
        #[cfg(test)]
        use other::{Some, Names};
        pub trait C { type Inside; }
        #[cfg(test)]
        mod tests { pub struct Tested { x: [u8; 2] } fn f() {} }
        pub type D = u8;
    ";
    let source = Source::new("crates/engine/src/file.rs", text);
    assert_eq!(source.public_types(), ["A", "B", "C", "D"]);
    assert_eq!(source.crate_folder(), Some("crates/engine"));
}

#[test]
fn nested_imports_are_found() {
    let text = r#"
        // use crate::comment;
        use crate::{diag::{self, Span}, registry::{Op as _, Registry}};
        fn f() -> crate::value::Value { "crate::text" }
        pub(crate) use super::super::other::{a, b::*};
        mod tests { use super::*; }
    "#;
    let source = Source::new("crates/engine/src/run/deep/file.rs", text);
    let shown = |it: Vec<Used>| it.iter().map(Used::shown).collect::<Vec<_>>();
    assert_eq!(
        shown(source.uses("crate")),
        ["diag", "diag::Span", "registry::Op", "registry::Registry", "value::Value"]
    );
    assert_eq!(shown(source.uses("super")), ["run::other::a", "run::other::b", "run::deep::file"]);
}

//! Files and folders that a goal names, and the words that say which of their parts are meant.

use svc_text::stems::Vocabulary;

use super::words::{Literal, Token, tokens};

/// A file or folder that a goal may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The path, as in the goal.
    pub path: String,
    /// The files of the folder that are meant: `*.md`.
    pub glob: Option<String>,
    /// Names that a sheet of the workbook may have.
    pub sheets: Vec<String>,
    /// Whether the goal says that it is a file or a folder. Another word is one if it exists.
    pub is_sure: bool,
}

const FOLDER: [&str; 5] = ["folder", "folders", "directory", "directories", "dir"];

/// Words behind which a folder may stand: `all files in minutes`.
const INSIDE: [&str; 7] = ["in", "from", "of", "inside", "within", "across", "under"];

/// Formats that are called by a name, with their extensions.
pub(crate) const FORMATS: [(&str, &str); 14] = [
    ("markdown", "md"),
    ("text", "txt"),
    ("python", "py"),
    ("rust", "rs"),
    ("javascript", "js"),
    ("shell", "sh"),
    ("html", "html"),
    ("css", "css"),
    ("csv", "csv"),
    ("json", "json"),
    ("yaml", "yaml"),
    ("toml", "toml"),
    ("xml", "xml"),
    ("log", "log"),
];

/// The files and folders that a goal may name.
pub fn named(goal: &str) -> Vec<Named> {
    let tokens = tokens(goal, &mut Vocabulary::default());
    let glob = glob(&tokens).map(|(_, it)| it);
    let mut all: Vec<Named> = Vec::new();
    for at in 0..tokens.len() {
        let Some(is_sure) = naming(&tokens, at) else { continue };
        let path = tokens[at].text.clone();
        if !all.iter().any(|it| it.path == path) {
            let sheets = sheet_names(&tokens).map(|(_, it)| it).collect();
            all.push(Named { path, glob: glob.clone(), sheets, is_sure });
        }
    }
    all
}

/// Whether a token may name a file or a folder, and whether that is sure.
fn naming(tokens: &[Token], at: usize) -> Option<bool> {
    let token = &tokens[at];
    if matches!(token.literal, Some(Literal::Path(_))) {
        return Some(true);
    }
    if token.is_stop || token.literal.is_some() {
        return None;
    }
    let before = |back: usize| Some(tokens.get(at.checked_sub(back)?)?.lower.as_str());
    let is_thing = |it: Option<&str>| it.is_some_and(|it| FOLDER.contains(&it) || it == "file");
    let behind = tokens.get(at + 1).filter(|_| !token.ends).map(|it| it.lower.as_str());
    let is_called = matches!(before(1), Some("called" | "named")) && is_thing(before(2));
    if is_thing(before(1)) || is_thing(behind) || is_called {
        return Some(true);
    }
    let is_inside = before(1).is_some_and(|it| INSIDE.contains(&it)) || behind.is_some_and(is_file);
    is_inside.then_some(false)
}

/// Marks the words that name files and folders which were found.
pub(super) fn mark(tokens: &mut [Token], paths: &[&str]) {
    for at in 0..tokens.len() {
        if paths.contains(&tokens[at].text.as_str()) && naming(tokens, at).is_some() {
            tokens[at].literal = Some(Literal::Path(tokens[at].text.clone()));
        }
    }
}

/// The files that are meant, by their format: `the .py files`, `the Markdown notes`. Returns the
/// place of the word that says so.
pub(super) fn glob(tokens: &[Token]) -> Option<(usize, String)> {
    (0..tokens.len()).find_map(|at| {
        let token = &tokens[at];
        let next = tokens.get(at + 1).filter(|_| !token.ends)?;
        let extension = match token.lower.strip_prefix('.') {
            Some(it) if it.chars().all(char::is_alphanumeric) => it,
            _ => FORMATS.iter().find(|(name, _)| *name == token.lower)?.1,
        };
        is_file(&next.lower).then(|| (at, format!("*.{extension}")))
    })
}

/// Whether a word means a file, whatever is in it.
pub(super) fn is_file(word: &str) -> bool {
    matches!(
        word,
        "file"
            | "files"
            | "document"
            | "documents"
            | "note"
            | "notes"
            | "page"
            | "pages"
            | "log"
            | "logs"
    )
}

/// The names that a sheet may have, with their places: `the sheet Travel`, `the tab 2026`.
fn sheet_names(tokens: &[Token]) -> impl Iterator<Item = (usize, String)> {
    let is_sheet = |it: &Token| matches!(it.lower.as_str(), "sheet" | "tab" | "worksheet");
    let near = (0..tokens.len()).filter(move |at| is_sheet(&tokens[*at])).flat_map(|at| {
        let behind = if tokens.get(at + 1).is_some_and(|it| it.lower == "called") { 2 } else { 1 };
        [Some(at + behind), at.checked_sub(1)]
    });
    let name = |at: usize| {
        let token = tokens.get(at)?;
        let is_path = matches!(token.literal, Some(Literal::Path(_)));
        (!token.is_stop && !is_path).then(|| (at, token.text.clone()))
    };
    near.flatten().filter_map(name)
}

/// The words around a path that only say what it is: `the folder minutes`, `the gzipped dump`, and
/// those that name its sheet or its files.
pub(super) fn around(tokens: &[Token], paths: &[&str], reader: &str) -> Vec<usize> {
    const KINDS: [&str; 13] = [
        "folder",
        "directory",
        "dir",
        "archive",
        "zip",
        "zipped",
        "gzipped",
        "compressed",
        "tarball",
        "workbook",
        "spreadsheet",
        "subfolders",
        "subdirectories",
    ];
    let is_it = |it: &Token| matches!(&it.literal, Some(Literal::Path(own)) if paths.contains(&own.as_str()));
    let mut all = Vec::new();
    for at in (0..tokens.len()).filter(|at| is_it(&tokens[*at])) {
        let near = at.saturating_sub(3)..(at + 4).min(tokens.len());
        all.extend(near.filter(|it| {
            let lower = tokens[*it].lower.as_str();
            let is_next = matches!(lower, "called" | "named" | "inside" | "file");
            KINDS.contains(&lower) || is_next && it.abs_diff(at) == 1
        }));
    }
    all.extend(glob(tokens).filter(|(_, it)| reader.contains(it.as_str())).map(|(at, _)| at));
    let sheets = sheet_names(tokens).filter(|(_, it)| reader.contains(&format!("sheet: {it:?}")));
    for (at, sheet) in sheets {
        // The sheet may be said twice: `what we spent on travel`.
        let lower = sheet.to_lowercase();
        all.extend((0..tokens.len()).filter(|it| tokens[*it].lower == lower));
        let is_sheet = |it: &usize| matches!(tokens[*it].lower.as_str(), "sheet" | "tab");
        all.extend((at.saturating_sub(2)..(at + 2).min(tokens.len())).filter(is_sheet));
    }
    all
}

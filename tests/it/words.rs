//! The words of messages, comments and pages, held to the list in STYLE.md.

use std::{fs, path::Path, sync::LazyLock};

use ignore::WalkBuilder;
use regex::Regex;

const STYLE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/STYLE.md"));

/// The endings of the files that are read.
const READ: &[&str] = &["rs", "md", "svc", "toml", "json", "rhai", "yml"];

/// The list itself, the history, and lists of words. Users of the guide write as they like.
const EXEMPT: &[&str] = &[
    "STYLE.md",
    "CHANGELOG.md",
    "crates/text/src/claims/words.rs",
    "crates/text/src/stems.rs",
    "crates/guide/src/closed.rs",
    "crates/guide/src/tables/lexicon.rs",
    // Words of users, too.
    "crates/text/src/answers/question.rs",
    "crates/text/src/answers/irregular.rs",
    "crates/text/src/answers/light.rs",
    "crates/text/src/answers/synonyms.rs",
    "crates/text/src/answers/thesaurus.rs",
    "crates/text/src/answers/wordings.rs",
];

/// The words to avoid, as one pattern.
static AVOIDED: LazyLock<Regex> = LazyLock::new(|| {
    let table = STYLE.split("## Words that are not used").nth(1).unwrap();
    let rows = table.lines().filter_map(|it| it.strip_prefix("| ")?.split(" | ").next());
    let words = rows.skip(1).flat_map(|it| it.split(", ")).map(regex::escape);
    let words = words.collect::<Vec<_>>();
    assert!(words.len() > 10, "the list of STYLE.md is not found");
    Regex::new(&format!(r"(?i)\b(?:{})\b", words.join("|"))).unwrap()
});

/// The strings and comments of Rust.
static PROSE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?sx) //[^\n]* | r\#"(?:.*?)"\# | "(?:[^"\\]|\\.)*" | '(?:\\.|[^\\'])'"#).unwrap()
});

/// Whether a word is a name, whose field has the term: a string of its own, or the op of `adapt_optimize`.
fn is_name(part: &str, word: &regex::Match) -> bool {
    part.strip_prefix('"').and_then(|it| it.strip_suffix('"')) == Some(word.as_str())
        || part[..word.start()].ends_with("adapt_optimize.")
}

#[test]
fn words_of_the_list_are_not_used() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let files = WalkBuilder::new(root).hidden(false).build().flatten();
    for file in files.filter(|it| it.file_type().is_some_and(|it| it.is_file())) {
        let path = file.path().strip_prefix(root).unwrap();
        let is_read = path.extension().is_some_and(|it| READ.iter().any(|read| it == *read));
        let is_free = EXEMPT.iter().any(|it| path == Path::new(it))
            || path.starts_with("target")
            || path.starts_with("tests/goals")
            || path.starts_with("tests/it/snapshots");
        if !is_read || is_free {
            continue;
        }
        let Ok(text) = fs::read_to_string(file.path()) else { continue };
        let is_rust = path.extension().is_some_and(|it| it == "rs");
        let parts: Vec<(usize, &str)> = if is_rust {
            PROSE.find_iter(&text).map(|it| (it.start(), it.as_str())).collect()
        } else {
            vec![(0, &text)]
        };
        for (start, part) in parts {
            for word in AVOIDED.find_iter(part).filter(|it| !is_name(part, it)) {
                let line = text[..start + word.start()].lines().count();
                found.push(format!("{}:{line}: {}", path.display(), word.as_str()));
            }
        }
    }
    assert!(found.is_empty(), "avoid the words of STYLE.md:\n{}", found.join("\n"));
}

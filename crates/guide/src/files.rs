//! Goals about files themselves, whatever is in them: copy, move, rename, delete, and convert.

use svc_contract::value::literal;

use crate::{
    closed::negates,
    tables::{
        Answer, FORMATS,
        words::{Literal, Token},
    },
};

/// The formats of which each document can be converted to the others.
const FORMATS_OF_DOCUMENTS: [&str; 3] = ["json", "yaml", "toml"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    Copy,
    Move,
    Delete,
}

impl Verb {
    fn of(word: &str) -> Option<Self> {
        match word {
            "copy" | "duplicate" => Some(Self::Copy),
            "move" | "rename" | "relocate" => Some(Self::Move),
            "delete" | "remove" | "erase" => Some(Self::Delete),
            _ => None,
        }
    }

    fn op(self) -> &'static str {
        match self {
            Self::Copy => "copy_file",
            Self::Move => "move_file",
            Self::Delete => "delete_file",
        }
    }
}

/// The script for a goal that names files and what becomes of them, and says nothing else but words
/// that only ask.
pub(crate) fn answer(
    goal: &str,
    tokens: &[Token],
    asks: &dyn Fn(&Token) -> bool,
) -> Option<Answer> {
    if tokens.iter().any(|it| negates(&it.lower)) {
        return None;
    }
    let says = |it: &Token| !it.is_stop && !asks(it) && !is_noun(&it.lower);
    let content: Vec<usize> = (0..tokens.len())
        .filter(|at| says(&tokens[*at]) || tokens[*at].literal.is_some())
        .collect();
    if let Some(script) = converted(tokens, &content) {
        return Some(answered(goal, &script));
    }
    let (first, rest) = content.split_first()?;
    if let Some(script) = joined(tokens, *first, rest) {
        return Some(answered(goal, &script));
    }
    let verb = Verb::of(&tokens[*first].lower)?;
    let script = one_file(verb, tokens, rest).or_else(|| all_files(verb, tokens, rest))?;
    Some(answered(goal, &script))
}

fn answered(goal: &str, script: &str) -> Answer {
    let stage = script.rsplit(" >> ").next().unwrap_or_default().to_owned();
    let script = format!("{}\n", script.replace(" >> ", "\n  >> "));
    Answer { script, parts: vec![(goal.trim().to_owned(), stage)] }
}

/// `convert a.toml to json and save it as a.json`, `a.yaml as toml`: all of a document, in another format.
fn converted(tokens: &[Token], content: &[usize]) -> Option<String> {
    const VERBS: [&str; 10] = [
        "convert",
        "turn",
        "transform",
        "change",
        "save",
        "write",
        "store",
        "export",
        "translate",
        "rewrite",
    ];
    let format = |it: &str| match it {
        "yml" => Some("yaml"),
        "json" | "yaml" | "toml" => FORMATS_OF_DOCUMENTS.iter().find(|own| **own == it).copied(),
        _ => None,
    };
    let mut files: Vec<(usize, &str, &str)> = Vec::new();
    let mut said = None;
    for at in content.iter().copied() {
        let token = &tokens[at];
        match &token.literal {
            Some(Literal::Path(path)) => {
                files.push((at, path, format(path.rsplit_once('.')?.1)?));
            }
            Some(_) => return None,
            None if VERBS.contains(&token.lower.as_str()) => {}
            None => {
                let is_free = said.is_none() && before(tokens, at, &["to", "as", "into", "in"]);
                said = Some(format(token.lower.as_str()).filter(|_| is_free)?);
            }
        }
    }
    let (from, target) = match files.as_slice() {
        [from] => (from, None),
        [from, to] if is_aim(tokens, to.0) => (from, Some(to)),
        _ => return None,
    };
    let to = said.or(target.map(|it| it.2))?;
    if target.is_some_and(|it| it.2 != to) || from.2 == to || is_aim(tokens, from.0) {
        return None;
    }
    let read = format!("read_text(path: {})", literal::text(from.1));
    let written =
        target.map_or(String::new(), |it| format!(" >> write_file(to: {})", literal::text(it.1)));
    Some(format!("{read} >> convert(from: \"{}\", to: \"{to}\"){written}", from.2))
}

/// `put all md files in notes together into one file all.md`
fn joined(tokens: &[Token], first: usize, rest: &[usize]) -> Option<String> {
    const VERBS: [&str; 6] = ["merge", "concatenate", "combine", "join", "put", "append"];
    if !VERBS.contains(&tokens[first].lower.as_str())
        || !tokens.iter().any(|it| it.lower == "files")
    {
        return None;
    }
    let is_filler = |it: &usize| matches!(&*tokens[*it].lower, "together" | "one" | "single");
    let rest: Vec<usize> = rest.iter().copied().filter(|it| !is_filler(it)).collect();
    let (glob, folder, to) = match rest.as_slice() {
        [glob, folder, to] => (glob_of(&tokens[*glob])?, *folder, *to),
        [folder, to] => ("*".to_owned(), *folder, *to),
        _ => return None,
    };
    let Some(Literal::Path(target)) = &tokens[to].literal else { return None };
    let is_source = before(tokens, folder, &["from", "in", "of", "inside"]);
    let is_folder = !name(&tokens[folder].text).contains('.');
    let is_there = tokens[..to]
        .iter()
        .rev()
        .take(4)
        .any(|it| matches!(&*it.lower, "to" | "into" | "in" | "as"));
    (is_source && is_folder && is_there).then(|| {
        let (folder, glob) = (literal::text(&tokens[folder].text), literal::text(&glob));
        let target = literal::text(target);
        format!(
            "read_files(folder: {folder}, glob: {glob}) >> each {{ .text }} >> join(sep: \"\\n\") >> write_file(to: {target})"
        )
    })
}

/// `copy a.txt to old/a.txt`, `rename a.txt to b.txt`, `delete a.txt`
fn one_file(verb: Verb, tokens: &[Token], rest: &[usize]) -> Option<String> {
    let path = |at: usize| match &tokens[at].literal {
        Some(Literal::Path(it)) if !it.contains('*') => Some(it.as_str()),
        _ => None,
    };
    match (verb, rest) {
        (Verb::Delete, [from]) => {
            Some(format!("delete_file(path: {})", literal::text(path(*from)?)))
        }
        (Verb::Copy | Verb::Move, [from, to]) if is_aim(tokens, *to) => {
            let (from, to) = (path(*from)?, path(*to).unwrap_or(&tokens[*to].text));
            let (from_name, to_name) = (name(from), name(to));
            // A folder keeps the name of the file.
            let is_folder = from_name.contains('.') && !to_name.contains('.');
            let to = if is_folder {
                format!("{}/{from_name}", to.trim_end_matches('/'))
            } else {
                to.to_owned()
            };
            let (from, to) = (literal::text(from), literal::text(&to));
            Some(format!("{}(path: {from}, to: {to})", verb.op()))
        }
        _ => None,
    }
}

/// `copy all .txt files from inbox to archive`: those of the folder itself, since two of its
/// folders may have files of one name.
fn all_files(verb: Verb, tokens: &[Token], rest: &[usize]) -> Option<String> {
    let has_all = tokens.iter().any(|it| matches!(&*it.lower, "files" | "everything"));
    if verb == Verb::Delete || !has_all {
        return None;
    }
    let (glob, rest) = match rest {
        [glob, from, to] => (glob_of(&tokens[*glob])?, [*from, *to]),
        [from, to] => ("*".to_owned(), [*from, *to]),
        _ => return None,
    };
    let [from, to] = rest;
    let is_source = from > 0 && before(tokens, from, &["from", "in", "of", "inside"]);
    if !is_source || !is_aim(tokens, to) {
        return None;
    }
    let folder = |at: usize| {
        let text = tokens[at].text.trim_end_matches('/');
        (!name(text).contains('.') && !text.contains('*')).then(|| text.to_owned())
    };
    let (from, to) = (folder(from)?, folder(to)?);
    let plain = |it: &str| !it.contains(['"', '$', '\\']);
    (plain(&from) && plain(&to)).then(|| {
        format!(
            "list_files(folder: \"{from}\", glob: {}) >> where {{ show(.path) == \"{from}/${{.name}}\" }} >> each {{ {}(path: .path, to: \"{to}/${{.name}}\") }}",
            literal::text(&glob),
            verb.op()
        )
    })
}

/// The files of a format: `.txt`, `*.txt`, `text`, `md`; no other word says which are meant.
fn glob_of(token: &Token) -> Option<String> {
    let lower = token.lower.strip_prefix('*').unwrap_or(&token.lower);
    let extension = match lower.strip_prefix('.') {
        Some(it) => it.chars().all(char::is_alphanumeric).then_some(it),
        None => FORMATS.iter().find(|it| it.0 == lower || it.1 == lower).map(|it| it.1),
    };
    extension.map(|it| format!("*.{it}"))
}

/// Whether something is put there: `to b.txt`, `into the folder old`.
fn is_aim(tokens: &[Token], at: usize) -> bool {
    before(tokens, at, &["to", "into", "as", "called", "named"])
}

/// Whether one of these words stands before a token, with nothing but articles and nouns of files
/// between them.
fn before(tokens: &[Token], at: usize, words: &[&str]) -> bool {
    tokens[..at]
        .iter()
        .rev()
        .take_while(|it| it.is_stop || is_noun(&it.lower))
        .any(|it| words.contains(&it.lower.as_str()))
}

fn is_noun(word: &str) -> bool {
    matches!(
        word,
        "file" | "files" | "folder" | "directory" | "called" | "named" | "new" | "name" | "into"
    )
}

fn name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use svc_text::stems::Vocabulary;

    use super::*;
    use crate::tables::words::tokens;

    fn script(goal: &str) -> Option<String> {
        let tokens = tokens(goal, &mut Vocabulary::default());
        let asks = |it: &Token| it.lower == "please";
        answer(goal, &tokens, &asks).map(|it| it.script.trim_end().replace("\n  ", " "))
    }

    #[test]
    fn files_are_moved_by_their_names() {
        for (goal, expected) in [
            ("copy a.csv to b.csv", r#"copy_file(path: "a.csv", to: "b.csv")"#),
            ("Rename in/a.txt to in/b.txt.", r#"move_file(path: "in/a.txt", to: "in/b.txt")"#),
            (
                "please move a.txt into the folder old",
                r#"move_file(path: "a.txt", to: "old/a.txt")"#,
            ),
            ("delete the file tmp/a.txt", r#"delete_file(path: "tmp/a.txt")"#),
            (
                "put all the md files in notes together into one file all.md",
                r#"read_files(folder: "notes", glob: "*.md") >> each { .text } >> join(sep: "\n") >> write_file(to: "all.md")"#,
            ),
            (
                "Copy all .txt files from inbox to archive",
                r#"list_files(folder: "inbox", glob: "*.txt") >> where { show(.path) == "inbox/${.name}" } >> each { copy_file(path: .path, to: "archive/${.name}") }"#,
            ),
        ] {
            assert_eq!(script(goal).as_deref(), Some(expected), "{goal}");
        }
    }

    #[test]
    fn what_says_more_is_not_about_files() {
        for goal in [
            "copy the first line of a.txt to b.txt",
            "remove the duplicate rows from a.csv",
            "move a.txt",
            "delete everything",
            "copy a.txt to b.txt and c.txt",
            "do not delete a.txt",
            "copy all old files from inbox to archive",
        ] {
            assert_eq!(script(goal), None, "{goal}");
        }
    }
}

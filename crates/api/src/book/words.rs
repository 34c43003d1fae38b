//! The page of the words and signs of the language.

use svc_lang::constructs::{self, Construct};

use super::{BookFile, Entry, chapters::Chapters, code, fenced};

pub(super) fn page(chapters: &Chapters) -> (BookFile, Entry) {
    let (title, path) = ("Words of the language", "words.md");
    let head = format!("# {title}\n\nWhat each word and sign means, in the order of the book.\n");
    let text = constructs::all().fold(head, |page, it| page + &*section(it, chapters));
    (BookFile::new(path, text), Entry::new(title, path))
}

fn section(construct: &Construct, chapters: &Chapters) -> String {
    let Construct { words, summary, form, example, result, fails, chapter, .. } = construct;
    let words: Vec<String> = words.iter().map(|it| code(it)).collect();
    let mut section = format!("\n## {}\n\n{summary}\n\n", words.join(" "));
    section += &format!("{}\nFor example:\n\n{}", fenced("svc", form), fenced("svc", example));
    if *result != "null" {
        section += &format!("\nResult:\n\n{}", fenced("json", result));
    }
    section += &format!("\n{fails}\n");
    let file = chapter.split('#').next().unwrap_or_default();
    if chapters.has(file) {
        section += &format!("\n[More about it]({chapter})\n");
    }
    section
}

//! The Rust programs of `docs/embedding.md` compile and run.
//!
//! The chapter shows what matters, and leaves out what a program around it has. That is in
//! `tests/embedding`: each file there is a module of one program, in which a line
//! `// block: TITLE, N` stands for the block number `N` below the heading `TITLE`. The function
//! `run` of the module runs it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::rustc::{Libraries, said};

/// The blocks of the chapter in Rust, by heading and number.
type Blocks = BTreeMap<String, String>;

#[test]
fn the_programs_of_the_chapter_run() {
    let blocks = blocks(&fs::read_to_string("docs/embedding.md").unwrap());
    let folder = tempfile::tempdir().unwrap();
    let main = written(&blocks, folder.path());
    let program = folder.path().join("chapter");
    let output = Libraries::of_this_build().compile(&main, &program, &["link"]);
    assert!(output.status.success(), "{}", said(&output, &folder.path().to_string_lossy()));
    let ran = Command::new(program).env("XDG_CACHE_HOME", folder.path()).output().unwrap();
    let error = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{}{error}", String::from_utf8_lossy(&ran.stdout));
}

fn blocks(chapter: &str) -> Blocks {
    let mut blocks = Blocks::new();
    let (mut title, mut number) = (String::new(), 0);
    let mut lines = chapter.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|it| *it != "```").collect();
            if language.starts_with("rust") {
                assert_eq!(language, "rust", "every block in Rust runs");
                number += 1;
                blocks.insert(format!("{title}, {number}"), block.join("\n"));
            }
        } else if line.starts_with('#') {
            (title, number) = (line.trim_start_matches('#').trim().to_owned(), 0);
        }
    }
    blocks
}

/// Writes the program to a folder, and returns its main file.
fn written(blocks: &Blocks, folder: &Path) -> PathBuf {
    let mut used = BTreeSet::new();
    let (mut modules, mut calls) = (String::new(), String::new());
    for entry in fs::read_dir("tests/embedding").unwrap() {
        let path = entry.unwrap().path();
        let text = filled(&fs::read_to_string(&path).unwrap(), blocks, &mut used);
        fs::write(folder.join(path.file_name().unwrap()), text).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let _ = writeln!(modules, "mod {name};");
        let _ =
            writeln!(calls, "    {name}::run().unwrap_or_else(|err| panic!(\"{name}: {{err}}\"));");
    }
    let unused: Vec<&String> = blocks.keys().filter(|it| !used.contains(*it)).collect();
    assert!(unused.is_empty(), "no file of tests/embedding contains {unused:?}");
    let main = folder.join("main.rs");
    fs::write(&main, format!("{modules}\nfn main() {{\n{calls}}}\n")).unwrap();
    main
}

/// A file with the blocks that it names.
fn filled(text: &str, blocks: &Blocks, used: &mut BTreeSet<String>) -> String {
    let line = |line: &str| match line.trim().strip_prefix("// block: ") {
        Some(name) => {
            used.insert(name.to_owned());
            let block = blocks.get(name);
            block.cloned().unwrap_or_else(|| panic!("the chapter has no block `{name}`"))
        }
        None => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

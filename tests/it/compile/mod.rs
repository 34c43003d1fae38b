//! Programs of those who embed the engine: what the compiler says of common mistakes, and the
//! programs of `docs/embedding.md`.

mod chapter;
mod rustc;

use std::{fs, path::Path};

use rustc::{Libraries, said};

/// The mistakes of `tests/compile`, each a program that does not compile. A message is good if it
/// names the mistake in words of this project, at its place.
#[test]
fn common_mistakes_have_readable_messages() {
    let libraries = Libraries::of_this_build();
    let out = tempfile::tempdir().unwrap();
    let mut cases: Vec<_> =
        fs::read_dir("tests/compile").unwrap().map(|it| it.unwrap().path()).collect();
    cases.sort();
    assert!(cases.len() > 20, "the mistakes are found");
    let messages = rustc::in_parallel(&cases, |case| {
        let output = libraries.compile(case, &out.path().join(name(case)), &["metadata"]);
        (output.status.success(), said(&output, "tests/compile/"))
    });
    for (case, (compiles, message)) in cases.iter().zip(messages) {
        assert!(!compiles, "{} compiles", case.display());
        insta::assert_snapshot!(name(case), message);
    }
}

fn name(case: &Path) -> String {
    case.file_stem().unwrap().to_string_lossy().into_owned()
}

//! `svc fmt`: how it formats scripts, and what it never changes.

use std::{
    fs,
    path::{Path, PathBuf},
};

use proptest::prelude::*;

use crate::{drafts::Draft, laws::assert_format_is_lawful};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every script of the tests and of the examples.
fn scripts() -> Vec<PathBuf> {
    let mut folders = vec![root().join("tests/scripts"), root().join("examples")];
    let mut scripts = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "svc") {
                scripts.push(path);
            }
        }
    }
    scripts.sort();
    scripts
}

#[test]
fn every_script_keeps_its_meaning_and_its_comments() {
    let scripts = scripts();
    assert!(scripts.len() > 150, "{} scripts", scripts.len());
    for script in scripts {
        assert_format_is_lawful(&fs::read_to_string(script).unwrap());
    }
}

#[test]
fn the_examples_are_formatted() {
    for script in scripts().iter().filter(|it| it.starts_with(root().join("examples"))) {
        let text = fs::read_to_string(script).unwrap();
        assert_eq!(svc_lang::syntax::format(&text).text, text, "{}", script.display());
    }
}

/// `tests/format/*.svc`: original scripts, and their expected formatting.
#[test]
fn style() {
    insta::glob!("../format", "*.svc", |path| {
        insta::assert_snapshot!(assert_format_is_lawful(&fs::read_to_string(path).unwrap()));
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]

    /// For any text, wherever its comments and line breaks are.
    #[test]
    fn generated_scripts_keep_their_meaning(choices in prop::collection::vec(any::<u8>(), 0..600)) {
        let text = Draft::new(&choices).script();
        let problems = svc_lang::syntax::parse(&text).problems;
        let wrong = problems.first();
        prop_assert!(wrong.is_none(), "the draft is wrong: {wrong:?}\n{text}");
        assert_format_is_lawful(&text);
    }

    /// Text that is not a script.
    #[test]
    fn any_text_keeps_its_tokens(text in r#"([ \n#/,(){}\[\]<>=:.?|"'$x1-]|>>|let|each|if|##|"""|\$\{){0,40}"#) {
        assert_format_is_lawful(&text);
    }
}

/// Inputs that the fuzzer found.
#[test]
fn torn_text_keeps_its_end() {
    for text in ["\"${)\n\" \"\"\"\"", "\"\"\"", "'''\n", "\"${", "(", "x # c"] {
        assert_format_is_lawful(text);
    }
}

/// A comment in every gap takes too much time: each script tests a different part of the gaps.
#[test]
fn the_gaps_between_tokens_may_hold_comments() {
    const STEP: usize = 61;
    const COMMENTS: [&str; 3] = [" # here\n", "\n# here\n", "\n\n  # here\n\n# there\n"];
    let mut tried = 0;
    for (number, script) in scripts().iter().enumerate() {
        let text = fs::read_to_string(script).unwrap();
        let renames = text.contains("timeout_sec") || text.contains("max_budget_usd");
        if !svc_lang::syntax::parse(&text).problems.is_empty() || renames {
            continue;
        }
        let tokens = svc_lang::syntax::token::lex(&text).tokens;
        for token in tokens.iter().skip(number % STEP).step_by(STEP) {
            let (before, after) = text.split_at(token.span.start);
            assert_format_is_lawful(&format!(
                "{before}{}{after}",
                COMMENTS[tried % COMMENTS.len()]
            ));
            tried += 1;
        }
    }
    assert!(tried > 50, "{tried} comments");
}

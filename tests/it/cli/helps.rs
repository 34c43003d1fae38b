//! Help: of the commands, of scripts, of the words of the language; manual pages and versions.
#![expect(clippy::disallowed_methods, reason = "the real program runs on real files")]

use std::{fs, path::Path, sync::Arc};

use svc_contract::value::json;
use svc_host_os::test::TestHost;
use svc_lang::constructs::{self, Construct};

use super::Place;

/// A script that only other scripts use.
const TESTED: &str = "flow double(n: int) -> int { n * 2 }\n";

#[test]
fn words_of_the_language_are_inspected() {
    let place = Place::new(&[]);
    for construct in constructs::all() {
        for word in construct.words {
            let page = place.svc(&["inspect", word]);
            assert_eq!(page.code, Some(0), "{word}: {}", page.err);
            assert!(page.out.contains(&format!("see docs/{}\n", construct.chapter)), "{word}");
        }
    }
    insta::assert_snapshot!(place.svc(&["inspect", "until"]).out);
    let json = place.svc(&["inspect", "each", "--json"]).json();
    assert_eq!(json["forms"][1], "each? { pipeline }");
    place.svc(&["inspect", "eahc"]).fails(6, "did you mean `each`?");
    place.svc(&["inspect", "serch"]).fails(6, "did you mean `search`?");
    place.svc(&["inspect", "qqqqq"]).fails(6, "unknown component or op `qqqqq`");
    // A component and a type have this name.
    let map = place.svc(&["inspect", "map"]).out;
    assert!(map.contains("core-infrastructure, version") && map.contains("map<type>"), "{map}");
}

#[test]
fn every_reserved_word_is_explained_once() {
    let words: Vec<&str> = constructs::all().flat_map(|it| it.words).copied().collect();
    for word in svc_lang::syntax::RESERVED {
        assert_eq!(words.iter().filter(|it| **it == word).count(), 1, "{word}");
    }
}

#[test]
fn the_prompt_explains_words() {
    let place = Place::new(&[]);
    let shown = |line: &str| place.svc_with(line.as_bytes(), &["repl", "--no-store"]).out;
    assert!(shown(":help each").contains("see docs/language.md#each"));
    assert!(shown(":help else").contains("see docs/language.md#if"));
    // A word and a command of the prompt.
    let both = shown(":help type");
    assert!(both.contains("type Name = type") && both.contains(":type EXPR"), "{both}");
    assert!(!shown(":help :type").contains("type Name = type"));
    assert!(shown(":help e203").contains("E203"));
}

/// Examples are formatted, pass their own tests, and return what the page says.
#[tokio::test]
async fn examples_of_words_hold() {
    let host = TestHost::new().env("SVC_SECRET_WEATHER_KEY", "k");
    let engine = crate::helpdesk::engine().with_host(Arc::new(host));
    let mut wrong = Vec::new();
    for Construct { words, example, result, .. } in constructs::all() {
        let formatted = svc_lang::syntax::format(example).text;
        if formatted.trim_end() != *example {
            wrong.push(format!("{words:?} is formatted as\n{formatted}"));
        }
        let program = match engine.check(*example) {
            Ok(program) => program,
            Err(report) => {
                wrong.push(format!("{words:?}: {report}"));
                continue;
            }
        };
        if program.warnings.all().next().is_some() {
            wrong.push(format!("{words:?}: {}", program.warnings));
        }
        let failed = engine.test(&program, "").into_iter().find(|it| !it.passed());
        wrong.extend(failed.map(|it| format!("{words:?}: {}", it.report)));
        match engine.run(*example).await {
            Ok(done) => {
                let value = json::read(&json::write(&done.value)).unwrap();
                if value != json::read(result).unwrap() {
                    wrong.push(format!("{words:?}: {}", json::write(&value)));
                }
            }
            Err(error) => wrong.push(format!("{words:?}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn chapters_of_words_exist() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    for construct in constructs::all() {
        let (page, heading) = construct.chapter.split_once('#').unwrap();
        let text = fs::read_to_string(docs.join(page)).unwrap();
        let headings = text.lines().filter(|it| it.starts_with('#'));
        let anchor = |it: &str| {
            let plain = it.trim_start_matches('#').trim().to_lowercase();
            plain.replace(',', "").replace(' ', "-")
        };
        assert!(headings.map(anchor).any(|it| it == heading), "{}", construct.chapter);
    }
}

#[test]
fn the_short_help_is_short_and_lists_commands_by_purpose() {
    let place = Place::new(&[]);
    let short = place.svc(&["-h"]).out;
    insta::assert_snapshot!(short);
    assert!(short.lines().all(|it| it.chars().count() <= 100), "{short}");
    let commands = short.lines().filter(|it| it.starts_with("  ") && !it.starts_with("   "));
    assert!(commands.filter(|it| !it.contains("--")).all(|it| it.len() <= 80), "{short}");
    let long = place.svc(&["--help"]).out;
    assert!(long.contains("A short tour") && long.contains("Write scripts:"), "{long}");
    place.svc(&[]).fails(2, "Write scripts:");
    assert!(place.svc(&["run", "--help"]).out.contains("How results are printed"));
    let run = place.svc(&["run", "-h"]).out;
    assert!(run.contains("Usage: svc run") && !run.contains("How results are printed"), "{run}");
    assert!(place.svc(&["help", "run"]).out.contains("How results are printed"));
}

#[test]
fn the_help_of_a_script_shows_its_params_and_bounds() {
    let script = "# Greets a person.\n# Twice.\n\nsvc 1 within { timeout: 1m }\n\n\
        ## The person.\nparam name: string\n\n\
        ## How loud it is.\nparam tone: \"soft\" | \"loud\" = \"soft\"\n\n\
        secret key\n\n\
        flow sealed(text: string, key: secret<string>) -> string { text }\n\n\
        \"${name}${tone}${len(read_text(\"a.txt\"))}\" >> sealed(key: key)\n";
    let script = script.replace("${len(read_text(\"a.txt\"))}", "");
    let place = Place::new(&[("greet.svc", &script), ("wrong.svc", "\"x\" >> uper")]);
    let help = place.svc(&["run", "greet.svc", "--help"]);
    assert_eq!(help.code, Some(0), "{}", help.err);
    insta::assert_snapshot!(help.out);
    assert_eq!(place.svc(&["run", "-h", "greet.svc"]).out, help.out);
    let library = place.svc_with(TESTED.as_bytes(), &["run", "-", "--help"]).out;
    assert_eq!(library, "\nnothing runs: the script only defines flows and types\n");
    place.svc(&["run", "wrong.svc", "--help"]).fails(7, "E201");
    place.svc(&["run", "missing.svc", "--help"]).fails(6, "missing.svc");
}

#[test]
fn manual_pages_are_written_for_every_command() {
    let place = Place::new(&[]);
    let done = place.svc(&["man", "man1"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    let page = |name: &str| fs::read_to_string(place.path().join("man1").join(name)).unwrap();
    assert!(page("svc.1").contains("svc\\-run(1)"), "{}", page("svc.1"));
    assert!(page("svc-run.1").contains("\\-\\-max\\-cost"));
    assert!(page("svc-runs-prune.1").contains("prune"));
}

/// Where git knows the commit, the version shows it.
#[test]
fn the_version_names_the_commit() {
    let place = Place::new(&[]);
    let version = place.svc(&["--version"]).out;
    let known = format!("svc {}", env!("CARGO_PKG_VERSION"));
    assert!(version.starts_with(&known), "{version}");
    let commit = regex::Regex::new(r"^ \([0-9a-f]{7,} \d{4}-\d\d-\d\d\)\n$").unwrap();
    let rest = &version[known.len()..];
    let is_checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join(".git").exists();
    assert!(commit.is_match(rest) || (!is_checkout && rest == "\n"), "{version}");
}

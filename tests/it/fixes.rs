//! `svc fix` helps or does nothing: it terminates, it reports nothing twice, and the fixes that it
//! applies without asking leave no other interpretation.

use std::{fs, path::Path, sync::Arc};

use fastrand::Rng;
use svc::Engine;
use svc_engine::Fixes;
use svc_lang::{
    diag::{Applicability, Code, Report},
    syntax::{self, token::lex},
};

use crate::{components, scripts::host};

fn engine() -> Engine {
    svc::engine().with(components::ALL).with_host(Arc::new(host()))
}

/// Every script that the project has: wrong ones, right ones, examples.
fn corpus() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut scripts = Vec::new();
    let folders = ["tests/scripts", "examples", "stdlib"];
    let mut open: Vec<_> = folders.iter().map(|it| root.join(it)).collect();
    while let Some(folder) = open.pop() {
        let mut found: Vec<_> =
            fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
        found.sort();
        for path in found {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|it| it == "svc") {
                scripts.push(fs::read_to_string(path).unwrap());
            }
        }
    }
    // Longer scripts take most of the time and break in the same ways.
    scripts.retain(|it| it.len() < 6_000);
    scripts
}

/// A script with some of its tokens removed, doubled, swapped, taken from another script, or in
/// brackets; sometimes with the line ends of another system.
fn mutant(scripts: &[String], rng: &mut Rng) -> String {
    const SIGNS: [&str; 14] =
        ["(", ")", "{", "}", "[", "]", ",", ":", ">>", "|", ";", "\"", "&&", "(>> upper)"];
    let mut text = rng.choice(scripts).unwrap().clone();
    for _ in 0..rng.usize(1..=3) {
        let tokens: Vec<_> = lex(&text).tokens.iter().map(|it| it.span).collect();
        if tokens.is_empty() {
            continue;
        }
        let (one, other) = (*rng.choice(&tokens).unwrap(), *rng.choice(&tokens).unwrap());
        let word = text[other.range()].to_owned();
        match rng.u8(..8) {
            0 | 1 => text.replace_range(one.range(), ""),
            2 => text.insert_str(one.end, &format!(" {}", &text[one.range()].to_owned())),
            3 => text.replace_range(one.range(), &word),
            4 => text.insert_str(one.start, rng.choice(SIGNS).unwrap()),
            5 => text.replace_range(one.range(), rng.choice(SIGNS).unwrap()),
            6 => {
                let (start, end) = (one.start.min(other.start), one.end.max(other.end));
                text.insert(end, ')');
                text.insert(start, '(');
            }
            _ => {
                let foreign = rng.choice(scripts).unwrap();
                let tokens = lex(foreign).tokens;
                if let Some(it) = rng.choice(&tokens) {
                    text.insert_str(one.end, &format!(" {}", &foreign[it.span.range()]));
                }
            }
        }
    }
    if rng.u8(..8) == 0 {
        text = format!("\u{feff}{}", text.replace("\r\n", "\n").replace('\n', "\r\n"));
    }
    text
}

fn problems(engine: &Engine, text: &str) -> Report {
    match engine.check(text) {
        Ok(program) => program.warnings,
        Err(report) => report,
    }
}

fn syntax_errors(report: &Report) -> usize {
    report.errors().filter(|it| it.code < Code::E201).count()
}

fn comments(text: &str) -> Vec<String> {
    let comment = |it: &svc_lang::diag::Span| {
        text[it.range()].trim_start_matches(['#', '/']).trim().to_owned()
    };
    let comments = lex(text).comments;
    comments.iter().filter(|it| !syntax::may_divide(text, **it)).map(comment).collect()
}

/// The properties of every text that is fixed.
fn holds(engine: &Engine, text: &str, fixes: Fixes) -> Result<(), String> {
    let before = problems(engine, text);
    let fixed = engine.fix_with(text, fixes);
    let after = fixed.source.text();
    let left = problems(engine, after);
    let again = engine.fix_with(after, fixes);
    let bare_ends = |it: &str| it.replace("\r\n", "").contains('\n');
    let rules = [
        ("a text without problems changes", before.problems.is_empty() && after != text),
        ("it changes without a reason", fixed.applied.is_empty() != (after == text)),
        ("what is left is something else", left.to_string() != fixed.left.to_string()),
        ("there are more errors", left.errors().count() > before.errors().count()),
        ("it can be read less well", syntax_errors(&left) > syntax_errors(&before)),
        ("comments are lost", comments(text) != comments(after)),
        ("another call goes on", again.source.text() != after || !again.applied.is_empty()),
        ("it grows", after.len() > 2 * text.len() + 1_000),
        ("the ends of lines change", text.contains("\r\n") && !bare_ends(text) && bare_ends(after)),
        (
            "a byte order mark wanders",
            text.starts_with('\u{feff}') != after.starts_with('\u{feff}'),
        ),
    ];
    match rules.iter().find(|(_, is_broken)| *is_broken) {
        Some((rule, _)) => Err(format!(
            "{rule} ({fixes:?})\n--- before\n{text}\n--- after\n{after}\n--- again\n{}\n--- left\n{left}",
            again.source.text()
        )),
        None => Ok(()),
    }
}

#[test]
fn fixing_ends_and_is_done_after_one_call() {
    let (engine, scripts) = (engine(), corpus());
    assert!(scripts.len() > 200, "{}", scripts.len());
    for text in &scripts {
        for fixes in [Fixes::Safe, Fixes::Suggested] {
            holds(&engine, text, fixes).unwrap();
        }
    }
}

#[test]
fn broken_scripts_are_fixed_once_or_not_at_all() {
    let count = std::env::var("SVC_MUTANTS").map_or(400, |it| it.parse().unwrap());
    let seed = std::env::var("SVC_SEED").map_or(7, |it| it.parse().unwrap());
    let (engine, scripts) = (engine(), corpus());
    let mut rng = Rng::with_seed(seed);
    let mut changed = 0;
    for idx in 0..count {
        let text = mutant(&scripts, &mut rng);
        let fixes = if idx % 2 == 0 { Fixes::Safe } else { Fixes::Suggested };
        holds(&engine, &text, fixes).unwrap_or_else(|it| panic!("mutant {idx}: {it}"));
        changed += usize::from(!engine.fix_with(text.as_str(), fixes).applied.is_empty());
    }
    assert!(changed * 20 > count, "{changed} of {count} were fixed");
}

/// A letter is missing, extra, wrong or swapped: an applied fix restores the original.
#[test]
fn a_slip_of_the_finger_is_taken_back_or_left() {
    let count = std::env::var("SVC_MUTANTS").map_or(400, |it| it.parse().unwrap());
    let (engine, mut scripts) = (engine(), corpus());
    scripts.retain(|it| problems(&engine, it).problems.is_empty());
    let mut rng = Rng::with_seed(11);
    let (mut taken_back, mut tried) = (0, 0);
    for _ in 0..count {
        let right = rng.choice(&scripts).unwrap();
        let words = lex(right).tokens;
        let is_word = |it: &svc_lang::diag::Span| {
            let word = &right[it.range()];
            word.len() > 3 && word.bytes().all(|it| it.is_ascii_lowercase() || it == b'_')
        };
        let words: Vec<_> = words.iter().map(|it| it.span).filter(is_word).collect();
        let Some(word) = rng.choice(&words) else { continue };
        let mut letters: Vec<char> = right[word.range()].chars().collect();
        let at = rng.usize(1..letters.len());
        match rng.u8(..4) {
            0 => drop(letters.remove(at)),
            1 => letters.insert(at, rng.lowercase()),
            2 => letters[at] = rng.lowercase(),
            _ => letters.swap(at - 1, at),
        }
        let slip: String = letters.iter().collect();
        let mut wrong = right.clone();
        wrong.replace_range(word.range(), &slip);
        if right.contains(&slip) || !problems(&engine, &wrong).has_errors() {
            continue;
        }
        tried += 1;
        let fixed = engine.fix(wrong.as_str());
        if !fixed.left.has_errors() {
            // If the name is declared there, its uses may be renamed, too.
            let named = fixed.source.text().replace(&slip, &right[word.range()]);
            assert!([fixed.source.text(), &named].contains(&right.as_str()), "`{slip}`: {named}");
            taken_back += 1;
        }
    }
    assert!(taken_back * 4 > tried, "{taken_back} of {tried} were reverted");
}

#[test]
fn a_fix_that_leaves_its_problem_is_not_applied() {
    let engine = engine();
    for text in ["(>> upper)", "\"a\" >> (>> upper)", "{ a: (>> upper) }", "let x = (>> len)\nx"] {
        let fixed = engine.fix_with(text, Fixes::Suggested);
        assert_eq!(fixed.source.text(), text);
        assert!(fixed.applied.is_empty() && fixed.left.has_errors(), "{:?}", fixed.applied);
    }
}

#[test]
fn as_many_fixes_as_there_are_go_into_one_call() {
    let engine = engine();
    // Independent mistakes, mistakes that hide the next one, and adjacent ones.
    let lines: Vec<String> = (0..60).map(|it| format!("let a{it} = \"x\" | uper\n")).collect();
    let many = lines.concat() + "a0";
    let hidden = format!("[{}]", (0..40).map(|it| it.to_string()).collect::<Vec<_>>().join(" "));
    let touching = format!("\"a\"{}", ".trim().upper()".repeat(10));
    for (text, count) in [(many.as_str(), 120), (hidden.as_str(), 39), (touching.as_str(), 20)] {
        let fixed = engine.fix(text);
        assert!(!fixed.left.has_errors(), "{}\n{}", fixed.source.text(), fixed.left);
        assert_eq!(fixed.applied.len(), count, "{}", fixed.source.text());
    }
}

/// Fixes that need a decision are offered with their text, and not applied.
#[test]
fn what_chooses_for_the_author_is_only_suggested() {
    let engine = engine();
    for text in [
        "let x: string = 5\nx + 1",
        "\"a\" + 1",
        "param n: int\nmatch n { 1 => \"a\", 1 => \"b\", _ => \"c\" }",
        "param of: bool\nmatch of { true => 1 }",
        "param a: string?\nif a { 1 } else { 2 }",
        "param xs: [int]\nif xs { 1 } else { 2 }",
        "param n: int 1..5 = 9\nn",
        "\"a\" >> if it == \"a\" { \"b\" }",
        "\"a\" >> upper within { timeout: 30 }",
        "param a: int?\na + 1",
        "param xs: [string?]\nxs >> join",
        "\"a\" >> upper(",
        "(1 + 2",
        "1 + 2) * 3",
        "let a = \"x\n1",
        "let a = 1\nlet b = 2",
        "1\n2",
        "parallel [upper, lower]",
        "param a: number\na",
        "5 >> upper",
        "\"5\" >> range",
        "svc 2\n1",
        "let name = \"x\"\n\"costs $name\"",
        "1 == 1 == true",
        "\"a\" >> upper<int>()",
        "let sam = 1\nlet sim = 2\nsom",
        "[1, 2] >> take(n: -1)",
        "5k",
    ] {
        let offered = problems(&engine, text);
        let fixed = engine.fix(text);
        assert_eq!(fixed.source.text(), text, "{:?}", fixed.applied);
        assert!(fixed.suggestions() > 0, "{text}: {offered}");
    }
    // They are available on request.
    let text = "let x: string = 5\nx + 1";
    let fixed = engine.fix_with(text, Fixes::Suggested);
    assert_ne!(fixed.source.text(), text);
    assert!(!fixed.left.has_errors(), "{}", fixed.left);
}

#[test]
fn what_can_have_meant_nothing_else_is_applied() {
    let engine = engine();
    for (text, right) in [
        ("\"a\" | upper", "\"a\" >> upper"),
        ("\"a\" >> uper", "\"a\" >> upper"),
        ("\"a\".upper()", "(\"a\" >> upper)"),
        ("true && false", "true and false"),
        ("// note\n1", "# note\n1"),
        ("{ \"a\": 1 }", "{ a: 1 }"),
        ("[\"a\"] >> upper", "[\"a\"] >> each { upper }"),
        ("[1, 2] >> take(1)", "[1, 2] >> take(n: 1)"),
        ("[3, 1] >> sort", "[3, 1] >> sort { it }"),
        ("1 < 2 < 3", "1 < 2 and 2 < 3"),
        ("[1 2]", "[1, 2]"),
        ("upper (\"a\")", "upper(\"a\")"),
        ("param a: str\na", "param a: string\na"),
        ("parse_json(\"1\") >> upper", "parse_json(\"1\") >> (it as string) >> upper"),
        ("nil", "null"),
    ] {
        assert_eq!(engine.fix(text).source.text(), right, "{text}");
    }
}

/// However often the same mistake occurs in a script, each place has its fix, so that one round
/// fixes all of them.
#[test]
fn equal_errors_all_have_their_fix() {
    let engine = svc::engine();
    let lines: [fn(usize) -> String; 5] = [
        |i| format!("let a{i} = \"x\" >> uper"),
        |i| format!("let a{i}: strin = \"x\""),
        |i| format!("let a{i} = {{ abcd: 1 }}.abce"),
        |i| format!("let a{i} = \"x\" >> replace(fro: \"a\", to: \"b\")"),
        |i| format!("let a{i} = \"x\" | upper"),
    ];
    for line in lines {
        let all: Vec<String> = (0..400).map(line).collect();
        let text = format!("{}\na0", all.join("\n"));
        let report = problems(&engine, &text);
        assert_eq!(report.errors().count(), 400, "{}", line(0));
        let fixed = report.errors().filter(|it| !it.fixes.is_empty()).count();
        assert_eq!(fixed, 400, "{}", line(0));
        assert!(!engine.fix_with(&*text, Fixes::Suggested).left.has_errors(), "{}", line(0));
    }
}

/// An unknown name is resolved by the names at its own place.
#[test]
fn equal_names_mean_what_is_near_to_each() {
    let engine = svc::engine();
    let script = "flow f(zqxwa: int) -> int { zqxw1 + 1 }\n\
                  flow g(zqxwb: int) -> int { zqxw1 + 1 }\n\
                  flow h(zqxwa: int, zqxwb: int) -> int { zqxw1 + 1 }\n\
                  1";
    let report = problems(&engine, script);
    let meant: Vec<(&str, bool)> = report
        .errors()
        .map(|it| (&*it.fixes[0].text, it.applicability == Applicability::Safe))
        .collect();
    assert_eq!(meant, [("zqxwa", true), ("zqxwb", true), ("zqxwa", false)]);
}

//! Tests of the results of `rag_retrieval`, through the op.

use super::*;
use crate::testing::{cancelled, cx, decode, hit, noticed};
use svc_host_os::test::TestHost;

const GUIDE: &str = "# Guide\n\nWelcome to the guide. It has parts.\n\n## Budgets\n\nEvery run has \
    a budget. Budgets are enforced by a ledger that reserves before each call.\n\n## Colours\n\n\
    The sky is blue and the grass is green, as everybody knows.\n";

fn run(hits: Vec<Value>, args: &[(&str, Value)]) -> Vec<Record> {
    let op = decode::<Infer>(hits.into(), args);
    let Value::List(items) = op.run(&cx()).unwrap() else { panic!("no list") };
    items.iter().map(|it| it.as_record().unwrap().clone()).collect()
}

fn text<'a>(hit: &'a Record, name: &str) -> &'a str {
    hit.get(name).and_then(Value::as_str).unwrap()
}

fn int(hit: &Record, name: &str) -> usize {
    match hit.get(name) {
        Some(Value::Int(it)) => usize::try_from(*it).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_passage_that_answers_comes_first() {
    let hits = run(vec![hit("guide.md", "Guide", GUIDE, "how are budgets enforced?", 3.0)], &[]);
    assert_eq!(text(&hits[0], "id"), "guide.md#2");
    assert_eq!(text(&hits[0], "title"), "Guide › Budgets");
    assert_eq!(hits[0].get("score"), Some(&Value::Float(1.0)));
    assert_eq!(&GUIDE[int(&hits[0], "start")..int(&hits[0], "end")], text(&hits[0], "text"));
    assert_eq!(
        text(&hits[0], "snippet"),
        "**Budgets** are **enforced** by a ledger that reserves before each call."
    );
    assert!(hits.iter().all(|it| text(it, "title") != "Guide › Colours"));
}

#[test]
fn duplicates_are_left_out_unless_asked_for() {
    let hits = || {
        let copy = |id| hit(id, "Copy", GUIDE, "budgets", 1.0);
        vec![copy("a.md"), copy("b.md"), copy("a.md")]
    };
    assert_eq!(run(hits(), &[]).len(), 1);
    let kept = run(hits(), &[("diversity", 0.0.into())]);
    let ids: Vec<&str> = kept.iter().map(|it| text(it, "id")).collect();
    assert_eq!(ids, ["a.md#2", "b.md#2"]);
}

#[test]
fn passages_that_nearly_repeat_a_better_one_are_left_out_with_a_notice() {
    let text = |end: &str| {
        let words = "Budgets of runs are kept by a ledger, which reserves the most that each call may \
            cost, settles it when the call ends, and returns the rest to the cap above it";
        format!("{words}{end}")
    };
    let hits = vec![
        hit("a.md", "", &text("."), "budgets", 3.0),
        hit("b.md", "", &text(", always."), "budgets", 2.0),
        hit("c.md", "", "Budgets are plans of what to spend.", "budgets", 1.0),
    ];
    let (cx, notices) = noticed(TestHost::new());
    let found = decode::<Infer>(hits.into(), &[]).run(&cx).unwrap();
    let Value::List(found) = found else { panic!("no list") };
    let ids: Vec<&str> = found.iter().map(id).collect();
    assert_eq!(ids, ["a.md#1", "c.md#1"]);
    assert_eq!(notices.all(), ["1 passage was left out: it nearly repeats a better one"]);
}

fn id(hit: &Value) -> &str {
    text(hit.as_record().unwrap(), "id")
}

#[test]
fn no_word_found_gives_the_beginnings_of_the_best() {
    let hits = vec![
        hit("low.md", "Low", "Alpha beta gamma delta epsilon.", "zzz", 1.0),
        hit("high.md", "High", "One two three four five six.", "zzz", 2.0),
    ];
    let found = run(hits, &[]);
    assert_eq!(text(&found[0], "id"), "high.md#1");
    assert_eq!(text(&found[1], "id"), "low.md#1");
    assert_eq!(found[0].get("score"), Some(&Value::Float(0.0)));
}

#[test]
fn the_token_budget_holds() {
    let long = "Budget words go on and on. ".repeat(2_000);
    for (max, each) in [(50, 2_000), (50, 30), (500, 200)] {
        let hits = vec![hit("a", "A", &long, "budget", 1.0), hit("b", "B", &long, "budget", 1.0)];
        let args = [
            ("max_tokens", Value::Int(max)),
            ("passage_tokens", Value::Int(each)),
            ("top_k", 100.into()),
            ("diversity", 0.0.into()),
        ];
        let found = run(hits, &args);
        let sum: usize = found.iter().map(|it| svc_text::tokens::tokens(text(it, "text"))).sum();
        assert!(!found.is_empty() && sum <= usize::try_from(max).unwrap(), "{sum} of {max}");
    }
}

#[test]
fn passages_of_text_that_is_not_the_files_own_have_their_place_in_it() {
    let mut fields: Vec<(Text, Value)> = match hit("a.pdf", "A", GUIDE, "budgets", 1.0) {
        Value::Record(it) => it.iter().map(|(name, it)| (name.clone(), it.clone())).collect(),
        _ => Vec::new(),
    };
    fields.retain(|(name, _)| name.as_ref() != "end");
    fields.push(("end".into(), 9_000.into()));
    let found = run(vec![Value::Record(fields.into_iter().collect())], &[]);
    let place = |name| int(&found[0], name);
    assert_eq!(&GUIDE[place("start")..place("end")], text(&found[0], "text"));
}

#[test]
fn odd_input_gives_something_sensible() {
    assert_eq!(run(vec![], &[]).len(), 0);
    assert_eq!(run(vec![hit("a", "", " \n", "x", 1.0)], &[]).len(), 0);
    assert_eq!(run(vec![hit("a", "", "?!", "?!", f64::NAN)], &[]).len(), 1);
    assert_eq!(run(vec![hit("a", "", "東京は大きい。雨。", "東京", 1.0)], &[]).len(), 1);
    let one = vec![Value::from("text")];
    let op = decode::<Infer>(one.into(), &[]);
    assert!(op.run(&cx()).unwrap_err().message.contains("found string as item 1"));
}

#[test]
fn large_input_is_done_in_time_and_can_be_cancelled() {
    let huge = "budget ".repeat(150_000);
    let hits = || (0..3).map(|it| hit(&it.to_string(), "", &huge, "budgets", 1.0)).collect();
    assert!(!run(hits(), &[]).is_empty());
    let op = decode::<Infer>(Value::from(hits()), &[]);
    assert_eq!(op.run(&cancelled()).unwrap_err().message, "cancelled");
}

#[test]
fn the_first_example_holds() {
    let doc = "# Caps\nA budget is enforced by a ledger.\n\n# Colours\nThe sky is blue.";
    let hits = vec![hit("guide.md", "Guide", doc, "how are budgets enforced?", 1.0)];
    let found = run(hits, &[("top_k", 1.into())]);
    assert_eq!(found.len(), 1);
    assert_eq!([text(&found[0], "id"), text(&found[0], "title")], ["guide.md#1", "Guide › Caps"]);
}

#[test]
fn long_code_stays_apart_from_prose() {
    let code = "let budget = 1;\n".repeat(300);
    let doc = format!(
        "# A\nThe budget is kept by a ledger.\n```\n{code}```\nAfterwards the budget is spent.\n"
    );
    let found = run(vec![hit("a.md", "A", &doc, "budget", 1.0)], &[("top_k", 100.into())]);
    let prose = found.iter().filter(|it| !text(it, "text").contains("let"));
    let said: Vec<&str> = prose.map(|it| text(it, "text")).collect();
    assert_eq!(said, ["Afterwards the budget is spent.", "The budget is kept by a ledger."]);
}

//! Tests of the results of `summary`, through the op.

use super::*;
use crate::testing::{cancelled, cx, decode, hit};

fn run(from: Value, args: &[(&str, Value)]) -> (String, Vec<String>) {
    let made = decode::<Infer>(from, args).run(&cx()).unwrap();
    let Summary { text, sources } = Summary::decode(made).unwrap();
    (text.as_ref().to_owned(), sources.iter().map(|it| it.as_ref().to_owned()).collect())
}

const CAPS: &str = "Some people like to plan ahead. **Budgets** are [enforced](x.md) by a ledger \
    that reserves `max_cost` before each call.\n\n```\nbudgets are enforced in code\n```\n\n\
    | budgets | enforced |\n|---|---|\n\n# Budgets are enforced here\n\n- The weather is nice and warm today.";

#[test]
fn the_answer_comes_first_without_markup() {
    let (text, sources) = run(
        vec![
            hit("sky.md#1", "Sky", "The sky is blue over the wide sea.", "", 1.0),
            hit("caps.md#2", "Guide › Caps", CAPS, "how are budgets enforced?", 1.0),
        ]
        .into(),
        &[],
    );
    assert!(
        text.starts_with(
            "Budgets are enforced by a ledger that reserves `max_cost` before each call. [1]"
        ),
        "{text}"
    );
    assert_eq!(sources[0], "caps.md#2 (Guide › Caps)");
    assert!(!text.contains("in code") && !text.contains("sky"), "{text}");
}

#[test]
fn styles_and_limits_hold() {
    let story = "Cats chase mice in the old barn. Mice fear cats in the barn. Dogs chase cats \
        in the yard. The farmer feeds dogs and cats in the barn. Rain falls on the yard today.";
    let lines = |args: &[(&str, Value)]| run(story.into(), args).0;
    assert_eq!(lines(&[("style", "bullets".into())]).lines().count(), 5);
    assert!(lines(&[("style", "bullets".into())]).starts_with("- "));
    assert_eq!(lines(&[("style", "short".into())]).matches('.').count(), 2);
    assert_eq!(lines(&[("max_sentences", 1.into())]).matches('.').count(), 1);
    assert!(lines(&[("max_words", 16.into())]).split_whitespace().count() <= 16);
    assert_eq!(run(story.into(), &[]).1, [""; 0]);
    assert_eq!(
        lines(&[("query", "what about rain?".into()), ("max_sentences", 1.into())]),
        "Rain falls on the yard today."
    );
}

#[test]
fn boilerplate_is_left_out_but_not_what_is_said_about_it() {
    let clause = "We may share the data of your account with partners as our privacy policy \
        describes in its second part.";
    let text = format!("Read our privacy policy. Click here to read more. {clause} It rains.");
    let (found, _) = run(text.into(), &[("max_sentences", 50.into())]);
    assert_eq!(found, clause);
}

#[test]
fn an_answer_prefers_what_is_said_to_a_pointer_to_it() {
    let text = "# Caps\n\n[Budgets and caps](caps.md) says how they are enforced. \
        The ledger enforces the budgets of a run in three steps.\n";
    let hits = vec![hit("a.md", "Caps", text, "how are budgets enforced?", 1.0)];
    let (found, _) = run(hits.into(), &[("max_sentences", 1.into()), ("cite", false.into())]);
    assert_eq!(found, "The ledger enforces the budgets of a run in three steps.");
}

#[test]
fn repeated_sentences_are_said_once() {
    let text = "The budget of a run is enforced strictly.";
    let hits = vec![hit("a.md", "", text, "budget", 1.0), hit("b.md", "", text, "budget", 1.0)];
    assert_eq!(run(hits.clone().into(), &[]), (format!("{text} [1]"), vec!["a.md".into()]));
    assert_eq!(run(hits.into(), &[("cite", false.into())]), (text.into(), vec!["a.md".into()]));
}

#[test]
fn sentences_that_differ_in_a_number_are_said_once() {
    let versions = (1..9).map(|it| format!("Version {it} of the product has a faster index."));
    let rest = ["Users report that the index is small.", "The team plans to rewrite the manual."];
    let text = versions.chain(rest.map(str::to_owned)).collect::<Vec<_>>().join(" ");
    let (made, _) = run(text.into(), &[]);
    assert_eq!(made.matches("Version").count(), 1, "{made}");
    assert!(rest.iter().all(|it| made.contains(it)), "{made}");
}

#[test]
fn odd_input_gives_something_sensible() {
    let text = |from: Value| run(from, &[]).0;
    assert_eq!(text(Vec::<Value>::new().into()), "");
    assert_eq!(text("".into()), "");
    assert_eq!(text("?!.,;- \n\n```\ncode".into()), "");
    assert_eq!(text("Hello".into()), "Hello");
    assert_eq!(
        text("東京は大きい都市です。雨が降る。\r\n".into()),
        "東京は大きい都市です。 雨が降る。"
    );
    let long = "word ".repeat(200_000);
    assert_eq!(run(long.as_str().into(), &[("max_words", 10.into())]).0.split(' ').count(), 11);
    let hits = vec![hit("a.md", "", "Nothing to see in here at all.", "zzz", 1.0)];
    assert_eq!(text(hits.into()), "Nothing to see in here at all. [1]");
}

#[test]
fn large_input_is_done_in_time_and_can_be_cancelled() {
    let sentence = |it: u32| format!("Sentence number {it} is about budgets and caps.");
    let sentences = (0..20_000).map(sentence).collect::<Vec<_>>().join(" ");
    let (made, _) = run(sentences.as_str().into(), &[("query", "sentence 19999".into())]);
    assert!(made.starts_with("Sentence number 19999 "), "{made}");
    let op = decode::<Infer>(sentences.as_str().into(), &[]);
    assert_eq!(op.run(&cancelled()).unwrap_err().message, "cancelled");
}

#[test]
fn code_and_long_sentences_do_not_lead() {
    let text = "Secrets are `a`, `b`, `c`, `d`, `e`, `f`, `g` and `secret<T>` as types. A secret \
        is never shown to anybody. It has a type that cannot be printed.";
    let (made, _) = run(text.into(), &[("query", "how are secrets kept?".into())]);
    assert!(made.starts_with("A secret is never shown to anybody."), "{made}");
    assert!(made.contains("It has a type that cannot be printed."), "{made}");
}

#[test]
fn the_first_example_holds() {
    let doc = hit(
        "guide.md",
        "Guide",
        "# Caps\nThe sky above the sea is blue. A budget is \
        enforced by a ledger.",
        "",
        0.0,
    );
    let args = [("query", "how are budgets enforced?".into()), ("max_sentences", 1.into())];
    let (text, sources) = run(vec![doc].into(), &args);
    assert_eq!(text, "A budget is enforced by a ledger. [1]");
    assert_eq!(sources, ["guide.md (Guide)"]);
}

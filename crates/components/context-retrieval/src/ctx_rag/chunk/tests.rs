//! Tests of passages that cover documents.

use super::*;
use crate::testing::{cancelled, cx, decode, hit};

fn run(docs: Vec<Value>, args: &[(&str, Value)]) -> Vec<Record> {
    let found = decode::<Chunk>(docs.into(), args).run(&cx()).unwrap();
    found.as_list().unwrap().iter().map(|it| it.as_record().unwrap().clone()).collect()
}

fn doc(text: &str) -> Value {
    let doc = Doc::new("d".into(), "D".into(), "d".into(), text.into());
    doc.encode()
}

fn place(hit: &Record) -> Range<usize> {
    let int = |name| match hit.get(name) {
        Some(Value::Int(it)) => usize::try_from(*it).unwrap(),
        other => panic!("{other:?}"),
    };
    int("start")..int("end")
}

fn text(hit: &Record) -> &str {
    hit.get("text").and_then(Value::as_str).unwrap()
}

/// A document of random parts.
fn random(random: &mut fastrand::Rng) -> String {
    const PARTS: &[&str] = &[
        "# A heading\n",
        "## Ü\n",
        "\n\n",
        "---\n",
        "A sentence. ",
        "Another one, of more words! ",
        "- item\n",
        "```\nlet x = 1;\n```\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "東京は大きい。雨。",
        "word ",
        "\u{c}\n",
        "verylongwordwithoutanyspace",
        "Title\n=====\n",
        "<p>\nx\n\n",
        " \t",
    ];
    (0..random.usize(0..400)).map(|_| PARTS[random.usize(0..PARTS.len())]).collect()
}

#[test]
fn passages_are_pieces_of_the_text_and_nothing_is_lost() {
    let mut random_of = fastrand::Rng::with_seed(7);
    for _ in 0..300 {
        let written = random(&mut random_of);
        let tokens = random_of.i64(30..200);
        let overlap = random_of.i64(0..tokens);
        let args = [("passage_tokens", tokens.into()), ("overlap", overlap.into())];
        let mut is_covered = vec![false; written.len()];
        let mut before: Option<Range<usize>> = None;
        for hit in run(vec![doc(&written)], &args) {
            let range = place(&hit);
            assert_eq!(&written[range.clone()], text(&hit));
            assert!(!text(&hit).trim().is_empty());
            if let Some(before) = before {
                let repeated = before.end.saturating_sub(range.start);
                assert!(repeated <= bytes(usize::try_from(overlap).unwrap()), "{written:?}");
                assert!(range.start > before.start && range.end > before.end);
            }
            is_covered[range.clone()].fill(true);
            before = Some(range);
        }
        for (at, letter) in written.char_indices() {
            assert!(is_covered[at] || !letter.is_alphanumeric(), "{at} of {written:?}");
        }
    }
}

#[test]
fn an_overlap_begins_at_a_sentence() {
    let text_of = "One sentence has some words here. Two sentences have some more words, too. \
        Three of them are a whole paragraph. Four of them are even longer than that one was.";
    let args = [("passage_tokens", 30.into()), ("overlap", 20.into())];
    let found = run(vec![doc(text_of)], &args);
    let said: Vec<&str> = found.iter().map(text).collect();
    assert!(said[0].ends_with("Three of them are a whole paragraph."), "{said:?}");
    assert!(said[1].starts_with("Two sentences have some more words, too. Three"), "{said:?}");
    let words = "word ".repeat(100);
    let found = run(vec![doc(&words)], &args);
    let repeated = place(&found[0]).end - place(&found[1]).start;
    assert!((70..=80).contains(&repeated) && text(&found[1]).starts_with("word"), "{repeated}");
}

#[test]
fn headings_and_pages_are_kept() {
    let found = run(vec![doc("# A\n## B\none\n\u{c}\ntwo\n\u{c}\n# C\nthree\n# End\n")], &[]);
    let shown: Vec<(&str, String, String)> = found
        .iter()
        .map(|it| {
            (text(it), it.get("title").unwrap().to_string(), it.get("page").unwrap().to_string())
        })
        .collect();
    let expected = [
        ("# A\n## B\none\n\u{c}\ntwo", "D › A › B", "1"),
        ("# C\nthree", "D › C", "3"),
        ("# End", "D", "3"),
    ];
    assert_eq!(shown, expected.map(|(a, b, c)| (a, b.to_owned(), c.to_owned())));
}

#[test]
fn bad_and_large_input() {
    assert!(run(vec![doc(""), doc(" \n\u{c}\n")], &[]).is_empty());
    assert!(!run(vec![doc("---")], &[]).is_empty());
    let op = decode::<Chunk>(vec![Value::from("text")].into(), &[]);
    assert!(op.run(&cx()).unwrap_err().message.contains("found string as item 1"));
    let huge = "\u{c}word ".repeat(400_000);
    let found = run(vec![hit("a", "A", &huge, "", 0.0)], &[("overlap", 100.into())]);
    let is_late = |it: &Value| matches!(it, Value::Int(page) if *page > 390_000);
    assert!(found.len() > 1_000 && found.last().unwrap().get("page").is_some_and(is_late));
    let op = decode::<Chunk>(vec![doc("x")].into(), &[]);
    assert_eq!(op.run(&cancelled()).unwrap_err().message, "cancelled");
}

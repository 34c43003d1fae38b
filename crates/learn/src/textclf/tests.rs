//! What is learnt from small texts.

use super::{Classifier, Quality, Settings, learn};
use crate::{Stop, Trouble};

const SETTINGS: Settings = Settings { ngram: 2, char_ngram: 4, cost: 1.0, folds: 5, seed: 1 };

fn tried(
    rows: &[(&str, String)],
    settings: Settings,
) -> Result<(Classifier, Vec<Quality>), Trouble> {
    let mut labels: Vec<String> = rows.iter().map(|it| it.0.to_owned()).collect();
    labels.sort();
    labels.dedup();
    let of: Vec<usize> =
        rows.iter().map(|it| labels.binary_search(&it.0.to_owned()).unwrap()).collect();
    let texts: Vec<&str> = rows.iter().map(|it| it.1.as_str()).collect();
    learn(&texts, &of, labels, settings, &Stop::NEVER)
}

/// Texts of several classes, each with a word of its class among words of all.
fn texts(classes: &[(&'static str, &str)], each: usize) -> Vec<(&'static str, String)> {
    let common = ["the", "day", "is", "long", "we", "wait", "for", "a", "train", "today"];
    let text = |at: usize, word: &str| {
        let part = |it: usize| common[(at * 7 + it * 3) % common.len()];
        format!("{} {} {word}{} {} {}", part(0), part(1), at % 3, part(2), part(3))
    };
    let of = |(label, word): &(&'static str, &str)| {
        let (label, word) = (*label, (*word).to_owned());
        (0..each).map(move |at| (label, text(at, &word)))
    };
    classes.iter().flat_map(of).collect()
}

#[test]
fn words_that_decide_are_named() {
    for classes in [
        &[("bad", "awful"), ("good", "great")][..],
        &[("a", "apple"), ("b", "berry"), ("c", "citrus")],
    ] {
        let (model, found) = tried(&texts(classes, 12), SETTINGS).unwrap();
        assert!(found[0].macro_f1 > 0.95, "{found:?}");
        for (label, (name, word)) in classes.iter().enumerate() {
            let it = model.classify(&format!("we wait for the {word}1 train"), 3);
            assert_eq!(it.label, label, "{name}: {it:?}");
            assert!(it.confidence > 0.6, "{name}: {it:?}");
            assert!(it.because[0].0.contains(word), "{name}: {it:?}");
        }
    }
}

#[test]
fn equal_data_give_equal_models() {
    let rows = texts(&[("x", "red"), ("y", "blue")], 9);
    let bytes = |settings| serde_json::to_string(&tried(&rows, settings).unwrap().0).unwrap();
    assert_eq!(bytes(SETTINGS), bytes(SETTINGS));
    assert_ne!(bytes(SETTINGS), bytes(Settings { char_ngram: 0, ..SETTINGS }));
}

#[test]
fn too_little_is_refused_and_nothing_is_classified() {
    let fails = |rows: &[(&str, String)]| tried(rows, SETTINGS).unwrap_err().message;
    assert_eq!(fails(&texts(&[("x", "red")], 9)), "expected at least two classes, found 1");
    let mut rows = texts(&[("x", "red")], 9);
    rows.push(("y", "blue".to_owned()));
    assert_eq!(fails(&rows), "expected at least 2 texts of each class, found 1 of `y`");
    let few = texts(&[("x", "red"), ("y", "blue")], 2);
    assert!(fails(&few).starts_with("expected at least 5 texts"));
    // Texts without a known word, and without any.
    let (model, _) = tried(&texts(&[("x", "red"), ("y", "blue")], 9), SETTINGS).unwrap();
    for text in ["", " \n", "漢字", &"w".repeat(100_000)] {
        let it = model.classify(text, 5);
        assert!((0.0..=1.0).contains(&it.confidence), "{it:?}");
    }
}

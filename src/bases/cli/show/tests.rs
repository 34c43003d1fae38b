use svc_contract::value::json;

use super::{Reader, show};

const TERMINAL: Reader = Reader::Terminal { width: 60, colour: false };

fn shown(json: &str, reader: Reader) -> String {
    show(&json::read(json).unwrap(), reader)
}

fn piped(json: &str) -> String {
    shown(json, Reader::Pipe)
}

#[test]
fn plain_values_are_themselves() {
    assert_eq!(piped("null"), "");
    assert_eq!(piped("[]"), "");
    assert_eq!(piped(r#""two\nlines""#), "two\nlines\n");
    assert_eq!(piped(r#""one\n""#), "one\n");
    assert_eq!(piped("2.5"), "2.5\n");
    assert_eq!(piped(r#"["a", 1, null, [2]]"#), "a\n1\nnull\n[2]\n");
}

#[test]
fn a_summary_is_its_text_and_its_sources() {
    let summary = r#"{"text": "Cats sleep. [1]", "sources": ["a.md (Cats)", "b.md"]}"#;
    assert_eq!(piped(summary), "Cats sleep. [1]\n\n[1] a.md (Cats)\n[2] b.md\n");
    assert_eq!(piped(r#"{"text": "Cats.", "sources": []}"#), "Cats.\n");
    // With one more field, it is an ordinary record.
    assert_eq!(
        piped(r#"{"text": "a", "sources": [], "n": 1}"#),
        "text     a\nsources  []\nn        1\n"
    );
}

#[test]
fn a_record_is_its_fields() {
    let record = r#"{"title": "War", "text": "one\ntwo", "at": {"x": 1, "yy": null}}"#;
    let wanted = "\
title  War
text   one
       two
at     x   1
       yy  null
";
    assert_eq!(piped(record), wanted);
    assert_eq!(shown(record, TERMINAL), wanted);
}

#[test]
fn long_text_wraps_next_to_its_name() {
    let text = "word ".repeat(20);
    let shown = shown(&format!(r#"{{"id": 1, "text": "{text}"}}"#), TERMINAL);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 3, "{shown}");
    assert!(lines[1].starts_with("text  word word"), "{shown}");
    assert!(lines[2].starts_with("      word"), "{shown}");
    assert!(lines.iter().all(|it| it.len() <= 60), "{shown}");
}

#[test]
fn records_are_a_table() {
    let rows = r#"[{"a": 1, "b": "x\ty\nz"}, {"b": "w", "c": {"d": 0.5}}]"#;
    assert_eq!(piped(rows), "a\tb\tc\n1\tx y z\t\n\tw\t{\"d\":0.5}\n");
    assert_eq!(shown(rows, TERMINAL), "a  b      c\n1  x y z\n   w      {\"d\":0.5}\n");
}

#[test]
fn a_terminals_table_is_cut() {
    let text = "word ".repeat(50);
    let rows = format!(r#"[{{"n": 1, "score": 1.23456789012, "text": "{text}"}}]"#);
    let cut = shown(&rows, TERMINAL);
    assert_eq!(cut.lines().count(), 2, "{cut}");
    assert!(cut.contains("1.2346") && cut.ends_with("…\n"), "{cut}");
    assert!(piped(&rows).contains(text.trim()));
}

#[test]
fn wide_records_stand_below_each_other() {
    let text = "word ".repeat(50);
    let fields: Vec<String> = ["a", "b", "c", "d"].map(|it| format!(r#""{it}": "{text}""#)).into();
    let row = format!("{{{}}}", fields.join(", "));
    let shown = shown(&format!("[{row}, {row}]"), TERMINAL);
    assert_eq!(shown.lines().count(), 2 * 4 * 3 + 1, "{shown}");
    assert!(shown.lines().all(|it| it.chars().count() <= 60), "{shown}");
}

#[test]
fn colour_is_for_names() {
    let colour = Reader::Terminal { width: 60, colour: true };
    assert!(shown(r#"{"a": 1}"#, colour).starts_with("\u{1b}[1ma"));
    assert!(!shown(r#"{"a": 1}"#, TERMINAL).contains('\u{1b}'));
}

#[test]
fn documents_cannot_command_a_terminal() {
    let bell = r#"{"a": "x\u001b[2Jy"}"#;
    assert!(!shown(bell, TERMINAL).contains('\u{1b}'));
    assert!(piped(bell).contains('\u{1b}'));
}

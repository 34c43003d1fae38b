//! Commands that change scripts, or print others: `fix`, `fmt`, `expand`.
#![expect(clippy::disallowed_methods, reason = "the real program runs on real files")]

use std::fs;

use super::Place;

#[test]
fn fix_mends_files_and_says_what_is_left() {
    let place = Place::new(&[("a.svc", "\"a\" | uper\n"), ("b.svc", "[1] + \"x\" | shw\n")]);
    place.svc(&["fix", "--dry-run", "a.svc"]).gives(
        "a.svc: E106: expected `>>` between stages, found `|`\n\
         a.svc: E201: unknown name `uper`\n\
         a.svc: 2 would be fixed\n",
    );
    place.svc(&["run", "a.svc"]).fails(7, "E106");
    assert_eq!(place.svc(&["fix", "a.svc"]).code, Some(0));
    place.svc(&["run", "a.svc"]).gives("A\n");
    let left = place.svc(&["fix", "b.svc"]);
    assert_eq!(left.code, Some(7));
    assert!(left.err.contains("E208"), "{}", left.err);
}

#[test]
fn scripts_are_formatted_in_place() {
    let (ugly, neat) = ("let  x=[1,2]# two\nx>>sum", "let x = [1, 2]  # two\nx >> sum\n");
    let place = Place::new(&[("ugly.svc", ugly), ("neat.svc", neat), ("nested/ugly.svc", ugly)]);
    let text = |name| fs::read_to_string(place.path().join(name)).unwrap();
    let check = place.svc(&["fmt", "--check", "ugly.svc", "neat.svc"]);
    assert_eq!((check.code, check.out.as_str()), (Some(1), "ugly.svc: would be formatted\n"));
    assert_eq!(text("ugly.svc"), ugly);
    let done = place.svc(&["fmt", "ugly.svc", "neat.svc", "nested/ugly.svc"]);
    done.gives("ugly.svc: formatted\nnested/ugly.svc: formatted\n");
    assert_eq!((text("ugly.svc").as_str(), text("neat.svc").as_str()), (neat, neat));
    place.svc(&["fmt", "--check", "ugly.svc", "neat.svc"]).gives("");
}

#[test]
fn a_script_is_formatted_from_standard_input() {
    let place = Place::new(&[]);
    place.svc_with(b"1+2", &["fmt", "-"]).gives("1 + 2\n");
    place.svc_with(b"1 + 2\n", &["fmt", "-"]).gives("1 + 2\n");
    place.svc_with(b"1 + 2\n", &["fmt", "--check", "-"]).gives("");
    let check = place.svc_with(b"1+2", &["fmt", "--check", "-"]);
    assert_eq!((check.code, check.out.as_str()), (Some(1), "<stdin>: would be formatted\n"));
    place.svc_with(b"1", &["fmt", "-", "x.svc"]).fails(2, "cannot combine `-` with other files");
}

#[test]
fn what_cannot_be_read_is_not_formatted() {
    let place =
        Place::new(&[("torn.svc", "let  a=1\nlet b = (  a\nlet  c=2\n"), ("ok.svc", "1+2")]);
    fs::write(place.path().join("bytes.svc"), b"\"\xff\"").unwrap();
    let done = place.svc(&["fmt", "torn.svc", "missing.svc", "bytes.svc", "ok.svc"]);
    done.fails(7, "`(` is never closed");
    assert_eq!(done.out, "torn.svc: formatted\nok.svc: formatted\n");
    for said in ["left unchanged", "missing.svc", "is not valid UTF-8"] {
        assert!(done.err.contains(said), "{}", done.err);
    }
    let text = fs::read_to_string(place.path().join("torn.svc")).unwrap();
    assert_eq!(text, "let a = 1\nlet b = (  a\nlet c = 2\n");
    place.svc(&["fmt", "missing.svc", "ok.svc"]).fails(6, "missing.svc");
    place.svc(&["fmt"]).fails(2, "required");
}

const PANEL: &str = r#"/// type Report = { text: string, words: int }

/// template review(draft: string, loud: bool = false) -> Report
fn review(loud) {
    let change = if loud { stage("upper") } else { seq(["trim", stage("lower")]) };
    parallel(#{ text: change, words: "words >> len" })
}
"#;

/// Printed scripts need no template any more, and return the same.
#[test]
fn templates_are_expanded() {
    let script = r#"use "lib/panel.rhai" as panel
use "lib/loud.svc" as lib
let a: panel.Report = "  One Two " >> panel.review
let b = "x" >> panel.review(loud: true, draft: ("three" >> panel.review(loud: true) >> .text))
# Once more.
let e = panel.review("first", true)
{ a: a, b: b, c: ("y" >> panel.review(loud: true)), d: ("z" >> lib.loud), e: e }
"#;
    let lib = "flow loud(x: string) -> string { x >> upper }";
    let files = [("a.svc", script), ("lib/panel.rhai", PANEL), ("lib/loud.svc", lib)];
    let place = Place::new(&files);
    let before = place.svc(&["run", "a.svc"]);
    let expanded = place.svc(&["expand", "a.svc"]);
    assert_eq!(expanded.code, Some(0), "{}", expanded.err);
    insta::assert_snapshot!(expanded.out);
    fs::write(place.path().join("b.svc"), &expanded.out).unwrap();
    fs::remove_file(place.path().join("lib/panel.rhai")).unwrap();
    place.svc(&["run", "b.svc"]).gives(&before.out);
    place.svc(&["expand", "a.svc"]).fails(7, "it does not exist");
    place.svc_with(b"1 + 2", &["expand", "-"]).gives("1 + 2\n");
}

#[test]
fn the_type_argument_of_a_template_is_expanded() {
    let script = r#"use "read.rhai" as t
type Order = { id: int }
let one = "1" >> t.read<int>()
let order = "{\"id\": 2}" >> t.read<Order>
{ one: one, id: order.id }
"#;
    let read = "/// template read<T>(text: string) -> T\nfn read() { \"parse_json<T>()\" }\n";
    let place = Place::new(&[("a.svc", script), ("read.rhai", read)]);
    let expanded = place.svc(&["expand", "a.svc"]);
    assert_eq!(expanded.code, Some(0), "{}", expanded.err);
    assert!(expanded.out.contains("t_read<int>()"), "{}", expanded.out);
    fs::write(place.path().join("b.svc"), &expanded.out).unwrap();
    fs::remove_file(place.path().join("read.rhai")).unwrap();
    place.svc(&["run", "b.svc"]).gives("one  1\nid   2\n");
}

#[test]
fn types_of_templates_and_scripts_that_share_a_name_are_not_expanded() {
    let script = "use \"panel.rhai\" as panel  type Report = { a: int }\n\"x\" >> panel.review";
    let place = Place::new(&[("a.svc", script), ("panel.rhai", PANEL)]);
    assert_eq!(place.svc(&["check", "a.svc"]).code, Some(0));
    place.svc(&["expand", "a.svc"]).fails(1, "have the same name");
}

#[test]
fn what_only_a_person_can_decide_is_left_and_counted() {
    let text = "let x: string = 5\nx + 1 | uper\n";
    let place = Place::new(&[("a.svc", text)]);
    let read = || fs::read_to_string(place.path().join("a.svc")).unwrap();
    let left = place.svc(&["fix", "a.svc"]);
    assert_eq!(left.code, Some(7), "{}", left.err);
    assert_eq!(read(), "let x: string = 5\nx + 1 >> upper\n");
    assert!(
        left.err.contains("is only suggested; apply with `svc fix --suggested a.svc`"),
        "{}",
        left.err
    );
    let json = place.svc(&["check", "--json", "a.svc"]).json();
    assert_eq!(json["files"][0]["problems"][0]["applicability"], "suggested");
    let done = place.svc(&["fix", "--suggested", "a.svc"]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{}", read());
    place.svc(&["fix", "--suggested", "a.svc"]).gives("a.svc: 0 fixed\n");
}

#[cfg(unix)]
#[test]
fn a_file_that_is_fixed_stays_what_it_is() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let place = Place::new(&[("real/a.svc", "\u{feff}# one\r\n\"a\" | upper\r\n")]);
    let (real, link) = (place.path().join("real/a.svc"), place.path().join("a.svc"));
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real/a.svc", &link).unwrap();
    place
        .svc(&["fix", "a.svc"])
        .gives("a.svc: E106: expected `>>` between stages, found `|`\na.svc: 1 fixed\n");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "\u{feff}# one\r\n\"a\" >> upper\r\n");
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(
        fs::read_dir(real.parent().unwrap()).unwrap().count(),
        1,
        "no temporary file is left"
    );
    place.svc(&["fmt", "a.svc"]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn modules_are_documented() {
    let files = [
        ("crm/mod.svc", include_str!("../modules/crm/mod.svc")),
        ("crm/parts.svc", include_str!("../modules/crm/parts.svc")),
        ("main.svc", "1 >> show"),
        ("wrong.svc", "flow f() -> int { \"x\" }"),
    ];
    let place = Place::new(&files);
    let page = place.svc(&["doc", "crm/mod.svc"]);
    insta::assert_snapshot!("modules_are_documented", page.out);
    assert_eq!(page.code, Some(0));
    let markdown = place.svc(&["doc", "--markdown", "crm"]);
    assert!(markdown.out.contains("# crm\n"), "{}", markdown.out);
    assert!(markdown.out.contains("```svc\nwith_tax(x: money) -> money\n```"), "{}", markdown.out);
    assert!(!markdown.out.contains("_half"), "{}", markdown.out);
    let json = place.svc(&["doc", "--json", "main.svc", "crm/parts.svc"]);
    let pages: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(pages[1]["flows"][0]["name"], "with_tax");
    place.svc(&["doc", "wrong.svc"]).fails(7, "E217");
    place.svc(&["doc", "missing.svc"]).fails(6, "it does not exist");
}

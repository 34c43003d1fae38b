//! Rows that cannot be learnt from.

use svc_contract::registry::ErrorKind;

use super::Learn;
use crate::testing::{call, cancelled, cx, read};

fn fails(rows: &str) -> String {
    let args = [("text", "t".into()), ("label", "c".into())];
    call::<Learn>(read(rows), &args, &cx()).expect_err("the call fails").message
}

#[test]
fn rows_that_are_wrong_are_named() {
    for (rows, expected) in [
        ("[]", "expected a table with rows, found an empty one"),
        (r#"[{"t":"a","c":"x"},3]"#, "expected a record as row 2, found int"),
        (r#"[{"t":"a","c":"x"},{"t":4,"c":"x"}]"#, "expected a text for `t` in row 2, found int"),
        (
            r#"[{"t":"a","c":[1]}]"#,
            "expected a text, a whole number or a boolean for `c` in row 1, found list",
        ),
        (r#"[{"t":"a","k":"x"}]"#, "missing column `c`"),
        (r#"[{"t":"","c":"x"},{"t":null,"c":"y"}]"#, "expected at least two classes, found 0"),
        (
            r#"[{"t":"a","c":"x"},{"t":"b","c":"y"}]"#,
            "expected at least 2 texts of each class, found 1 of `x`",
        ),
    ] {
        assert_eq!(fails(rows), expected, "{rows}");
    }
}

#[test]
fn a_cancelled_call_stops() {
    let rows = r#"[{"t":"a","c":"x"},{"t":"b","c":"y"},{"t":"a","c":"x"},{"t":"b","c":"y"}]"#;
    let args = [("text", "t".into()), ("label", "c".into()), ("folds", 2.into())];
    let err = call::<Learn>(read(rows), &args, &cancelled()).unwrap_err();
    assert_eq!(err.kind, ErrorKind::Cancelled);
}

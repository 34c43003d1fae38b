//! Odd tables, and how they are filled by models.

use super::{super::impute::Impute, cx, decoded, json, read};
use crate::adapt_quality::tests::Compute as _;

#[test]
fn odd_tables_are_filled_by_a_model() {
    let of = |rows: &str| {
        let args = [("rows", read(rows)), ("method", "model".into())];
        json::write(&decoded::<Impute>(&args).run(&cx()).unwrap())
    };
    for same in ["[]", r#"[{"a":null},{"a":null}]"#, r#"[{"a":1},{"a":2}]"#] {
        assert_eq!(of(same), same);
    }
    // Too few rows for a model: the median, and the most frequent value.
    assert_eq!(of(r#"[{"a":1},{"a":null},{"a":3}]"#), r#"[{"a":1},{"a":2},{"a":3}]"#);
    let few = r#"[{"a":1,"b":"x"},{"a":null,"b":"x"},{"a":3,"b":null}]"#;
    assert_eq!(of(few), r#"[{"a":1,"b":"x"},{"a":2,"b":"x"},{"a":3,"b":"x"}]"#);
    // A line is found exactly enough, whole numbers stay whole, and a constant column does no harm.
    let rows: Vec<String> = (0..200)
        .map(|it| {
            let b = if it == 77 { "null".to_owned() } else { (3 * it + 5).to_string() };
            format!(r#"{{"a":{it},"b":{b},"c":7,"d":"word {it}","e":[1]}}"#)
        })
        .collect();
    let filled = of(&format!("[{}]", rows.join(",")));
    let found = filled.split(r#"{"a":77,"b":"#).nth(1).unwrap().split(',').next().unwrap();
    let found: i64 = found.parse().unwrap();
    assert!((found - 236).abs() <= 4, "{found}");
}

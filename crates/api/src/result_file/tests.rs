use std::path::Path;

use svc_contract::value::json;

use super::*;
use crate::rows::row_type;

fn table(text: &str) -> Table<Value> {
    json::read(text).unwrap().as_list().unwrap().columns().unwrap()
}

#[test]
fn the_ending_is_the_format() {
    for ending in ENDINGS {
        ResultFile::named(Path::new(&format!("out/a.b{ending}"))).unwrap();
    }
    for upper in ["A.CSV", "a.Html", "x.ndjson.GZ"] {
        ResultFile::named(Path::new(upper)).unwrap();
    }
    for wrong in
        ["a", "a.", "a.docx", "csv", ".gz", "a.gz", "a.xlsx.gz", "a.json.gz", "-", "..", "/"]
    {
        let err = ResultFile::named(Path::new(wrong)).unwrap_err();
        assert_eq!(err.message, format!("unknown ending of `{wrong}`"));
        assert!(err.help.unwrap().contains(".csv, .tsv, .jsonl, .json, .parquet"));
    }
}

#[test]
fn what_is_never_a_table_is_known_before_the_run() {
    let record = Type::record(vec![("a".into(), Type::Int(None))]);
    for ty in [Type::Json, Type::Unknown, Type::list(record.clone()), Type::list(Type::Json)] {
        assert!(may_be_table(&ty), "{ty}");
        assert!(may_be_table(&ty.clone().optional()), "{ty}");
    }
    for ty in [Type::Text, record, Type::list(Type::Text), Type::list(Type::list(Type::Json))] {
        assert!(!may_be_table(&ty), "{ty}");
    }
    assert_eq!(rows(&Value::Int(1)).unwrap_err().message, "expected a list of records, found int");
}

#[test]
fn rows_have_the_types_of_their_values() {
    let rows = table(r#"[{"a": 1, "b": "x", "c": [1], "d": null}, {"a": 2, "b": null, "c": 1}]"#);
    assert_eq!(row_type(&rows), "{ a: int?, b: string?, c: json?, d: json? }");
    assert_eq!(row_type(&table("[]")), "json");
}

#[test]
fn a_page_shows_values_as_text() {
    let rows =
        r#"[{"<b>": 1, "note": "a & <script>x</script>\u202e"}, {"<b>": null, "note": "[1]"}]"#;
    let page = page::page("x</title>", &table(rows));
    assert!(page.contains("<title>x&lt;/title&gt;</title>"), "{page}");
    assert!(page.contains("2 rows, 2 columns"), "{page}");
    let head = "<th scope=\"col\"><bdi>&lt;b&gt;</bdi> <span class=\"type\">int</span></th>";
    assert!(page.contains(head), "{page}");
    let row = "<tr><td class=\"n\">1</td><td dir=\"auto\">a &amp; &lt;script&gt;x&lt;/script&gt;\\u{202e}</td></tr>";
    assert!(page.contains(row), "{page}");
    assert!(page.contains("<tr><td dir=\"auto\"></td><td dir=\"auto\">[1]</td></tr>"), "{page}");
    assert!(!page.contains("<script"));
}

#[test]
fn a_page_of_nothing_is_a_page() {
    let page = page::page("x", &table("[]"));
    assert!(page.contains("0 rows, 0 columns") && page.ends_with("</html>\n"), "{page}");
}

//! Bad input, and what is known of public data.

mod expected;
mod imputed;

use svc_contract::{
    registry::{Compute, OpError},
    value::{Value, json},
};

use super::{dedupe::Dedupe, impute::Impute, profile::Infer, rules::Rules, validate::Validate};
use crate::testing::{cx, decoded, working};

fn read(text: &str) -> Value {
    json::read(text).unwrap()
}

fn validate(schema: &str, value: &str) -> Result<String, OpError> {
    let args = [("value", read(value)), ("schema", read(schema))];
    decoded::<Validate>(&args).run(&working()).map(|it| json::write(&it))
}

#[test]
fn findings_have_their_place() {
    let schema = r#"{"properties":{"lines":{"items":{"properties":{"amount":{"type":"number"},"a b":{"maxLength":1}},"additionalProperties":false}}}}"#;
    let found =
        validate(schema, r#"{"lines":[{"amount":1},{"amount":"x","a b":"yz","c":1}]}"#).unwrap();
    for wanted in [
        r#""message":"expected number, found string","path":"lines[1].amount""#,
        r#""message":"expected at most 1 characters, found 2","path":"lines[1][\"a b\"]""#,
        r#""message":"unknown `c`","path":"lines[1]""#,
    ] {
        assert!(found.contains(wanted), "{found}");
    }
}

#[test]
fn hostile_schemas_are_refused() {
    for (schema, why) in [
        (r#"{"$ref":"file:///etc/passwd"}"#, "not loaded from files"),
        (r#"{"$ref":"http://localhost/x"}"#, "not loaded from files"),
        (r#"{"type":7}"#, "invalid JSON schema"),
        (r#"{"pattern":"("}"#, "invalid JSON schema"),
        ("7", "invalid JSON schema"),
    ] {
        let err = validate(schema, "1").unwrap_err();
        assert!(err.message.contains(why), "{schema}: {}", err.message);
    }
    // Each part asks twice for the next one.
    let mut parts = String::from(r##"{"$ref":"#/$defs/p0","$defs":{"p40":true"##);
    for at in 0..40 {
        let next = at + 1;
        parts += &format!(
            r##","p{at}":{{"allOf":[{{"$ref":"#/$defs/p{next}"}},{{"$ref":"#/$defs/p{next}"}}]}}"##
        );
    }
    parts += "}}";
    let err = validate(&parts, "1").unwrap_err();
    assert!(err.message.contains("was ended"), "{}", err.message);
    let endless = validate(r##"{"$ref":"#"}"##, "1");
    assert!(endless.is_err() || endless.unwrap().contains("\"valid\":false"));
}

#[test]
fn tables_of_any_kind_are_profiled() {
    let of =
        |rows: &str| json::write(&decoded::<Infer>(&[("rows", read(rows))]).run(&cx()).unwrap());
    assert_eq!(of("[]"), r#"{"rows":0,"duplicates":0,"keys":[],"findings":[],"columns":[]}"#);
    let nulls = of(r#"[{"a":null},{"a":null}]"#);
    assert!(
        nulls.contains(r#""type":"null""#) && nulls.contains("100 % of the values are missing"),
        "{nulls}"
    );
    let mixed = of(r#"[{"a":1},{"a":"x"},{"a":2.5}]"#);
    assert!(mixed.contains("values of several types: 1 float, 1 int, 1 string"), "{mixed}");
    let numbers: Vec<String> =
        (0..100).map(|it| format!(r#"{{"a":{}}}"#, if it == 7 { 5000 } else { it })).collect();
    let far = of(&format!("[{}]", numbers.join(",")));
    assert!(far.contains("1 value is far from the others, such as 5000"), "{far}");
    let mails = of(r#"[{"m":"a@b.de"},{"m":"c@d.org"}]"#);
    assert!(mails.contains(r#""looks_like":"email""#), "{mails}");
}

#[test]
fn gaps_are_filled_from_neighbours() {
    let rows = r#"[{"x":1,"y":10,"c":"a"},{"x":1.1,"y":11,"c":"a"},{"x":9,"y":90,"c":"b"},{"x":9.1,"y":null,"c":null},{"x":8.9,"y":92,"c":"b"},{"x":9.2,"y":91,"c":"b"},{"x":9.3,"y":93,"c":"b"},{"x":9.4,"y":94,"c":"b"}]"#;
    let args = [("rows", read(rows)), ("method", "knn".into())];
    let filled = json::write(&decoded::<Impute>(&args).run(&cx()).unwrap());
    assert!(filled.contains(r#"{"x":9.1,"y":92,"c":"b"}"#), "{filled}");
    let nothing = r#"[{"x":null},{"x":null}]"#;
    assert_eq!(
        json::write(&decoded::<Impute>(&[("rows", read(nothing))]).run(&cx()).unwrap()),
        nothing
    );
}

#[test]
fn rules_name_the_row_that_breaks_them() {
    let rows =
        r#"[{"a":1,"b":"x"},{"a":1,"b":"x"},{"a":2,"b":"y"},{"a":2,"b":"y"},{"a":1,"b":"z"}]"#;
    let of = |support: f64| {
        let args = [("rows", read(rows)), ("support", support.into())];
        json::write(&decoded::<Rules>(&args).run(&cx()).unwrap())
    };
    assert_eq!(of(1.0), r#"[{"rule":"b -> a","support":1.0,"violations":0,"first":null}]"#);
    assert!(
        of(0.8).contains(r#"{"rule":"a -> b","support":0.8,"violations":1,"first":4}"#),
        "{}",
        of(0.8)
    );
}

#[test]
fn doubles_are_found_in_odd_tables() {
    let of =
        |rows: &str| json::write(&decoded::<Dedupe>(&[("rows", read(rows))]).run(&cx()).unwrap());
    assert_eq!(of("[]"), "[]");
    assert_eq!(of(r#"[{"a":1}]"#), "[]");
    assert_eq!(of(r#"[{"a":null},{"a":null}]"#), "[]");
    // Far more equal rows than a block holds.
    let many = format!("[{}]", vec![r#"{"a":"Maria Lopez","b":"1970-01-02"}"#; 1000].join(","));
    let rows: Vec<String> = (0..1000).map(|it| it.to_string()).collect();
    assert!(
        of(&many).starts_with(&format!("[{{\"rows\":[{}]", rows.join(","))),
        "{:.200}",
        of(&many)
    );
}

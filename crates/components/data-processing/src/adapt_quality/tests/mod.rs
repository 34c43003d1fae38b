//! Bad input, and what is known of public data.

mod expected;
mod imputed;
mod numbers;

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

/// People of four towns: every tenth row is written a second time, with a slip in the name.
fn people(count: usize) -> (String, Vec<(usize, usize)>) {
    const STARTS: [&str; 12] =
        ["Al", "Be", "Cor", "Da", "El", "Fri", "Ge", "Hor", "In", "Jo", "Ku", "Lo"];
    const ENDS: [&str; 10] =
        ["bert", "dina", "fried", "gard", "hanna", "kim", "linde", "mund", "na", "ria"];
    const TOWNS: [&str; 4] = ["Bremen", "Kiel", "Jena", "Ulm"];
    let word = |no: usize, salt: usize| {
        let at = (no + 1).wrapping_mul(2_654_435_761).wrapping_add(salt * 40_503) >> 9;
        format!("{}{}", STARTS[at % 12], ENDS[at / 12 % 10])
    };
    let row = |name: &str, no: usize| {
        let street = word(no * 37, 5).to_lowercase();
        format!(
            r#"{{"name":"{name}","street":"{street}weg {}","town":"{}"}}"#,
            no * 7 % 90 + 1,
            TOWNS[no % 4]
        )
    };
    let (mut rows, mut doubles) = (Vec::new(), Vec::new());
    for no in 0..count {
        let name = format!("{} {}", word(no, 1), word(no * 71, 2));
        rows.push(row(&name, no));
        if no % 10 == 0 {
            doubles.push((rows.len() - 1, rows.len()));
            rows.push(row(&format!("{}e{}", &name[..3], &name[3..]), no));
        }
    }
    (format!("[{}]", rows.join(",")), doubles)
}

#[test]
fn a_town_that_many_share_does_not_make_them_one() {
    let (rows, doubles) = people(400);
    let found = decoded::<Dedupe>(&[("rows", read(&rows))]).run(&cx()).unwrap();
    let clusters: Vec<Vec<usize>> = found
        .as_list()
        .unwrap()
        .iter()
        .map(|it| {
            let rows = it.as_record().unwrap().get("rows").unwrap().as_list().unwrap();
            rows.iter().map(|it| it.to_string().parse().unwrap()).collect()
        })
        .collect();
    let right = clusters.iter().filter(|it| doubles.contains(&(it[0], it[1]))).count();
    assert!(right >= 35, "{right} of {}: {clusters:?}", doubles.len());
    assert!(clusters.len() - right <= 2 && clusters.iter().all(|it| it.len() == 2), "{clusters:?}");
}

#[test]
fn accents_do_not_count_and_other_numbers_do() {
    let of = |a: &str, b: &str| {
        let [a, b] = [a, b].map(|it| super::compare::normal(&Value::from(it)));
        super::compare::level(a.as_ref(), b.as_ref())
    };
    assert_eq!((of("Köln", "Koln"), of("José  García", "jose garcia")), (0, 0));
    assert_eq!(
        (of("A Winter Garden, Vol. 1", "A Winter Garden, Vol. 2"), of("Vol. 1", "Vol 1.")),
        (2, 0)
    );
    assert_eq!(of("A Winter Garden", "A Winter Gardn"), 1);
}

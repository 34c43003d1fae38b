//! Numbers in JSON schemas: large ints and decimals.

use super::validate;

#[test]
fn limits_of_numbers_are_exact() {
    for (schema, value, expected) in [
        (
            r#"{"maximum":9007199254740992}"#,
            "9007199254740993",
            "expected at most 9007199254740992, found 9007199254740993",
        ),
        (
            r#"{"exclusiveMinimum":9007199254740992}"#,
            "9007199254740992",
            "expected more than 9007199254740992, found 9007199254740992",
        ),
        (r#"{"exclusiveMinimum":9007199254740992}"#, "9007199254740993", ""),
        (
            r#"{"minimum":-9007199254740992}"#,
            "-9007199254740993",
            "expected at least -9007199254740992, found -9007199254740993",
        ),
        (
            r#"{"$schema":"http://json-schema.org/draft-04/schema#","maximum":9007199254740993,"exclusiveMaximum":true}"#,
            "9007199254740993",
            "expected less than 9007199254740993, found 9007199254740993",
        ),
        (r#"{"const":9007199254740993}"#, "9007199254740992", "expected 9007199254740993"),
        (r#"{"enum":[9007199254740993]}"#, "9007199254740992", "expected one of 9007199254740993"),
        (r#"{"multipleOf":0.1}"#, "0.3", ""),
        (r#"{"multipleOf":0.01}"#, "4.35", ""),
        (r#"{"multipleOf":0.1}"#, "0.35", "expected a multiple of 0.1, found 0.35"),
        (
            r#"{"multipleOf":2}"#,
            "9007199254740993",
            "expected a multiple of 2, found 9007199254740993",
        ),
        (r#"{"multipleOf":0.1}"#, r#""a text""#, ""),
    ] {
        let found = validate(schema, value).unwrap();
        assert_eq!(found.contains(r#""valid":true"#), expected.is_empty(), "{schema}: {found}");
        assert!(found.contains(expected), "{schema}: {found}");
    }
}

#[test]
fn limits_hold_wherever_a_schema_stands() {
    let limited = r#"{"multipleOf":0.1}"#;
    for schema in [
        format!(r#"{{"items":{limited}}}"#),
        format!(r#"{{"prefixItems":[{limited}]}}"#),
        format!(r#"{{"contains":{{"not":{limited}}},"minContains":0,"maxContains":0}}"#),
        format!(r##"{{"$defs":{{"a":{limited}}},"items":{{"$ref":"#/$defs/a"}}}}"##),
        r#"{"items":{"allOf":[{"type":"number"}],"multipleOf":0.1}}"#.to_owned(),
        format!(r#"{{"items":{{"if":{limited},"else":false}}}}"#),
        format!(r#"{{"items":{{"oneOf":[{limited},{{"multipleOf":0.25}}]}}}}"#),
        format!(r#"{{"unevaluatedItems":{limited}}}"#),
    ] {
        assert!(validate(&schema, "[0.3]").unwrap().contains(r#""valid":true"#), "{schema}");
        assert!(validate(&schema, "[0.31]").unwrap().contains(r#""valid":false"#), "{schema}");
    }
    // A value that looks like a schema is not one, and mistakes are found as before.
    let named = validate(r#"{"const":{"multipleOf":0.1}}"#, r#"{"multipleOf":0.1}"#).unwrap();
    assert!(named.contains(r#""valid":true"#), "{named}");
    for schema in
        [r#"{"multipleOf":0}"#, r#"{"multipleOf":-0.1}"#, r#"{"multipleOf":0.1,"allOf":1}"#]
    {
        assert!(validate(schema, "1").unwrap_err().message.contains("invalid JSON schema"));
    }
    let many: Vec<String> = (1..=65).map(|it| format!(r#"{{"multipleOf":0.{it:02}1}}"#)).collect();
    let err = validate(&format!(r#"{{"anyOf":[{}]}}"#, many.join(",")), "1").unwrap_err();
    assert!(err.message.contains("too many different limits of numbers (limit 64)"));
}

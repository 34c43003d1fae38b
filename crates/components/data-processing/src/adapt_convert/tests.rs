//! Queries, patches and formats on what is hostile or odd.

use svc_contract::{
    registry::{Compute, OpError},
    value::{Value, json},
};

use super::{
    diff::Diff,
    formats::{Decode, Encode, Infer},
    patch::Patch,
    query::Query,
    same::is_same,
};
use crate::testing::{cx, decoded, working};

fn query(value: &str, path: &str, language: &str) -> Result<String, OpError> {
    let value = json::read(value).unwrap();
    let args = [("value", value), ("path", path.into()), ("language", language.into())];
    decoded::<Query>(&args).run(&working()).map(|it| json::write(&it))
}

fn decode(content: Value, format: &str) -> Result<String, String> {
    let args = [("content", content), ("format", format.into())];
    decoded::<Decode>(&args).run(&cx()).map(|it| json::write(&it)).map_err(|err| err.message)
}

fn bytes(it: &[u8]) -> Value {
    Value::Bytes(it.into())
}

#[test]
fn jq_computes() {
    let of = |value: &str, path: &str| query(value, path, "jq").unwrap();
    assert_eq!(of(r#"{"b":1,"a":[1,2]}"#, "., (.a|add), .c"), r#"[{"b":1,"a":[1,2]},3,null]"#);
    assert_eq!(of("null", r#""aXbxc" | [splits("x";"i")]"#), r#"[["a","b","c"]]"#);
    let captured = of("null", r#""x=1,y=22" | [capture("(?<k>\\w)=(?<v>\\d+)";"g") | .v]"#);
    assert_eq!(captured, r#"[["1","22"]]"#);
    assert_eq!(of("0", "todate, (todate|fromdate)"), r#"["1970-01-01T00:00:00Z",0]"#);
    assert_eq!(of("9", "sqrt, pow(2;10), ([1,4]|@csv)"), r#"[3.0,1024.0,"1,4"]"#);
    assert_eq!(of("null", "nan, infinite"), "[null,1.7976931348623157e+308]");
}

#[test]
fn jq_reads_numbers_as_jq_1_8_does() {
    let of = |value: &str, path: &str| query(value, path, "jq").unwrap();
    // This is a case of `jq.test`.
    let texts = r#"["1","2a","3"," 4","5 ","6.7",".89","-876","+5.43",21]"#;
    assert_eq!(of(texts, ".[] |= try tonumber"), "[[1,3,6.7,0.89,-876,5.43,21]]");
    let texts = r#"["007","5.","1e2","-1.5E+2","nan","-Infinity","9007199254740993"]"#;
    assert_eq!(
        of(texts, "map(tonumber)"),
        "[[7,5,100.0,-150.0,null,-1.7976931348623157e+308,9007199254740993]]"
    );
    let refused = r#"["","-",".","0x1","1e","1_0","1,5","NaN1","--1","e5","1 2","١"]"#;
    assert_eq!(of(refused, "map(tonumber?)"), "[[]]");
    let fails = |path: &str| query("null", path, "jq").unwrap_err().message;
    let hex = fails("\"0x1\" | tonumber");
    assert!(hex.contains("(\\\"0x1\\\") cannot be parsed as a number"), "{hex}");
    assert!(fails("tonumber").contains("null (null) cannot be parsed as a number"));
    assert_eq!(of(r#"["false","true",false,true]"#, "map(toboolean)"), "[[false,true,false,true]]");
    assert_eq!(of(r#"["tru"," true",null,0]"#, "map(toboolean?)"), "[[]]");
}

#[test]
fn jq_says_where_a_mistake_is() {
    let fails = |path: &str| query("[1]", path, "jq").unwrap_err().message;
    assert_eq!(fails(".a |\n  foo(1)"), "invalid jq: unknown filter `foo`, at line 2, column 3");
    assert!(fails(".[").starts_with("invalid jq: expected"), "{}", fails(".["));
    assert!(fails(". | 1 +").starts_with("invalid jq: expected"));
    assert!(fails("\"abc").starts_with("invalid jq: expected"));
    assert!(fails(".[0].x").contains("jq failed after 0 results"), "{}", fails(".[0].x"));
    assert!(fails("now").contains("not available"));
    assert!(fails("halt").contains("not available"));
    assert!(fails("import \"a\" as a; 1").contains("modules"), "{}", fails("import \"a\" as a; 1"));
}

#[test]
fn jq_is_bounded() {
    let fails = |path: &str| query("1", path, "jq").unwrap_err();
    for path in [
        "def f: f; f",
        "last(repeat(.))",
        "[range(1e18)] | length",
        "reduce range(60) as $i (\"xx\"; . + .)",
        "reduce range(60) as $i ([1]; [., .]) | tojson",
        "def f: 1 + f; f",
        "\"x\" * 1e12 | length",
    ] {
        let err = fails(path);
        assert!(err.message.contains("ended") || err.message.contains("failed"), "{path}: {err:?}");
    }
}

#[test]
fn pointers_are_those_of_the_rfc() {
    let value = r#"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#;
    let of = |path: &str| query(value, path, "pointer").unwrap();
    assert_eq!(of(""), format!("[{value}]"));
    assert_eq!(of("/foo"), r#"[["bar","baz"]]"#);
    assert_eq!(
        [of("/foo/0"), of("/"), of("/a~1b"), of("/m~0n")],
        ["[\"bar\"]", "[0]", "[1]", "[8]"]
    );
    assert_eq!([of("/foo/2"), of("/foo/-"), of("/foo/00"), of("/x/y")], ["[]"; 4]);
    assert!(query(value, "foo", "pointer").unwrap_err().message.contains("expected `/`"));
    assert!(query(value, "/~2", "pointer").unwrap_err().message.contains("after `~`"));
}

#[test]
fn mistakes_in_jsonpath_have_their_place() {
    let fails = |path: &str| query("[1]", path, "jsonpath").unwrap_err().message;
    assert_eq!(
        fails("a"),
        "invalid JSONPath: expected `$`, which is the whole value, at line 1, column 1"
    );
    assert!(fails("$[?@.a == ]").contains("column 11"), "{}", fails("$[?@.a == ]"));
    assert!(fails(&format!("$[?{}@{}]", "(".repeat(999), ")".repeat(999))).contains("nesting"));
    assert!(fails("$['\\x']").contains("unknown escape"));
}

#[test]
fn diffs_are_patches() {
    let values = [
        "null",
        "1",
        "1.5",
        "[]",
        "{}",
        "[1,2,3]",
        "[3,1,2]",
        "[1,[2,{\"a\":1}],3]",
        "[[],[1]]",
        r#"{"a":1,"b":[1,2]}"#,
        r#"{"a":{"x~/y":null},"b":[2]}"#,
        r#"{"":{"":[null]}}"#,
        r#"[{"id":1,"n":"a"},{"id":2,"n":"b"}]"#,
        r#"[{"id":2,"n":"c"},{"id":3}]"#,
        "[1,1,1,1,2]",
        "[2,1,1]",
        "\"x\"",
    ];
    for old in values {
        for new in values {
            let (old, new) = (json::read(old).unwrap(), json::read(new).unwrap());
            let args = [("value", old.clone()), ("other", new.clone())];
            let ops = decoded::<Diff>(&args).run(&cx()).unwrap();
            let args = [("value", old.clone()), ("ops", ops.clone())];
            let made = decoded::<Patch>(&args).run(&cx()).unwrap();
            assert!(is_same(&made, &new), "{old} {new} {ops}");
        }
    }
}

#[test]
fn merge_patches_are_those_of_the_rfc() {
    // The table of appendix A of RFC 7386.
    for (old, patch, new) in [
        (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
        (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
        (r#"{"a":"b"}"#, r#"{"a":null}"#, "{}"),
        (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
        (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
        (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
        (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#),
        (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
        (r#"{"a":"foo"}"#, "null", "null"),
        (r#"{"a":"foo"}"#, "\"bar\"", "\"bar\""),
        (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"e":null,"a":1}"#),
        ("[1,2]", r#"{"a":"b","c":null}"#, r#"{"a":"b"}"#),
        ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
    ] {
        let args = [
            ("value", json::read(old).unwrap()),
            ("ops", json::read(patch).unwrap()),
            ("kind", "merge_patch".into()),
        ];
        assert_eq!(json::write(&decoded::<Patch>(&args).run(&cx()).unwrap()), new, "{old} {patch}");
    }
}

#[test]
fn patches_that_grow_are_refused() {
    let double = r#"{"op":"copy","from":"/a","path":"/a/-"}"#;
    let ops = format!("[{}]", vec![double; 200].join(","));
    let args =
        [("value", json::read(r#"{"a":["x"]}"#).unwrap()), ("ops", json::read(&ops).unwrap())];
    let err = decoded::<Patch>(&args).run(&cx()).unwrap_err();
    assert!(err.message.contains("256MiB") || err.message.contains("nesting"), "{err:?}");
}

#[test]
fn binary_formats_are_read() {
    // From the appendix of RFC 8949.
    for (given, wanted) in [
        (&b"\x18\x64"[..], "100"),
        (b"\x1b\xff\xff\xff\xff\xff\xff\xff\xff", "18446744073709552000"),
        (b"\xc2\x49\x01\x00\x00\x00\x00\x00\x00\x00\x00", "18446744073709552000"),
        (b"\x3b\xff\xff\xff\xff\xff\xff\xff\xff", "-18446744073709552000"),
        (b"\xf9\x3c\x00", "1.0"),
        (b"\xfb\x3f\xf1\x99\x99\x99\x99\x99\x9a", "1.1"),
        (b"\xf6", "null"),
        (b"\xc1\x1a\x51\x4b\x67\xb0", "1363896240"),
        (b"\x44\x01\x02\x03\x04", "\"AQIDBA==\""),
        (b"\x62\xc3\xbc\x61".split_at(1).0, "error"),
        (b"\xa2\x01\x02\x03\x04", r#"{"1":2,"3":4}"#),
        (b"\x9f\x01\x82\x02\x03\xff", "[1,[2,3]]"),
        (b"\xbf\x61\x61\x01\xff", r#"{"a":1}"#),
        (b"\x7f\x65\x73\x74\x72\x65\x61\x64\x6d\x69\x6e\x67\xff", "\"streaming\""),
        (b"\xf9\x7c\x00", "error"),
        (b"\x01\x02", "error"),
        (b"", "error"),
        (b"\xa2\x61\x61\x01\x61\x61\x02", "error"),
        (b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff", "error"),
    ] {
        let got = decode(bytes(given), "cbor").unwrap_or_else(|_| "error".to_owned());
        let (got, wanted) = (got.as_str(), wanted);
        let same = got == wanted
            || matches!((json::read(got), json::read(wanted)), (Ok(a), Ok(b)) if is_same(&a, &b));
        assert!(same, "{given:x?}: {got} {wanted}");
    }
    for (given, wanted) in [
        (&b"\x92\xa7compact\xc3"[..], r#"["compact",true]"#),
        (b"\xcf\x00\x00\x00\x00\x00\x00\x00\x05", "5"),
        (b"\xd3\xff\xff\xff\xff\xff\xff\xff\xff", "-1"),
        (b"\xc4\x02\x01\x02", "\"AQI=\""),
        (b"\x81\x01\x02", r#"{"1":2}"#),
        (b"\xc1", "error"),
        (b"\xdd\xff\xff\xff\xff", "error"),
        (b"\xa5ab", "error"),
        (b"\xca\x7f\x80\x00\x00", "error"),
    ] {
        let got = decode(bytes(given), "msgpack").unwrap_or_else(|_| "error".to_owned());
        assert_eq!(got, wanted, "{given:x?}");
    }
    for format in ["cbor", "msgpack"] {
        let open = if format == "cbor" { 0x81 } else { 0x91 };
        assert!(decode(bytes(&vec![open; 100_000]), format).unwrap_err().contains("nesting"));
    }
}

#[test]
fn every_format_reads_what_it_writes() {
    let rows = r#"[{"a":1,"b":"x, \"y\"\nz","c":null},{"a":-2,"b":"ü","c":true}]"#;
    for format in ["json", "yaml", "msgpack", "cbor", "csv"] {
        let args = [("value", json::read(rows).unwrap()), ("format", format.into())];
        let written = decoded::<Encode>(&args).run(&cx()).unwrap();
        assert_eq!(decode(written, format).unwrap(), rows, "{format}");
    }
    let convert = |text: &str, from: &str, to: &str| {
        let args = [("text", text.into()), ("from", from.into()), ("to", to.into())];
        decoded::<Infer>(&args).run(&cx()).unwrap().as_str().unwrap().to_owned()
    };
    let packed = convert("a: [1, 2.5]\nb: ~\n", "yaml", "msgpack");
    assert_eq!(packed, "gqFhkgHLQAQAAAAAAAChYsA=");
    assert_eq!(convert(&packed, "msgpack", "yaml"), "a:\n  - 1\n  - 2.5\nb: ~\n");
}

#[test]
fn bytes_that_are_not_text_are_refused() {
    let err = decode(bytes(b"{\n\"a\": \"\xff\"}"), "json").unwrap_err();
    assert_eq!(err, "not valid UTF-8 (invalid byte at offset 8, in line 2)");
    assert!(decode("!!".into(), "cbor").unwrap_err().contains("invalid base64"));
    assert!(
        decode("{\"a\": 1, \"a\": 2}".into(), "json").unwrap_err().contains("duplicate key `a`")
    );
    assert!(decode("1e999".into(), "json").unwrap_err().contains("out of range"));
    assert!(decode("a,b\n1\n".into(), "csv").unwrap_err().starts_with("invalid CSV: "));
}

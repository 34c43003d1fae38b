//! The same for tables in files, for texts of structured data, and for what asks them: queries, schemas,
//! specifications of charts. The seeds are real files where the repository has some.

use std::{fs, path::Path, sync::OnceLock};

use svc::{Engine, Response};
use svc_contract::{
    registry::ErrorKind,
    value::{Value, json},
};
use svc_documents::{Area, Sink as _, WhichSheet};
use svc_host_os::OsHost;

use super::mutants::{Found, fuzz};

/// Words that are long, empty, deep or out of range in most formats.
const NUMBERS: [&str; 8] = [
    "0",
    "-1",
    "1e308",
    "18446744073709551616",
    "\u{ff}\u{ff}\u{ff}\u{ff}",
    "\0",
    "\0\0\0\0",
    "\u{7f}",
];

fn host() -> OsHost {
    OsHost::default().working_in(assert_cmd::cargo::cargo_bin!("svc"))
}

fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| svc::engine().with_host(std::sync::Arc::new(host())))
}

/// The files of a folder of this repository with these endings.
fn files(folder: &str, endings: &[&str]) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut all: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    all.sort();
    let fits = |it: &&std::path::PathBuf| {
        it.extension().is_some_and(|it| endings.contains(&&*it.to_string_lossy()))
    };
    let all: Vec<_> = all.iter().filter(fits).map(|it| fs::read(it).unwrap()).collect();
    assert!(!all.is_empty(), "no seeds");
    all
}

fn bytes(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|it| it.as_bytes().to_vec()).collect()
}

/// Runs a script; a bug is one, every other error is an answer.
fn run(found: &mut Found, script: &str, params: &[(&str, Value)]) -> Option<Value> {
    static RUNTIME: OnceLock<tokio::runtime::Runtime> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| {
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
    });
    let request = engine().run(script);
    let request = params.iter().fold(request, |it, (name, value)| it.param(name, value.clone()));
    let answer: Result<Response, svc::Error> = runtime.block_on(async { request.await });
    match answer {
        Ok(response) => {
            found.add();
            Some(response.value)
        }
        Err(err) => {
            let kind = err.kind().unwrap_or_else(|| panic!("{script}: {err}"));
            assert_ne!(kind, ErrorKind::Bug, "{script}: {err}");
            found.notice(None, err.to_string());
            None
        }
    }
}

#[test]
fn mutants_of_parquet() {
    let seeds = files("tests/it/table_files", &["parquet"]);
    let words = ["PAR1", "\u{15}\u{2}", "\u{1c}", "ARROW:schema", "\u{ff}\u{ff}\u{ff}\u{7f}"];
    let (host, words) = (host(), [words.as_slice(), &NUMBERS].concat());
    fuzz("parquet", &seeds, &words, |found, bytes| {
        match svc_documents::parquet(bytes, (None, false), 1_000_000, &host, &|| false) {
            Ok((rows, columns)) => {
                assert!(rows <= 1_000_000 || columns.is_empty());
                found.add();
            }
            Err(why) => found.notice(None, why.error("x").message),
        }
    });
}

#[test]
fn mutants_of_workbooks() {
    let mut seeds = files("tests/data/workbooks", &["xlsx", "xls", "ods"]);
    seeds.extend(files("tests/it/table_files", &["xlsx"]));
    let words =
        ["PK\u{3}\u{4}", "PK\u{1}\u{2}", "xl/workbook.xml", "content.xml", "<row r=\"9999999\">"];
    let (host, words) = (host(), [words.as_slice(), &NUMBERS].concat());
    fuzz("xlsx, xls, ods", &seeds, &words, |found, bytes| {
        let sheet = svc_documents::sheet(bytes, &WhichSheet::First, Area::ALL, &host, &|| false);
        match sheet {
            Ok(_) => found.add(),
            Err(why) => found.notice(None, why.error("x").message),
        }
    });
}

#[test]
fn mutants_of_databases() {
    let seeds = files("examples/data", &["db"]);
    let words = ["CREATE TABLE", "SQLite format 3\0", "select", "\u{d}", "\u{5}"];
    let words = [words.as_slice(), &NUMBERS].concat();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.db");
    let path = Value::Path(file.to_string_lossy().into());
    fuzz("sqlite", &seeds, &words, |found, bytes| {
        fs::write(&file, bytes).unwrap();
        let params = [("file", path.clone())];
        run(found, "param file: path  database.schema(file)", &params);
        let all = "param file: path  query(\"select * from sqlite_schema\", database: file)";
        run(found, all, &params);
        let orders = "param file: path  query(\"select count(*) from orders\", database: file)";
        run(found, orders, &params);
    });
}

#[test]
fn mutants_of_queries() {
    let data = r#"{"a":[1,2.5,{"b":"x","c":null}],"d":{"e":[[1],[2,3]],"f":"2026-01-31"}}"#;
    let data = json::read(data).unwrap();
    let ask = |found: &mut Found, language: &str, query: &[u8]| {
        let script =
            "param data: json  param q: string\nconvert.query(data, path: q, language: LANG)";
        let script = script.replace("LANG", &format!("\"{language}\""));
        let text = String::from_utf8_lossy(query).into_owned();
        run(found, &script, &[("data", data.clone()), ("q", Value::text(text))]);
    };
    let seeds = bytes(&[
        "$.a[0]",
        "$..b",
        "$.d.e[*][1:3:-1]",
        "$.a[?@.b=='x' && length(@.c)>1]",
        "$['a','d'][-1]",
    ]);
    let words = [
        "$",
        "@",
        ".",
        "..",
        "*",
        "[",
        "]",
        "?",
        "(",
        ")",
        "'",
        "\"",
        ":",
        ",",
        "==",
        "&&",
        "||",
        "!",
        "length(",
        "match(@.b,'(a*)*')",
        "search(",
        "\\ud800",
        "9007199254740992",
        "-",
    ];
    fuzz("jsonpath", &seeds, &words, |found, query| ask(found, "jsonpath", query));
    fuzz(
        "pointer",
        &bytes(&["/a/0", "/d/e/1/0", "/~0~1", ""]),
        &["/", "~", "~2", "-", "0"],
        |found, query| {
            ask(found, "pointer", query);
        },
    );
}

#[test]
fn mutants_of_jq() {
    let data = json::read(r#"{"a":[1,2.5,{"b":"x"}],"d":"2026-01-31"}"#).unwrap();
    let seeds = bytes(&[
        ".a[] | select(.b?) | {k: .b, (\"x\"): 1}",
        "def f(g): [g, .[]?]; reduce range(3) as $i (0; . + $i) | f(.)",
        "[paths] | map(tostring) | join(\",\")",
        "label $out | foreach .a[] as $x (0; . + 1; if . > 2 then break $out else [$x, .] end)",
        "try error(\"x\") catch . | @base64 \"a\\(.)\" | ascii_downcase | test(\"a+\"; \"x\")",
    ]);
    let words = [
        ".",
        "..",
        "|",
        ",",
        "//",
        "?",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        "def f: f; f",
        "range(1e9)",
        "repeat(.)",
        "limit(3; ",
        "$__loc__",
        "input",
        "env",
        "@json",
        "\"\\(",
        "splits(\"(a*)*b\")",
        "tojson",
        "getpath(",
        "as $x",
        "reduce",
        "until(",
        "[limit(9; repeat(1))]",
        "ltrimstr(",
        "-1",
        "1e1000",
    ];
    fuzz("jq", &seeds, &words, |found, query| {
        let script =
            "param data: json  param q: string\nconvert.query(data, path: q, language: \"jq\")";
        let text = String::from_utf8_lossy(query).into_owned();
        run(found, script, &[("data", data.clone()), ("q", Value::text(text))]);
    });
}

/// Parses mutants, and writes what was read: it must be read as the same value.
fn round_trips(name: &str, seeds: &[&str], words: &[&str], read: &str, write: Option<&str>) {
    fuzz(name, &bytes(seeds), words, |found, bytes| {
        let text = Value::text(String::from_utf8_lossy(bytes));
        let script = format!("param text: string\n{read}(text)");
        let Some(value) = run(found, &script, &[("text", text)]) else { return };
        let Some(write) = write else { return };
        let script = format!("param value: json\n{write}(value)");
        let Some(text) = run(found, &script, &[("value", value.clone())]) else { return };
        let script = format!("param text: string\n{read}(text)");
        let again = run(found, &script, &[("text", text.clone())]);
        assert_eq!(again.as_ref(), Some(&value), "{name}: {text}");
    });
}

#[test]
fn mutants_of_yaml() {
    let seeds = [
        "base: &b { x: 1, y: [a, 'b', \"c\\n\"] }\nmore: { <<: *b, z: ~ }\n- no\n",
        "# c\nkey: |\n  text\n  more\nfold: >-\n  a\n  b\nlist:\n- 1\n- 2.5\n- true\n? q\n: v\n",
        "%YAML 1.2\n---\n!!str 12\n...\n",
    ];
    let words = [
        "&a ",
        "*a",
        "<<: ",
        "? ",
        ": ",
        "- ",
        "---\n",
        "...\n",
        "|",
        ">",
        "!!binary ",
        "!",
        "'",
        "\"",
        "{",
        "}",
        "[",
        "]",
        "#",
        "\t",
        "\u{feff}",
        "\n",
        "  ",
        "0x1F",
        ".inf",
        "1e999",
        "\\U0010FFFF",
    ];
    round_trips("yaml", &seeds, &words, "parse_yaml", Some("to_yaml"));
}

#[test]
fn mutants_of_toml() {
    let cargo = include_str!("../../../Cargo.toml");
    let seeds = [
        cargo.get(..2_000).unwrap_or(cargo),
        "a.b.c = 1\n[t]\nd = 1979-05-27T07:32:00Z\n[[x]]\ny = { z = '''\nq''' }\n[[x]]\n",
        "i = 0xDEAD_BEEF\nf = -1.5e3\ns = \"\\u00e9\"\nl = [1, [2, 'x'],]\n",
    ];
    let words = [
        "[",
        "]",
        "[[",
        "]]",
        "=",
        ".",
        "\"",
        "\"\"\"",
        "'''",
        "{",
        "}",
        ",",
        "#",
        "\n",
        "inf",
        "nan",
        "1979-05-27",
        "07:32:00",
        "0b1",
        "9223372036854775808",
        "\\UFFFFFFFF",
    ];
    round_trips("toml", &seeds, &words, "parse_toml", None);
}

#[test]
fn mutants_of_xml() {
    let seeds = [
        "<?xml version=\"1.0\"?><a x=\"1\"><b>t &amp; u</b><b/><c><![CDATA[<]]></c><!-- d --></a>",
        "<!DOCTYPE a [<!ENTITY e \"x\"><!ENTITY f \"&e;&e;\">]><a>&f;</a>",
        "<ns:a xmlns:ns=\"urn:x\" ns:b='c'>&#x41;&#9999999;</ns:a>",
    ];
    let words = [
        "<",
        ">",
        "</",
        "/>",
        "&",
        ";",
        "&lt;",
        "&#x0;",
        "<!DOCTYPE",
        "<!ENTITY",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<?",
        "?>",
        "\"",
        "'",
        "=",
        "xmlns:",
        "<a>",
        "</a>",
        "\u{feff}",
        "SYSTEM \"file:///etc/passwd\"",
    ];
    round_trips("xml", &seeds, &words, "parse_xml", None);
}

#[test]
fn mutants_of_chart_specs() {
    let rows = r#"[{"day":"2026-01-01","kind":"a","n":3},{"day":"2026-01-02","kind":"b","n":null},{"day":"2026-02-03","kind":"a","n":-5.5}]"#;
    let rows = json::read(rows).unwrap();
    let seeds = bytes(&[
        r#"{"mark":"bar","title":"T","width":300,"encoding":{"x":{"field":"kind"},"y":{"field":"n","aggregate":"mean"}}}"#,
        r#"{"mark":{"type":"line"},"encoding":{"x":{"field":"day","type":"temporal"},"y":{"field":"n"},"color":{"field":"kind"}}}"#,
        r#"{"mark":"arc","encoding":{"theta":{"aggregate":"count"},"color":{"field":"kind"}}}"#,
        r#"{"mark":"rect","encoding":{"x":{"field":"day"},"y":{"field":"kind"},"color":{"field":"n"}}}"#,
        r#"{"mark":"boxplot","height":200,"encoding":{"x":{"field":"kind"},"y":{"field":"n","title":"<&>"}}}"#,
    ]);
    let words = [
        "\"bar\"",
        "\"line\"",
        "\"area\"",
        "\"point\"",
        "\"boxplot\"",
        "\"rect\"",
        "\"arc\"",
        "\"bin\":true,",
        "\"n\"",
        "\"kind\"",
        "\"day\"",
        "\"sum\"",
        "\"median\"",
        "\"count\"",
        "\"nominal\"",
        "\"temporal\"",
        "{",
        "}",
        "null",
        "1e9",
        "100",
        "\"title\":\"\\u0000\",",
        "\"x\"",
        "\"y\"",
    ];
    fuzz("chart specs", &seeds, &words, |found, bytes| {
        let Ok(spec) = json::read(&String::from_utf8_lossy(bytes)) else { return };
        let script =
            "param rows: [json]  param spec: json\nrows >> chart.spec(spec: spec) >> .text";
        let params = [("rows", rows.clone()), ("spec", spec)];
        let Some(svg) = run(found, script, &params) else { return };
        let svg = svg.as_str().unwrap();
        let letters = svc_api::charts::letters(svg, true);
        assert!(letters.is_some_and(|it| !it.is_empty()), "{svg}");
    });
}

#[test]
fn mutants_of_pictures() {
    let svg = "<svg width=\"160\" height=\"96\"><g class=\"marks\"><rect class=\"s0\" x=\"8\" y=\"20.5\" width=\"16\" height=\"60\"/>\
        <path class=\"line l1\" d=\"M8 90L40 10L150 60\"/><path class=\"area s2\" d=\"M0 0L90 0L90 90Z\"/>\
        <path class=\"s3 edge\" d=\"M80 48L80 8A40 40 0 1 1 40 48Z\"/><circle class=\"dot s4\" cx=\"5\" cy=\"5\" r=\"4\"/></g>\
        <text class=\"tick\" x=\"20\" y=\"90\" text-anchor=\"end\" transform=\"rotate(-40)\">a &amp; b</text></svg>";
    let words = [
        "1e300",
        "-1e300",
        "nan",
        "\"",
        "<",
        ">",
        "/>",
        "M",
        "L",
        "A",
        "Z",
        " ",
        "s99",
        "l0",
        "<text x=\"1\" y=\"1\">",
        "é",
        "&",
        "\u{202e}",
        "4000",
    ];
    // A line far below the picture.
    let below = "<svg width=\"80\" height=\"32\"><path class=\"line\" d=\"M0 0L8 1e300\"/></svg>";
    assert!(svc_api::charts::letters(below, false).is_some());
    fuzz("pictures", &bytes(&[svg]), &words, |found, bytes| {
        let lines = svc_api::charts::letters(&String::from_utf8_lossy(bytes), false);
        assert!(lines.iter().flatten().all(|it| it.len() <= 4_000));
        match lines {
            Some(_) => found.add(),
            None => found.notice(None, "not a picture".to_owned()),
        }
    });
}

#[test]
fn mutants_of_schemas() {
    let data =
        json::read(r#"{"id":1,"lines":[{"n":2,"s":"x@y"},{"n":-1}],"deep":[[[1]]]}"#).unwrap();
    let seeds = bytes(&[
        r##"{"type":"object","required":["id"],"properties":{"lines":{"items":{"$ref":"#/$defs/line"}}},"$defs":{"line":{"properties":{"n":{"minimum":0},"s":{"pattern":"^a*$","format":"email"}}}}}"##,
        r##"{"oneOf":[{"properties":{"id":{"const":1}}},{"not":{"required":["id"]}}],"unevaluatedProperties":false,"$dynamicRef":"#m","$dynamicAnchor":"m"}"##,
        r##"{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"$ref":"#"}],"if":{"minProperties":2},"then":{"maxProperties":9},"propertyNames":{"maxLength":7}}"##,
    ]);
    let words = [
        "\"$ref\":\"#\",",
        "\"$ref\":\"#/$defs/line\",",
        "\"$id\":\"urn:x\",",
        "{",
        "}",
        "[",
        "]",
        "true",
        "false",
        "null",
        "\"type\":",
        "\"array\"",
        "\"allOf\":[",
        "\"anyOf\":[",
        "\"pattern\":\"(a*)*\",",
        "\"pattern\":\"(\",",
        "1e999",
        "-1",
        "\"multipleOf\":0,",
        "\"enum\":[],",
        "\"uniqueItems\":true,",
        "\"contains\":{},",
        "\"$ref\":\"file:///etc/passwd\",",
        "\"format\":\"regex\",",
    ];
    fuzz("json schema", &seeds, &words, |found, bytes| {
        let Ok(schema) = json::read(&String::from_utf8_lossy(bytes)) else { return };
        let script = "param data: json  param schema: json\ndata >> profile.validate(schema: schema, formats: true)";
        run(found, script, &[("data", data.clone()), ("schema", schema)]);
    });
}

//! The output of `svc check --json` matches its published schema, and is correct.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Value, json};
use svc::Engine;
use svc_engine::output::verdict::{VERDICT_SCHEMA, Verdict};
use svc_lang::diag::Source;

use crate::{components, grammar, scripts};

/// The part of JSON Schema that the published schema uses.
pub(crate) struct Schema(Value);

impl Schema {
    fn published() -> Self {
        Self::of(VERDICT_SCHEMA)
    }

    pub(crate) fn of(text: &str) -> Self {
        Self(serde_json::from_str(text).unwrap())
    }

    /// The fields of a record in the schema.
    pub(crate) fn fields(&self, record: &str) -> Vec<&str> {
        let fields = self.0["$defs"][record]["properties"].as_object().unwrap();
        fields.keys().map(String::as_str).collect()
    }

    /// Every place where `value` does not match.
    pub(crate) fn misfits(&self, value: &Value) -> Vec<String> {
        let mut found = Vec::new();
        self.compare(&self.0, value, "", &mut found);
        found
    }

    fn compare(&self, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
        for (keyword, wanted) in schema.as_object().unwrap() {
            let fits = match keyword.as_str() {
                "$schema" | "$defs" | "title" | "description" => true,
                "$ref" => {
                    self.compare(self.named(wanted), value, at, found);
                    true
                }
                "type" => is_of(value, wanted),
                "enum" => wanted.as_array().unwrap().contains(value),
                "minimum" => value.as_f64() >= wanted.as_f64(),
                "required" => wanted.as_array().unwrap().iter().all(|it| has(value, it)),
                "items" => {
                    for (idx, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.compare(wanted, item, &format!("{at}[{idx}]"), found);
                    }
                    true
                }
                "properties" => {
                    for (name, schema) in wanted.as_object().unwrap() {
                        if let Some(field) = value.get(name) {
                            self.compare(schema, field, &format!("{at}.{name}"), found);
                        }
                    }
                    true
                }
                "anyOf" => wanted.as_array().unwrap().iter().any(|it| {
                    let mut misfits = Vec::new();
                    self.compare(it, value, at, &mut misfits);
                    misfits.is_empty()
                }),
                "additionalProperties" => {
                    assert_eq!(*wanted, json!(false));
                    let known = &schema["properties"];
                    value.as_object().is_none_or(|it| it.keys().all(|it| known.get(it).is_some()))
                }
                other => panic!("unsupported keyword `{other}`"),
            };
            if !fits {
                found.push(format!("{at}: {keyword}"));
            }
        }
    }

    fn named(&self, reference: &Value) -> &Value {
        let name = reference.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
        self.0["$defs"].get(name).unwrap()
    }
}

fn has(value: &Value, field: &Value) -> bool {
    value.get(field.as_str().unwrap()).is_some()
}

/// Whether a value has a type, or one of several.
fn is_of(value: &Value, wanted: &Value) -> bool {
    let is = |name: &Value| match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "null" => value.is_null(),
        other => panic!("unsupported type `{other}`"),
    };
    wanted.as_array().map_or_else(|| is(wanted), |it| it.iter().any(is))
}

fn engine() -> Engine {
    svc::engine().with(components::ALL).with_host(Arc::new(scripts::host()))
}

fn printed(verdict: &Verdict) -> Value {
    serde_json::to_value(verdict).unwrap()
}

/// The whole output of the command.
fn files(verdict: &Value) -> Value {
    json!({ "files": [verdict] })
}

#[test]
fn every_verdict_fits_the_schema() {
    let (schema, engine) = (Schema::published(), engine());
    let mut lists_with_items = BTreeSet::new();
    for (name, text) in grammar::scripts() {
        let verdict = printed(&engine.verdict(Source::new(name.as_str(), text.as_str())));
        assert_eq!(schema.misfits(&files(&verdict)), [""; 0], "{name}");
        assert_eq!(verdict["ok"], json!(engine.check(text.as_str()).is_ok()), "{name}");
        places_are_right(&verdict, &name, &text);
        let lists = verdict.as_object().unwrap().iter();
        let filled = lists.filter(|(_, it)| it.as_array().is_some_and(|it| !it.is_empty()));
        lists_with_items.extend(filled.map(|(name, _)| name.clone()));
    }
    let unreadable = printed(&Verdict::unreadable("x.svc", "it does not exist"));
    assert_eq!(schema.misfits(&files(&unreadable)), [""; 0]);
    // No field is described that never occurs.
    let all = [
        "bounds",
        "effects",
        "flows",
        "holes",
        "inputs",
        "nodes",
        "problems",
        "secrets",
        "tests",
        "unchecked",
    ];
    assert!(lists_with_items.iter().eq(all), "{lists_with_items:?}");
}

/// Every place of a script is inside its text, and is the same in bytes as in lines.
fn places_are_right(verdict: &Value, name: &str, text: &str) {
    let mut left = vec![verdict];
    while let Some(value) = left.pop() {
        match value {
            Value::Array(items) => left.extend(items),
            // The places of an imported file are places in another text.
            Value::Object(fields) if fields.get("code").is_some() && fields["file"] != *name => {}
            Value::Object(fields) if fields.contains_key("end_column") => {
                let number = |it: &str| usize::try_from(fields[it].as_u64().unwrap()).unwrap();
                assert!(number("start") <= number("end"), "{name}: {value}");
                for (byte, line, column) in
                    [("start", "line", "column"), ("end", "end_line", "end_column")]
                {
                    let before = &text[..number(byte)];
                    let line_start = before.rfind('\n').map_or(0, |it| it + 1);
                    let counted = (
                        before.matches('\n').count() + 1,
                        before[line_start..].chars().count() + 1,
                    );
                    assert_eq!((number(line), number(column)), counted, "{name}: {value}");
                }
            }
            Value::Object(fields) => left.extend(fields.values()),
            _ => {}
        }
    }
}

/// The comparison with the schema can fail, for every keyword.
#[test]
fn misfits_are_found() {
    let schema = Schema::published();
    let right = printed(&engine().verdict("\"a\" >> uper"));
    assert_eq!(schema.misfits(&files(&right)), [""; 0]);
    let spoilt = |path: &str, value: Value| {
        let mut files = files(&right);
        *files.pointer_mut(path).unwrap() = value;
        schema.misfits(&files)
    };
    assert_eq!(spoilt("/files/0/ok", json!("yes")), [".files[0].ok: type"]);
    assert_eq!(spoilt("/files/0/result", json!(1)), [".files[0].result: type"]);
    let severity = ".files[0].problems[0].severity: enum";
    assert_eq!(spoilt("/files/0/problems/0/severity", json!("fatal")), [severity]);
    let start = ".files[0].problems[0].span.start: minimum";
    assert_eq!(spoilt("/files/0/problems/0/span/start", json!(-1)), [start]);
    let mut more = right.clone();
    more["more"] = json!(1);
    assert_eq!(schema.misfits(&files(&more)), [".files[0]: additionalProperties"]);
    let mut less = right;
    less.as_object_mut().unwrap().remove("ok");
    assert_eq!(schema.misfits(&files(&less)), [".files[0]: required"]);
}

const SCRIPT: &str = r#"secret key
type Order = { id: int }
param raw: string = "{}"

## Finds.
flow find(what: string) -> [Hit] { what >> search(source: "kb", top_k: 2) }

let order = parse_json(raw) as Order
"ä€ ${order.id}" >> find >> len

test "nothing there" { mock search = []  let n = main()  expect n == 0 }
"#;

/// The place of the last occurrence of `part` in the script.
fn place(part: &str, at: (usize, usize)) -> Value {
    place_in(SCRIPT, part, at)
}

fn place_in(script: &str, part: &str, (line, column): (usize, usize)) -> Value {
    let start = script.rfind(part).unwrap();
    json!({
        "start": start, "end": start + part.len(),
        "line": line, "column": column, "end_line": line, "end_column": column + part.chars().count(),
    })
}

#[test]
fn a_verdict_reports_what_is_known() {
    let verdict = printed(&engine().verdict(Source::new("orders.svc", SCRIPT)));
    assert_eq!(verdict["file"], "orders.svc");
    assert_eq!(verdict["error"], json!(null));
    // The secret is not used.
    let codes = verdict["problems"].as_array().unwrap().iter().map(|it| &it["code"]);
    assert_eq!((&verdict["ok"], codes.collect::<Vec<_>>()), (&json!(true), vec![&json!("E221")]));
    assert_eq!(verdict["result"], "int");
    let raw = json!([{ "name": "raw", "type": "string", "required": false, "doc": "" }]);
    assert_eq!(verdict["inputs"], raw);
    let secret = json!([{ "name": "key", "span": place("secret key", (1, 1)) }]);
    assert_eq!(verdict["secrets"], secret);
    let test = json!([{ "name": "nothing there", "span": place("\"nothing there\"", (11, 6)) }]);
    assert_eq!(verdict["tests"], test);
    let flow = &verdict["flows"][0];
    assert_eq!((&flow["name"], &flow["doc"]), (&json!("find"), &json!("Finds.")));
    assert_eq!(flow["result"], "[Hit]");
    assert_eq!(flow["params"][0]["type"], "string");
    assert_eq!(verdict["effects"], json!([{ "verb": "reads", "scope": "fs:kb" }]));
    let unchecked = verdict["unchecked"].as_array().unwrap();
    assert_eq!(unchecked.len(), 1);
    assert_eq!(unchecked[0]["span"], place("parse_json(raw) as Order", (8, 13)));
    assert_eq!(unchecked[0]["what"], "whether the value is Order");
}

/// Bytes count bytes, columns count characters, and a stage has the types of its input and result.
#[test]
fn nodes_know_their_places_and_types() {
    let verdict = printed(&engine().verdict(SCRIPT));
    let node = |part: &str, at: (usize, usize)| {
        let (nodes, span) = (verdict["nodes"].as_array().unwrap(), place(part, at));
        let found = nodes.iter().find(|it| it["span"] == span);
        let found = found.unwrap_or_else(|| panic!("{part}: {nodes:?}"));
        (found["enters"].clone(), found["result"].clone(), found["op"].clone())
    };
    let null = Value::Null;
    let search = r#"search(source: "kb", top_k: 2)"#;
    let hits = json!("[Hit; max 2]");
    assert_eq!(node(search, (6, 44)), (json!("string"), hits, json!("ctx_search.infer")));
    assert_eq!(node(r#""ä€ ${order.id}""#, (9, 1)), (null.clone(), json!("string"), null.clone()));
    assert_eq!(node("find", (9, 21)), (json!("string"), json!("[Hit]"), null));
    assert_eq!(node("len", (9, 29)), (json!("[Hit]"), json!("int"), json!("list.len")));
}

const SKETCH: &str = r#"param who: string
type Row = { n: int }
use "lib/sketch.svc" as lib
let rows = ?rows: [Row]  # "from the file"
let done = { who: who } >> save_json(to: "out/who.json")
{ done: done, n: rows >> ?pick: [Row] -> Row >> .n, what: "ä" >> ?  # left open
  >> first, lib: lib.name("a") }
"#;

/// A program can distinguish a sketch from a wrong script, and knows what is to be written where.
#[tokio::test]
async fn a_sketch_lists_its_holes_and_does_not_run() {
    let used =
        "flow name(s: string) -> string { s >> ?name: string -> string }  # as people say it";
    let host = Arc::new(scripts::host().file("lib/sketch.svc", used));
    let engine = engine().with_host(host.clone());
    let source = Source::new("rows.svc", SKETCH);
    let verdict = printed(&engine.verdict(source.clone()));
    assert_eq!(Schema::published().misfits(&files(&verdict)), [""; 0]);
    assert_eq!((&verdict["ok"], &verdict["sketch"]), (&json!(false), &json!(true)));
    let parts = |it: &Value| {
        let row = ["name", "file", "input", "wanted", "comment"].map(|part| it[part].clone());
        (Value::from(row.to_vec()), it["span"].clone())
    };
    let holes: Vec<_> = verdict["holes"].as_array().unwrap().iter().map(parts).collect();
    let place = |part: &str, at: (usize, usize)| place_in(SKETCH, part, at);
    let rows = json!(["rows", "rows.svc", null, "[Row]", "\"from the file\""]);
    assert_eq!(holes[0], (rows, place("?rows: [Row]", (4, 12))));
    let pick = json!(["pick", "rows.svc", "[Row]", "Row", "left open"]);
    assert_eq!(holes[1], (pick, place("?pick: [Row] -> Row", (6, 26))));
    let nameless = json!([null, "rows.svc", "string", null, "left open"]);
    assert_eq!(holes[2], (nameless, place("?", (6, 66))));
    let name = json!(["name", "lib/sketch.svc", "string", "string", "as people say it"]);
    assert_eq!((&holes[3].0, holes.len()), (&name, 4));

    // The params that are missing are not asked for, and the `let` above does not act.
    let err = engine.run(source).await.unwrap_err().to_string();
    for hole in ["4:12", "`?rows`", "\"from the file\"", "6:26", "`?pick`", "6:66", "`?name`"] {
        assert!(err.contains(hole), "{hole}: {err}");
    }
    assert!(!err.contains("who"), "{err}");
    assert_eq!(host.content("out/who.json"), None);

    let wrong = printed(&engine.verdict(SKETCH.replace(".n,", ".m,")));
    assert_eq!((&wrong["sketch"], wrong["holes"].as_array().unwrap().len()), (&json!(false), 4));
    // What a file with holes declares is checked where it is used.
    let misused = printed(&engine.verdict(SKETCH.replace("lib.name(\"a\")", "lib.name(1)")));
    let codes = misused["problems"].as_array().unwrap().iter().map(|it| it["code"].clone());
    assert!(codes.collect::<Vec<_>>().contains(&json!("E204")), "{misused}");
    let sound = printed(&engine.verdict("1"));
    assert_eq!((&sound["sketch"], &sound["holes"]), (&json!(false), &json!([])));
}

#[test]
fn problems_of_a_used_file_carry_its_name() {
    let script = "use \"lib/wrong.svc\" as wrong\n\"ä\" >> wrong.broken >> uper\n";
    let verdict = printed(&engine().verdict(Source::new("script.svc", script)));
    assert_eq!(verdict["ok"], false);
    let message: Vec<_> = verdict["problems"].as_array().unwrap().iter().collect();
    let what = |it: &Value| (it["code"].clone(), it["file"].clone());
    assert_eq!(what(message[0]), (json!("E201"), json!("script.svc")));
    assert_eq!(what(message[1]), (json!("E217"), json!("lib/wrong.svc")));
    assert_eq!(message.len(), 2);
    assert_eq!(
        (&message[0]["span"]["start"], &message[0]["span"]["column"]),
        (&json!(53), &json!(24))
    );
    assert_eq!(message[0]["fixes"][0]["text"], "upper");
    // The type of the broken flow's result is unknown, and this is reported.
    assert_eq!(verdict["unchecked"][0]["why"], "it follows from an error");
}

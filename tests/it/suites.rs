//! Public test suites and data, which are not part of the repository: each variable names a file or folder of them.
//! Without it, the test prints a message and passes.
//!
//! - `SVC_SUITES`: the cases that `benches/suites/cases.py` writes;
//! - `SVC_SCHEMA_SUITE`: a checkout of the JSON Schema test suite;
//! - `SVC_LINKAGE`: JSON with `rows`, `keys` and `truth`, the pairs of places that mean the same;
//! - `SVC_PICTURES`: a folder with `cases.jsonl`, the arguments of charts, for SVG to look at.
#![expect(clippy::print_stderr, reason = "a test that is skipped says so, and so do figures")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value as Json, json};
use svc_contract::value::json as values;

/// The file or folder that a variable names.
fn given(variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from);
    if path.is_none() {
        eprintln!("skipped: `{variable}` is not set");
    }
    path
}

fn read(path: &Path) -> Json {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Runs a script with JSON as its params; the message if it fails.
async fn run(engine: &svc::Engine, script: &str, params: &[(&str, &Json)]) -> Result<Json, String> {
    let mut run = engine.run(script);
    for (name, it) in params {
        let value = values::read(&it.to_string()).map_err(|err| err.to_string())?;
        run = run.param(name, value);
    }
    let done = run.await.map_err(|err| err.to_string())?;
    serde_json::from_str(&values::write(&done.value)).map_err(|err| err.to_string())
}

/// Equal, with numbers by value and without the order of fields.
fn is_same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| is_same(a, b)))
        }
        _ => a == b,
    }
}

#[tokio::test]
async fn formats_and_queries() {
    let Some(path) = given("SVC_SUITES") else { return };
    let (engine, _cache) = crate::docs::engine();
    let mut counts: BTreeMap<String, (usize, Vec<String>)> = BTreeMap::new();
    for line in fs::read_to_string(path).unwrap().lines() {
        let case: Json = serde_json::from_str(line).unwrap();
        let text = |name: &str| case[name].as_str().unwrap_or_default();
        let script = match text("op") {
            "decode" => format!(
                "param given: string\ngiven >> base64_bytes >> convert.decode(format: \"{}\")",
                text("format")
            ),
            "query" => format!(
                "param given: json\nparam path: string\nconvert.query(value: given, path: path, language: \"{}\")",
                text("language")
            ),
            _ => "param given: json\nparam ops: json\nconvert.patch(value: given, ops: ops, kind: \"json_patch\")".to_owned(),
        };
        let found = match text("op") {
            "decode" => run(&engine, &script, &[("given", &case["content"])]).await,
            "query" => {
                run(&engine, &script, &[("given", &case["value"]), ("path", &case["path"])]).await
            }
            _ => run(&engine, &script, &[("given", &case["value"]), ("ops", &case["ops"])]).await,
        };
        let count = counts.entry(text("suite").to_owned()).or_default();
        count.0 += 1;
        let is_right = match (&found, case["expect"].as_array()) {
            (Ok(found), Some(all)) => all.iter().any(|it| is_same(it, found)),
            (Err(_), None) => true,
            _ => false,
        };
        if !is_right {
            let short = |it: String| it.chars().take(160).collect::<String>();
            let found = found.map_or_else(|err| err, |it| it.to_string());
            let (found, expected) = (short(found), short(case["expect"].to_string()));
            count.1.push(format!("  {}\n    got {found}\n    expected {expected}", text("name")));
        }
    }
    for (suite, (all, failed)) in &counts {
        eprintln!("{suite}: {} of {all}", all - failed.len());
        for it in failed {
            eprintln!("{it}");
        }
    }
    let right = |suite: &str| counts.get(suite).map_or(0, |it| it.0 - it.1.len());
    for (suite, least) in [("json-n", 188), ("jsonpath", 703), ("json-patch", 108), ("yaml", 261)] {
        assert!(right(suite) >= least, "{suite}");
    }
}

#[tokio::test]
async fn json_schema() {
    let Some(root) = given("SVC_SCHEMA_SUITE") else { return };
    let script = "param given: json\nparam schema: json\nparam others: json\n\
        profile.validate(value: given, schema: schema, others: others) >> .valid";
    let remotes = root.join("remotes");
    let mut others = serde_json::Map::new();
    let mut open = vec![remotes.clone()];
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|it| it == "json") {
                let name = path.strip_prefix(&remotes).unwrap().to_string_lossy().into_owned();
                others.insert(format!("http://localhost:1234/{name}"), read(&path));
            }
        }
    }
    let others = Json::Object(others);
    let (engine, _cache) = crate::docs::engine();
    let (mut right, mut all) = (0, 0);
    for path in fs::read_dir(root.join("tests/draft2020-12")).unwrap().map(|it| it.unwrap().path())
    {
        if path.is_dir() {
            continue;
        }
        for group in read(&path).as_array().unwrap() {
            for test in group["tests"].as_array().unwrap() {
                let params =
                    [("given", &test["data"]), ("schema", &group["schema"]), ("others", &others)];
                let found = run(&engine, script, &params).await;
                all += 1;
                if found.as_ref().ok() == Some(&test["valid"]) {
                    right += 1;
                } else {
                    eprintln!("{}: {}: {found:?}", group["description"], test["description"]);
                }
            }
        }
    }
    eprintln!("JSON Schema 2020-12: {right} of {all}");
    assert!(right >= 1293, "{right} of {all}");
}

#[expect(clippy::cast_precision_loss, reason = "there are few pairs")]
#[tokio::test]
async fn doubles() {
    let Some(path) = given("SVC_LINKAGE") else { return };
    let case = read(&path);
    let script = "param rows: json\nparam keys: [string]\n\
        profile.dedupe(rows: rows, keys: keys) >> each { .rows }";
    let start = std::time::Instant::now();
    let params = [("rows", &case["rows"]), ("keys", &case["keys"])];
    let (engine, _cache) = crate::docs::engine();
    let found = run(&engine, script, &params).await.unwrap();
    let truth: BTreeSet<String> =
        case["truth"].as_array().unwrap().iter().map(ToString::to_string).collect();
    let (mut right, mut all) = (0, 0);
    for rows in found.as_array().unwrap().iter().map(|it| it.as_array().unwrap()) {
        for (at, a) in rows.iter().enumerate() {
            for b in &rows[at + 1..] {
                all += 1;
                right += usize::from(truth.contains(&json!([a, b]).to_string()));
            }
        }
    }
    let (precision, recall) = (right as f64 / all as f64, right as f64 / truth.len() as f64);
    let f1 = 2.0 * right as f64 / (all + truth.len()) as f64;
    eprintln!("precision {precision:.4} recall {recall:.4} F1 {f1:.4} in {:?}", start.elapsed());
    assert!(f1 > 0.95, "{f1}");
}

#[tokio::test]
async fn pictures() {
    let Some(folder) = given("SVC_PICTURES") else { return };
    let (engine, _cache) = crate::docs::engine();
    for line in fs::read_to_string(folder.join("cases.jsonl")).unwrap().lines() {
        let case: Json = serde_json::from_str(line).unwrap();
        let text = |name: &str| case[name].as_str().map(|it| format!(", {name}: {}", json!(it)));
        let more: String = ["y", "color", "title"].into_iter().filter_map(text).collect();
        let size = |name: &str| case[name].as_u64().map(|it| format!(", {name}: {it}"));
        let sizes: String = ["width", "height"].into_iter().filter_map(size).collect();
        let script = format!(
            "param rows: json\nchart(rows: rows, mark: {}, x: {}{more}{sizes}) >> .text",
            case["mark"], case["x"]
        );
        match run(&engine, &script, &[("rows", &case["rows"])]).await {
            Ok(svg) => {
                let name = format!("{}.svg", case["name"].as_str().unwrap());
                fs::write(folder.join(name), svg.as_str().unwrap()).unwrap();
            }
            Err(why) => eprintln!("{}: {why}", case["name"]),
        }
    }
}

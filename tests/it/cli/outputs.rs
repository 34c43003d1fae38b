//! Every command with `--json` prints what its schema says, whether it has a result or not.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Done, Place};
use crate::models::{provider::finishes, server::Server};

/// A schema as an independent validator reads it.
struct Schema {
    all: boon::Schemas,
    root: boon::SchemaIndex,
}

impl Schema {
    fn of(place: &Place, name: &str) -> Self {
        let (mut all, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
        let url = format!("file:///{name}.json");
        compiler.add_resource(&url, place.svc(&["schema", name]).json()).unwrap();
        let root = compiler.compile(&url, &mut all).unwrap_or_else(|it| panic!("{name}: {it:#}"));
        Self { all, root }
    }

    fn misfit(&self, value: &Value) -> Option<String> {
        self.all.validate(value, self.root).err().map(|it| format!("{it:#}"))
    }
}

const FILES: [(&str, &str); 11] = [
    ("good.csv", "a,b\n1,x\n2,\n"),
    ("roles.toml", "version = 1\n[roles.free]\ntools = [\"*\", \"!nothing\"]\nmax_cost = \"$1\"\n"),
    (
        "good.svc",
        r#"param n: int = 2
param tags: [string] = ["a"]
let xs = ["one", "two"] >> each? { "${it} ${n}" >> wait(duration: 1ms) }
let text = read_text(path: "x.txt")
let h = parallel { a?: wait("fast", duration: 1ms), b?: read_text(path: "none.txt") }
{ xs: xs, text: text, h: h, tags: tags } >> save_json(to: "out.json")

test "mocked" {
  mock wait = "w"
  mock read_text = "t"
  mock save_json = "out.json"
  let r = main()
  expect r == "out.json"
}
test "wrong" {
  expect 1 == 2
}
"#,
    ),
    (
        "mail.svc",
        "## Asks.\nflow greet(name: string) -> string { \"hi ${name}\" }\nsecret key\nwait(\"a\", duration: 10ms) within { timeout: 1m } >> greet",
    ),
    ("needs.svc", "param n: int\nparam who: string\n\"${who} ${n}\""),
    (
        "fails.svc",
        "param n: int = 0\n[1, 2] >> each { \"${it}\" >> wait(duration: 1ms) >> to_int } >> each { it / n }",
    ),
    ("reads.svc", "read_text(path: \"missing.txt\")"),
    ("bad.svc", "use \"lib.svc\" as lib\n\"a\" >> uper >> lib.f\nlet x = 1 + \"a\""),
    ("lib.svc", "flow f(a: string) -> int { a >> trim }"),
    ("latin.svc", "\"a\" >> upper # \u{0}"),
    ("x.txt", "hello"),
];

/// The commands, each with its schema; those of runs come after the runs. Of every command, some
/// lines have a result and some have none.
const LINES: &str = "
run good.svc --json
run good.svc -p n=7 --json
run good.svc -p n=x --json
run good.svc -p m=1 --json
run good.svc -p n=1 -p n=2 --json
run good.svc --deny reads --json
run good.svc --policy nowhere.toml --json
run good.svc --tune a.b=1 --json
run needs.svc --json
run fails.svc --json
run reads.svc --json
run bad.svc --json
run latin.svc --json
run . --json
run missing.svc --json
run std:batch --json
resume last --json
resume nothing --json
resume last --with good.svc --json
resume last --with bad.svc --json
resume last --with missing.svc --json
runs --json
runs --store nowhere.db --json
show last --json
show nothing --json
why last --json
why last nowhere --json
why nothing --json
tap last --json
tap last text/read_text --json
tap last text/read_text --args --json
tap last nowhere --json
replay last --json
replay last --with fails.svc --json
replay last --with bad.svc --json
replay nothing --json
models --json
models --store nowhere.db --json
audit --json
keys list --json
keys issue --owner ann --role free --json
keys issue --owner ann --role nothing --json
hooks add good --json
hooks add good --owner ann --role free --json
hooks add good --github --secret none --json
hooks add a-b --json
hooks list --json
hooks remove nothing --json
hooks secret --json
hooks secret nothing --json
hooks deliveries --json
hooks deliveries --owner zoe --json
hooks resend nothing --json
keys list --json
keys locks --json
keys revoke aaaaaaaaaaaa --json
keys rotate x --json
keys unlock --all --json
keys unlock --json
access check --json
access check roles.toml --hosted --json
access check good.svc --json
access check missing.toml --json
access explain --key aaaaaaaaaaaa --tool guide_ask --json
audit --json
audit --verify --json
certify good.svc
verify good.cert.json --json
verify good.svc --json
check good.svc mail.svc needs.svc fails.svc bad.svc latin.svc missing.svc --json
check good.svc --deny reads --json
check good.svc --policy nowhere.toml --json
plan good.svc --json
plan mail.svc --json
plan mail.svc --deny asks --max-cost 0.10 --timeout 1s --json
plan needs.svc -p n=x --json
plan bad.svc --json
plan missing.svc --json
test good.svc mail.svc bad.svc missing.svc --json
ci good.svc mail.svc bad.svc missing.svc --json
ci lib.svc --max-cost 0.10 --json
ci lib.svc --changed main --json
ci nowhere --policy nowhere.toml --json
doc good.svc --json
doc bad.svc --json
components --json
components std:panel --json
components time --json
components std:nothing --json
inspect search --json
inspect exec --json
inspect list --json
inspect each --json
inspect std:panel --json
inspect nothing --json
table good.csv --json
table missing.csv --json
table good.svc --json
find remove duplicates --json
find xyzzy --json
tools --json
tools guide_ask --json
tools nothing --json
call nav_stats --json
call nav_inspect -p component=text --json
call nav_inspect --json
call nothing --json
call guide_ask --args [] --json
ask how are budgets enforced? --json
ask xyzzy --json
guide plan count the words of a file --json
guide plan --try count the words of good.svc --json
guide plan --try count the words of none.txt --json
guide plan xyzzy --json
guide overview --json
guide edit edited.svc keep ten --json
guide edit missing.svc keep ten --json
explain --json
explain E203 --json
explain E999 --json
";

/// The name of the schema: the words of the command that choose what it prints.
fn schema_of(words: &[&str]) -> String {
    match words[0] {
        "guide" => words[..2].join("-"),
        "certify" => "certificate".to_owned(),
        word => word.to_owned(),
    }
}

/// Runs a command; the changes of scripts are written by a model.
fn ran(place: &Place, words: &[&str]) -> Done {
    if !words.starts_with(&["guide", "edit"]) {
        return place.svc(words);
    }
    let answer = json!({
        "verdict": "script", "script": "[1, 2] >> take(n: 10)", "missing": "", "ops": [],
        "parts": [{ "phrase": "keep ten", "stage": "take(n: 10)" }],
    });
    let server = Server::start(vec![finishes("openai", &answer.to_string())]);
    let mut command = place.command(words);
    command.env("SVC_MODEL", "openai/local").env("OPENAI_BASE_URL", format!("{}/v1", server.url));
    Done::of(command.output().unwrap())
}

fn place() -> Place {
    let place = Place::new(&FILES);
    std::fs::write(place.path().join("edited.svc"), "[1, 2] >> take(n: 1)\n").unwrap();
    std::fs::write(place.path().join("latin.svc"), b"\"\xff\"").unwrap();
    place.svc(&["certify", "good.svc", "-o", "good.cert.json"]).gives("");
    place
}

#[test]
fn every_output_fits_its_schema() {
    let place = place();
    let (mut with, mut without) = (BTreeSet::new(), BTreeSet::new());
    for line in LINES.lines().filter(|it| !it.is_empty()) {
        let words: Vec<&str> = line.split(' ').collect();
        let name = schema_of(&words);
        let Done { code, out, err } = ran(&place, &words);
        let printed: Value =
            serde_json::from_str(&out).unwrap_or_else(|it| panic!("{line}: {it}\n{out}{err}"));
        let misfit = Schema::of(&place, &name).misfit(&printed);
        assert_eq!(misfit, None, "{line}\n{printed:#}\n{err}");
        let has_failed = printed.get("error").is_some_and(Value::is_object);
        if has_failed {
            // The exit code is the same as without `--json`, and the reason is on standard error.
            let plain: Vec<&str> = words.iter().copied().filter(|it| *it != "--json").collect();
            assert_eq!(ran(&place, &plain).code, code, "{line}");
            assert!(code != Some(0) && !err.is_empty(), "{line}: {printed:#}");
        }
        (if has_failed { &mut without } else { &mut with }).insert(name);
    }
    let listed = place.svc(&["schema"]).out;
    let all: BTreeSet<String> =
        listed.lines().map(|it| it.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(with, all);
    // These always have a result: advice is found or not, and the exit code says which. A certificate
    // is written without `--json`, so its failure is only on standard error.
    let answered = ["ask", "certificate", "find", "guide-overview", "guide-plan", "test"];
    let rest: BTreeSet<String> =
        all.into_iter().filter(|it| !answered.contains(&it.as_str())).collect();
    assert_eq!(without, rest);
}

/// Every option `--json` belongs to a command with a schema.
#[test]
fn every_command_with_json_has_a_schema() {
    let place = Place::new(&[]);
    let listed = place.svc(&["schema"]).out;
    let help = place.svc(&["--help"]).out;
    let commands = help.lines().filter_map(|it| it.strip_prefix("  ")?.split(' ').next());
    let mut found = 0;
    for command in commands.filter(|it| !it.is_empty() && *it != "help" && *it != "guide") {
        let page = place.svc(&[command, "--help"]).out;
        if page.lines().any(|it| it.trim_start().starts_with("--json")) {
            found += 1;
            assert!(listed.lines().any(|it| it.split(' ').next() == Some(command)), "{command}");
        }
    }
    assert!(found >= 14, "{help}");
}

/// The validator refuses what the types do not print.
#[test]
fn a_schema_refuses_other_outputs() {
    let place = place();
    place.svc(&["run", "good.svc"]);
    let schema = Schema::of(&place, "show");
    let shown = place.svc(&["show", "last", "--json"]).json();
    assert_eq!(schema.misfit(&shown), None);
    let spoilt = |path: &str, value: Value| {
        let mut shown = shown.clone();
        *shown.pointer_mut(path).unwrap() = value;
        schema.misfit(&shown)
    };
    assert!(spoilt("/run/started", 1.into()).is_some());
    assert!(spoilt("/nodes/0/took", "1ms".into()).is_some());
    assert!(spoilt("/nodes/0", serde_json::json!({ "path": "a" })).is_some());
    let mut more = shown.clone();
    more["more"] = 1.into();
    assert!(schema.misfit(&more).is_some());
}

/// Durations are milliseconds, and instants are RFC 3339, in every output.
#[test]
fn times_have_one_form() {
    let place = place();
    place.svc(&["run", "mail.svc"]);
    place.svc(&["run", "fails.svc"]);
    let shown = place.svc(&["show", "last", "--json"]).json();
    for at in ["/run/started", "/run/ended", "/nodes/0/started"] {
        let text = shown.pointer(at).unwrap().as_str().unwrap();
        assert!(text.len() == 24 && text.ends_with('Z') && text.as_bytes()[10] == b'T', "{text}");
    }
    let took = shown["nodes"][0]["took"].as_f64().unwrap();
    assert!((1.0..5_000.0).contains(&took), "{took}");
    let planned = place.svc(&["plan", "mail.svc", "--json"]).json();
    assert_eq!(planned["envelope"]["time"]["min"], 10.0);
    let limits = place.svc(&["inspect", "temp_file", "--json"]).json();
    assert_eq!(limits["ops"][0]["limits"]["timeout"], 60_000.0);
    let tested = place.svc(&["test", "good.svc", "--json"]).json();
    assert!(tested["files"][0]["tests"][0]["took"].is_f64());
}

/// A script that does not check, a wrong param and a missing file are answered like a failed run.
#[test]
fn a_run_that_cannot_begin_answers_in_json() {
    let place = place();
    let error = |args: &[&str]| {
        let done = place.svc(args);
        (done.code.unwrap(), done.json()["error"].clone())
    };
    let (code, of) = error(&["run", "bad.svc", "--json"]);
    assert_eq!(
        (code, &of["phase"], &of["kind"], &of["code"]),
        (7, &"check".into(), &Value::Null, &"E201".into())
    );
    assert_eq!((&of["file"], &of["line"]), (&"bad.svc".into(), &2.into()));
    assert!(of["problems"].as_array().unwrap().len() > 1, "{of}");
    let (code, of) = error(&["run", "needs.svc", "-p", "n=x", "--json"]);
    assert_eq!((code, &of["phase"], &of["param"]), (2, &"input".into(), &"n".into()));
    let (code, of) = error(&["run", "missing.svc", "--json"]);
    assert_eq!((code, &of["phase"], &of["kind"]), (6, &"command".into(), &"not_found".into()));
    let (code, of) = error(&["run", "fails.svc", "--json"]);
    assert_eq!((code, &of["phase"], &of["kind"]), (1, &"run".into(), &"failed".into()));
}

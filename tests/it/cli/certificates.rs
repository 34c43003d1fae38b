//! `svc certify`, `svc verify`, and certificates in `svc ci`.

use std::fs;

use ring::{rand::SystemRandom, signature::Ed25519KeyPair};
use serde_json::Value;

use super::{Done, Place};

const PRICES: &str =
    "version = \"2026-11-01\"\n[models]\n\"openai/small\" = { input = 1.0, output = 2.0 }\n";

/// A script with a module, a list and two caps.
const FILES: [(&str, &str); 4] = [
    (
        "flows/lib/ask.svc",
        "flow one(text: string) -> string {\n  ask(prompt: text, max_tokens: 50)\n}\n",
    ),
    (
        "flows/a.svc",
        "svc 1 within { max_cost: $0.10 }\n\nuse \"lib/ask.svc\" as lib\n\nparam n: int = 2\n\n[\"tea\", \"ink\", \"milk\"]\n  >> take(n: n)\n  >> each { lib.one }\n  >> len\n",
    ),
    ("open.svc", "param xs: [string]\n\nxs >> each { ask(prompt: it, max_tokens: 50) } >> len\n"),
    ("prices.toml", PRICES),
];

fn place() -> Place {
    Place::new(&FILES)
}

fn svc(place: &Place, args: &[&str]) -> Done {
    let mut command = place.command(args);
    command.env("SVC_MODEL", "openai/small").env("SVC_PRICES", "prices.toml");
    command.env("OPENAI_API_KEY", "k");
    Done::of(command.output().unwrap())
}

#[track_caller]
fn certified(place: &Place) -> Value {
    svc(place, &["certify", "flows/a.svc", "-o", "flows/a.cert.json"]).gives("");
    serde_json::from_str(&fs::read_to_string(place.path().join("flows/a.cert.json")).unwrap())
        .unwrap()
}

fn change(place: &Place, file: &str, from: &str, to: &str) {
    let path = place.path().join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replace(from, to)).unwrap();
}

/// What a verification finds, as pairs of kind and message.
fn found(place: &Place) -> Vec<(String, String)> {
    let json = svc(place, &["verify", "flows/a.cert.json", "--json"]).json();
    let text = |it: &Value| it.as_str().unwrap().to_owned();
    let all = json["differences"].as_array().unwrap();
    all.iter().map(|it| (text(&it["what"]), text(&it["message"]))).collect()
}

#[test]
fn a_certificate_is_the_same_each_time_and_holds() {
    let place = place();
    let certificate = certified(&place);
    let again = svc(&place, &["certify", "flows/a.svc"]).out;
    assert_eq!(again, fs::read_to_string(place.path().join("flows/a.cert.json")).unwrap());
    assert_eq!(certificate["script"]["name"], "flows/a.svc");
    assert_eq!(certificate["modules"][0]["name"], "lib/ask.svc");
    assert_eq!(certificate["ops"]["llm_router.infer"], 1);
    assert_eq!(certificate["prices"]["own"]["name"], "prices.toml");
    assert_eq!(certificate["effects"], serde_json::json!(["reads llm", "spends"]));
    let planned = svc(&place, &["plan", "flows/a.svc", "--json"]).json();
    assert_eq!(certificate["at_most"]["tokens"], planned["envelope"]["tokens"]["max"]);
    assert_eq!(certificate["at_most"]["cost"], planned["envelope"]["cost"]["max"]);
    let tokens = certificate["at_most"]["tokens"].as_u64().unwrap();
    let line = format!("flows/a.svc: at most {tokens} tokens and ");
    let done = svc(&place, &["verify", "flows/a.cert.json"]);
    assert!(done.code == Some(0) && done.out.starts_with(&line), "{}{}", done.out, done.err);
    assert_eq!(found(&place), []);
}

#[test]
fn what_changed_is_named() {
    let changed = |file: &str, from: &str, to: &str| {
        let place = place();
        certified(&place);
        change(&place, file, from, to);
        let first = found(&place).first().cloned().unwrap_or_default();
        assert_eq!(svc(&place, &["verify", "flows/a.cert.json"]).code, Some(1), "{first:?}");
        format!("{}: {}", first.0, first.1)
    };
    assert_eq!(
        changed("flows/a.svc", "milk", "beer"),
        "script: the script `flows/a.svc` has changed"
    );
    assert_eq!(
        changed("flows/lib/ask.svc", "50", "60"),
        "module: the module `lib/ask.svc` has changed"
    );
    assert_eq!(
        changed("prices.toml", "output = 2.0", "output = 3.0"),
        "price: the price table `prices.toml` has changed"
    );
    assert_eq!(
        changed("prices.toml", "2026-11-01", "2026-12-01"),
        "price: the price table was 2026-11-01, `prices.toml`, and is 2026-12-01, `prices.toml`"
    );
    // As if it had been made with another version of the op.
    assert_eq!(
        changed("flows/a.cert.json", "\"llm_router.infer\": 1", "\"llm_router.infer\": 7"),
        "op: the op `llm_router.infer` had version 7, and has 1"
    );
    assert_eq!(
        changed("flows/a.cert.json", "\"model\": \"openai/small\"", "\"model\": \"openai/large\""),
        "model: the language model was `openai/large`, and is `openai/small`"
    );
    assert!(changed("flows/a.cert.json", "\"proven\"", "\"enforced\"").starts_with("bound: "));
    assert_eq!(
        changed("flows/a.cert.json", "\"reads llm\",", ""),
        "effect: new effect: `reads llm`"
    );
}

#[test]
fn the_inputs_and_the_rules_are_part_of_it() {
    let place = place();
    let most = |args: &[&str]| {
        let done = svc(&place, &[&["certify", "flows/a.svc"], args].concat());
        done.json()["at_most"]["tokens"].as_u64().unwrap()
    };
    assert!(most(&["-p", "n=1"]) < most(&[]) && most(&["--max-tokens", "1000"]) == 1000);
    let args = ["certify", "flows/a.svc", "-p", "n=1", "--deny", "runs", "-o", "one.json"];
    svc(&place, &args).gives("");
    assert_eq!(svc(&place, &["verify", "one.json"]).code, Some(0));
    svc(&place, &["certify", "flows/a.svc", "--deny", "spends"]).fails(7, "spends");
    svc(&place, &["certify", "flows/a.svc", "--reuse", "1d"])
        .fails(2, "`--reuse` cannot be certified");
    svc(&place, &["certify", "flows/a.svc", "-p", "n=x"]).fails(2, "`n`");
    svc(&place, &["certify", "-"]).fails(2, "needs the name of a file");
}

#[test]
fn what_is_unlimited_gets_none() {
    let place = place();
    svc(&place, &["certify", "open.svc"]).fails(7, "nothing limits what it may spend");
    svc(&place, &["certify", "open.svc", "--max-cost", "0.10", "--max-tokens", "5000"]).json();
    svc(&place, &["certify", "flows/a.svc", "--max-tokens", "0"]).fails(7, "cannot be met");
}

/// A new key in PEM, private and public.
fn keys() -> (String, String) {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    use ring::signature::KeyPair as _;
    let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
    let pair = Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).unwrap();
    let head = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
    let public = [&head[..], pair.public_key().as_ref()].concat();
    let pem = |kind: &str, der: &[u8]| {
        format!("-----BEGIN {kind}-----\n{}\n-----END {kind}-----\n", STANDARD.encode(der))
    };
    (pem("PRIVATE KEY", pkcs8.as_ref()), pem("PUBLIC KEY", &public))
}

#[test]
fn signatures_are_tested() {
    let place = place();
    for name in ["a", "b"] {
        let (private, public) = keys();
        fs::write(place.path().join(format!("{name}.pem")), private).unwrap();
        fs::write(place.path().join(format!("{name}.pub")), public).unwrap();
    }
    certified(&place);
    let with = |key| svc(&place, &["verify", "flows/a.cert.json", "--key", key]);
    with("a.pub").fails(1, "the certificate is not signed");
    svc(&place, &["certify", "flows/a.svc", "--sign", "a.pem", "-o", "flows/a.cert.json"])
        .gives("");
    let done = with("a.pub");
    assert!(done.code == Some(0) && done.out.ends_with("signed with this key\n"), "{}", done.out);
    with("b.pub").fails(1, "the seal was made with another key");
    with("a.pem").fails(2, "cannot use the key `a.pem`");
    with("none.pub").fails(6, "none.pub");
    // `flows/lib` has no pipeline, so it needs no certificate.
    let json = svc(&place, &["ci", "flows", "--certificate-key", "a.pub", "--json"]).json();
    let steps = |json: &Value, file: &str| -> Vec<(String, bool)> {
        let all = json["scripts"].as_array().unwrap();
        let script = all.iter().find(|it| it["file"].as_str().unwrap().ends_with(file)).unwrap();
        let step = |it: &Value| (it["name"].as_str().unwrap().to_owned(), it["ok"] == true);
        script["steps"].as_array().unwrap().iter().map(step).collect()
    };
    let certificate = |ok| ("certificate".to_owned(), ok);
    assert!(steps(&json, "flows/a.svc").contains(&certificate(true)), "{json:#}");
    assert!(!steps(&json, "lib/ask.svc").iter().any(|it| it.0 == "certificate"), "{json:#}");
    let json = svc(&place, &["ci", "flows", "--certificate-key", "b.pub", "--json"]).json();
    assert!(steps(&json, "flows/a.svc").contains(&certificate(false)), "{json:#}");
    change(&place, "flows/a.cert.json", "\"max_tokens\": null", "\"max_tokens\": 9");
    with("a.pub").fails(1, "the signature does not fit: the certificate was changed");
}

#[test]
fn ci_reads_certificates() {
    let place = place();
    let ci = |args: &[&str]| svc(&place, &[&["ci", "flows/a.svc"], args].concat());
    assert_eq!(ci(&[]).code, Some(0));
    assert!(ci(&["--certified"]).out.contains("missing certificate `flows/a.cert.json`"));
    certified(&place);
    assert_eq!(ci(&["--certified"]).code, Some(0));
    change(&place, "flows/lib/ask.svc", "50", "60");
    let done = ci(&[]);
    assert_eq!(done.code, Some(1), "{}", done.out);
    assert!(done.out.contains("the module `lib/ask.svc` has changed"), "{}", done.out);
    assert!(done.out.contains("svc certify flows/a.svc -o flows/a.cert.json"), "{}", done.out);
    fs::write(place.path().join("flows/a.cert.json"), "{").unwrap();
    assert!(ci(&[]).out.contains("not a certificate"));
    // The terms of the certificate stay.
    let args = ["certify", "flows/a.svc", "-p", "n=1", "--deny", "runs", "-o", "flows/a.cert.json"];
    svc(&place, &[&args[..], &["--max-cost", "$0.05"]].concat()).gives("");
    change(&place, "flows/lib/ask.svc", "60", "70");
    let wanted = "svc certify flows/a.svc -p n=1 --max-cost 0.05 --deny runs -o flows/a.cert.json";
    let done = ci(&[]);
    assert!(done.out.contains(wanted), "{}", done.out);
    let quoted = r"-p 'n=1; x='\\''y'";
    change(&place, "flows/a.cert.json", "\"n\": \"1\"", "\"n\": \"1; x='y\"");
    let done = ci(&["--json"]).out;
    assert!(done.contains(quoted), "{done}");
}

#[test]
fn a_wrong_file_is_not_a_certificate() {
    let place = place();
    certified(&place);
    svc(&place, &["verify", "flows/a.svc"]).fails(1, "not a certificate");
    svc(&place, &["verify", "none.json"]).fails(6, "none.json");
    svc(&place, &["verify", "flows/a.cert.json", "none.svc"]).fails(6, "none.svc");
    // Another format may have other fields.
    change(&place, "flows/a.cert.json", "\"format\": 1", "\"format\": 2, \"more\": 1");
    svc(&place, &["verify", "flows/a.cert.json"]).fails(1, "a certificate of format 2");
    fs::write(place.path().join("empty.json"), "").unwrap();
    svc(&place, &["verify", "empty.json"]).fails(1, "the file is empty");
}

#[test]
fn a_changed_certificate_is_found() {
    let altered = |from: &str, to: &str| {
        let place = place();
        certified(&place);
        change(&place, "flows/a.cert.json", from, to);
        svc(&place, &["verify", "flows/a.cert.json"])
    };
    let tokens = certified(&place())["calls"][0]["tokens"].to_string();
    altered(&format!("\"tokens\": {tokens},\n      \"cost\""), "\"tokens\": 1,\n      \"cost\"")
        .fails(1, "`calls` is not what the script gives: the certificate was changed");
    altered("\"spends\"", "\"spends\", \"spends\"")
        .fails(1, "`effects` is not what the script gives");
    // Readers differ in which of two values they take.
    altered("\"ops\": {", "\"ops\": {\n \"llm_router.infer\": 9,")
        .fails(1, "duplicate field `llm_router.infer`");
    altered("\"at_most\": {", "\"at_most\": {\n \"tokens\": 9,")
        .fails(1, "duplicate field `tokens`");
    altered("\"tokens\"", "\"tokens\": 100000000000000000000000, \"a\"")
        .fails(1, "not a certificate");
    // It does not choose files elsewhere.
    altered("\"flows/a.svc\"", "\"/etc/passwd\"").fails(2, "outside of the current folder");
    altered("\"flows/a.svc\"", "\"../a.svc\"").fails(2, "outside of the current folder");
}

#[test]
fn a_certificate_holds_on_another_machine() {
    let place = place();
    let certificate = certified(&place);
    assert_eq!(certificate["prices"]["own"]["name"], "prices.toml");
    fs::create_dir(place.path().join("tables")).unwrap();
    let verified = |table: &str, model: Option<&str>| {
        fs::write(place.path().join(table), PRICES).unwrap();
        let mut command = place.command(&["verify", "flows/a.cert.json"]);
        command.env("SVC_PRICES", table).env("OPENAI_API_KEY", "k");
        model.map(|it| command.env("SVC_MODEL", it));
        Done::of(command.output().unwrap())
    };
    let done = verified("tables/other.toml", Some("openai/small"));
    assert!(done.err.contains("the price table was"), "{}", done.err);
    let done = verified("tables/prices.toml", Some("openai/small"));
    assert_eq!(done.code, Some(0), "{}", done.err);
    verified("prices.toml", None).fails(1, "the language model was `openai/small`, and is none");
}

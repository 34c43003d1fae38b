//! The scripts of `benches/certificates` check, and `docs/bounds.md` shows what they are certified for.

use std::{collections::BTreeMap, fs, path::PathBuf};

use serde_json::Value;

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/certificates"))
}

/// The inputs of each script, as on the command line.
fn inputs() -> BTreeMap<String, Vec<String>> {
    serde_json::from_str(&fs::read_to_string(folder().join("inputs.json")).unwrap()).unwrap()
}

/// `svc` in the folder, with the model and the prices of the comparison.
fn svc(args: &[&str]) -> String {
    let mut command = assert_cmd::Command::cargo_bin("svc").unwrap();
    command.args(args).current_dir(folder()).env("SVC_PRICES", "prices.toml");
    command.env("SVC_MODEL", "openai/gpt-5.4-mini").env("OPENAI_API_KEY", "k");
    let done = command.output().unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && errors.is_empty(), "{args:?}: {text}{errors}");
    text
}

/// The certified tokens and dollars of a script, as the table shows them.
fn certified(name: &str, inputs: &[String]) -> String {
    let file = format!("svc/{name}.svc");
    let given = inputs.iter().flat_map(|it| ["-p", it]);
    let args: Vec<&str> = ["certify", &file].into_iter().chain(given).collect();
    let certificate: Value = serde_json::from_str(&svc(&args)).unwrap();
    let most = &certificate["at_most"];
    let tokens = grouped(most["tokens"].as_u64().unwrap());
    format!("{tokens} | {}", most["cost"].as_str().unwrap())
}

/// `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (idx, digit) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[test]
fn the_table_of_certified_scripts_is_right() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/bounds.md");
    let page = fs::read_to_string(page).unwrap();
    let inputs = inputs();
    assert!(inputs.len() > 12, "{inputs:?}");
    for (name, inputs) in &inputs {
        let start = format!("| `{name}`: ");
        let row = page.lines().find(|it| it.starts_with(&start));
        let row = row.unwrap_or_else(|| panic!("missing row of `{name}`"));
        let end = format!(" | {} |", certified(name, inputs));
        assert!(row.ends_with(&end), "`{name}` is certified for{end}\n{row}");
    }
}

#[test]
fn the_certified_scripts_check_and_are_formatted() {
    let names = fs::read_dir(folder().join("svc")).unwrap().map(|it| it.unwrap().file_name());
    let files: Vec<String> = names.map(|it| format!("svc/{}", it.into_string().unwrap())).collect();
    assert_eq!(files.len(), inputs().len(), "a script without inputs");
    for file in &files {
        svc(&["check", file]);
        svc(&["fmt", "--check", file]);
    }
}

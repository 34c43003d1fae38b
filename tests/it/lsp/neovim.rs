//! The language server in a widely used editor: Neovim, without a screen.

use std::{
    fs,
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::foreign::skipped;

const SCRIPT: &str = "param title: string\n\"é𝄞 ${title}\" >> uper\n  >> lower\n";

#[test]
fn neovim_works_with_it() {
    if Command::new("nvim").arg("--version").stdout(Stdio::null()).status().is_err() {
        skipped("neovim_works_with_it", "`nvim` is missing; the Debian package is `neovim`");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen.json");
    fs::write(folder.path().join("script.svc"), SCRIPT).unwrap();
    let session = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/neovim/session.lua");
    let done = Command::new("nvim")
        .args(["--headless", "-n", "-u", "NONE", "-i", "NONE", "-S", session])
        .current_dir(folder.path())
        .env("SVC", assert_cmd::cargo::cargo_bin!("svc"))
        .env("SEEN", &seen)
        .env("XDG_STATE_HOME", folder.path())
        .env("XDG_CACHE_HOME", folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    let seen: Value = serde_json::from_str(&fs::read_to_string(seen).expect(&said)).unwrap();
    assert_eq!(seen["error"], Value::Null, "{said}");
    assert_eq!((&seen["wrong"], &seen["repaired"]), (&Value::Bool(true), &Value::Bool(true)));
    assert_eq!((&seen["settled"], &seen["renamed"]), (&Value::Bool(true), &Value::Bool(true)));
    assert_eq!(
        (seen["word"].as_str(), seen["action"].as_str()),
        (Some("uper"), Some("replace `uper` with `upper`"))
    );
    assert!(seen["hover"].as_str().unwrap().contains("lower("), "{seen}");
    let offered: Vec<&str> =
        seen["offered"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    assert!(offered.contains(&"len") && !offered.contains(&"sum"), "{offered:?}");
    let text: Vec<&str> =
        seen["text"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    assert_eq!(text, ["param heading: string", "\"é𝄞 ${heading}\" >> upper", "  >> lower"]);
}

//! The language server in a widely used editor: Neovim, without a screen. `SVC_NVIM` names another
//! version than that on the path.

use std::{
    env, fs,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::foreign::skipped;

const SCRIPT: &str = "param title: string\n\"é𝄞 ${title}\" >> uper\n  >> lower\n";

/// Neovim in a folder; `None`, with a note, if it is missing.
fn neovim(test: &str, folder: &TempDir) -> Option<Command> {
    let program = env::var("SVC_NVIM").unwrap_or_else(|_| "nvim".to_owned());
    if Command::new(&program).arg("--version").stdout(Stdio::null()).status().is_err() {
        skipped(test, "`nvim` is missing; the Debian package is `neovim`");
        return None;
    }
    let mut command = Command::new(program);
    let svc = assert_cmd::cargo::cargo_bin!("svc");
    let path = format!("{}:{}", svc.parent()?.display(), env::var("PATH").unwrap_or_default());
    command
        .args(["--headless", "-n", "-i", "NONE"])
        .current_dir(folder.path())
        .envs([("SVC", svc), ("SEEN", &folder.path().join("seen.json"))])
        .env("PATH", path)
        .env("SVC_STORE", folder.path().join("runs.db"))
        .env_remove("SVC_CACHE")
        .stdin(Stdio::null());
    for kind in ["CONFIG", "STATE", "CACHE", "DATA"] {
        command.env(format!("XDG_{kind}_HOME"), folder.path().join(kind));
    }
    Some(command)
}

/// What a session saw.
fn seen(mut neovim: Command, session: &str, folder: &TempDir) -> Value {
    let session = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/neovim").join(session);
    let done = neovim.arg("-S").arg(session).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    let seen = fs::read_to_string(folder.path().join("seen.json")).expect(&said);
    let seen: Value = serde_json::from_str(&seen).unwrap();
    assert_eq!(seen["error"], Value::Null, "{said}");
    seen
}

#[test]
fn neovim_works_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut neovim) = neovim("neovim_works_with_it", &folder) else { return };
    fs::write(folder.path().join("script.svc"), SCRIPT).unwrap();
    neovim.args(["-u", "NONE"]);
    let seen = seen(neovim, "session.lua", &folder);
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

/// The configuration of `editors/neovim`, copied to where its README says.
#[test]
fn the_configuration_for_neovim_works() {
    let folder = tempfile::tempdir().unwrap();
    let Some(neovim) = neovim("the_configuration_for_neovim_works", &folder) else { return };
    let plugins = folder.path().join("CONFIG/nvim/plugin");
    fs::create_dir_all(&plugins).unwrap();
    let recipe = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/neovim/svc.lua");
    fs::copy(recipe, plugins.join("svc.lua")).unwrap();
    fs::write(folder.path().join("script.svc"), SCRIPT).unwrap();
    let other = "use \"std:panel\" as panel\n\"shouted\" >> upper\n";
    fs::write(folder.path().join("other.svc"), other).unwrap();
    let seen = seen(neovim, "recipe.lua", &folder);
    for what in ["attached", "shared", "ran", "opened", "locked"] {
        assert_eq!(seen[what], true, "{what}: {seen}");
    }
    assert_eq!((&seen["filetype"], &seen["commentstring"]), (&"svc".into(), &"# %s".into()));
    assert_eq!(seen["omnifunc"], "v:lua.vim.lsp.omnifunc");
    assert_eq!(seen["problem"], "E201");
    assert_eq!(seen["lenses"], serde_json::json!(["run", "plan"]));
    assert!(seen["module"].as_str().unwrap().starts_with("# Lets a panel"), "{seen}");
    assert!(seen["colours"] == true || seen["colours"] == "Keyword", "{seen}");
    assert!(seen["hints"].is_null() || seen["hints"] == true, "{seen}");
}

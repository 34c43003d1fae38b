//! Completion in shells, as the shells do it.

use std::process::Command;

use super::Place;

/// What bash offers for a line that ends at the cursor.
fn bash(place: &Place, line: &str) -> Vec<String> {
    const SCRIPT: &str = r#"
        PATH="$FOLDER:$PATH"
        source <(svc completions bash)
        COMP_LINE="$LINE" COMP_POINT=${#LINE}
        # Splits as readline does: at spaces, and around the signs of COMP_WORDBREAKS.
        spaced="$LINE"
        for sign in = :; do spaced="${spaced//$sign/ $sign }"; done
        read -r -a COMP_WORDS <<< "$spaced"
        [[ "$LINE" == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        function_name=$(complete -p svc | sed 's/.*-F \([^ ]*\).*/\1/')
        "$function_name" svc "${COMP_WORDS[COMP_CWORD]}" ""
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let program = assert_cmd::cargo::cargo_bin!("svc");
    let mut shell = Command::new("bash");
    shell.args(["--norc", "-c", SCRIPT]).env("FOLDER", program.parent().unwrap()).env("LINE", line);
    let settings = place.command(&[]);
    for (name, value) in settings.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let done = shell.current_dir(place.path()).output().unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    text.lines().map(str::to_owned).filter(|it| !it.is_empty()).collect()
}

const SCRIPT: &str = "## How long the report is.\nparam style: \"short\" | \"long\" = \"short\"\n\
    param top_k: int = 3\nparam loud: bool = false\nsecret key\n\
    flow kept(text: string, key: secret<string>) -> string { text }\n\
    \"${style}${top_k}${loud}\" >> kept(key: key)\n";

#[test]
fn bash_completes_commands_names_and_codes() {
    let place = Place::new(&[]);
    assert_eq!(bash(&place, "svc chec"), ["check"]);
    let names = bash(&place, "svc inspect su");
    for name in ["summary", "sum"] {
        assert!(names.contains(&name.to_owned()), "{names:?}");
    }
    assert!(bash(&place, "svc inspect ea").contains(&"each".to_owned()));
    assert_eq!(bash(&place, "svc inspect std:pan"), ["panel"]);
    assert_eq!(bash(&place, "svc explain E20"), {
        let codes = svc_lang::diag::Explanation::all().map(|it| it.code);
        codes.filter(|it| it.starts_with("E20")).collect::<Vec<_>>()
    });
    assert!(bash(&place, "svc check --wat").contains(&"--watch".to_owned()));
}

#[test]
fn bash_completes_scripts_and_their_params() {
    let place = Place::new(&[("report.svc", SCRIPT), ("notes.txt", ""), ("lib/x.svc", "1")]);
    assert_eq!(bash(&place, "svc run re"), ["report.svc"]);
    assert!(bash(&place, "svc run no").is_empty());
    let params = bash(&place, "svc run report.svc --param ");
    assert_eq!(params, ["style=short", "style=long", "top_k=", "loud=true", "loud=false"]);
    assert_eq!(bash(&place, "svc run report.svc -p style=l"), ["long"]);
    assert_eq!(bash(&place, "svc run report.svc -p to"), ["top_k="]);
    assert!(bash(&place, "svc run missing.svc -p ").is_empty());
}

/// What a script of someone else contains does not become a command, and is not drawn as it is.
#[test]
fn candidates_are_harmless() {
    let script = "## Doc\u{1b}[31m.\nparam a: \"$(touch x)\" | \"b\" = \"b\"\na";
    let place = Place::new(&[("a.svc", script), ("$(touch y).svc", "1")]);
    assert_eq!(bash(&place, "svc run a.svc -p "), ["a="]);
    assert_eq!(bash(&place, "svc run $"), [r"\$\(touch\ y\).svc"]);
    let mut command = place.command(&["--", "svc", "run", "a.svc", "-p", ""]);
    let done = command.env("SVC_COMPLETE", "fish").output().unwrap();
    let shown = String::from_utf8(done.stdout).unwrap();
    assert!(shown.contains(r"Doc\u{1b}[31m.") && !shown.contains('\u{1b}'), "{shown:?}");
}

#[test]
fn bash_completes_runs() {
    let place = Place::new(&[("a.svc", "1 + 1")]);
    assert!(bash(&place, "svc show ").iter().all(|it| it.starts_with('-')));
    place.svc(&["run", "a.svc"]).gives("2\n");
    let id = place.svc(&["runs", "--json"]).json()[0]["run"].as_str().unwrap().to_owned();
    assert_eq!(bash(&place, "svc show ")[..2], ["last", &id]);
    assert_eq!(bash(&place, &format!("svc resume {}", &id[..4])), [id]);
}

#[test]
fn every_shell_has_a_script() {
    let place = Place::new(&[]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let done = place.svc(&["completions", shell]);
        assert!(done.code == Some(0) && done.out.contains("SVC_COMPLETE"), "{shell}: {}", done.err);
    }
    place.svc(&["completions", "tcsh"]).fails(2, "invalid value 'tcsh'");
}

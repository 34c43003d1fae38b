//! The standard library on the command line.

use std::fs;

use super::Place;

#[test]
fn modules_are_listed_and_shown() {
    let place = Place::new(&[]);
    let all = place.svc(&["components"]);
    for module in svc_lang::stdlib::ALL {
        let name = format!("std:{}", module.name);
        assert!(all.out.contains(&format!("  {name}  {}\n", module.summary())), "{}", all.out);
        let page = place.svc(&["components", &name]);
        assert_eq!(page.out, place.svc(&["inspect", &name]).out);
        assert!(page.out.contains(&format!("use \"{name}\" as {}", module.name)), "{}", page.out);
    }
    let json = place.svc(&["components", "--json"]).json();
    let listed = |it: &&serde_json::Value| it["name"] == "std:panel";
    let panel = json.as_array().unwrap().iter().find(listed).unwrap();
    let signature = "majority<C>(votes: [C]) -> { winner: C, votes: int, share: float, tied: bool, \
        counts: [{ choice: C, votes: int }] }";
    assert_eq!(panel["flows"][4]["signature"], signature);
    assert!(place.svc(&["inspect", "std:panel"]).out.contains("\npanel.majority<C>("));
    let page = place.svc(&["inspect", "--json", "std:refine"]).json();
    assert_eq!(page["types"][0], "type Mark = { score: float, remarks: [string] }");
    assert!(place.svc(&["components", "panel", "of", "judges"]).out.contains("std:panel"));
    place.svc(&["components", "std:pannel"]).fails(6, "did you mean `std:panel`?");
    place.svc(&["inspect", "std:../x"]).fails(6, "list all modules with `svc components`");
}

#[test]
fn modules_are_scripts_where_that_has_a_meaning() {
    let place = Place::new(&[]);
    for module in svc_lang::stdlib::ALL {
        let name = format!("std:{}", module.name);
        let tested = place.svc(&["test", &name]);
        assert!(tested.out.ends_with(" passed, 0 failed\n"), "{}{}", tested.out, tested.err);
    }
    place.svc(&["check", "std:panel"]).gives("std:panel: ok, only defines flows and types\n");
    place.svc(&["fmt", "std:panel"]).gives("");
    place.svc(&["run", "std:panel"]).fails(1, "has no main pipeline");
    place.svc(&["run", "std:refine"]).fails(2, "run its tests with `svc test std:refine`");
    place.svc(&["run", "std:"]).fails(6, "unknown module `std:`");
    assert_eq!(
        fs::read_dir(place.path())
            .unwrap()
            .filter(|it| { it.as_ref().unwrap().file_name().to_string_lossy().starts_with("std") })
            .count(),
        0
    );
}

const REFINES: &str = r#"use "std:refine" as refine
use "std:panel" as panel

flow mark(text: string) -> refine.Mark { { score: len(text) / 10, remarks: [] } }
flow longer(last: refine.Draft) -> string { last.draft + "!" }

let voted = ["tea", "Tea"] >> panel.majority
let first = voted.winner >> refine.until_good(grade: mark, revise: longer, bar: 0.5, turns: 4)
let second = refine.until_good("a", mark, longer, 0.3, 4)
first.draft + second.draft
"#;

#[test]
fn a_script_with_the_library_is_expanded_and_runs_apart() {
    let place = Place::new(&[("a.svc", REFINES)]);
    place.svc(&["run", "a.svc"]).gives("tea!!a!!\n");
    place.svc(&["run", "--untrusted", "a.svc"]).gives("tea!!a!!\n");
    let expanded = place.svc(&["expand", "a.svc"]);
    assert!(expanded.out.contains("use \"std:panel\" as panel"), "{}", expanded.out);
    assert!(!expanded.out.contains("std:refine"), "{}", expanded.out);
    fs::write(place.path().join("b.svc"), &expanded.out).unwrap();
    place.svc(&["run", "b.svc"]).gives("tea!!a!!\n");
    let plan = place.svc(&["plan", "a.svc"]);
    assert!(plan.out.contains("×4"), "the bound is that of the call: {}", plan.out);
    assert!(place.svc(&["replay", "last"]).out.starts_with("the same"));
}

//! What components declare, on the command line: bias, tunables, tools, models.

use super::Place;

#[test]
fn pages_show_how_a_component_works() {
    let place = Place::new(&[]);
    let page = place.svc(&["inspect", "rerank"]).out;
    for part in [
        "\nstrategy  ",
        "\nassumes   ",
        "\nlearns    `learn` returns a `Model<ctx_rerank>`\n",
        "given: float 0..1 = 0.7  (evolvable)\n",
        "keep: int 1..1000 = 5  (tunable)\n",
        "tool    rerank_results (builder)\n",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let upper = place.svc(&["inspect", "upper"]).out;
    assert!(!upper.contains("learns") && !upper.contains("tunable"), "{upper}");
}

#[test]
fn tuned_defaults_are_shown() {
    let place = Place::new(&[]);
    let tuned = ["--tune", "rerank.given=0.5", "--tune", "rerank.window = 4"];
    let page = place.svc(&[&["inspect", "rerank"], &tuned[..]].concat()).out;
    assert!(page.contains("given: float 0..1 = 0.7  (evolvable; tuned to 0.5)\n"), "{page}");
    let json = place.svc(&[&["inspect", "rerank", "--json"], &tuned[..]].concat()).json();
    let evolvable = json["bias"]["evolvable_params"].as_array().unwrap();
    let values: Vec<String> =
        evolvable.iter().map(|it| format!("{}={}", it["name"], it["value"])).collect();
    assert_eq!(
        values,
        [
            "\"given\"=0.5",
            "\"title\"=0.0125",
            "\"window\"=4",
            "\"ordered\"=0.035",
            "\"similar\"=0.28"
        ]
    );
    assert_eq!((&evolvable[2]["min"], &evolvable[2]["max"]), (&2.into(), &32.into()));
    assert_eq!(
        (json["bias"]["type"].as_str(), json["learns"].as_bool()),
        (Some("CtxRerank"), Some(true))
    );
    for (tune, message) in [
        ("rerank.given=2", "expected float 0..1 for `given`"),
        ("rerank.given=high", "expected float 0..1 for `given`"),
        ("rerank.given", "expected NAME=VALUE"),
        ("rerank.nothing=1", "the tunables of `rerank` are"),
        ("nothing.x=1", "unknown component `nothing`"),
    ] {
        place.svc(&["inspect", "rerank", "--tune", tune]).fails(2, message);
    }
}

#[test]
fn what_learns_is_listed() {
    let place = Place::new(&[]);
    let learns = place.svc(&["components", "--learns"]).out;
    assert!(learns.contains("ctx_rerank") && !learns.contains("ctx_search"), "{learns}");
    assert!(!learns.contains("std:"), "{learns}");
    let json = place.svc(&["components", "--learns", "--json"]).json();
    assert!(json.as_array().unwrap().iter().all(|it| it["learns"] == true), "{json}");
    let message = "no component that learns matches `upper`";
    place.svc(&["components", "--learns", "upper"]).fails(6, message);
}

//! Locks: what is added, checked offline, renewed and removed.

use std::fs;

use super::{document, pets, place, run};
use crate::{
    cli::{Done, Place},
    models::server::{Reply, Server},
};

const SCRIPT: &str = "pets.list_pets(limit: 3) >> each { .name }";

#[test]
fn a_script_is_checked_and_planned_without_the_document_and_the_server() {
    let place = place("http://127.0.0.1:9", &[("a.svc", SCRIPT), ("in/b.svc", SCRIPT)]);
    fs::remove_file(place.path().join("pets.yaml")).unwrap();
    place
        .svc(&["check", "a.svc", "in/b.svc"])
        .gives("a.svc: ok, result [string]\nin/b.svc: ok, result [string]\n");
    let plan = place.svc(&["plan", "a.svc"]);
    assert!(plan.out.contains("reads web:127.0.0.1"), "{}{}", plan.out, plan.err);
    let page = place.svc(&["inspect", "pets.list_pets"]).out;
    for part in ["Lists pets.", "The newest pet is first.", "int 1..100?", "reads web:127.0.0.1"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(place.svc(&["components"]).out.contains("pets"), "it is a component");
    // A folder that is not below the settings has no such component.
    let other = Place::new(&[("a.svc", SCRIPT)]);
    other.svc(&["check", "a.svc"]).fails_with(7, "unknown name `pets.list_pets`");
}

impl Done {
    /// The exit code, and a part of the output or the messages.
    #[track_caller]
    fn fails_with(&self, code: i32, part: &str) {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        assert!(self.out.contains(part) || self.err.contains(part), "{}{}", self.out, self.err);
    }
}

#[test]
fn mistakes_are_found_with_their_places() {
    let place = place("http://127.0.0.1:9", &[]);
    for (script, problem, help) in [
        ("pets.lst_pets()", "unknown name `pets.lst_pets`", "did you mean `pets.list_pets`?"),
        ("pets.list_pets(limt: 3)", "`limt`", "did you mean `limit`?"),
        ("pets.list_pets(limit: 300)", "1..100", ""),
        ("pets.get_pet(\"x\")", "`pet_id` of `pets.get_pet` expects int, found string", ""),
        ("pets.notes_add(\"a\")", "missing argument `text: string`", ""),
        ("pets.get_pet(1) >> .nam", "`nam`", "did you mean `name`?"),
        ("secret k\npets.add_pet(\"x\", kind: \"cow\", api_key: k)", "cow", "cat"),
        ("pets.add_pet(\"x\")", "missing argument `api_key: secret<string>`", ""),
    ] {
        fs::write(place.path().join("a.svc"), script).unwrap();
        let done = place.svc(&["check", "a.svc"]);
        assert_eq!(done.code, Some(7), "{script}: {}", done.out);
        assert!(done.out.contains(problem), "{script}: {}", done.out);
        assert!(done.out.contains(help), "{script}: {}", done.out);
    }
}

#[test]
fn a_changed_document_is_followed_only_by_an_update() {
    let place = place("http://127.0.0.1:9", &[("a.svc", SCRIPT)]);
    let lock = || fs::read_to_string(place.path().join(".svc/pets.lock")).unwrap();
    let before = lock();
    let changed = document("http://127.0.0.1:9")
        .replace("operationId: deletePet", "operationId: dropPet")
        .replace("{ name: limit, in: query,", "{ name: most, in: query, required: true,");
    fs::write(place.path().join("pets.yaml"), changed).unwrap();
    place.svc(&["check", "a.svc"]).gives("a.svc: ok, result [string]\n");
    let wanted = "+ pets.drop_pet
- pets.delete_pet
~ pets.list_pets
    the param `limit` is gone
    a new required param `most: int 1..100`
";
    let shown = place.svc(&["api", "update", "pets", "--dry-run"]);
    // A required parameter with a default may be left out.
    let wanted = wanted.replace("new required", "new optional");
    shown.gives(&format!("{wanted}pets: changed, not renewed\n"));
    assert_eq!(lock(), before);
    place.svc(&["api", "update", "pets"]).gives(&format!("{wanted}pets: renewed\n"));
    assert_ne!(lock(), before);
    place.svc(&["check", "a.svc"]).fails_with(7, "`limit`");
    place.svc(&["api", "update", "pets"]).gives("pets: unchanged\n");
}

#[test]
fn the_same_document_makes_the_same_lock_from_a_file_and_an_address() {
    let text = document("http://127.0.0.1:9");
    let place = place("http://127.0.0.1:9", &[]);
    let served = text.clone();
    let server = Server::answering(move |_| Reply::new(200, &served));
    let added = place.svc(&["api", "add", "other", &format!("{}/pets.yaml", server.url)]);
    added.gives("other: 6 ops, 1 not usable\n  not an op: POST /upload: its body has parts that are not described\n");
    let lock = |name: &str| {
        let text = fs::read_to_string(place.path().join(format!(".svc/{name}.lock"))).unwrap();
        let (head, rest) = text.split_once('\n').unwrap();
        assert!(head.contains("\"source\""), "{head}");
        rest.to_owned()
    };
    assert_eq!(lock("pets"), lock("other"));
    let list = place.svc(&["api", "list"]).out;
    assert!(list.contains("pets: Pets 1.2, 6 ops, 1 not usable, from pets.yaml\n"), "{list}");
    place.svc(&["api", "remove", "other"]).gives("other: removed\n");
    assert_eq!(place.svc(&["api", "list"]).out.lines().count(), 1);
    assert!(!place.path().join(".svc/other.lock").exists());
}

#[test]
fn wrong_settings_and_locks_are_reported() {
    let place = place("http://127.0.0.1:9", &[("a.svc", "1 + 1"), ("b.svc", SCRIPT)]);
    let settings = |text: &str| fs::write(place.path().join("svc.toml"), text).unwrap();
    for (text, message) in [
        ("[api.pets]\nfil = \"pets.yaml\"\n", "svc.toml"),
        ("[api.pets]\nfile = 1\n", "svc.toml"),
        ("[pets]\n", "unknown field `pets`"),
    ] {
        settings(text);
        place.svc(&["check", "a.svc"]).fails(2, message);
        place.svc(&["run", "a.svc"]).fails(2, message);
    }
    // What concerns one API only leaves that one out.
    settings("[api.pets]\nfile = \"pets.yaml\"\nsecrets = { apikey = \"pets_key\" }\n");
    let done = place.svc(&["check", "a.svc"]);
    done.gives("a.svc: ok, result int\n");
    assert!(
        done.err.contains("the security schemes of the document are `api_key`"),
        "{}",
        done.err
    );
    settings("[api.pets]\nfile = \"pets.yaml\"\nops.get_pets.price = \"$1\"\n");
    let done = place.svc(&["check", "a.svc"]);
    assert!(done.err.contains("did you mean `get_pet`?"), "{}", done.err);
    settings("[api.pets]\nfile = \"pets.yaml\"\n");
    fs::write(place.path().join(".svc/pets.lock"), "{}\nop\tx").unwrap();
    let done = place.svc(&["check", "a.svc"]);
    done.gives("a.svc: ok, result int\n");
    assert!(done.err.contains("svc api update pets"), "{}", done.err);
    fs::remove_file(place.path().join(".svc/pets.lock")).unwrap();
    let done = place.svc(&["check", "b.svc"]);
    assert!(done.err.contains("run `svc api add pets`"), "{}", done.err);
    place.svc(&["api", "add", "pets"]);
    place.svc(&["check", "b.svc"]).gives("b.svc: ok, result [string]\n");
    for (name, why) in [
        ("text", "it is a name of the component"),
        ("Pets", "invalid name `Pets`"),
        ("each", "reserved word"),
        ("pets", "already"),
    ] {
        place.svc(&["api", "add", name, "svc.toml"]).fails(1, why);
    }
    place.svc(&["api", "add", "other", "a.svc"]).fails(1, "cannot use `a.svc`");
}

#[test]
fn prices_and_limits_of_the_settings_are_in_the_plan() {
    let server = pets();
    let place = place(&server.url, &[("a.svc", "pets.get_pet(1) >> .name")]);
    let settings = "[api.pets]\nfile = \"pets.yaml\"\nmax_retries = 0\nprice = \"$0.25\"\n\n[api.pets.ops.get_pet]\ntimeout = \"7s\"\n";
    fs::write(place.path().join("svc.toml"), settings).unwrap();
    let plan = place.svc(&["plan", "a.svc", "--max-cost", "0.10"]);
    assert_eq!(plan.code, Some(7), "{}{}", plan.out, plan.err);
    assert!(plan.out.contains("$0.25") && plan.out.contains("timeout 7s"), "{}", plan.out);
    run(&place, &server, &["run", "a.svc", "--max-cost", "0.10"]);
    assert_eq!(server.requests().len(), 0, "the cap holds");
}

#[test]
fn a_document_may_have_several_files() {
    let main = "openapi: 3.1.0
info: { title: Pets, version: '1' }
servers: [{ url: 'http://127.0.0.1:9' }]
paths:
  /pets/{id}: { $ref: paths/pet.yaml }
";
    let path = "get:
  operationId: getPet
  parameters: [{ $ref: '../shared.json#/parameters/id' }]
  responses:
    '200': { content: { application/json: { schema: { $ref: ../shared.json#/Pet } } } }
";
    let shared = r##"{"Pet": {"type": "object", "required": ["name", "best"], "properties": {
            "name": {"type": "string"}, "best": {"$ref": "#/Friend"}}},
        "Friend": {"type": "object", "required": ["age"], "properties": {"age": {"type": "integer"}}},
        "parameters": {"id": {"name": "id", "in": "path", "required": true,
            "schema": {"type": "integer", "minimum": 1}}}}"##;
    let files =
        [("api/pets.yaml", main), ("api/paths/pet.yaml", path), ("api/shared.json", shared)];
    let place = Place::new(&[("a.svc", "pets.get_pet(1) >> .best.age")]);
    let write = |name: &str, text: &str| {
        let path = place.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for (name, text) in files {
        write(name, text);
    }
    let added = place.svc(&["api", "add", "pets", "api/pets.yaml"]);
    assert_eq!(added.code, Some(0), "{}", added.err);
    place.svc(&["check", "a.svc"]).gives("a.svc: ok, result int\n");
    // A change in any of them is one of the document.
    write("api/shared.json", &shared.replace("integer\"}}}", "string\"}}}"));
    let changed = place.svc(&["api", "update", "pets"]);
    assert!(changed.out.contains("get_pet"), "{}{}", changed.out, changed.err);
    place.svc(&["check", "a.svc"]).gives("a.svc: ok, result string\n");
    fs::remove_file(place.path().join("api/shared.json")).unwrap();
    let missing = place.svc(&["api", "update", "pets"]);
    assert!(
        missing.err.contains("api/shared.json")
            && missing.err.contains("which `api/paths/pet.yaml` refers to"),
        "{}",
        missing.err
    );
    write("api/paths/pet.yaml", "get: { $ref: ../../../etc/passwd }");
    place.svc(&["api", "update", "pets"]).fails_with(1, "is not next to it");
}

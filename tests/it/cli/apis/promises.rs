//! The promises of runs hold for the ops of APIs: policies, secrets, resume, replay.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use super::{json, pets, place, rules, run};
use crate::{
    cli::Done,
    models::server::{Reply, Server},
};

const KEY: &str = "key-of-the-test-4711";

#[test]
fn a_policy_refuses_the_host_before_the_run() {
    let server = pets();
    let place = place(
        &server.url,
        &[("a.svc", "pets.get_pet(1) >> .name"), ("b.svc", "pets.delete_pet(1)")],
    );
    place
        .svc(&["run", "a.svc", "--allow", "reads web:other.example"])
        .fails(7, "reads web:127.0.0.1");
    place.svc(&["run", "a.svc", "--deny", "reads web"]).fails(7, "reads web:127.0.0.1");
    let host = server.url.trim_start_matches("http://");
    place
        .svc(&["run", "b.svc", "--allow", &format!("reads web:{host}")])
        .fails(7, "writes web:127.0.0.1");
    // Without a rule, an address of this machine is refused in the run.
    place.svc(&["run", "a.svc"]).fails(1, "is this machine");
    assert_eq!(server.requests().len(), 0);
    run(&place, &server, &["run", "a.svc"]).gives("pet 1\n");
}

#[test]
fn a_configured_secret_is_sent_and_shown_nowhere() {
    let server = Server::answering(|request| {
        let key = request.head.lines().find_map(|it| it.strip_prefix("x-key: ")).unwrap();
        let (status, pet) =
            if request.text.contains("echo") { (201, "Ada") } else { (400, "wrong") };
        json(status, &format!(r#"{{"id": 1, "name": "{pet} {key}", "tag": "{key}"}}"#))
    });
    let scripts = [
        ("a.svc", "pets.add_pet(\"echo\") >> \"${.name} ${.tag ?? \"-\"}\""),
        ("b.svc", "pets.add_pet(\"fail\") >> .name"),
    ];
    let place = place(&server.url, &scripts);
    let settings = "[api.pets]\nfile = \"pets.yaml\"\nsecrets = { api_key = \"pets_key\" }\n";
    fs::write(place.path().join("svc.toml"), settings).unwrap();
    place.svc(&["check", "."]).gives(
        "a.svc: ok, result string\nb.svc: ok, result string\n2 scripts: 2 ok, 0 with errors\n",
    );
    run(&place, &server, &["run", "a.svc"]).fails(1, "the API `pets` needs the secret `pets_key`");
    let with_key = |args: &[&str]| {
        let mut command = place.command(args);
        command.env("SVC_SECRET_PETS_KEY", KEY);
        if args[0] != "show" {
            command.args(rules(&server));
        }
        Done::of(command.output().unwrap())
    };
    with_key(&["run", "a.svc"]).gives("Ada *** ***\n");
    assert!(server.requests()[0].head.contains(&format!("x-key: {KEY}\r\n")));
    let failed = with_key(&["run", "b.svc"]);
    assert!(failed.err.contains("wrong ***"), "{}", failed.err);
    let plan = with_key(&["plan", "a.svc", "--json"]);
    let shown = with_key(&["show", "last", "--json"]);
    for text in [&failed.err, &failed.out, &plan.out, &shown.out] {
        assert!(!text.contains(KEY), "{text}");
    }
    files(place.path(), &mut |path, bytes| {
        let is_in = bytes.windows(KEY.len()).any(|it| it == KEY.as_bytes());
        assert!(!is_in, "{} has the secret", path.display());
    });
}

fn files(folder: &Path, look: &mut dyn FnMut(&Path, &[u8])) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, look);
        } else {
            look(&path, &fs::read(&path).unwrap());
        }
    }
}

/// A pet is added, and then the server hangs.
const TWO_STEPS: &str = "secret key
let pet = pets.add_pet(\"Ada\", api_key: key)
pets.get_pet(pet.id) >> .name";

#[test]
fn a_killed_run_resumes_without_a_second_write() {
    let hangs = Arc::new(AtomicBool::new(true));
    let is_hanging = hangs.clone();
    let server = Server::answering(move |request| {
        if request.head.starts_with("post") {
            return json(201, r#"{"id": 7, "name": "Ada"}"#);
        }
        let reply = json(200, r#"{"id": 7, "name": "Ada"}"#);
        if is_hanging.load(Ordering::SeqCst) {
            return reply.in_pieces_of(1).slowly(Duration::from_secs(5));
        }
        reply
    });
    let place = place(&server.url, &[("sub/a.svc", TWO_STEPS)]);
    let mut command = place.command(&["run", "sub/a.svc"]);
    let mut child = command.args(rules(&server)).env("SVC_SECRET_KEY", KEY).spawn().unwrap();
    let reached = (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        server.requests().len() == 2
    });
    assert!(reached, "the second call began");
    child.kill().unwrap();
    child.wait().unwrap();
    hangs.store(false, Ordering::SeqCst);
    let mut command = place.command(&["resume", "last"]);
    let done = command.args(rules(&server)).env("SVC_SECRET_KEY", KEY).output().unwrap();
    Done::of(done).gives("Ada\n");
    let posts = server.requests().iter().filter(|it| it.head.starts_with("post")).count();
    assert_eq!(posts, 1, "the write is not made again");
    let before = server.requests().len();
    let replayed = place.svc(&["replay", "last"]);
    assert_eq!(replayed.code, Some(0), "{}{}", replayed.out, replayed.err);
    assert_eq!(server.requests().len(), before, "a replay sends nothing");
}

#[test]
fn a_redirect_to_another_host_gets_no_secret() {
    let other = pets();
    let target = other.url.clone();
    let server = Server::answering(move |_| {
        Reply::new(302, "").header(&format!("location: {target}/v1/pets/1"))
    });
    let text = super::document(&server.url)
        .replace("operationId: getPet", "operationId: getPet\n      security: [{ api_key: [] }]");
    let place = place(&server.url, &[("a.svc", "pets.get_pet(1) >> .name")]);
    fs::write(place.path().join("pets.yaml"), text).unwrap();
    assert_eq!(place.svc(&["api", "update", "pets"]).code, Some(0));
    let settings = "[api.pets]\nfile = \"pets.yaml\"\nsecrets = { api_key = \"pets_key\" }\n";
    fs::write(place.path().join("svc.toml"), settings).unwrap();
    let mut command = place.command(&["run", "a.svc", "--allow"]);
    let rule = format!("reads web:{}", other.url.trim_start_matches("http://"));
    command.arg(&rule).args(rules(&server)).env("SVC_SECRET_PETS_KEY", KEY);
    Done::of(command.output().unwrap()).gives("pet 1\n");
    assert!(server.requests()[0].head.contains(KEY));
    assert!(!other.requests()[0].head.contains(KEY), "{}", other.requests()[0].head);
}

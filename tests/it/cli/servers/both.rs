//! Servers and the rest of the program: APIs next to them, and `svc mcp` as the server.

use std::{fs, process::Stdio};

use super::{Project, fails, said};
use crate::{
    cli::{Done, Place},
    models::server::{Reply, Server},
};

/// Two servers and an API in one script: a pet, its number doubled, and its name.
const THREE: &str = "let pet = pets.get_pet(4)
let twice = calc.add(a: pet.id, b: pet.id) >> .sum
let late = other.slow(n: twice)
parallel { name: calc.echo(text: pet.name), twice: twice, late: late }";

#[test]
fn two_servers_and_an_api_are_checked_planned_killed_resumed_and_replayed() {
    let Some(project) = Project::with_calc("two servers", &[("a.svc", THREE)]) else { return };
    assert_eq!(project.add("other", &[]).code, Some(0));
    project.settings("[mcp.other.ops.slow]\nidempotent = true\n");
    let api = Server::answering(|request| {
        let id = request.head.split(' ').nth(1).unwrap().rsplit('/').next().unwrap().to_owned();
        Reply::new(200, &format!("{{\"id\": {id}, \"name\": \"pet {id}\"}}"))
            .header("content-type: application/json")
    });
    let document = include_str!("../apis/pets.yaml").replace("$URL", &api.url);
    fs::write(project.0.path().join("pets.yaml"), document).unwrap();
    assert_eq!(project.svc(&["api", "add", "pets", "pets.yaml"]).code, Some(0));
    project.forget();
    project
        .svc(&["check", "a.svc"])
        .gives("a.svc: ok, result { name: json, twice: int, late: json }\n");
    let plan = project.svc(&["plan", "a.svc"]).out;
    for effect in ["runs mcp:calc", "runs mcp:other", "writes mcp:calc", "reads web:127.0.0.1"] {
        assert!(plan.contains(effect), "{effect}: {plan}");
    }
    assert_eq!((project.log().as_str(), api.requests().len()), ("", 0));
    let host = api.url.trim_start_matches("http://");
    let web = format!("reads web:{host}");
    let rules = ["--allow", "runs mcp", "--allow", "writes mcp", "--allow", &web];
    fails(
        &project.svc(&[
            "run",
            "a.svc",
            "--allow",
            "runs mcp:calc",
            "--allow",
            "writes mcp",
            "--allow",
            &web,
        ]),
        7,
        "runs mcp:other",
    );
    let run = [&["run", "a.svc"][..], &rules].concat();
    let mut child = project.command(&run).stderr(Stdio::null()).spawn().unwrap();
    project.wait_for("call slow", 1);
    child.kill().unwrap();
    child.wait().unwrap();
    let resumed = project.svc(&[&["resume", "last"][..], &rules].concat());
    resumed.gives("name   pet 4\ntwice  8\nlate   slow 8\n");
    assert_eq!((project.count("call add"), api.requests().len()), (1, 1), "{}", project.log());
    project.forget();
    fs::remove_file(project.0.path().join("server.py")).unwrap();
    let replayed = project.svc(&["replay", "last"]);
    assert_eq!(replayed.code, Some(0), "{}{}", replayed.out, replayed.err);
    assert_eq!((project.log().as_str(), api.requests().len()), ("", 1));
}

#[test]
fn a_served_script_calls_another_svc_mcp() {
    let inner =
        Place::new(&[("shout.svc", "# Makes a text loud.\nparam text: string\nupper(text)")]);
    let outer = Place::new(&[(
        "twice.svc",
        "# Makes a text loud, twice.\nparam text: string\nlet it_is = loud.shout(text: text) >> .result\n\"${it_is ?? \"-\"} ${it_is ?? \"-\"}\"",
    )]);
    let project = Project(outer);
    let program = assert_cmd::cargo::cargo_bin!("svc").to_str().unwrap().to_owned();
    let folder = inner.path().to_str().unwrap();
    let own = |name: &str| format!("{name}={}", inner.path().join(".own").display());
    let added = project.svc(&[
        "mcp",
        "add",
        "loud",
        "--env",
        &own("SVC_CACHE"),
        "--env",
        &own("SVC_STORE"),
        "--",
        &program,
        "mcp",
        folder,
    ]);
    assert_eq!(added.code, Some(0), "{}{}", added.out, added.err);
    project.svc(&["run", "twice.svc", "-p", "text=hey"]).gives("HEY HEY\n");
    // The other direction: an agent calls the script, which calls the other server.
    let talk = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"twice","arguments":{"text":"ho"}}}"#,
    ];
    let mut child = project.command(&["mcp", "."]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, (talk.join("\n") + "\n").as_bytes()).unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    let answer = lines.find_map(|it| it.ok().filter(|it| it.contains("\"id\":2"))).unwrap();
    drop(input);
    let done = Done::of(child.wait_with_output().unwrap());
    assert!(answer.contains("HO HO"), "{answer} {}", done.err);
}

#[test]
fn a_folder_named_as_a_subcommand_is_reached_by_its_path() {
    let place = Place::new(&[("add/up.svc", "# Loud.\nparam text: string\nupper(text)")]);
    let project = Project(place);
    let done = project.svc(&["mcp", "./add"]);
    assert!(said(&done).contains("scripts: up"), "{}", done.err);
    let done = project.svc(&["mcp", "add"]);
    assert_eq!(done.code, Some(2), "{}", done.err);
}

//! The reference servers of the protocol, from their registry.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{Project, fails, said, skipped};
use crate::{
    cli::{Done, Place},
    foreign,
};

/// The entry of a server that is installed.
pub(super) fn server(test: &str, name: &str) -> Option<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/cli/servers/mcp_reference");
    match foreign::node(&package) {
        Ok(place) => {
            let package = place.join("node_modules/@modelcontextprotocol").join(name);
            Some(package.join("dist/index.js"))
        }
        Err(why) => {
            skipped(test, &why);
            None
        }
    }
}

fn project(scripts: &[(&str, &str)]) -> Project {
    Project(Place::new(scripts))
}

fn add(project: &Project, name: &str, options: &[&str], server: &Path, args: &[&str]) -> Done {
    let entry = server.to_str().unwrap();
    project.svc(&[&["mcp", "add", name], options, &["node", entry], args].concat())
}

#[test]
fn the_file_server() {
    let Some(server) = server("the file server", "server-filesystem") else { return };
    let scripts = [
        (
            "a.svc",
            "let done = disk.write_file(path: \"new.txt\", content: \"hello\")\n(if done.content == \"\" { \"\" } else { \"new.txt\" }) >> disk.read_text_file >> .content",
        ),
        ("b.svc", "disk.read_text_file(path: \"../outside.txt\") >> .content"),
        (
            "c.svc",
            "let made = [\"a\", \"b\", \"c\"] >> each { disk.write_file(path: \"${it}.txt\", content: it) } >> len\n(if made == 3 { \".\" } else { \"none\" }) >> disk.list_directory >> .content",
        ),
    ];
    let project = project(&scripts);
    fs::create_dir(project.0.path().join("docs")).unwrap();
    let added = add(&project, "disk", &[], &server, &["docs"]);
    assert_eq!(added.code, Some(0), "{}{}", added.out, added.err);
    for script in ["a.svc", "b.svc", "c.svc"] {
        let checked = project.svc(&["check", script]);
        assert_eq!(checked.code, Some(0), "{}", said(&checked));
    }
    project.svc(&["run", "a.svc"]).gives("hello\n");
    assert_eq!(fs::read_to_string(project.0.path().join("docs/new.txt")).unwrap(), "hello");
    fails(&project.svc(&["run", "b.svc"]), 1, "failed: Access denied");
    project
        .svc(&["run", "c.svc"])
        .gives("[FILE] a.txt\n[FILE] b.txt\n[FILE] c.txt\n[FILE] new.txt\n");
}

#[test]
fn the_memory_server() {
    let Some(server) = server("the memory server", "server-memory") else { return };
    let script = "let made = memory.create_entities(entities: [{ name: \"svc\", entityType: \"language\", observations: [\"is typed\"] }])\n\
                  memory.search_nodes(query: if len(made.entities) == 1 { \"typed\" } else { \"none\" }) >> .entities >> each { .name }";
    let project = project(&[("a.svc", script)]);
    let file = project.0.path().join("memory.json");
    let env = format!("MEMORY_FILE_PATH={}", file.display());
    let added = add(&project, "memory", &["--env", &env], &server, &[]);
    assert_eq!(added.code, Some(0), "{}{}", added.out, added.err);
    project.svc(&["run", "a.svc"]).gives("svc\n");
    assert!(fs::read_to_string(file).unwrap().contains("is typed"));
    let wrong = "memory.create_entities(entities: [{ name: \"svc\" }])";
    project.script("b.svc", wrong);
    fails(&project.svc(&["check", "b.svc"]), 7, "entityType");
}

#[test]
fn the_server_with_everything() {
    let Some(server) = server("the server with everything", "server-everything") else { return };
    let scripts = [
        ("a.svc", "every.echo(message: \"hi\")"),
        ("b.svc", "every.get_sum(a: 2, b: 40)"),
        ("c.svc", "every.get_structured_content(location: \"Chicago\") >> .temperature"),
        ("d.svc", "every.trigger_long_running_operation(duration: 1, steps: 4)"),
        ("e.svc", "every.get_tiny_image()"),
        ("f.svc", "every.get_structured_content(location: \"Rome\")"),
    ];
    let project = project(&scripts);
    let added = add(&project, "every", &[], &server, &[]);
    assert_eq!(added.code, Some(0), "{}{}", added.out, added.err);
    project.svc(&["run", "a.svc"]).gives("Echo: hi\n");
    let sum = project.svc(&["run", "b.svc"]);
    assert!(sum.out.contains("42"), "{}{}", sum.out, sum.err);
    let temperature = project.svc(&["run", "c.svc"]);
    assert!(
        temperature.out.trim().parse::<f64>().is_ok(),
        "{}{}",
        temperature.out,
        temperature.err
    );
    let long = project.svc(&["run", "d.svc"]);
    assert!(long.out.contains("Long running operation completed"), "{}{}", long.out, long.err);
    let image = project.svc(&["run", "e.svc", "--json"]).json();
    assert!(image.as_array().unwrap().iter().any(|it| it["mimeType"] == "image/png"), "{image}");
    fails(&project.svc(&["check", "f.svc"]), 7, "\"Chicago\"");
}

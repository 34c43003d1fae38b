//! APIs by their OpenAPI documents: `svc api`, and scripts that call them, against real servers.

mod calls;
mod locks;
mod promises;

use super::{Done, Place};
use crate::models::server::{Reply, Server};

/// The document of an API of pets at this address.
fn document(url: &str) -> String {
    include_str!("pets.yaml").replace("$URL", url)
}

/// A folder with the scripts, and with the API at the address as `pets`.
fn place(url: &str, scripts: &[(&str, &str)]) -> Place {
    let place = Place::new(scripts);
    std::fs::write(place.path().join("pets.yaml"), document(url)).unwrap();
    let added = place.svc(&["api", "add", "pets", "pets.yaml"]);
    assert_eq!(added.code, Some(0), "{}{}", added.out, added.err);
    place
}

/// Runs a script that may read and write the server.
fn run(place: &Place, server: &Server, args: &[&str]) -> Done {
    place.command(args).args(rules(server)).output().map(Done::of).unwrap()
}

/// The result of a script, which is printed as JSON.
#[track_caller]
fn result(done: &Done) -> String {
    assert_eq!(done.code, Some(0), "{}{}", done.out, done.err);
    done.json().to_string()
}

fn rules(server: &Server) -> [String; 4] {
    let host = server.url.trim_start_matches("http://");
    let [reads, writes] = ["reads", "writes"].map(|verb| format!("{verb} web:{host}"));
    ["--allow".to_owned(), reads, "--allow".to_owned(), writes]
}

fn json(status: u16, body: &str) -> Reply {
    Reply::new(status, body).header("content-type: application/json")
}

/// The server of the pets: any pet is there, and a new one gets the number 7.
fn pets() -> Server {
    Server::answering(|request| {
        let first = request.head.lines().next().unwrap().to_owned();
        match first.split(' ').collect::<Vec<_>>()[..] {
            ["get", path, _] if path.starts_with("/v1/pets?") || path == "/v1/pets" => json(
                200,
                r#"[{"id": 1, "name": "Ada", "new": true}, {"id": 2, "name": "Bo", "kind": "fish"}]"#,
            ),
            ["get", path, _] => {
                let id = path.rsplit('/').next().unwrap();
                json(200, &format!(r#"{{"id": {id}, "name": "pet {id}"}}"#))
            }
            ["post", "/v1/pets", _] => json(201, r#"{"id": 7, "name": "new"}"#),
            ["delete", ..] => Reply::new(204, ""),
            ["post", ..] => Reply::new(200, "text"),
            _ => json(404, r#"{"message": "nothing here"}"#),
        }
    })
}

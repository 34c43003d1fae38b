//! The same work in Python, if `benches/peers/install` was run.
#![expect(clippy::disallowed_methods, reason = "a benchmark may run other programs")]

use std::process::Command;

use super::table::{Table, say, tell};

pub(crate) fn peers(table: &mut Table) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/peers");
    let python = format!("{folder}/.venv/bin/python");
    let size = table.size("full", "small");
    let asked = Command::new(python).arg(format!("{folder}/peers.py")).arg(size).output();
    let Ok(message) = asked else {
        say("langchain-core and others", "skipped: `benches/peers/install` installs them");
        return;
    };
    for line in String::from_utf8_lossy(&message.stdout).lines() {
        let mut parts = line.split('\t');
        let (Some(what), Some(measured)) = (parts.next(), parts.next()) else { continue };
        match measured.parse() {
            Ok(measured) => tell(what, measured, parts.next().unwrap_or("")),
            Err(_) => say(what, &format!("skipped: {measured}")),
        }
    }
}

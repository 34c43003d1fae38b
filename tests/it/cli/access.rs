//! Keys, roles and the audit of a service.
#![expect(clippy::disallowed_methods, reason = "the real program runs on real files")]

use std::{
    fs,
    sync::Arc,
    time::{Duration, Instant},
};

use svc_host_os::OsHost;
use svc_service::access::{Access, audit::AuditEntry, key::ApiKey};

use super::Place;

/// Issues a key.
fn issue(place: &Place, role: &str) -> String {
    let done = place.svc(&["keys", "issue", "--owner", "ann", "--role", role]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    done.out.trim_end().to_owned()
}

/// The id in a key.
fn id(key: &str) -> &str {
    key.split('_').nth(2).unwrap()
}

#[test]
fn standard_output_is_the_key_alone() {
    let place = Place::new(&[]);
    let done = place.svc(&["keys", "issue", "--owner", "ann", "--role", "free"]);
    let key = done.out.strip_suffix('\n').unwrap();
    assert!(key.starts_with("svc_live_") && key.len() == 60, "{key}");
    let secret = &key[22..];
    assert!(!done.err.contains(secret), "{}", done.err);
    let noted = format!("note: key `{}` of `ann`, role `free`, until 20", id(key));
    assert!(done.err.contains(&noted), "{}", done.err);
    for args in [&["keys", "list"][..], &["keys", "list", "--json"]] {
        let done = place.svc(args);
        assert!(done.out.contains(id(key)) && !done.out.contains(secret), "{}", done.out);
    }
    // Next to the store of runs.
    let folder = place.path().join(".runs/service");
    assert!(folder.join("service.db").is_file() && folder.join("pepper").is_file());
    let bytes = fs::read(folder.join("service.db")).unwrap();
    assert!(!bytes.windows(12).any(|it| it == &secret.as_bytes()[..12]));
}

#[test]
fn a_key_is_rotated_and_revoked() {
    let place = Place::new(&[]);
    let old = issue(&place, "builder");
    let done = place.svc(&["keys", "rotate", id(&old)]);
    let new = done.out.trim_end();
    assert!(new != old && done.err.contains(&format!("key `{}` is valid until", id(&old))));
    let listed = place.svc(&["keys", "list"]).out;
    assert!(listed.contains(&format!("rotated to {}", id(new))), "{listed}");
    place.svc(&["keys", "rotate", id(&old)]).fails(2, "has taken its place");
    assert_eq!(place.svc(&["keys", "revoke", id(new)]).code, Some(0));
    let again = place.svc(&["keys", "revoke", id(new)]);
    assert!(again.code == Some(0) && again.err.contains("was revoked before"), "{}", again.err);
    let json = place.svc(&["keys", "list", "--json"]).json();
    let states = json.as_array().unwrap().iter().map(|it| it["state"].as_str().unwrap());
    let mut states: Vec<&str> = states.collect();
    states.sort_unstable();
    assert_eq!(states, ["revoked", "rotated"]);
}

#[test]
fn mistakes_are_named() {
    let place = Place::new(&[("wrong.toml", "version = 1\n[roles.free]\nteir = \"free\"\n")]);
    place.svc(&["keys", "list"]).fails(6, "no service is set up in");
    place.svc(&["audit"]).fails(6, "svc keys issue");
    let args = ["keys", "issue", "--role", "free", "--owner"];
    place.svc(&[&args[..], &["../x"]].concat()).fails(2, "invalid owner `../x`");
    let args = ["keys", "issue", "--owner", "ann", "--role"];
    place.svc(&[&args[..], &["fre"]].concat()).fails(2, "did you mean `free`?");
    let key = issue(&place, "free");
    // A whole key is not repeated.
    let done = place.svc(&["keys", "revoke", &key]);
    assert!(done.code == Some(2) && !done.err.contains(&key[22..]), "{}", done.err);
    place.svc(&["keys", "revoke", "aaaaaaaaaaaa"]).fails(6, "unknown key `aaaaaaaaaaaa`");
    place.svc(&["keys", "unlock"]).fails(2, "missing ID, `--address` or `--all`");
    place.svc(&["keys", "unlock", "--address", "x"]).fails(2, "invalid address `x`");
    place.svc(&["keys", "unlock", "--all"]).gives("");
    let wrong = "wrong.toml:3:1: roles.free: unknown field `teir`; did you mean `tier`?";
    place.svc(&["access", "check", "wrong.toml"]).fails(7, wrong);
    fs::copy(place.path().join("wrong.toml"), place.path().join(".runs/service/access.toml"))
        .unwrap();
    let args = ["keys", "issue", "--owner", "ann", "--role", "free"];
    place.svc(&args).fails(7, "unknown field `teir`");
}

#[cfg(unix)]
#[test]
fn a_pepper_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new(&[]);
    issue(&place, "free");
    let pepper = place.path().join(".runs/service/pepper");
    fs::set_permissions(&pepper, PermissionsExt::from_mode(0o640)).unwrap();
    place.svc(&["keys", "list"]).fails(1, "can be read by others (mode 640)");
}

#[test]
fn a_policy_is_shown_and_decisions_are_explained() {
    let text = "version = 1\n[roles.free]\ntools = [\"*\", \"!guide_ask\"]\nops = [\"text.*\"]\n";
    let place = Place::new(&[(".runs/service/access.toml", text)]);
    let done = place.svc(&["access", "check"]);
    assert!(done.out.contains("* !guide_ask") && done.out.contains("researcher"), "{}", done.out);
    assert!(done.err.contains("note: policy ") && done.err.contains(": 4 roles"), "{}", done.err);
    let json = place.svc(&["access", "check", "--hosted", "--json"]).json();
    assert_eq!(json["roles"][0]["deny"].as_array().unwrap().len(), 4);
    let (free, builder) = (issue(&place, "free"), issue(&place, "builder"));
    let explain = |key: &str, what: &[&str]| {
        let done = place.svc(&[&["access", "explain", "--key", id(key)], what].concat());
        assert_eq!(done.code, Some(0), "{}", done.err);
        done.out
    };
    let shown = explain(&free, &["--tool", "guide_ask"]);
    assert!(shown.starts_with("`guide_ask` is refused by `roles.free.tools: !guide_ask`\n"));
    let shown = explain(&builder, &["--tool", "guide_ask"]);
    assert!(shown.starts_with("`guide_ask` is allowed by `roles.builder.tools: *`\n"), "{shown}");
    let shown = explain(&free, &["--op", "text.upper"]);
    assert!(shown.starts_with("`text.upper` is allowed by `roles.free.ops: text.*`\n"), "{shown}");
    let shown = explain(&builder, &["--op", "exec"]);
    assert!(shown.contains("only a served script runs programs"), "{shown}");
    let shown = explain(&free, &["--script", "weekly_report"]);
    assert!(shown.starts_with("`weekly_report` is allowed by"), "{shown}");
    let args = ["access", "explain", "--key", id(&free), "--tool", "guide_aks"];
    place.svc(&args).fails(6, "did you mean `guide_ask`?");
    place.svc(&["keys", "revoke", id(&free)]);
    let shown = explain(&free, &["--tool", "guide_ask"]);
    assert!(shown.starts_with("`guide_ask` is refused by `the key is revoked`\n"), "{shown}");
}

#[test]
fn an_audit_is_shown_and_verified() {
    let place = Place::new(&[]);
    let key = issue(&place, "free");
    let folder = place.path().join(".runs/service");
    let access = Access::open(&folder, &OsHost::default()).unwrap();
    for tool in ["guide_ask", "run_pipeline", "guide_how_to"] {
        let entry = AuditEntry {
            at: 1_790_000_000_000,
            key: Some(id(&key)),
            owner: Some("ann"),
            surface: "rest",
            tool,
            work: &key,
            decision: "allow",
            rule: "roles.free.tools: *",
            status: "200",
            ..AuditEntry::default()
        };
        access.audit.commit(&entry).wait().unwrap();
    }
    drop(access);
    let shown = place.svc(&["audit", "--limit", "2"]).out;
    assert!(shown.contains("guide_how_to") && !shown.contains("guide_ask"), "{shown}");
    assert!(!shown.contains(&key[22..]), "{shown}");
    let verified = place.svc(&["audit", "--verify"]).out;
    let head = verified.strip_prefix("3 entries, unbroken\nhead ").unwrap().trim_end();
    let done = place.svc(&["audit", "--verify", "--head", head]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    place.svc(&["audit", "--verify", "--head", "3:00"]).fails(2, "64 hex digits");
    let database = rusqlite::Connection::open(folder.join("service.db")).unwrap();
    database.execute("UPDATE audit SET owner = 'eve' WHERE no = 2", []).unwrap();
    drop(database);
    place.svc(&["audit", "--verify"]).fails(1, "the audit is broken at entry 2: it was changed");
}

/// A key of a command is known to a running service, and its end within a second.
#[tokio::test]
async fn a_running_service_notices_keys_within_a_second() {
    let place = Place::new(&[]);
    issue(&place, "free");
    let host: Arc<dyn svc_contract::host::Host> = Arc::new(OsHost::default());
    let access = Access::open(&place.path().join(".runs/service"), host.as_ref()).unwrap();
    let text = issue(&place, "builder");
    let key = ApiKey::parse(&text).unwrap();
    let is_known = async |wanted: bool| {
        let begun = Instant::now();
        while access.keys.verify(&key, host.now()).unwrap().is_ok() != wanted {
            assert!(begun.elapsed() < Duration::from_secs(1));
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    is_known(true).await;
    place.svc(&["keys", "revoke", id(&text)]);
    is_known(false).await;
}

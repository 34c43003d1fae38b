//! Secrets are nowhere but in the hands of their holders.

use svc_contract::host::{Host as _, read};
use svc_host_os::OsHost;

use super::*;
use crate::access::{audit::AuditEntry, keys::DAY, redact};

#[tokio::test]
async fn fifty_secrets_are_in_no_file_and_no_message() {
    let folder = tempfile::tempdir().unwrap();
    let access = open(folder.path());
    let mut said = String::new();
    let mut keys = Vec::new();
    for number in 0..50 {
        let wished = NewKey { days: Some(1 + number % 3), ..wish("builder") };
        let (key, info) = issue(&access, &wished, 0);
        said += &format!("{key:?} {info:?}");
        if number % 5 == 0 {
            let (new, info) = access.keys.rotate(key.id(), &host()).unwrap();
            said += &format!("{new:?} {info:?}");
            keys.push(new);
        }
        if number % 7 == 0 {
            access.keys.revoke(key.id(), NOW).unwrap();
        }
        let text = key.reveal();
        for given in [text, &text[..50], &format!("{text}x"), &format!("Bearer {text}")] {
            said += &format!("{:?}", access.enter(given, HERE, NOW + DAY).await);
            let entry = AuditEntry {
                at: NOW,
                key: Some(given),
                owner: Some(given),
                surface: given,
                tool: given,
                work: given,
                decision: given,
                rule: given,
                policy: given,
                status: given,
                arguments: Some(given.as_bytes()),
                ..AuditEntry::default()
            };
            access.audit.append(&entry).unwrap();
            access.audit.commit(&entry).wait().unwrap();
            said += &redact(given);
        }
        keys.push(key);
    }
    said += &format!("{access:?} {:?}", access.audit.latest(10_000).unwrap());
    said += &format!("{:?}", access.lockout.locks(NOW + DAY).unwrap());
    let os = OsHost::default();
    let content = |name: &str| read(&os, &folder.path().join(name), 1 << 30).unwrap();
    // Also what is still in the log.
    let mut bytes: Vec<Vec<u8>> =
        ["service.db", "service.db-wal", "pepper"].iter().map(|it| content(it)).collect();
    drop(access);
    bytes.push(content("service.db"));
    assert!(os.stat(&folder.path().join("service.db")).unwrap().size > 50_000);
    bytes.push(said.into_bytes());
    let windows: std::collections::HashSet<&[u8]> =
        bytes.iter().flat_map(|it| it.windows(12)).collect();
    for key in &keys {
        let secret = &key.reveal().as_bytes()[key.reveal().len() - 38..];
        let found = secret.windows(12).filter(|it| windows.contains(it)).count();
        assert_eq!(found, 0, "a part of the secret of {key:?}");
    }
    assert_eq!(keys.len(), 60);
    let whole: Vec<u8> = bytes.concat();
    let id = keys[0].id();
    assert!(whole.windows(12).any(|it| it == id.as_str().as_bytes()), "the ids are found");
}

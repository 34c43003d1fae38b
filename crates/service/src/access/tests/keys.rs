//! The life of keys.

use svc_contract::{registry::Tier, store::StoreErrorKind};

use super::*;
use crate::access::keys::{DAY, FRESH, IssueError, KeyMistake, KeyRejection, KeyState, OVERLAP};

/// Why a key is not accepted, some milliseconds after [`NOW`].
fn verify(access: &Access, key: &ApiKey, later: i64) -> Result<(), KeyRejection> {
    access.keys.verify(key, NOW + later).unwrap().map(drop)
}

#[test]
fn a_key_is_valid_until_it_expires() {
    let folder = tempfile::tempdir().unwrap();
    let access = open(folder.path());
    assert!(access.keys.is_empty());
    let kept = |test, bias, role: &str, days: i64| {
        let wish = NewKey { bias, test, ..wish(role) };
        let (key, info) = issue(&access, &wish, 0);
        assert_eq!(info.expires, NOW + days * DAY, "{role}");
        assert_eq!(verify(&access, &key, days * DAY - 1), Ok(()));
        assert_eq!(verify(&access, &key, days * DAY), Err(KeyRejection::Expired));
        key
    };
    let live = kept(false, false, "free", 365);
    kept(false, true, "free", 14);
    kept(true, false, "builder", 90);
    kept(true, true, "free", 90);
    let admin = kept(false, false, "admin", 90);
    assert!(live.reveal().starts_with("svc_live_") && admin.reveal().starts_with("svc_adm_"));
    drop(access);
    let access = open(folder.path());
    assert_eq!(access.keys.list().unwrap().len(), 5);
    assert_eq!(verify(&access, &live, 5), Ok(()));
    assert_eq!(access.keys.get(live.id()).unwrap().owner, "ann");
}

#[test]
fn other_keys_are_refused() {
    let access = Access::in_memory(&host()).unwrap();
    let (key, _) = issue(&access, &wish("free"), 0);
    let elsewhere = Access::in_memory(&host()).unwrap();
    let (foreign, _) = issue(&elsewhere, &wish("free"), 0);
    assert_eq!(verify(&access, &foreign, 0), Err(KeyRejection::Unknown));
    // The id of one key with the secret of another.
    let mixed = ApiKey::forged(key.id(), &foreign.reveal()[22..54]);
    assert_eq!(verify(&access, &mixed, 0), Err(KeyRejection::Secret));
    assert_eq!(verify(&access, &key, 0), Ok(()));
}

#[test]
fn a_rotated_key_is_valid_for_a_day() {
    let folder = tempfile::tempdir().unwrap();
    let access = open(folder.path());
    let wished = NewKey { days: Some(30), ..wish("builder") };
    let (old, _) = issue(&access, &wished, 0);
    let (new, info) = access.keys.rotate(old.id(), &host().at(10 * DAY)).unwrap();
    assert_eq!((info.expires, info.role.as_str()), (NOW + 40 * DAY, "builder"));
    let of_old = access.keys.get(old.id()).unwrap();
    assert_eq!(of_old.state(NOW + 10 * DAY), KeyState::Rotated);
    assert_eq!(of_old.ends(), NOW + 10 * DAY + OVERLAP);
    for (later, expected) in [(10 * DAY, Ok(())), (11 * DAY, Err(KeyRejection::Expired))] {
        assert_eq!(verify(&access, &old, later), expected);
        assert_eq!(verify(&access, &new, later), Ok(()));
    }
    let err = access.keys.rotate(old.id(), &host().at(10 * DAY)).unwrap_err();
    let is_taken = |it: &KeyMistake| it.message.ends_with("has taken its place");
    assert!(matches!(&err, IssueError::Mistake(it) if is_taken(it)), "{err:?}");
    // The successor of a free key has no second trial.
    let (trial, of_trial) = issue(&access, &NewKey { bias: true, ..wish("free") }, 0);
    let later = host().at(14 * DAY - 1);
    let (_, info) = access.keys.rotate(trial.id(), &later).unwrap();
    assert_eq!(info.expires, of_trial.expires + 14 * DAY - 1);
    assert!(info.may_tune(Tier::Free, NOW + 14 * DAY - 1));
    assert!(!info.may_tune(Tier::Free, NOW + 14 * DAY));
    assert_eq!(access.keys.get(trial.id()).unwrap().ends(), of_trial.expires);
}

#[test]
fn a_revoked_key_ends_at_once_in_all_processes() {
    let folder = tempfile::tempdir().unwrap();
    let (server, command) = (open(folder.path()), open(folder.path()));
    let (key, _) = issue(&command, &wish("free"), 0);
    assert_eq!(verify(&server, &key, FRESH), Ok(()));
    assert!(command.keys.revoke(key.id(), NOW + FRESH + 1).unwrap());
    assert!(!command.keys.revoke(key.id(), NOW + FRESH + 2).unwrap());
    assert_eq!(verify(&command, &key, FRESH + 1), Err(KeyRejection::Revoked));
    assert_eq!(verify(&server, &key, 2 * FRESH), Err(KeyRejection::Revoked));
    // A clock that is set back does not hide it.
    assert_eq!(verify(&server, &key, -DAY), Err(KeyRejection::Revoked));
    let err = command.keys.rotate(key.id(), &host()).unwrap_err();
    let is_revoked = |it: &KeyMistake| it.message.ends_with("it is revoked");
    assert!(matches!(&err, IssueError::Mistake(it) if is_revoked(it)), "{err:?}");
}

#[test]
fn mistakes_name_what_is_known() {
    let access = Access::in_memory(&host()).unwrap();
    let policy = AccessPolicy::built_in(false);
    let mistake = |wish: NewKey| match access.keys.issue(&wish, &policy, &host()) {
        Err(IssueError::Mistake(it)) => format!("{}; {}", it.message, it.help.unwrap()),
        other => panic!("{other:?}"),
    };
    for (wished, expected) in [
        (wish("freee"), "unknown role `freee`; did you mean `free`?"),
        (wish("xyzzy"), "unknown role `xyzzy`; the roles are free, researcher, builder, admin"),
        (NewKey { owner: "../etc".into(), ..wish("free") }, "invalid owner `../etc`; use"),
        (NewKey { owner: String::new(), ..wish("free") }, "invalid owner ``; use"),
        (NewKey { owner: "Ann".into(), ..wish("free") }, "invalid owner `Ann`; use"),
        (NewKey { owner: "a".repeat(65), ..wish("free") }, "invalid owner `aaa"),
        (NewKey { days: Some(0), ..wish("free") }, "invalid life: expected at least one day"),
        (NewKey { days: Some(4_000), ..wish("free") }, "invalid life: 4000 days are more than"),
        (NewKey { bias: true, ..wish("admin") }, "a key of the role `admin` cannot be issued for"),
        (NewKey { test: true, ..wish("admin") }, "the role `admin` is for operators"),
    ] {
        let found = mistake(wished);
        assert!(found.starts_with(expected), "{found}");
    }
    let (key, _) = issue(&access, &wish("free"), 0);
    let id = key.id().to_string();
    let near = format!("{}{}", if id.starts_with('a') { "b" } else { "a" }, &id[1..]);
    let near = crate::access::key::KeyId::parse(&near).unwrap();
    let err = access.keys.get(near).unwrap_err();
    assert_eq!(err.kind, StoreErrorKind::NotFound);
    assert_eq!(err.help.unwrap(), format!("did you mean `{id}`?"));
}

#[test]
fn tuning_is_for_trials_and_paid_keys() {
    let access = Access::in_memory(&host()).unwrap();
    let info = |bias| issue(&access, &NewKey { bias, days: Some(99), ..wish("free") }, 0).1;
    let (with, without) = (info(true), info(false));
    for tier in [Tier::Free, Tier::Researcher, Tier::Builder, Tier::Admin] {
        assert!(!without.may_tune(tier, NOW));
        assert_eq!(with.may_tune(tier, NOW), tier != Tier::Admin);
        let is_paid = matches!(tier, Tier::Researcher | Tier::Builder);
        assert_eq!(with.may_tune(tier, NOW + 14 * DAY), is_paid);
    }
}

#[test]
fn a_key_of_another_process_is_accepted_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = open(folder.path());
    issue(&server, &wish("free"), 0);
    let (new, _) = issue(&open(folder.path()), &wish("free"), 1);
    assert_eq!(verify(&server, &new, 2), Ok(()));
    // So is the successor of one.
    let (next, _) = open(folder.path()).keys.rotate(new.id(), &host().at(3)).unwrap();
    assert_eq!(verify(&server, &next, 4), Ok(()));
}

//! Those who guess keys are locked out, and no one else.

use core::net::Ipv6Addr;

use super::*;
use crate::access::{
    Denial, Refusal,
    keys::{DAY, FRESH, KeyRejection},
    lockout::{Network, PAUSE},
};

const MINUTE: i64 = 60_000;
const LOCK: i64 = 15 * MINUTE;

async fn enter(access: &Access, text: &str, from: IpAddr, later: i64) -> Result<(), Refusal> {
    access.enter(text, from, NOW + later).await.unwrap().map(drop)
}

/// How a refused text is called in the audit.
async fn denied(access: &Access, text: &str, from: IpAddr, later: i64) -> &'static str {
    enter(access, text, from, later).await.unwrap_err().denial.name()
}

/// A key with the id of another, and a wrong secret.
fn guess(key: &ApiKey) -> String {
    ApiKey::forged(key.id(), &"x".repeat(32)).reveal().to_owned()
}

#[tokio::test]
async fn five_failures_lock_a_pair_of_address_and_key() {
    let access = Access::in_memory(&host()).unwrap();
    let (key, _) = issue(&access, &wish("free"), 0);
    let (other, _) = issue(&access, &wish("free"), 0);
    let (right, wrong) = (key.reveal(), guess(&key));
    for number in 0..4 {
        assert_eq!(denied(&access, &wrong, HERE, number).await, "wrong secret");
    }
    assert_eq!(enter(&access, right, HERE, 4).await, Ok(()), "four are not too many");
    for number in 5..10 {
        let refusal = enter(&access, &wrong, HERE, number).await.unwrap_err();
        assert_eq!(refusal.denial, Denial::Rejected(KeyRejection::Secret));
        assert_eq!((refusal.pause, refusal.retry_after), (PAUSE, None));
    }
    let refusal = enter(&access, right, HERE, 10).await.unwrap_err();
    assert_eq!((refusal.denial.name(), refusal.retry_after), ("locked", Some(900)));
    // The owner elsewhere, and other keys from here, are not concerned.
    assert_eq!(enter(&access, right, THERE, 11).await, Ok(()));
    assert_eq!(enter(&access, other.reveal(), HERE, 11).await, Ok(()));
    assert_eq!(denied(&access, right, HERE, 9 + LOCK - 1).await, "locked");
    assert_eq!(enter(&access, right, HERE, 9 + LOCK).await, Ok(()));
}

#[tokio::test]
async fn locks_double_up_to_a_day() {
    let access = Access::in_memory(&host()).unwrap();
    let (key, _) = issue(&access, &wish("free"), 0);
    let mut at = 0;
    for length in [15, 30, 60, 120, 240, 480, 960, 1_440, 1_440].map(|it| it * MINUTE) {
        for _ in 0..5 {
            assert_eq!(denied(&access, &guess(&key), HERE, at).await, "wrong secret");
        }
        assert_eq!(denied(&access, key.reveal(), HERE, at + length - 1).await, "locked");
        at += length;
    }
    // A day after the last lock, counting begins again.
    at += DAY + 1;
    for _ in 0..5 {
        denied(&access, &guess(&key), HERE, at).await;
    }
    assert_eq!(denied(&access, key.reveal(), HERE, at + LOCK - 1).await, "locked");
    assert_eq!(enter(&access, key.reveal(), HERE, at + LOCK).await, Ok(()));
}

#[tokio::test]
async fn failures_count_together_for_fifteen_minutes() {
    let access = Access::in_memory(&host()).unwrap();
    let (key, _) = issue(&access, &wish("free"), 0);
    for number in 0..12 {
        let at = number * 5 * MINUTE;
        assert_eq!(denied(&access, &guess(&key), HERE, at).await, "wrong secret");
    }
}

#[tokio::test]
async fn twenty_failures_lock_an_address() {
    let access = Access::in_memory(&host()).unwrap();
    let keys: Vec<ApiKey> = (0..10).map(|_| issue(&access, &wish("free"), 0).0).collect();
    for number in 0..20 {
        let text = match number % 3 {
            0 => guess(&keys[number / 3]),
            1 => ApiKey::new(keys[0].kind(), &host()).unwrap().reveal().to_owned(),
            _ => "rubbish".to_owned(),
        };
        assert_ne!(denied(&access, &text, HERE, 0).await, "locked");
        if number == 18 {
            // A key that is known does not allow to guess others.
            assert_eq!(enter(&access, keys[9].reveal(), HERE, 0).await, Ok(()));
        }
    }
    assert_eq!(denied(&access, keys[9].reveal(), HERE, 1).await, "locked");
    assert_eq!(denied(&access, "rubbish", HERE, 1).await, "locked");
    assert_eq!(enter(&access, keys[9].reveal(), THERE, 1).await, Ok(()));
    assert_eq!(enter(&access, keys[9].reveal(), HERE, LOCK).await, Ok(()));
}

#[tokio::test]
async fn an_expired_key_locks_itself_and_not_its_address() {
    let access = Access::in_memory(&host()).unwrap();
    let old: Vec<ApiKey> =
        (0..6).map(|_| issue(&access, &NewKey { days: Some(1), ..wish("free") }, 0).0).collect();
    let (good, _) = issue(&access, &wish("free"), 0);
    for key in &old {
        for _ in 0..5 {
            assert_eq!(denied(&access, key.reveal(), HERE, DAY).await, "expired key");
        }
        assert_eq!(denied(&access, key.reveal(), HERE, DAY).await, "locked");
    }
    assert_eq!(enter(&access, good.reveal(), HERE, DAY).await, Ok(()));
}

#[tokio::test]
async fn a_lock_survives_a_restart_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let access = open(folder.path());
    let (key, _) = issue(&access, &wish("free"), 0);
    for _ in 0..4 {
        denied(&access, &guess(&key), HERE, 0).await;
    }
    // A process that dies writes nothing more.
    std::mem::forget(access);
    let access = open(folder.path());
    assert_eq!(denied(&access, &guess(&key), HERE, 1).await, "wrong secret");
    std::mem::forget(access);
    let access = open(folder.path());
    assert_eq!(denied(&access, key.reveal(), HERE, LOCK).await, "locked");
    assert_eq!(enter(&access, key.reveal(), HERE, 1 + LOCK).await, Ok(()));
}

#[tokio::test]
async fn another_process_removes_a_lock() {
    let folder = tempfile::tempdir().unwrap();
    let (server, command) = (open(folder.path()), open(folder.path()));
    let (key, _) = issue(&server, &wish("free"), 0);
    for _ in 0..5 {
        denied(&server, &guess(&key), HERE, FRESH).await;
    }
    let locks = command.lockout.locks(NOW + FRESH).unwrap();
    assert_eq!(locks.len(), 1);
    assert_eq!(
        (locks[0].address.as_str(), locks[0].key.as_str()),
        ("192.0.2.1", key.id().as_str())
    );
    assert_eq!(command.lockout.unlock(None, Some(&Network::of(THERE))).unwrap(), 0);
    assert_eq!(command.lockout.unlock(Some(key.id()), None).unwrap(), 1);
    assert_eq!(enter(&server, key.reveal(), HERE, 2 * FRESH).await, Ok(()));
}

#[test]
fn addresses_are_those_of_networks() {
    let of = |it: &str| Network::of(it.parse().unwrap()).as_str().to_owned();
    assert_eq!(of("192.0.2.1"), "192.0.2.1");
    assert_eq!(of("::ffff:192.0.2.1"), "192.0.2.1");
    assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
    assert_eq!(of("2001:db8:1:2:ffff::"), "2001:db8:1:2::/64");
    assert_ne!(of("2001:db8:1:3::"), of("2001:db8:1:2::"));
    assert_eq!(Network::of(IpAddr::V6(Ipv6Addr::LOCALHOST)).as_str(), "::/64");
}

#[tokio::test]
async fn a_clock_that_is_set_back_keeps_no_one_out_for_long() {
    let access = Access::in_memory(&host()).unwrap();
    let (key, _) = issue(&access, &wish("free"), 0);
    for _ in 0..5 {
        denied(&access, &guess(&key), HERE, 1_000 * DAY).await;
    }
    let refusal = enter(&access, key.reveal(), HERE, 0).await.unwrap_err();
    assert_eq!(refusal.retry_after, Some(24 * 60 * 60));
}

//! Tests of keys and rights together, on a clock of their own.

mod decisions;
mod files;
mod guesses;
mod keys;
mod limits;
mod secrets;
mod timing;

use core::net::{IpAddr, Ipv4Addr};
use std::path::Path;

use svc_host_os::test::TestHost;

use super::{
    Access,
    key::ApiKey,
    keys::{KeyInfo, NewKey},
    roles::AccessPolicy,
};

/// The time of the hosts of tests, in milliseconds since 1970.
const NOW: i64 = 1_790_000_000_000;

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
const THERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));

fn open(folder: &Path) -> Access {
    Access::open(folder, &host()).unwrap()
}

/// A host whose clock stands still.
fn host() -> TestHost {
    TestHost::new().seeded(fastrand::u64(..))
}

fn wish(role: &str) -> NewKey {
    NewKey { owner: "ann".to_owned(), role: role.to_owned(), ..NewKey::default() }
}

/// Issues a key some milliseconds after [`NOW`].
fn issue(access: &Access, wish: &NewKey, later: i64) -> (ApiKey, KeyInfo) {
    let host = host().at(later);
    access.keys.issue(wish, &AccessPolicy::built_in(true), &host).unwrap()
}

//! Addresses of this machine or of private networks, written in every possible way.

use std::sync::Arc;

use svc::Engine;
use svc_contract::registry::ErrorKind;
use svc_host_os::OsHost;

use super::{failure, policy};

/// The plan does not know the address, so this tests the guard of the run.
const FETCH: &str =
    "param given: string\nfetch(url: (if 1 < 2 { given } else { \"\" })) within { max_retries: 0 }";

fn engine() -> Engine {
    svc::engine().with_host(Arc::new(OsHost::default().resolving(|name| {
        // An address that gets here would be allowed.
        Err(std::io::Error::other(format!("`{name}` was resolved")))
    })))
}

#[tokio::test]
async fn closed_addresses_are_refused() {
    let attacks = [
        ("http://127.0.0.1/", "this machine"),
        ("http://127.0.0.1:22/", "this machine"),
        ("https://127.8.9.1/", "this machine"),
        ("http://127.0.0.1./", "this machine"),
        ("http://localhost/", "this machine"),
        ("http://LOCALHOST:8080/x", "this machine"),
        ("http://localhost./", "this machine"),
        ("http://a.localhost/", "this machine"),
        ("http://0.0.0.0/", "this network"),
        ("http://10.0.0.1/", "a private address"),
        ("http://172.16.3.4/", "a private address"),
        ("http://192.168.0.1/admin", "a private address"),
        ("http://169.254.169.254/latest/meta-data/", "cloud metadata"),
        ("http://100.100.100.200/", "shared by customers"),
        ("http://192.0.2.1/", "documentation"),
        ("http://198.18.0.1/", "benchmarking"),
        ("http://224.0.0.1/", "multicast"),
        ("http://255.255.255.255/", "reserved"),
        ("http://[::]/", "this network"),
        ("http://[::1]/", "this machine"),
        ("http://[0:0:0:0:0:0:0:1]:80/", "this machine"),
        ("http://[::ffff:127.0.0.1]/", "this machine"),
        ("http://[::ffff:7f00:1]/", "this machine"),
        ("http://[::ffff:169.254.169.254]/", "cloud metadata"),
        ("http://[::127.0.0.1]/", "reserved"),
        ("http://[64:ff9b::10.0.0.1]/", "a private address"),
        ("http://[64:ff9b:1::1]/", "reserved"),
        ("http://[2002:7f00:1::]/", "this machine"),
        ("http://[2001:0:1::1]/", "Teredo"),
        ("http://[fd00::1]/", "a private address"),
        ("http://[fe80::1]/", "link-local"),
        ("http://[ff02::1]/", "multicast"),
    ];
    let engine = engine();
    for (attack, why) in attacks {
        let (kind, message) = failure(&engine, FETCH, attack).await;
        assert_eq!(kind, ErrorKind::Denied, "{attack}: {message}");
        assert!(message.contains("cannot read `http") && message.contains(why), "{message}");
    }
}

#[tokio::test]
async fn what_is_no_address_is_refused() {
    let attacks = [
        ("http://2130706433/", "not an IP address"),
        ("http://0x7f000001/", "not an IP address"),
        ("http://0x7f.1/", "not an IP address"),
        ("http://0177.0.0.1/", "not an IP address"),
        ("http://017700000001/", "not an IP address"),
        ("http://127.1/", "not an IP address"),
        ("http://127.0.1/", "not an IP address"),
        ("http://0/", "not an IP address"),
        ("http://127.0.0.1.0x0/", "not an IP address"),
        ("http://good.example@127.0.0.1/", "user name"),
        ("http://127.0.0.1\\@good.example/", "user name"),
        ("http://good.example\\.127.0.0.1/", "not a host name"),
        ("http://①②⑦.⓪.⓪.①/", "not ASCII"),
        ("http://127。0。0。1/", "not ASCII"),
        ("http://%31%32%37.0.0.1/", "not a host name"),
        ("http://[::1%25lo]/", "not an IPv6 address"),
        ("http://[::1/", "not closed"),
        ("http:///etc/passwd", "not a host name"),
        ("file:///etc/passwd", "not with `file:`"),
        ("gopher://127.0.0.1:6379/_x", "not with `gopher:`"),
        ("ftp://example.com/", "not with `ftp:`"),
        ("data:text/plain,x", "not with `data:`"),
        ("//127.0.0.1/", "begins with `http://`"),
        ("http://a.example/\r\nHost: 127.0.0.1", "control character"),
        ("http://a.example:/", "not a port"),
        ("http://a.example:66000/", "not a port"),
    ];
    let engine = engine();
    for (attack, why) in attacks {
        let (kind, message) = failure(&engine, FETCH, attack).await;
        assert_eq!(kind, ErrorKind::InvalidInput, "{attack}: {message}");
        assert!(message.contains(why), "{attack}: {message}");
    }
}

/// Open addresses get as far as the network, which is not available in tests.
#[tokio::test]
async fn open_names_are_resolved() {
    for open in
        ["http://example.com/", "https://EXAMPLE.com:8443/a b?c", "http://localhost.example/"]
    {
        let (kind, message) = failure(&engine(), FETCH, open).await;
        assert_eq!(kind, ErrorKind::Unavailable, "{message}");
        assert!(message.contains("was resolved"), "{message}");
    }
}

#[tokio::test]
async fn a_policy_lists_the_hosts_that_may_be_read() {
    let engine =
        engine().with_policy(policy(&["reads web:good.example", "reads web:*.docs.example"]));
    for refused in [
        "http://evil.example/",
        "http://good.example.evil.example/",
        "http://evilgood.example/",
        "http://www.good.example/",
        "http://docs.example/",
        "http://xdocs.example/",
        "http://1.1.1.1/",
    ] {
        let (kind, message) = failure(&engine, FETCH, refused).await;
        assert_eq!(kind, ErrorKind::Denied, "{message}");
        assert!(message.contains(&format!("the policy does not allow `{refused}` to be read")));
    }
    for allowed in ["http://good.example/", "https://GOOD.example./", "http://a.docs.example/"] {
        let (kind, message) = failure(&engine, FETCH, allowed).await;
        assert_eq!(kind, ErrorKind::Unavailable, "{message}");
    }
    // Permission for the web does not include this machine.
    for rules in [&["reads web"][..], &["reads"], &["reads web:localhost", "reads web:127.0.0.1"]] {
        let engine = self::engine().with_policy(policy(rules));
        for local in ["http://localhost/", "http://127.0.0.1/"] {
            let (kind, message) = failure(&engine, FETCH, local).await;
            assert_eq!(kind, ErrorKind::Denied, "{message}");
            assert!(message.contains("this machine"), "{message}");
        }
    }
}

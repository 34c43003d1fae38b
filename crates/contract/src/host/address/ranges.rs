//! The IP addresses that lead to the open internet.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The reason why an IP address does not lead to the open internet.
///
/// Based on IANA's registries of special addresses; of IPv6 only the range assigned to the open
/// internet, `2000::/3`, is open.
pub fn closed(ip: IpAddr) -> Option<&'static str> {
    match ip {
        IpAddr::V4(ip) => closed_v4(ip),
        IpAddr::V6(ip) => closed_v6(ip),
    }
}

fn closed_v4(ip: Ipv4Addr) -> Option<&'static str> {
    Some(match ip.octets() {
        [0, ..] => "an address of this network",
        [127, ..] => "this machine",
        [10, ..] | [192, 168, ..] | [172, 16..=31, ..] => "a private address",
        [169, 254, ..] => "a link-local address, used for cloud metadata",
        [100, 64..=127, ..] => "an address shared by customers of a provider",
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => "a documentation address",
        [198, 18 | 19, ..] => "a benchmarking address",
        [192, 0, 0, _] | [192, 88, 99, _] => "a reserved address",
        [224..=239, ..] => "a multicast address",
        [240..=255, ..] => "a reserved address",
        _ => return None,
    })
}

fn closed_v6(ip: Ipv6Addr) -> Option<&'static str> {
    let within = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        closed_v4(Ipv4Addr::new(a, b, c, d))
    };
    match ip.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => Some("an address of this network"),
        [0, 0, 0, 0, 0, 0, 0, 1] => Some("this machine"),
        // An embedded IPv4 address: mapped, NAT64, 6to4.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            within(high, low)
        }
        [0x2002, high, low, ..] => within(high, low),
        [0xfc00..=0xfdff, ..] => Some("a private address"),
        [0xfe80..=0xfebf, ..] => Some("a link-local address"),
        [0xff00..=0xffff, ..] => Some("a multicast address"),
        [0x2001, 0, ..] => Some("a Teredo address, which embeds another one"),
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Some("a documentation address"),
        [0x2001, 0..=0x1ff, ..] => Some("a reserved address"),
        [0x2000..=0x3fff, ..] => None,
        _ => Some("a reserved address"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_open_internet_is_open_and_nothing_else() {
        for open in [
            "1.1.1.1",
            "8.8.8.8",
            "172.32.0.1",
            "100.128.0.1",
            "192.0.1.1",
            "223.255.255.255",
            "2606:4700::1",
            "64:ff9b::808:808",
            "2002:808:808::1",
            "::ffff:8.8.8.8",
        ] {
            assert_eq!(closed(open.parse().unwrap()), None, "{open}");
        }
        for shut in [
            "0.0.0.0",
            "0.1.2.3",
            "10.1.2.3",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "100.64.0.1",
            "192.0.0.1",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::a00:1",
            "64:ff9b:1::808:808",
            "2002:7f00:1::",
            "2001::1",
            "2001:db8::1",
            "2001:20::1",
            "3fff::1",
            "fc00::1",
            "fd00::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "100::1",
            "4000::1",
        ] {
            assert!(closed(shut.parse().unwrap()).is_some(), "{shut}");
        }
    }
}

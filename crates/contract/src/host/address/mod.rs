//! Web addresses, and the check whether they lead to the open internet.
//!
//! Every address has a single spelling here: names in lower case, IP addresses in their usual
//! form. Unusual spellings that browsers accept (`http://127.1/`, `http://good@evil/`) are
//! refused, because guards are bypassed with addresses that two parsers read differently.

mod ranges;

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::fmt;

pub use ranges::closed;

/// An address that begins with `http://` or `https://`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    secure: bool,
    /// In lower case, without a trailing dot; an IPv6 address without its brackets.
    host: String,
    port: u16,
    /// The path and the query.
    path: String,
}

impl Address {
    /// Parses an address, or returns the problem.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.chars().any(char::is_control) {
            return Err("it contains a control character".to_owned());
        }
        let (scheme, rest) = text.split_once("://").ok_or_else(|| begins(text))?;
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return Err(begins(text)),
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let (host, port) = host_and_port(authority)?;
        let port = port.unwrap_or(if secure { 443 } else { 80 });
        Ok(Self { secure, host, port, path: written(path) })
    }

    pub fn host(&self) -> &str {
        &self.host
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// The path without the query.
    pub fn path(&self) -> &str {
        self.path.split('?').next().unwrap_or_default()
    }

    /// Whether it is on another server, by host, port or encryption.
    pub fn is_elsewhere(&self, other: &Self) -> bool {
        (self.secure, &self.host, self.port) != (other.secure, &other.host, other.port)
    }

    /// Resolves a reference on the page at this address.
    pub fn join(&self, reference: &str) -> Result<Self, String> {
        let reference = reference.split('#').next().unwrap_or_default().trim();
        let scheme = if self.secure { "https" } else { "http" };
        let root = format!("{scheme}://{}", self.authority());
        let path = self.path();
        match reference {
            "" => Ok(self.clone()),
            it if has_scheme(it) => Self::read(it),
            it if it.starts_with("//") => Self::read(&format!("{scheme}:{it}")),
            it if it.starts_with('/') => Self::read(&format!("{root}{it}")),
            it if it.starts_with('?') => Self::read(&format!("{root}{path}{it}")),
            it => {
                let folder = path.rfind('/').map_or("/", |end| &path[..=end]);
                Self::read(&format!("{root}{folder}{it}"))
            }
        }
    }

    /// The reason why no script and no page may request this address, as far as the address
    /// itself shows. The resolved IP addresses of a name are checked separately.
    pub fn refused(&self) -> Option<String> {
        if let Some(ip) = self.ip() {
            return closed(ip).map(|why| format!("`{}` is {why}", self.host));
        }
        let is_local = self.host == "localhost" || self.host.ends_with(".localhost");
        is_local.then(|| format!("`{}` is this machine", self.host))
    }

    fn ip(&self) -> Option<IpAddr> {
        self.host.parse().ok()
    }

    fn authority(&self) -> String {
        let port = match (self.secure, self.port) {
            (true, 443) | (false, 80) => String::new(),
            (_, port) => format!(":{port}"),
        };
        format!("{}{port}", authority(&self.host))
    }
}

/// A host as part of an address: an IPv6 address gets brackets.
pub fn authority(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority(), self.path)
    }
}

/// Parses `example.com`, `example.com:8080` or `[::1]:8080`, and normalises it.
pub fn host_and_port(authority: &str) -> Result<(String, Option<u16>), String> {
    if authority.contains('@') {
        return Err("it has a user name before the host".to_owned());
    }
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (inside, after) =
                rest.split_once(']').ok_or_else(|| "its `[` is not closed".to_owned())?;
            let ip: Ipv6Addr =
                inside.parse().map_err(|_| format!("`[{inside}]` is not an IPv6 address"))?;
            (ip.to_string(), after.strip_prefix(':').or((!after.is_empty()).then_some(after)))
        }
        None => match authority.rsplit_once(':') {
            Some((host, port)) => (name(host)?, Some(port)),
            None => (name(authority)?, None),
        },
    };
    let Some(port) = port else { return Ok((host, None)) };
    let is_number = port.bytes().all(|it| it.is_ascii_digit());
    match port.parse() {
        Ok(number @ 1..) if is_number => Ok((host, Some(number))),
        _ => Err(format!("`{port}` is not a port")),
    }
}

fn begins(text: &str) -> String {
    match text.split_once(':') {
        Some((scheme, _))
            if has_scheme(text) && !scheme.to_ascii_lowercase().starts_with("http") =>
        {
            format!("an address begins with `http://` or `https://`, not with `{scheme}:`")
        }
        _ => "an address begins with `http://` or `https://`".to_owned(),
    }
}

fn has_scheme(text: &str) -> bool {
    text.split_once(':').is_some_and(|(scheme, _)| {
        let is_sign = |it: char| it.is_ascii_alphanumeric() || matches!(it, '+' | '-' | '.');
        scheme.starts_with(|it: char| it.is_ascii_alphabetic()) && scheme.chars().all(is_sign)
    })
}

/// A host name, or an IPv4 address in its only accepted spelling.
fn name(text: &str) -> Result<String, String> {
    let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
    if !name.is_ascii() {
        return Err(format!("the host `{text}` is not ASCII; it is written as `xn--..`"));
    }
    let is_sign = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_');
    let is_label = |it: &str| (1..=63).contains(&it.len()) && it.bytes().all(is_sign);
    if name.len() > 253 || !name.split('.').all(is_label) {
        return Err(format!("`{text}` is not a host name"));
    }
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_number = last.bytes().all(|it| it.is_ascii_digit()) || last.starts_with("0x");
    if is_number && name.parse::<Ipv4Addr>().is_err() {
        return Err(format!("`{text}` is not an IP address in the usual form: `192.0.2.1`"));
    }
    Ok(name)
}

/// A path and query as a request needs them: starting with `/`, without `.`, `..` and the
/// fragment, in ASCII.
fn written(text: &str) -> String {
    let text = text.split('#').next().unwrap_or_default();
    let (path, query) = text.split_at(text.find('?').unwrap_or(text.len()));
    let mut parts = Vec::new();
    for part in path.strip_prefix('/').unwrap_or(path).split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    // A path that ends with a dot segment is a folder.
    if path.ends_with("/.") || path.ends_with("/..") {
        parts.push("");
    }
    encoded(&format!("/{}{query}", parts.join("/")))
}

fn encoded(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for it in path.bytes() {
        if it.is_ascii_graphic()
            && !matches!(it, b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}')
        {
            text.push(char::from(it));
        } else {
            text.push_str(&format!("%{it:02X}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        Address::read(text).map_or_else(|why| why, |it| it.to_string())
    }

    #[test]
    fn an_address_has_one_spelling() {
        for (given, wanted) in [
            ("HTTPS://Example.COM.:443", "https://example.com/"),
            ("http://example.com:8080?q=a b#top", "http://example.com:8080/?q=a%20b"),
            (" http://[2606:4700:0::1]:80/ä ", "http://[2606:4700::1]/%C3%A4"),
            ("http://a_b.example/%7Ex?u=1&v={2}", "http://a_b.example/%7Ex?u=1&v=%7B2%7D"),
        ] {
            assert_eq!(read(given), wanted);
        }
    }

    #[test]
    fn what_two_readers_read_differently_is_no_address() {
        for (given, why) in [
            ("ftp://example.com/", "not with `ftp:`"),
            ("file:///etc/passwd", "not with `file:`"),
            ("example.com", "begins with `http://`"),
            ("http:/example.com", "begins with `http://`"),
            ("http://good.example@evil.example/", "user name"),
            ("http://a\\@b/", "user name"),
            ("http://a\\b/", "not a host name"),
            ("http://127.0.0.1%2f/", "not a host name"),
            ("http:///path", "not a host name"),
            ("http://a..b/", "not a host name"),
            ("http://①②⑦.0.0.1/", "not ASCII"),
            ("http://[fe80::1%25eth0]/", "not an IPv6 address"),
            ("http://[::1/", "not closed"),
            ("http://[::1]x/", "not a port"),
            ("http://a:0/", "not a port"),
            ("http://a:+80/", "not a port"),
            ("http://a:99999/", "not a port"),
            ("http://2130706433/", "not an IP address"),
            ("http://a/\r\nHost: b", "control character"),
        ] {
            let read = Address::read(given).expect_err(given);
            assert!(read.contains(why), "{given}: {read}");
        }
    }

    #[test]
    fn references_lead_on_from_a_page() {
        let page = Address::read("https://example.com:8443/a/b?q=1").unwrap();
        for (reference, wanted) in [
            ("", "https://example.com:8443/a/b?q=1"),
            ("#top", "https://example.com:8443/a/b?q=1"),
            ("c", "https://example.com:8443/a/c"),
            ("../c", "https://example.com:8443/c"),
            ("./d/../../../e/.", "https://example.com:8443/e/"),
            ("/c?d", "https://example.com:8443/c?d"),
            ("?q=2", "https://example.com:8443/a/b?q=2"),
            ("//other.example/x", "https://other.example/x"),
            ("http://other.example", "http://other.example/"),
        ] {
            assert_eq!(page.join(reference).unwrap().to_string(), wanted);
        }
        assert!(page.join("javascript:alert(1)").is_err());
        assert!(page.join("//a@b/").is_err());
    }
}

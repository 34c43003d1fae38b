//! `robots.txt`: which pages a site allows a program to read, by RFC 9309.
//!
//! The longest rule that matches decides, and of two of the same length the one that allows. Groups
//! of the same name count as one. Where the RFC is silent, this reads what other readers read:
//! `Crawl-delay`, `Sitemap`, and common misspellings.

use std::time::Duration;

/// The bytes of a file that are read; RFC 9309 asks for at least this many.
const MOST_BYTES: usize = 500 << 10;

/// A longer delay is taken for this one.
const LONGEST_DELAY: f64 = 86_400.0;

/// The rules of a site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Robots {
    groups: Vec<Group>,
    sitemaps: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Group {
    /// The product tokens in lower case; `*` stands for all others.
    agents: Vec<String>,
    rules: Vec<Rule>,
    delay: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq)]
struct Rule {
    allows: bool,
    /// The parts between the wildcards, in the spelling of [`normal`].
    parts: Vec<String>,
    /// Whether the last part must be the end of the path.
    is_whole: bool,
    /// The number of octets, which decides between rules that match.
    octets: usize,
}

impl Robots {
    /// Reads a file. Every text is one: lines that mean nothing are ignored.
    pub fn read(text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut kept = &text[..text.floor_char_boundary(MOST_BYTES)];
        if kept.len() < text.len() {
            // Its last line may be cut.
            kept = kept.rfind(['\n', '\r']).map_or("", |end| &kept[..end]);
        }
        let mut robots = Self::default();
        let mut is_open = false;
        for (key, value) in kept.split(['\n', '\r']).filter_map(line) {
            robots.add(&key, value, &mut is_open);
        }
        robots
    }

    /// `is_open` is whether the last group has only names so far.
    fn add(&mut self, key: &str, value: &str, is_open: &mut bool) {
        match key {
            "user-agent" | "useragent" | "user agent" => {
                if !*is_open {
                    self.groups.push(Group::default());
                }
                *is_open = true;
                if let Some(group) = self.groups.last_mut() {
                    group.agents.push(token(value));
                }
            }
            "sitemap" | "sitemaps" | "site-map" => self.sitemaps.push(value.to_owned()),
            _ => {
                let Some(group) = self.groups.last_mut() else { return };
                match key {
                    "allow" => group.rules.extend(Rule::read(true, value)),
                    "disallow" | "dissallow" | "dissalow" | "disalow" | "diasllow" | "disallaw" => {
                        group.rules.extend(Rule::read(false, value));
                    }
                    "crawl-delay" | "crawl delay" => group.delay = group.delay.or(delay(value)),
                    _ => return,
                }
                *is_open = false;
            }
        }
    }

    /// Whether a program may read the page at a path, which has its query.
    pub fn allows(&self, agent: &str, path: &str) -> bool {
        let path = normal(if path.is_empty() { "/" } else { path });
        if path == "/robots.txt" {
            return true;
        }
        let rules = self.of(agent).flat_map(|it| &it.rules).filter(|it| it.fits(&path));
        rules.max_by_key(|it| (it.octets, it.allows)).is_none_or(|it| it.allows)
    }

    /// The time that a program should wait between two pages.
    pub fn delay(&self, agent: &str) -> Option<Duration> {
        self.of(agent).find_map(|it| it.delay)
    }

    /// The addresses of the site's maps.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }

    /// The groups for a program: those of its name, or else those for all.
    fn of(&self, agent: &str) -> impl Iterator<Item = &Group> {
        let agent = token(agent);
        let has = |group: &&Group, name: &str| group.agents.iter().any(|it| it == name);
        let is_known = self.groups.iter().any(|it| has(&it, &agent));
        let name = if is_known { agent } else { "*".to_owned() };
        self.groups.iter().filter(move |it| has(it, &name))
    }
}

/// The key in lower case and the value of a line.
fn line(text: &str) -> Option<(String, &str)> {
    let text = text.split('#').next().unwrap_or_default();
    // Two words without a colon are what they would be with one.
    let (key, value) = text.split_once(':').or_else(|| {
        text.trim().split_once([' ', '\t']).filter(|it| !it.1.trim().contains([' ', '\t']))
    })?;
    Some((key.trim().to_ascii_lowercase(), value.trim()))
}

/// The product token of a name such as `svc/1.0 (+https://example.com)`, in lower case.
fn token(agent: &str) -> String {
    let agent = agent.trim();
    if agent.starts_with('*') {
        return "*".to_owned();
    }
    let is_sign = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_');
    let end = agent.find(|it| !is_sign(it)).unwrap_or(agent.len());
    agent[..end].to_ascii_lowercase()
}

fn delay(value: &str) -> Option<Duration> {
    let seconds: f64 = value.parse().ok().filter(|it| *it >= 0.0)?;
    Duration::try_from_secs_f64(seconds.min(LONGEST_DELAY)).ok()
}

impl Rule {
    /// Reads a pattern. An empty one is not a rule.
    fn read(allows: bool, pattern: &str) -> Option<Self> {
        if pattern.is_empty() {
            return None;
        }
        let (inner, is_whole) = match pattern.strip_suffix('$') {
            Some(inner) => (inner, true),
            None => (pattern, false),
        };
        let parts: Vec<String> = inner.split('*').map(normal).collect();
        let wildcards = parts.len() - 1 + usize::from(is_whole);
        let octets = parts.iter().map(String::len).sum::<usize>() + wildcards;
        Some(Self { allows, parts, is_whole, octets })
    }

    /// Whether it matches the beginning of a path. Each part is taken where it first occurs, so the
    /// time grows with the path and not with the number of ways to match.
    fn fits(&self, path: &str) -> bool {
        let Some((first, others)) = self.parts.split_first() else { return false };
        let Some(mut rest) = path.strip_prefix(first.as_str()) else { return false };
        let Some((last, inner)) = others.split_last() else {
            return !self.is_whole || rest.is_empty();
        };
        for part in inner {
            let Some((_, after)) = rest.split_once(part.as_str()) else { return false };
            rest = after;
        }
        if self.is_whole { rest.ends_with(last.as_str()) } else { rest.contains(last.as_str()) }
    }
}

/// One spelling for all that mean the same: letters, digits and `-._~` as they are, what is reserved
/// as it stands, and all else, with `*` and `$`, as `%` with upper-case digits.
fn normal(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    let mut bytes = text.as_bytes();
    while let Some((byte, rest)) = bytes.split_first() {
        bytes = rest;
        match byte {
            b'%' => match escaped(rest) {
                Some(it) if is_unreserved(it) => {
                    all.push(char::from(it));
                    bytes = &rest[2..];
                }
                Some(it) => {
                    all.push_str(&format!("%{it:02X}"));
                    bytes = &rest[2..];
                }
                None => all.push_str("%25"),
            },
            b'*' | b'$' => all.push_str(&format!("%{byte:02X}")),
            it if it.is_ascii_graphic() => all.push(char::from(*it)),
            it => all.push_str(&format!("%{it:02X}")),
        }
    }
    all
}

/// The byte of the two digits after a `%`.
fn escaped(digits: &[u8]) -> Option<u8> {
    let digits = digits.get(..2).filter(|it| it.iter().all(u8::is_ascii_hexdigit))?;
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// The verdicts of Protego 0.7 and of `urllib.robotparser`, by `robots_cases.py`. Where they differ
    /// from RFC 9309, the case says why.
    #[test]
    fn verdicts_are_those_of_other_readers() {
        let cases: Value = serde_json::from_str(include_str!("robots_cases.json")).unwrap();
        let cases = cases.as_array().unwrap();
        let mut same = [0, 0];
        for case in cases {
            let text = |name: &str| case[name].as_str().unwrap();
            let robots = Robots::read(text("file"));
            let verdict = robots.allows(text("agent"), text("path"));
            assert_eq!(Value::from(verdict), case["allowed"], "{case}");
            for (idx, peer) in ["protego", "urllib"].iter().enumerate() {
                same[idx] += usize::from(case[*peer] == case["allowed"]);
                assert!(case[*peer] == case["allowed"] || !text("why").is_empty(), "{case}");
            }
        }
        assert!(same[0] * 10 >= cases.len() * 9, "{same:?}");
    }

    #[test]
    fn delays_and_maps_are_read() {
        let robots = Robots::read(
            "Sitemap: https://a.example/1.xml\nUser-agent: x\nCrawl-delay: 1.5\nUser-agent: *\n\
             crawl-delay: -3\nsitemap:https://a.example/2.xml # more\n",
        );
        assert_eq!(robots.delay("X/2.0"), Some(Duration::from_millis(1_500)));
        assert_eq!(robots.delay("y"), None);
        assert_eq!(robots.sitemaps(), ["https://a.example/1.xml", "https://a.example/2.xml"]);
        let odd =
            |value: &str| Robots::read(&format!("User-agent: *\nCrawl-delay: {value}")).delay("x");
        assert_eq!(odd("1e300"), Some(Duration::from_hours(24)));
        assert_eq!([odd("nan"), odd("soon"), odd("")], [None, None, None]);
        assert_eq!(odd("inf"), Some(Duration::from_hours(24)));
    }

    #[test]
    fn a_huge_file_is_read_to_its_bound() {
        let many = "Disallow: /a*b*c*d*e*f$\n".repeat(100_000);
        let robots = Robots::read(&format!("User-agent: *\n{many}Disallow: /late"));
        let path = format!("/{}", "abcdef".repeat(300));
        assert!(!robots.allows("x", &path));
        assert!(robots.allows("x", "/late"), "it is behind the bound");
        // A line that the bound cuts is not a rule: `/` would forbid everything.
        let filler = "#".repeat(MOST_BYTES - 27);
        let cut = Robots::read(&format!("User-agent: *\n{filler}\nDisallow: /private"));
        assert!(cut.allows("x", "/public"));
    }
}

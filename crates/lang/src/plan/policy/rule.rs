//! One rule of a policy: `reads fs:./docs`, `spends`, `reads web:*.example.com`.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use svc_contract::{
    host::{Host, address, guard::Site},
    registry::{self, Effect},
};

use crate::plan::{EffectUse, Place, Verb};

/// An allowed or denied effect, everywhere or at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The rule as written.
    text: String,
    pub(super) verb: Verb,
    pub(super) scope: Option<Scope>,
}

/// The place of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// A file, or a folder and everything below it.
    Path(PathBuf),
    /// All of the web, or some of its hosts.
    Web(Option<Site>),
    /// All programs, or the one of this name.
    Command(Option<String>),
    /// A part of the world with a fixed name.
    Named(String),
}

/// Whether a rule covers an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Covers {
    Yes,
    No,
    /// The path or host is only known in the run; its guard decides then.
    InTheRun,
    /// It is only known in the run, and nothing decides then: allowed by no rule, and denied by each.
    Undecided,
}

impl Rule {
    /// Parses a rule, or returns why it is invalid. Paths are relative to `folder`.
    pub fn read(text: &str, folder: &Path) -> Result<Self, String> {
        let text = text.trim();
        let (verb, scope) = match text.split_once(char::is_whitespace) {
            Some((verb, scope)) => (verb, Some(scope.trim())),
            None => (text, None),
        };
        let known = Verb::ALL.into_iter().find(|it| it.name() == verb);
        let verb = known.ok_or_else(|| {
            format!(
                "`{text}` is not a rule: it must begin with `reads`, `writes`, `runs`, \
                 `spends` or `asks`"
            )
        })?;
        let scope = scope.map(|it| Scope::read(it, folder)).transpose();
        let scope = scope.map_err(|why| format!("`{text}` is not a rule: {why}"))?;
        if scope.is_some() && matches!(verb, Verb::Spends | Verb::Asks) {
            return Err(format!("`{text}` is not a rule: `{}` takes no place", verb.name()));
        }
        if matches!(scope, Some(Scope::Command(_))) && verb != Verb::Runs {
            let verb = verb.name();
            return Err(format!("`{text}` is not a rule: programs run; `{verb}` takes no program"));
        }
        Ok(Self { text: text.to_owned(), verb, scope })
    }

    pub(super) fn covers(&self, effect: &EffectUse, host: &dyn Host) -> Covers {
        if self.verb != effect.verb {
            return Covers::No;
        }
        match (&self.scope, &effect.place) {
            (None, _) => Covers::Yes,
            (Some(Scope::Path(_)), Some(Place::PathOf(_))) => Covers::InTheRun,
            (Some(Scope::Path(rule)), Some(Place::Path(path))) => {
                let place = real(host, Path::new(path.as_ref()), self.verb);
                when(place.starts_with(real(host, rule, Verb::Reads)))
            }
            (Some(Scope::Web(None)), Some(Place::Web(_))) => Covers::Yes,
            (Some(Scope::Web(Some(_))), Some(Place::Web(None))) => Covers::InTheRun,
            (Some(Scope::Web(Some(rule))), Some(Place::Web(Some(site)))) => {
                match (rule.holds(&site.host), rule.port, site.port) {
                    (false, _, _) => Covers::No,
                    (true, None, _) => Covers::Yes,
                    (true, Some(_), None) => Covers::InTheRun,
                    (true, Some(wanted), Some(port)) => when(wanted == port),
                }
            }
            (Some(Scope::Command(None)), Some(Place::Command(_))) => Covers::Yes,
            (Some(Scope::Command(Some(_))), Some(Place::Command(None))) => Covers::Undecided,
            (Some(Scope::Command(Some(rule))), Some(Place::Command(Some(program)))) => {
                match program.rsplit(['/', '\\']).next() {
                    _ if rule == program => Covers::Yes,
                    // A file of that name elsewhere may be another program.
                    Some(name) if name == rule => Covers::Undecided,
                    _ => Covers::No,
                }
            }
            (Some(Scope::Named(rule)), Some(Place::Named(name))) => when(names(rule, name)),
            _ => Covers::No,
        }
    }

    /// Whether it names a place that none of these effects has. Every program can read and write
    /// files.
    pub(super) fn is_idle(&self, effects: &[&Effect]) -> bool {
        let has_place = match &self.scope {
            None => false,
            Some(Scope::Path(_)) => self.verb == Verb::Runs,
            Some(Scope::Web(_) | Scope::Command(_) | Scope::Named(_)) => true,
        };
        has_place && !effects.iter().any(|it| self.is_about(it))
    }

    /// Whether it covers some place of an effect of an op.
    pub(super) fn may_cover(&self, effect: &Effect) -> bool {
        match &self.scope {
            None => self.verb == parts(effect).0,
            Some(_) => self.is_about(effect),
        }
    }

    /// Whether it covers every place of an effect of an op.
    pub(super) fn covers_all(&self, effect: &Effect) -> bool {
        let is_whole = match &self.scope {
            None | Some(Scope::Web(None) | Scope::Command(None) | Scope::Named(_)) => true,
            Some(Scope::Path(path)) => path == Path::new("/"),
            Some(Scope::Web(Some(_)) | Scope::Command(Some(_))) => false,
        };
        is_whole && self.may_cover(effect)
    }

    fn is_about(&self, effect: &Effect) -> bool {
        let (verb, Some(place)) = parts(effect) else { return false };
        let is_place = match (&self.scope, place) {
            (Some(Scope::Path(_)), registry::Scope::Path(_))
            | (Some(Scope::Web(_)), registry::Scope::Web(_))
            | (Some(Scope::Command(_)), registry::Scope::Command(_)) => true,
            (Some(Scope::Web(None)), registry::Scope::Site(_)) => true,
            (Some(Scope::Web(Some(site))), registry::Scope::Site(name)) => site.holds(name),
            (Some(Scope::Named(rule)), registry::Scope::Named(name)) => names(rule, name),
            _ => false,
        };
        verb == self.verb && is_place
    }
}

/// The verb and the place of an effect of an op.
fn parts(effect: &Effect) -> (Verb, Option<&registry::Scope>) {
    match effect {
        Effect::Reads(place) => (Verb::Reads, Some(place)),
        Effect::Writes { scope, .. } => (Verb::Writes, Some(scope)),
        Effect::Runs(place) => (Verb::Runs, Some(place)),
        Effect::Spends => (Verb::Spends, None),
        Effect::Asks => (Verb::Asks, None),
    }
}

/// Whether a rule with a name covers this one: `mcp` also covers `mcp:github`.
fn names(rule: &str, name: &str) -> bool {
    name.strip_prefix(rule).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

fn when(is_so: bool) -> Covers {
    if is_so { Covers::Yes } else { Covers::No }
}

/// The real path, or the written one if it cannot be resolved: then nothing is below it.
pub(super) fn real(host: &dyn Host, path: &Path, verb: Verb) -> PathBuf {
    let real = match verb {
        Verb::Writes => svc_contract::host::guard::place(host, path),
        _ => host.real_path(path),
    };
    real.unwrap_or_else(|_| path.to_owned())
}

impl Scope {
    fn read(text: &str, folder: &Path) -> Result<Self, String> {
        let is_sign = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_';
        match text.split_once(':') {
            Some(("fs", "")) => Err("expected a path after `fs:`".to_owned()),
            Some(("fs", path)) => file(path).map(|it| Self::Path(folder.join(it))),
            Some(("web", host)) => site(host).map(|it| Self::Web(Some(it))),
            None if text == "fs" => Ok(Self::Path(PathBuf::from("/"))),
            Some(("mcp", name)) => server(name).map(|it| Self::Named(format!("mcp:{it}"))),
            Some(("cmd", name)) => command(name).map(|it| Self::Command(Some(it))),
            None if text == "web" => Ok(Self::Web(None)),
            None if text == "cmd" => Ok(Self::Command(None)),
            None if text.starts_with(|it: char| it.is_ascii_lowercase())
                && text.chars().all(is_sign) =>
            {
                Ok(Self::Named(text.to_owned()))
            }
            _ => Err(format!(
                "`{text}` is not a place; use `fs:PATH`, `web`, `web:HOST`, `cmd:NAME`, `mcp:NAME`, \
                 or a name such as `llm`"
            )),
        }
    }
}

/// The name of a program in a rule, as the system looks it up.
fn command(text: &str) -> Result<String, String> {
    if text.is_empty() || text.contains(['/', '\\', '*', ' ']) {
        return Err("expected the name of a program after `cmd:`, such as `cmd:git`".to_owned());
    }
    Ok(text.to_owned())
}

/// The name of a server of the project in a rule.
fn server(text: &str) -> Result<&str, String> {
    let is_sign = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_';
    if text.is_empty() || !text.chars().all(is_sign) {
        return Err("expected the name of a server after `mcp:`, such as `mcp:github`".to_owned());
    }
    Ok(text)
}

/// Checks a path for patterns of the shell. They would make a rule that matches nothing, so
/// denied effects would be allowed.
fn file(text: &str) -> Result<&str, String> {
    let sign = if text.contains('*') { "*" } else { "~" };
    if text.contains('*') || text == "~" || text.starts_with("~/") {
        return Err(format!(
            "`{sign}` has no meaning in a path; a folder includes everything below it"
        ));
    }
    Ok(text)
}

fn site(text: &str) -> Result<Site, String> {
    if text.contains('/') {
        return Err("expected only the host of an address: `web:example.com`".to_owned());
    }
    let below = text.starts_with("*.");
    let (host, port) = address::host_and_port(text.strip_prefix("*.").unwrap_or(text))?;
    Ok(Site { host, below, port })
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_host_os::test::TestHost;

    fn covers(rule: &str, verb: Verb, place: impl Into<Option<Place>>) -> Covers {
        let rule = Rule::read(rule, Path::new("")).unwrap();
        rule.covers(&EffectUse { verb, place: place.into() }, &TestHost::new())
    }

    fn path(text: &str) -> Place {
        Place::Path(text.into())
    }

    fn web(text: &str) -> Place {
        let (host, port) = address::host_and_port(text).unwrap();
        Place::Web(Some(crate::plan::WebHost { host, port }))
    }

    #[test]
    fn a_path_rule_is_about_all_that_is_below() {
        for (rule, place, wanted) in [
            ("reads fs:./docs", "docs", Covers::Yes),
            ("reads fs:docs/", "docs/a/b.md", Covers::Yes),
            ("reads fs:docs", "/home/docs/a", Covers::Yes),
            ("reads fs:docs", "docs/../other", Covers::No),
            ("reads fs:docs", "docs2/a", Covers::No),
            ("reads fs:docs/a", "docs", Covers::No),
            ("reads fs", "/etc", Covers::Yes),
            ("reads", "/etc", Covers::Yes),
            ("writes fs:docs", "docs", Covers::No),
            ("reads web", "docs", Covers::No),
        ] {
            assert_eq!(covers(rule, Verb::Reads, path(place)), wanted, "{rule} of {place}");
        }
        let unknown = Some(Place::PathOf("folder"));
        assert_eq!(covers("reads fs:docs", Verb::Reads, unknown.clone()), Covers::InTheRun);
        assert_eq!(covers("reads", Verb::Reads, unknown.clone()), Covers::Yes);
        assert_eq!(covers("reads llm", Verb::Reads, unknown), Covers::No);
        assert_eq!(covers("writes fs:out", Verb::Writes, path("out/a.txt")), Covers::Yes);
    }

    #[test]
    fn a_web_rule_is_about_hosts() {
        for (rule, host, wanted) in [
            ("reads web", "example.com", Covers::Yes),
            ("reads web:Example.com.", "example.com", Covers::Yes),
            ("reads web:example.com", "www.example.com", Covers::No),
            ("reads web:example.com", "badexample.com", Covers::No),
            ("reads web:*.example.com", "www.example.com", Covers::Yes),
            ("reads web:*.example.com", "a.b.example.com", Covers::Yes),
            ("reads web:*.example.com", "example.com", Covers::No),
            ("reads web:*.example.com", "badexample.com", Covers::No),
            ("reads web:example.com:8443", "example.com", Covers::InTheRun),
            ("reads web:example.com:8443", "example.com:8443", Covers::Yes),
            ("reads web:example.com:8443", "example.com:443", Covers::No),
            ("reads web:example.com", "example.com:8443", Covers::Yes),
        ] {
            assert_eq!(covers(rule, Verb::Reads, web(host)), wanted, "{rule} of {host}");
        }
        let unknown = Some(Place::Web(None));
        assert_eq!(covers("reads web:example.com", Verb::Reads, unknown), Covers::InTheRun);
    }

    #[test]
    fn a_program_rule_is_about_its_name() {
        for (rule, program, wanted) in [
            ("runs", Some("git"), Covers::Yes),
            ("runs", None, Covers::Yes),
            ("runs cmd", Some("git"), Covers::Yes),
            ("runs cmd", None, Covers::Yes),
            ("runs cmd:git", Some("git"), Covers::Yes),
            ("runs cmd:git", Some("gitk"), Covers::No),
            ("runs cmd:git", Some("Git"), Covers::No),
            ("runs cmd:git", None, Covers::Undecided),
            ("runs cmd:git", Some("/tmp/git"), Covers::Undecided),
            ("runs cmd:git", Some("./git"), Covers::Undecided),
            ("runs cmd:git", Some("git/other"), Covers::No),
            ("runs cmd", Some("/tmp/git"), Covers::Yes),
            ("runs llm", Some("llm"), Covers::No),
            ("runs fs", Some("git"), Covers::No),
            ("reads", Some("git"), Covers::No),
        ] {
            let place = Place::Command(program.map(str::to_owned));
            assert_eq!(covers(rule, Verb::Runs, place), wanted, "{rule} of {program:?}");
        }
        let git = Place::Command(Some("git".to_owned()));
        assert_eq!(covers("runs", Verb::Reads, git), Covers::No);
        let vm = Some(Place::Named("vm"));
        assert_eq!(covers("runs vm", Verb::Runs, vm.clone()), Covers::Yes);
        assert_eq!(covers("runs cmd", Verb::Runs, vm), Covers::No);
        let github = Some(Place::Named("mcp:github"));
        for (rule, wanted) in [
            ("runs", Covers::Yes),
            ("runs mcp", Covers::Yes),
            ("runs mcp:github", Covers::Yes),
            ("runs mcp:git", Covers::No),
            ("runs cmd", Covers::No),
        ] {
            assert_eq!(covers(rule, Verb::Runs, github.clone()), wanted, "{rule}");
        }
    }

    #[test]
    fn a_rule_about_a_program_that_nothing_runs_is_idle() {
        let git = Effect::Runs(registry::Scope::Command("program"));
        let idle =
            |rule: &str, of: &[&Effect]| Rule::read(rule, Path::new("")).unwrap().is_idle(of);
        assert!(!idle("runs cmd:git", &[&git]));
        assert!(!idle("runs cmd", &[&git]));
        assert!(!idle("runs", &[]));
        for rule in ["runs cmd:git", "runs cmd", "runs fs:./bin", "runs web", "runs vm"] {
            assert!(idle(rule, &[]), "{rule}");
        }
        assert!(idle("runs fs:./bin", &[&git]));
    }

    #[test]
    fn other_rules_are_about_the_verb_or_a_name() {
        assert_eq!(covers("spends", Verb::Spends, None), Covers::Yes);
        assert_eq!(covers("asks", Verb::Spends, None), Covers::No);
        let llm = Some(Place::Named("llm"));
        assert_eq!(covers("reads llm", Verb::Reads, llm.clone()), Covers::Yes);
        assert_eq!(covers("reads mail", Verb::Reads, llm), Covers::No);
    }

    #[test]
    fn what_is_no_rule_says_why() {
        for (text, why) in [
            ("", "begin with `reads`"),
            ("read fs:x", "begin with `reads`"),
            ("reads ./docs", "use `fs:PATH`"),
            ("reads fs:", "expected a path"),
            ("reads web:", "not a host name"),
            ("reads web:*", "not a host name"),
            ("reads web:http://a", "only the host"),
            ("reads web:a.example/b", "only the host"),
            ("writes fs:./out/*", "has no meaning in a path"),
            ("reads fs:~/notes", "has no meaning in a path"),
            ("reads web:a@b", "user name"),
            ("reads ftp:a", "is not a place"),
            ("spends fs:x", "takes no place"),
            ("reads web mail", "is not a place"),
            ("runs cmd:", "such as `cmd:git`"),
            ("runs cmd:/usr/bin/git", "such as `cmd:git`"),
            ("runs cmd:*", "such as `cmd:git`"),
            ("runs cmd:git status", "such as `cmd:git`"),
            ("runs mcp:", "such as `mcp:github`"),
            ("runs mcp:npx -y", "such as `mcp:github`"),
            ("reads cmd:git", "takes no program"),
            ("writes cmd", "takes no program"),
        ] {
            let wrong = Rule::read(text, Path::new("")).expect_err(text);
            assert!(wrong.contains(why), "{text}: {wrong}");
        }
    }
}

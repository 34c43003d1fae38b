//! What a plan may do: rules that accept or refuse it before anything runs, and that guard
//! the run where only the run knows the path or the host.

mod refusals;
mod rule;

use std::{path::Path, sync::Arc};

use serde::Deserialize;
use toml::Spanned;

pub use rule::Rule;

use super::Verb;
use crate::diag::Source;
use rule::Scope;
use svc_contract::{
    host::{
        Host,
        guard::{By, Fence, Guard, Rules, Site, Web},
    },
    registry::{Effect, Registry},
};

/// Rules over effects. Without any, everything is allowed; as soon as one is allowed, only
/// what is allowed may happen. What is denied may not happen, whatever is allowed. A file
/// whose list of what is allowed is empty allows nothing.
///
/// ```
/// use svc_lang::plan::Policy;
///
/// let policy = Policy::default().allow("reads fs:./docs")?.allow("reads llm")?.deny("asks")?;
/// assert!(!policy.is_empty());
/// assert!(Policy::default().allow("reads ./docs").is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Everything where there is no list.
    allow: Option<Vec<Rule>>,
    deny: Vec<Rule>,
}

/// A policy as a file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    allow: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    deny: Vec<Spanned<String>>,
}

impl Policy {
    /// The same with something allowed; its path starts from the current directory.
    pub fn allow(mut self, rule: &str) -> Result<Self, String> {
        self.allow.get_or_insert_default().push(Rule::read(rule, Path::new(""))?);
        Ok(self)
    }

    /// The same with something denied.
    pub fn deny(mut self, rule: &str) -> Result<Self, String> {
        self.deny.push(Rule::read(rule, Path::new(""))?);
        Ok(self)
    }

    /// The rules of a file in TOML, `allow = ["reads"]` and `deny = ["spends"]`. Their
    /// paths start from the file's folder.
    pub fn read(file: &Source) -> Result<Self, String> {
        let at = |offset: usize, why: &str| {
            let (line, column) = file.position(offset);
            format!("{}:{line}:{column}: {why}", file.name())
        };
        let read: File = toml::from_str(file.text())
            .map_err(|err| at(err.span().map_or(0, |it| it.start), err.message()))?;
        let folder = file.folder().map_or(Path::new(""), |it| it.as_path());
        let rules = |all: Vec<Spanned<String>>| {
            let rule = |it: &Spanned<String>| {
                Rule::read(it.get_ref(), folder).map_err(|why| at(it.span().start, &why))
            };
            all.iter().map(rule).collect::<Result<Vec<_>, _>>()
        };
        Ok(Self { allow: read.allow.map(rules).transpose()?, deny: rules(read.deny)? })
    }

    /// The rules of both.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        if let Some(allow) = other.allow {
            self.allow.get_or_insert_default().extend(allow);
        }
        self.deny.extend(other.deny);
        self
    }

    /// The rules about places that no component names: mostly somebody misspelt one.
    pub fn idle<'a>(&'a self, registry: &Registry) -> Vec<&'a Rule> {
        let ops = registry.components().iter().flat_map(|it| it.ops);
        let effects: Vec<&Effect> = ops.flat_map(|it| it.effects).collect();
        let rules = self.allow.iter().flatten().chain(&self.deny);
        rules.filter(|it| it.is_idle(&effects)).collect()
    }

    /// Whether everything is allowed.
    pub fn is_empty(&self) -> bool {
        self.allow.is_none() && self.deny.is_empty()
    }

    /// A host that lets nothing happen that is not allowed.
    pub fn guard(&self, host: Arc<dyn Host>) -> Arc<dyn Host> {
        if self.is_empty() {
            return host;
        }
        let rules = Rules {
            by: By::Policy,
            reads: self.fence(Verb::Reads, host.as_ref()),
            writes: self.fence(Verb::Writes, host.as_ref()),
            web: self.web(),
        };
        Arc::new(Guard::new(host, rules))
    }

    /// A host that reads what a script may use: the files in its own folder, unless they are
    /// denied, and where everything is allowed, or reading them is, others too.
    pub fn guard_uses(
        &self,
        host: &Arc<dyn Host>,
        folder: &Path,
        is_untrusted: bool,
    ) -> Arc<dyn Host> {
        if self.is_empty() && !is_untrusted {
            return host.clone();
        }
        let mut reads = self.fence(Verb::Reads, host.as_ref());
        if is_untrusted {
            reads.inside.get_or_insert_default();
        }
        if let Some(inside) = &mut reads.inside {
            inside.extend(host.real_path(folder));
        }
        let writes = Fence::around(Vec::new());
        let rules = Rules { by: By::Use, reads, writes, web: Web::default() };
        Arc::new(Guard::new(host.clone(), rules))
    }

    fn fence(&self, verb: Verb, host: &dyn Host) -> Fence {
        let paths = |rules: &[Rule]| {
            let of_verb = rules.iter().filter(|it| it.verb == verb);
            let path = |it: &Rule| match &it.scope {
                None => Some("/".into()),
                Some(Scope::Path(path)) => Some(rule::real(host, path, Verb::Reads)),
                Some(Scope::Web(_) | Scope::Named(_)) => None,
            };
            of_verb.filter_map(path).collect()
        };
        let inside = self.allow.as_deref().map(paths);
        Fence { inside, except: paths(&self.deny) }
    }

    fn web(&self) -> Web {
        let inside = self.allow.as_deref().map(sites);
        Web { inside, except: sites(&self.deny) }
    }
}

/// The hosts that rules are about.
fn sites(rules: &[Rule]) -> Vec<Site> {
    let reads = rules.iter().filter(|it| it.verb == Verb::Reads);
    let site = |it: &Rule| match &it.scope {
        None | Some(Scope::Web(None)) => Some(Site::any()),
        Some(Scope::Web(Some(site))) => Some(site.clone()),
        Some(Scope::Path(_) | Scope::Named(_)) => None,
    };
    reads.filter_map(site).collect()
}

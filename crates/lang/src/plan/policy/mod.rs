//! Policies: rules that accept or refuse a plan before anything runs, and that guard the run
//! if a path or host is only known then.

#[cfg(feature = "policy-files")]
mod file;
mod flows;
mod refusals;
mod rule;

use std::{path::Path, sync::Arc};

pub use rule::Rule;

use super::Verb;
use rule::Scope;
use svc_contract::{
    host::{
        Host,
        guard::{By, Fence, Guard, Rules, Site, Web},
    },
    registry::{Effect, OpDef, Registry},
};

/// Rules over effects. Without any rule, everything is allowed; once one effect is allowed, all
/// others are refused. Denied effects are refused even if they are also allowed. A file with an
/// empty `allow` list allows nothing.
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
    /// `None` allows everything.
    allow: Option<Vec<Rule>>,
    deny: Vec<Rule>,
    /// Whether a program may only run if a rule allows it, even without any rule.
    is_untrusted: bool,
}

impl Policy {
    /// A policy that allows only computing, and what further rules allow.
    pub fn closed() -> Self {
        Self { allow: Some(Vec::new()), ..Self::default() }
    }

    /// A policy of these rules. Without `allow`, everything is allowed that no rule denies.
    pub fn of(allow: Option<Vec<Rule>>, deny: Vec<Rule>) -> Self {
        Self { allow, deny, ..Self::default() }
    }

    /// Adds an allowed effect; its path is relative to the current directory.
    pub fn allow(mut self, rule: &str) -> Result<Self, String> {
        self.allow.get_or_insert_default().push(Rule::read(rule, Path::new(""))?);
        Ok(self)
    }

    /// Adds a denied effect.
    pub fn deny(mut self, rule: &str) -> Result<Self, String> {
        self.deny.push(Rule::read(rule, Path::new(""))?);
        Ok(self)
    }

    /// The same rules for an untrusted script, which starts only programs that a rule allows.
    #[must_use]
    pub fn for_untrusted(self) -> Self {
        Self { is_untrusted: true, ..self }
    }

    /// Combines the rules of both.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        if let Some(allow) = other.allow {
            self.allow.get_or_insert_default().extend(allow);
        }
        self.deny.extend(other.deny);
        self.is_untrusted |= other.is_untrusted;
        self
    }

    /// The rules about places that no component names, which are mostly misspelt.
    pub fn idle<'a>(&'a self, registry: &Registry) -> Vec<&'a Rule> {
        let ops = registry.components().iter().flat_map(|it| it.ops);
        let effects: Vec<&Effect> = ops.flat_map(|it| it.effects).collect();
        let rules = self.allow.iter().flatten().chain(&self.deny);
        rules.filter(|it| it.is_idle(&effects)).collect()
    }

    /// Whether some call of an op can be allowed: no effect of it is denied everywhere, or allowed
    /// nowhere.
    pub fn admits(&self, op: &OpDef) -> bool {
        let is_barred = |effect: &Effect| {
            let is_denied = self.deny.iter().any(|it| it.covers_all(effect));
            let nowhere = |all: &Vec<Rule>| !all.iter().any(|it| it.may_cover(effect));
            is_denied || self.allow.as_ref().is_some_and(nowhere)
        };
        !op.effects.iter().any(is_barred)
    }

    /// Whether everything is allowed.
    pub fn is_empty(&self) -> bool {
        self.allow.is_none() && self.deny.is_empty() && !self.is_untrusted
    }

    /// Wraps a host so that it refuses everything that is not allowed.
    pub fn guard(&self, host: Arc<dyn Host>) -> Arc<dyn Host> {
        if self.is_empty() {
            return host;
        }
        let rules = Rules {
            by: By::Policy,
            reads: self.fence(Verb::Reads, host.as_ref()),
            writes: self.fence(Verb::Writes, host.as_ref()),
            web: self.web(Verb::Reads),
            web_writes: self.web(Verb::Writes),
        };
        Arc::new(Guard::new(host, rules))
    }

    /// Wraps a host so that it only reads files that a script may use: those in its folder unless
    /// they are denied, and others if everything or reading them is allowed.
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
        let (web, web_writes) = (Web::default(), Web::default());
        let rules = Rules { by: By::Use, reads, writes, web, web_writes };
        Arc::new(Guard::new(host.clone(), rules))
    }

    fn fence(&self, verb: Verb, host: &dyn Host) -> Fence {
        let paths = |rules: &[Rule]| {
            let of_verb = rules.iter().filter(|it| it.verb == verb);
            let path = |it: &Rule| match &it.scope {
                None => Some("/".into()),
                Some(Scope::Path(path)) => Some(rule::real(host, path, Verb::Reads)),
                Some(Scope::Web(_) | Scope::Command(_) | Scope::Named(_)) => None,
            };
            of_verb.filter_map(path).collect()
        };
        let inside = self.allow.as_deref().map(paths);
        Fence { inside, except: paths(&self.deny) }
    }

    fn web(&self, verb: Verb) -> Web {
        let inside = self.allow.as_deref().map(|it| sites(it, verb));
        Web { inside, except: sites(&self.deny, verb) }
    }
}

/// The hosts named by the rules of a verb.
fn sites(rules: &[Rule], verb: Verb) -> Vec<Site> {
    let of_verb = rules.iter().filter(|it| it.verb == verb);
    let site = |it: &Rule| match &it.scope {
        None | Some(Scope::Web(None)) => Some(Site::any()),
        Some(Scope::Web(Some(site))) => Some(site.clone()),
        Some(Scope::Path(_) | Scope::Command(_) | Scope::Named(_)) => None,
    };
    of_verb.filter_map(site).collect()
}

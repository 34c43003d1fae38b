//! Roles: what the holder of a key may do. They are those of `access.toml`, or the built-in ones.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

use svc_contract::{
    host::{self, Host},
    registry::{Registry, Tier, nearest},
    value::Money,
};
use svc_lang::{
    diag::Source,
    plan::{Policy, Rule},
};

use super::{
    gcra::Pace,
    oauth::OAuth,
    patterns::{Pattern, Patterns},
    policy_file::{self, PolicyProblem},
    rates::RateLimits,
};

/// The largest file that is read.
const LARGEST: u64 = 1 << 20;

/// The tiers of roles, each with its limits.
pub(super) const TIERS: [Tier; 4] = [Tier::Free, Tier::Researcher, Tier::Builder, Tier::Admin];

/// The effects that a hosted service allows no free role by itself.
const HOSTED: [&str; 4] = ["writes", "runs", "spends", "asks"];

/// What the holder of a key may do.
#[derive(Clone, Debug)]
pub struct Role {
    pub name: String,
    pub tier: Tier,
    /// The tools and served scripts that it may call.
    pub tools: Patterns,
    /// The ops that meta tools and sent scripts may call for it.
    pub ops: Patterns,
    pub limits: RateLimits,
    /// The effects that its runs may have; `None` allows all that nothing denies.
    pub(super) allow: Option<Vec<Rule>>,
    pub(super) deny: Vec<Rule>,
    /// The page that says what other tiers cost.
    pub(super) pricing: Option<String>,
}

/// The roles as of one moment. A run keeps those with which it began.
#[derive(Clone, Debug)]
pub struct AccessPolicy(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    roles: Vec<Role>,
    oauth: Option<OAuth>,
    version: String,
}

/// The current roles of a service, which can be read again while it runs.
#[derive(Debug)]
pub struct Roles {
    file: Option<PathBuf>,
    is_hosted: bool,
    current: RwLock<AccessPolicy>,
    /// Whether there was a file when the roles were last read.
    had_file: AtomicBool,
}

/// Why a policy file is not used.
#[derive(Clone, Debug)]
pub enum PolicyError {
    /// It cannot be read.
    File(String),
    /// It has mistakes, in the order of the file.
    Wrong(Vec<PolicyProblem>),
}

/// A pattern or rule that matches nothing that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyNote {
    pub message: String,
    pub help: Option<String>,
}

impl Role {
    /// The role of a tier, without a file.
    pub fn of_tier(tier: Tier, is_hosted: bool) -> Self {
        let deny = if is_hosted && tier == Tier::Free { &HOSTED[..] } else { &[] };
        Self {
            name: tier.name().to_owned(),
            tier,
            tools: Patterns::all(),
            ops: Patterns::all(),
            limits: limits(tier),
            allow: None,
            deny: deny.iter().filter_map(|it| Rule::read(it, Path::new("")).ok()).collect(),
            pricing: None,
        }
    }

    /// The rules for the effects of its runs.
    pub fn policy(&self) -> Policy {
        Policy::of(self.allow.clone(), self.deny.clone())
    }

    /// The rules as written: those that allow, if there are any, and those that deny.
    pub fn rules(&self) -> (Option<Vec<String>>, Vec<String>) {
        let texts = |all: &[Rule]| all.iter().map(ToString::to_string).collect();
        (self.allow.as_deref().map(texts), texts(&self.deny))
    }
}

/// The limits of a tier.
fn limits(tier: Tier) -> RateLimits {
    const MIB: u64 = 1 << 20;
    let row = |per_minute, burst, per_day, at_once, result| RateLimits {
        pace: Some(Pace { per_minute, burst }),
        per_day,
        at_once: Some(at_once),
        max_result: Some(result * MIB),
        ..RateLimits::NONE
    };
    let paying = |limits, run, day| RateLimits {
        max_cost: Some(Money::cents(run)),
        max_cost_per_day: Some(Money::cents(day)),
        ..limits
    };
    match tier {
        Tier::Free | Tier::Bias => paying(row(30, 10, Some(1_000), 2, 1), 0, 0),
        Tier::Researcher => paying(row(120, 40, Some(20_000), 8, 10), 50, 500),
        Tier::Builder => paying(row(600, 120, Some(200_000), 32, 10), 500, 5_000),
        Tier::Admin => row(1_200, 240, None, 64, 50),
    }
}

impl AccessPolicy {
    /// The built-in roles. A hosted service allows its free role no effects but reading.
    pub fn built_in(is_hosted: bool) -> Self {
        Self::new(TIERS.map(|it| Role::of_tier(it, is_hosted)).to_vec(), None)
    }

    /// Reads the text of a policy file: its roles, and the built-in ones that it does not name.
    pub fn read(source: &Source, is_hosted: bool) -> Result<Self, PolicyError> {
        let (roles, oauth) = policy_file::read(source, is_hosted).map_err(PolicyError::Wrong)?;
        Ok(Self::new(roles, oauth))
    }

    /// The policy in a file.
    pub fn load(file: &Path, is_hosted: bool, host: &dyn Host) -> Result<Self, PolicyError> {
        let name = file.display();
        let wrong = |why: &dyn fmt::Display| {
            PolicyError::File(format!("cannot read the policy `{name}`: {why}"))
        };
        let bytes = host::read(host, file, LARGEST).map_err(|err| wrong(&err))?;
        let text = String::from_utf8(bytes).map_err(|err| {
            let at = err.utf8_error().valid_up_to();
            wrong(&format_args!("not valid UTF-8 (invalid byte at offset {at})"))
        })?;
        let folder = file.parent().unwrap_or(Path::new(""));
        Self::read(&Source::new(name.to_string(), text).in_folder(folder), is_hosted)
    }

    fn new(roles: Vec<Role>, oauth: Option<OAuth>) -> Self {
        let mut hasher = blake3::Hasher::new();
        let all = roles.iter().map(|it| format!("{it:?}"));
        for text in all.chain(oauth.iter().map(|it| format!("{it:?}"))) {
            // All that decides, with its lengths.
            hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        }
        let version = hasher.finalize().to_hex()[..6].to_owned();
        Self(Arc::new(Parts { roles, oauth, version }))
    }

    /// Whose tokens are accepted, besides keys.
    pub fn oauth(&self) -> Option<&OAuth> {
        self.0.oauth.as_ref()
    }

    /// The role of this name.
    pub fn role(&self, name: &str) -> Option<&Role> {
        self.0.roles.iter().find(|it| it.name == name)
    }

    /// All roles, the lowest tier first.
    pub fn roles(&self) -> &[Role] {
        &self.0.roles
    }

    /// Six hex digits that change whenever a right changes.
    pub fn version(&self) -> &str {
        &self.0.version
    }

    /// The patterns and rules that match nothing: mostly typing errors. Served scripts are named by
    /// `scripts`.
    pub fn notes(&self, registry: &Registry, scripts: &[&str]) -> Vec<PolicyNote> {
        let tools: Vec<&str> =
            registry.tools().map(|(it, _)| it.name).chain(scripts.iter().copied()).collect();
        let ops: Vec<String> = registry
            .components()
            .iter()
            .flat_map(|it| it.ops.iter().map(move |op| format!("{}.{}", it.name, op.name)))
            .collect();
        let ops: Vec<&str> = ops.iter().map(String::as_str).collect();
        let mut notes = Vec::new();
        for role in self.roles() {
            for (field, patterns, names) in
                [("tools", &role.tools, &tools), ("ops", &role.ops, &ops)]
            {
                notes.extend(patterns.iter().filter_map(|it| idle(role, field, it, names)));
            }
            notes.extend(role.policy().idle(registry).iter().map(|it| PolicyNote {
                message: format!("roles.{}: the rule `{it}` matches no effect", role.name),
                help: None,
            }));
        }
        notes
    }
}

fn idle(role: &Role, field: &str, pattern: &Pattern, names: &[&str]) -> Option<PolicyNote> {
    if names.iter().any(|it| pattern.matches(it)) {
        return None;
    }
    let near = pattern.name().and_then(|it| nearest(it, names.iter().copied()));
    Some(PolicyNote {
        message: format!("roles.{}.{field}: `{pattern}` matches no name", role.name),
        help: near.map(|it| format!("did you mean `{it}`?")),
    })
}

impl fmt::Display for AccessPolicy {
    /// `policy 3f9a12: 4 roles`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "policy {}: {} roles", self.version(), self.roles().len())
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(why) => f.write_str(why),
            Self::Wrong(problems) => {
                let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
        }
    }
}

impl std::error::Error for PolicyError {}

impl Roles {
    /// The roles of a file, or the built-in ones without a file.
    pub fn open(
        file: Option<PathBuf>,
        is_hosted: bool,
        host: &dyn Host,
    ) -> Result<Self, PolicyError> {
        let is_there = file.as_deref().is_some_and(|it| !is_absent(it, host));
        let file_there = file.as_deref().filter(|_| is_there);
        let policy = Self::loaded(file_there, is_hosted, host)?;
        let (current, had_file) = (RwLock::new(policy), AtomicBool::new(is_there));
        Ok(Self { file, is_hosted, current, had_file })
    }

    fn loaded(
        file: Option<&Path>,
        is_hosted: bool,
        host: &dyn Host,
    ) -> Result<AccessPolicy, PolicyError> {
        match file {
            Some(file) => AccessPolicy::load(file, is_hosted, host),
            None => Ok(AccessPolicy::built_in(is_hosted)),
        }
    }

    /// The roles as they are now.
    pub fn current(&self) -> AccessPolicy {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the file again. If it has a mistake, the old roles stay. So they do if it was removed:
    /// the built-in roles may allow more.
    pub fn reload(&self, host: &dyn Host) -> Result<AccessPolicy, PolicyError> {
        let file = self.file.as_deref();
        // A file that was removed is an error, one that never was is not.
        let is_there =
            self.had_file.load(Ordering::Relaxed) || file.is_some_and(|it| !is_absent(it, host));
        let policy = Self::loaded(file.filter(|_| is_there), self.is_hosted, host)?;
        self.had_file.store(is_there, Ordering::Relaxed);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = policy.clone();
        Ok(policy)
    }
}

fn is_absent(file: &Path, host: &dyn Host) -> bool {
    host.stat(file).is_err_and(|it| it.kind() == std::io::ErrorKind::NotFound)
}

//! Who calls, with which rights.

use std::{fmt, sync::Arc};

use svc_contract::registry::{Registry, Tier};

use crate::access::{
    Role,
    decide::Rights,
    key::KeyId,
    keys::KeyInfo,
    rates::{Account, RateLimits},
};

/// The owner of everything on a machine whose service needs no keys.
pub const LOCAL: &str = "local";

/// Who calls. It is lent to the components of this crate.
#[derive(Clone)]
pub struct Caller {
    pub tier: Tier,
    /// Whether the experimental tools are included.
    pub is_experimental: bool,
    /// The version of the program.
    pub version: String,
    pub owner: Arc<str>,
    /// The key; none for the person at this machine.
    pub key: Option<KeyId>,
    pub(crate) role: Arc<Role>,
    /// What its calls and its money are counted for.
    pub(crate) account: Account,
    /// The version of the policy that gave the role.
    pub(crate) policy: String,
}

impl Caller {
    /// The person at this machine: everything but what is for administrators, without limits.
    pub fn local(version: &str) -> Self {
        Self::without_key(Tier::Builder, version)
    }

    /// Someone who needs no key and has no limits.
    pub(crate) fn without_key(tier: Tier, version: &str) -> Self {
        let mut role = Role::of_tier(tier, false);
        role.limits = RateLimits::NONE;
        Self {
            tier,
            is_experimental: true,
            version: version.to_owned(),
            owner: LOCAL.into(),
            key: None,
            account: Account::new(LOCAL, &role.name),
            role: Arc::new(role),
            policy: String::new(),
        }
    }

    /// The holder of a key.
    pub(crate) fn of_key(key: &KeyInfo, role: Arc<Role>, may_tune: bool, version: &str) -> Self {
        Self {
            tier: role.tier,
            is_experimental: may_tune,
            version: version.to_owned(),
            owner: key.owner.as_str().into(),
            key: Some(key.id),
            account: Account::new(&key.owner, &role.name),
            role,
            policy: String::new(),
        }
    }

    pub fn is_local(&self) -> bool {
        self.key.is_none()
    }

    /// Whether a tool of this tier is included.
    pub fn may_call(&self, tier: Tier) -> bool {
        self.rights().includes(tier)
    }

    /// Whether its role may call a tool.
    pub fn may_use(&self, tool: &str, registry: &Registry) -> bool {
        self.rights().of_tool(tool, registry).is_allowed()
    }

    /// Whether its role may run a served script.
    pub fn may_run(&self, script: &str) -> bool {
        self.rights().of_script(script).is_allowed()
    }

    pub(crate) fn rights(&self) -> Rights<'_> {
        Rights { role: &self.role, may_tune: self.is_experimental }
    }

    pub(crate) fn limits(&self) -> &RateLimits {
        &self.role.limits
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller")
            .field("owner", &self.owner)
            .field("role", &self.role.name)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

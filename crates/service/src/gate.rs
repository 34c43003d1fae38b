//! Who is let in: the key of a request becomes its caller, or the request is refused.

use core::net::{IpAddr, Ipv4Addr};
use std::{
    path::PathBuf,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use svc_contract::{host::Host, registry::ErrorKind, store::StoreError};

use crate::{
    Caller, Fault, Why,
    access::{
        Access, BAD_KEY, Denial,
        audit::AuditEntry,
        keys::{FRESH, KeyInfo, KeyState},
        lockout::PAUSE,
        rates::{RateRefusal, Window},
        roles::{AccessPolicy, PolicyError, Roles},
    },
    components::RolesFile,
};

/// Whose calls a service answers.
#[derive(Clone, Debug)]
pub struct Entrance {
    /// The folder with the keys, the policy and the owners of the service.
    pub data: PathBuf,
    /// Whether keys are needed even before the first one is issued.
    pub needs_keys: bool,
    /// Whether the service is offered to strangers: its free role then has no effects but reading.
    pub is_hosted: bool,
}

/// The keys and roles of a service that runs.
pub(crate) struct Gate {
    entrance: Entrance,
    roles: Roles,
    access: OnceLock<Access>,
    /// When it was last looked whether the first key was issued.
    looked: AtomicI64,
}

/// Someone who asks to be let in.
#[derive(Clone, Copy, Debug)]
pub struct Visitor<'a> {
    pub key: Option<&'a str>,
    pub address: IpAddr,
    /// `rest`, for the audit.
    pub surface: &'static str,
}

impl<'a> Visitor<'a> {
    /// Someone at this machine, who is connected without a network.
    pub fn here(key: Option<&'a str>, surface: &'static str) -> Self {
        Self { key, address: IpAddr::V4(Ipv4Addr::LOCALHOST), surface }
    }
}

/// A request that is not let in.
#[derive(Debug)]
pub struct Turned {
    pub fault: Box<Fault>,
    /// How long its answer has to wait.
    pub pause: Duration,
    /// The limit that was passed, for headers.
    pub window: Option<Window>,
}

impl Gate {
    /// Reads the roles. The keys are opened when there are any.
    pub(crate) fn open(entrance: Entrance, host: &dyn Host) -> Result<Self, PolicyError> {
        let file = Access::policy_file(&entrance.data);
        let roles = Roles::open(Some(file), entrance.is_hosted, host)?;
        Ok(Self { entrance, roles, access: OnceLock::new(), looked: AtomicI64::new(i64::MIN) })
    }

    pub(crate) fn data(&self) -> &std::path::Path {
        &self.entrance.data
    }

    /// The file of the roles, on the host of the service.
    pub(crate) fn roles_file(&self, host: Arc<dyn Host>) -> RolesFile {
        let Entrance { data, is_hosted, .. } = &self.entrance;
        RolesFile { path: Access::policy_file(data), is_hosted: *is_hosted, host }
    }

    /// The keys, once someone has issued one or they are needed from the start.
    pub(crate) fn access(&self, host: &dyn Host) -> Result<Option<&Access>, StoreError> {
        if let Some(access) = self.access.get() {
            return Ok(Some(access));
        }
        let (now, looked) = (host.now(), self.looked.load(Ordering::Relaxed));
        // A clock that is set back looks again at once.
        if !self.entrance.needs_keys && (looked..looked.saturating_add(FRESH)).contains(&now) {
            return Ok(None);
        }
        self.looked.store(now, Ordering::Relaxed);
        if !self.entrance.needs_keys && !Access::exists(&self.entrance.data, host) {
            return Ok(None);
        }
        let opened = Access::open(&self.entrance.data, host)?;
        Ok(Some(self.access.get_or_init(|| opened)))
    }

    /// The keys, if a caller needs one.
    pub(crate) fn needed(&self, host: &dyn Host) -> Result<Option<&Access>, StoreError> {
        let Some(access) = self.access(host)? else { return Ok(None) };
        let is_needed = self.entrance.needs_keys || access.keys.exist(host.now())?;
        Ok(is_needed.then_some(access))
    }

    /// Reads the policy file again. If it has a mistake, the old roles stay.
    pub(crate) fn reload(&self, host: &dyn Host) -> Result<AccessPolicy, PolicyError> {
        self.roles.reload(host)
    }

    /// The version of the roles as they are now.
    pub(crate) fn policy(&self) -> AccessPolicy {
        self.roles.current()
    }

    /// The key of a visitor, or why it is not accepted; `None` if none is needed.
    pub(crate) async fn verify(
        &self,
        visitor: Visitor<'_>,
        host: &dyn Host,
    ) -> Result<Option<Arc<KeyInfo>>, Turned> {
        let Some(access) = self.needed(host)? else { return Ok(None) };
        let Some(key) = visitor.key else {
            let fault = Fault::new(Why::Unauthorized, "missing API key");
            return Err(fault.help("send the header `Authorization: Bearer KEY`").into());
        };
        let now = host.now();
        let refusal = match access.enter(key, visitor.address, now).await? {
            Ok(key) => return Ok(Some(key)),
            Err(refusal) => refusal,
        };
        let id = refusal.key.map(|it| it.to_string());
        access.audit.append(&AuditEntry {
            at: now,
            key: id.as_deref(),
            surface: visitor.surface,
            decision: "refuse",
            rule: refusal.denial.name(),
            status: Why::Unauthorized.name(),
            ..AuditEntry::default()
        })?;
        let fault = match refusal.denial {
            Denial::Locked(_) => Fault::new(Why::Rate, "too many wrong keys"),
            Denial::Misfit(_) | Denial::Rejected(_) => Fault::new(Why::Unauthorized, BAD_KEY),
        };
        let retry_after = refusal.retry_after.map(Duration::from_secs);
        Err(Turned {
            fault: Box::new(Fault { retry_after, ..fault }),
            pause: refusal.pause,
            window: None,
        })
    }

    /// The newest valid key of an owner: what goes on without a caller has its rights.
    pub(crate) fn newest_key(&self, owner: &str, host: &dyn Host) -> Result<KeyInfo, Fault> {
        let now = host.now();
        let keys = match self.access(host).map_err(Fault::of_book)? {
            Some(access) => access.keys.list().map_err(Fault::of_book)?,
            None => Vec::new(),
        };
        let is_valid = |it: &KeyInfo| matches!(it.state(now), KeyState::Active | KeyState::Rotated);
        let found = keys.into_iter().find(|it| it.owner == owner && is_valid(it));
        found.ok_or_else(|| Fault::new(Why::Unauthorized, format!("`{owner}` has no valid key")))
    }

    /// The holder of a key, with the role as it is now.
    pub(crate) fn caller(
        &self,
        key: &KeyInfo,
        may_tune: bool,
        version: &str,
    ) -> Result<Caller, Turned> {
        let policy = self.roles.current();
        let Some(role) = policy.role(&key.role) else {
            let message = format!("the policy of the server has no role `{}`", key.role);
            return Err(Fault::new(Why::Op(ErrorKind::Denied), message).into());
        };
        let caller = Caller::of_key(key, Arc::new(role.clone()), may_tune, version);
        Ok(Caller { policy: policy.version().to_owned(), ..caller })
    }

    /// Whether a key may tune now.
    pub(crate) fn may_tune(&self, key: &KeyInfo, now: i64) -> bool {
        self.roles.current().role(&key.role).is_some_and(|it| key.may_tune(it.tier, now))
    }

    /// Counts a request of a caller.
    pub(crate) async fn admit(
        &self,
        caller: &Caller,
        host: &dyn Host,
    ) -> Result<Option<Window>, Turned> {
        let Some(access) = self.access(host)? else { return Ok(None) };
        let admitted = access.rates.admit(&caller.account, caller.limits(), 1, host.now()).await?;
        admitted.map_err(|refused| Turned {
            window: refused.window(),
            ..Turned::from(of_rate(&refused))
        })
    }
}

/// The fault of a passed limit.
pub(crate) fn of_rate(refused: &RateRefusal) -> Fault {
    let why = match refused {
        RateRefusal::Money(..) => Why::Op(ErrorKind::Budget),
        RateRefusal::Minute(..) | RateRefusal::Day(..) | RateRefusal::AtOnce(_) => Why::Rate,
    };
    let wait = Duration::from_secs(refused.retry_after());
    Fault::new(why, refused.to_string()).retry_after(wait)
}

impl From<Fault> for Turned {
    fn from(fault: Fault) -> Self {
        Self { fault: Box::new(fault), pause: Duration::ZERO, window: None }
    }
}

impl From<StoreError> for Turned {
    /// Without its book, a service lets no one in: a key may have been revoked.
    fn from(error: StoreError) -> Self {
        let fault = Fault::new(Why::Busy, "keys cannot be verified now");
        tracing::error!(%error, "the book of the service cannot be read");
        Self { pause: PAUSE, ..Self::from(fault.retry_after(Duration::from_secs(1))) }
    }
}

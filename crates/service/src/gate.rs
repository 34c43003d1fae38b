//! Who is let in: the key of a request becomes its caller, or the request is refused.

use core::net::{IpAddr, Ipv4Addr};
use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use svc_contract::{host::Host, registry::ErrorKind, store::StoreError, value::Value};

use crate::{
    Caller, Fault, Service, Why,
    access::{
        Access, BAD_KEY, BAD_TOKEN, Denial, Refusal,
        audit::AuditEntry,
        keys::{FRESH, KeyInfo, KeyState},
        lockout::{Network, PAUSE},
        oauth::{OAuth, Published},
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
    /// The keys of the issuer whose tokens are accepted.
    published: Published,
    /// The last token of each owner that sends tokens, as a key.
    holders: Mutex<HashMap<String, Arc<KeyInfo>>>,
}

/// The most owners with tokens that are remembered.
const MOST_HOLDERS: usize = 10_000;

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
        let looked = AtomicI64::new(i64::MIN);
        let (access, published, holders) =
            (OnceLock::new(), Published::default(), Mutex::default());
        Ok(Self { entrance, roles, access, looked, published, holders })
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
        let needs_keys = self.needs_keys();
        // A clock that is set back looks again at once.
        if !needs_keys && (looked..looked.saturating_add(FRESH)).contains(&now) {
            return Ok(None);
        }
        self.looked.store(now, Ordering::Relaxed);
        if !needs_keys && !Access::exists(&self.entrance.data, host) {
            return Ok(None);
        }
        let opened = Access::open(&self.entrance.data, host)?;
        Ok(Some(self.access.get_or_init(|| opened)))
    }

    /// The keys, if a caller needs one.
    pub(crate) fn needed(&self, host: &dyn Host) -> Result<Option<&Access>, StoreError> {
        let Some(access) = self.access(host)? else { return Ok(None) };
        let is_needed = self.needs_keys() || access.keys.exist(host.now())?;
        Ok(is_needed.then_some(access))
    }

    /// Whether callers need a key or a token from the start.
    fn needs_keys(&self) -> bool {
        self.entrance.needs_keys || self.roles.current().oauth().is_some()
    }

    /// Reads the policy file again. If it has a mistake, the old roles stay.
    pub(crate) fn reload(&self, host: &dyn Host) -> Result<AccessPolicy, PolicyError> {
        self.roles.reload(host)
    }

    /// The metadata of the resource with this path, if tokens of an issuer are accepted.
    pub(crate) fn metadata(&self, path: &str) -> Option<Value> {
        self.roles.current().oauth()?.metadata(path)
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
        let policy = self.roles.current();
        let Some(key) = visitor.key else { return Err(missing(policy.oauth()).into()) };
        self.entered(access, key, visitor, host).await.map(Some)
    }

    /// The key of a visitor, also where none is needed: each failure counts.
    pub(crate) async fn test(
        &self,
        key: &str,
        visitor: Visitor<'_>,
        host: &dyn Host,
    ) -> Result<Arc<KeyInfo>, Turned> {
        let access = match self.access(host)? {
            Some(access) => access,
            None => {
                let opened = Access::open(&self.entrance.data, host)?;
                self.access.get_or_init(|| opened)
            }
        };
        self.entered(access, key, visitor, host).await
    }

    async fn entered(
        &self,
        access: &Access,
        key: &str,
        visitor: Visitor<'_>,
        host: &dyn Host,
    ) -> Result<Arc<KeyInfo>, Turned> {
        let (policy, now) = (self.roles.current(), host.now());
        let (entered, oauth) = match policy.oauth().filter(|_| OAuth::is_token(key)) {
            Some(oauth) => (self.enter_by_token(access, oauth, visitor, host).await?, Some(oauth)),
            None => (access.enter(key, visitor.address, now).await?, None),
        };
        let refusal = match entered {
            Ok(key) => return Ok(key),
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
        let fault = match (refusal.denial, oauth) {
            (Denial::Locked(_), _) => Fault::new(Why::Rate, "too many wrong keys"),
            (Denial::Misfit(_) | Denial::Rejected(_) | Denial::Token(_), None) => {
                let fault = Fault::new(Why::Unauthorized, BAD_KEY);
                policy
                    .oauth()
                    .into_iter()
                    .fold(fault, |it, oauth| it.challenge(oauth.challenge(None)))
            }
            (Denial::Misfit(_) | Denial::Rejected(_) | Denial::Token(_), Some(oauth)) => {
                let challenge = oauth.challenge(Some("invalid_token"));
                Fault::new(Why::Unauthorized, BAD_TOKEN).challenge(challenge)
            }
        };
        let retry_after = refusal.retry_after.map(Duration::from_secs);
        Err(Turned {
            fault: Box::new(Fault { retry_after, ..fault }),
            pause: refusal.pause,
            window: None,
        })
    }

    /// The holder of a token, as that of a key.
    async fn enter_by_token(
        &self,
        access: &Access,
        oauth: &OAuth,
        visitor: Visitor<'_>,
        host: &dyn Host,
    ) -> Result<Result<Arc<KeyInfo>, Refusal>, Turned> {
        let (network, now) = (Network::of(visitor.address), host.now());
        if let Some(refusal) = access.locked(&network, None, now)? {
            return Ok(Err(refusal));
        }
        let token = visitor.key.unwrap_or_default();
        let verified = self.published.verify(token, oauth, host).await.map_err(|_| {
            // Why is for the operator, who finds it in the log.
            let fault = Fault::new(Why::Busy, "tokens cannot be verified now");
            Turned::from(fault.retry_after(Duration::from_secs(5)))
        })?;
        let grant = match verified {
            Ok(grant) => grant,
            Err(misfit) => {
                let denial = Denial::Token(misfit);
                return Ok(Err(access.refuse(denial, &network, None, now).await?));
            }
        };
        let Some(holder) = oauth.holder(&grant) else {
            let fault = Fault::new(
                Why::Op(ErrorKind::Denied),
                "the access token has none of the scopes of this server",
            );
            return Err(fault.challenge(oauth.challenge(Some("insufficient_scope"))).into());
        };
        let holder = Arc::new(holder);
        let mut holders = self.holders();
        if holders.len() >= MOST_HOLDERS {
            holders.retain(|_, it| it.expires > now);
        }
        holders.insert(holder.owner.clone(), holder.clone());
        Ok(Ok(holder))
    }

    fn holders(&self) -> MutexGuard<'_, HashMap<String, Arc<KeyInfo>>> {
        self.holders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newest valid key of an owner, or its last token: what goes on without a caller has its
    /// rights.
    pub(crate) fn newest_key(&self, owner: &str, host: &dyn Host) -> Result<KeyInfo, Fault> {
        let now = host.now();
        let keys = match self.access(host).map_err(Fault::of_book)? {
            Some(access) => access.keys.list().map_err(Fault::of_book)?,
            None => Vec::new(),
        };
        let is_valid = |it: &KeyInfo| matches!(it.state(now), KeyState::Active | KeyState::Rotated);
        let found = keys.into_iter().find(|it| it.owner == owner && is_valid(it));
        let of_token = || self.holders().get(owner).map(|it| KeyInfo::clone(it));
        found
            .or_else(|| of_token().filter(is_valid))
            .ok_or_else(|| Fault::new(Why::Unauthorized, format!("`{owner}` has no valid key")))
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

/// The fault of a visitor without a key.
fn missing(oauth: Option<&OAuth>) -> Fault {
    match oauth {
        None => Fault::new(Why::Unauthorized, "missing API key")
            .help("send the header `Authorization: Bearer KEY`"),
        Some(oauth) => Fault::new(Why::Unauthorized, "missing API key or access token")
            .help(format!(
                "send the header `Authorization: Bearer TOKEN`, with a token of `{}`",
                oauth.issuer
            ))
            .challenge(oauth.challenge(None)),
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

impl Service {
    /// The issuer whose tokens are accepted besides keys.
    pub fn issuer(&self) -> Option<String> {
        self.shared.gate.as_ref()?.policy().oauth().map(|it| it.issuer.clone())
    }

    /// The metadata of the protected resource with this path, if tokens of an issuer are accepted.
    pub fn resource_metadata(&self, path: &str) -> Option<Value> {
        self.shared.gate.as_ref()?.metadata(path)
    }
}

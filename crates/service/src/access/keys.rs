//! Issues, verifies, rotates and revokes keys.
//!
//! A service keeps the tag of a key, an HMAC-SHA-256 under the pepper, and not the key. A check
//! computes one HMAC and compares tags in constant time, whether the id is known or not. All keys are
//! in memory; changes by other processes are noticed within [`FRESH`], and at once if a key is refused.

use std::sync::{
    Arc, PoisonError, RwLock,
    atomic::{AtomicI64, Ordering},
};

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use svc_contract::{
    host::Host,
    registry::{Tier, nearest},
    store::{StoreError, StoreErrorKind},
};
use svc_store::book::{Book, KeyRow, Rotation};

use super::{
    issue::TRIAL,
    key::{ApiKey, KeyId, KeyKind},
    ring::Ring,
    roles::AccessPolicy,
};

pub use super::issue::{IssueError, KeyMistake, NewKey};

/// How long a process may not notice the changes of others, in milliseconds.
pub const FRESH: i64 = 250;

/// A day in milliseconds.
pub const DAY: i64 = 24 * 60 * 60 * 1_000;

/// How long a rotated key is still valid, in milliseconds.
pub const OVERLAP: i64 = DAY;

/// A key without its secret. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyInfo {
    pub id: KeyId,
    pub kind: KeyKind,
    pub owner: String,
    pub role: String,
    /// Whether it was issued for the tools that tune.
    pub bias: bool,
    pub created: i64,
    /// When the first of the keys whose place it took was created.
    pub began: i64,
    pub expires: i64,
    /// The key that took its place, and the time until which both are valid.
    pub successor: Option<(String, i64)>,
    pub revoked: Option<i64>,
}

/// The state of a key at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyState {
    Active,
    /// Another key took its place, and it is valid for some more hours.
    Rotated,
    Expired,
    Revoked,
}

/// Why a key is not accepted. Callers are not shown which: see [`super::BAD_KEY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRejection {
    /// No key has this id.
    Unknown,
    /// The secret is another one.
    Secret,
    /// The secret is right, but the key has expired.
    Expired,
    /// The secret is right, but the key was revoked.
    Revoked,
}

/// The keys of a service.
pub struct Keys {
    book: Arc<Book>,
    mac: Hmac<Sha256>,
    dummy: [u8; 32],
    ring: RwLock<Arc<Loaded>>,
    /// When changes of others were last looked for.
    looked: AtomicI64,
}

/// The keys as of one moment.
struct Loaded {
    changes: u64,
    ring: Ring,
    keys: Vec<Arc<KeyInfo>>,
}

impl Keys {
    /// The keys of a book.
    pub fn open(book: Arc<Book>, now: i64) -> Result<Self, StoreError> {
        let mac = Hmac::new_from_slice(&book.pepper().derive("svc 2026 tags of keys"))
            .map_err(StoreError::bug)?;
        let dummy = book.pepper().derive("svc 2026 dummy of unknown keys");
        let loaded = Loaded::read(&book, dummy)?;
        let (ring, looked) = (RwLock::new(Arc::new(loaded)), AtomicI64::new(now));
        Ok(Self { book, mac, dummy, ring, looked })
    }

    /// Whether there is any key, valid or not.
    pub fn is_empty(&self) -> bool {
        self.loaded().keys.is_empty()
    }

    /// Whether there is any key, also one that another process issued.
    pub fn exist(&self, now: i64) -> Result<bool, StoreError> {
        self.refresh(now)?;
        Ok(!self.is_empty())
    }

    /// Verifies a key at the time `now`, in milliseconds since 1970. An error of the book refuses all
    /// keys, because one of them may have been revoked.
    pub fn verify(
        &self,
        key: &ApiKey,
        now: i64,
    ) -> Result<Result<Arc<KeyInfo>, KeyRejection>, StoreError> {
        self.refresh(now)?;
        let tag = self.tag(key);
        let mut loaded = self.loaded();
        let mut found = loaded.ring.find(key.id().bits(), tag);
        // It may have been issued a moment ago. An id that is known takes as long as one that is not.
        if !found.is_right && self.look()? {
            loaded = self.loaded();
            found = loaded.ring.find(key.id().bits(), tag);
        }
        if !found.is_right {
            const REASONS: [KeyRejection; 2] = [KeyRejection::Unknown, KeyRejection::Secret];
            return Ok(Err(REASONS[usize::from(found.known)]));
        }
        let Some(info) = loaded.keys.get(found.index) else {
            return Ok(Err(KeyRejection::Unknown));
        };
        Ok(match info.state(now) {
            KeyState::Active | KeyState::Rotated => Ok(info.clone()),
            KeyState::Expired => Err(KeyRejection::Expired),
            KeyState::Revoked => Err(KeyRejection::Revoked),
        })
    }

    /// All keys, the latest first.
    pub fn list(&self) -> Result<Vec<KeyInfo>, StoreError> {
        self.book.keys()?.iter().map(info).collect()
    }

    /// The key with this id.
    pub fn get(&self, id: KeyId) -> Result<KeyInfo, StoreError> {
        let row = self.book.key(id.as_str())?;
        row.as_ref().map_or_else(|| Err(self.unknown(id)), info)
    }

    /// Issues a key for a role of `policy`. Its secret is nowhere else.
    pub fn issue(
        &self,
        wish: &NewKey,
        policy: &AccessPolicy,
        host: &dyn Host,
    ) -> Result<(ApiKey, KeyInfo), IssueError> {
        let (kind, days) = wish.settled(policy)?;
        let created = host.now();
        let key = ApiKey::new(kind, host).map_err(StoreError::from)?;
        let info = KeyInfo {
            id: key.id(),
            kind,
            owner: wish.owner.clone(),
            role: wish.role.clone(),
            bias: wish.bias,
            created,
            began: created,
            expires: created.saturating_add(days * DAY),
            successor: None,
            revoked: None,
        };
        self.book.add_key(self.row(&key, &info)).wait()?;
        self.reload()?;
        Ok((key, info))
    }

    /// Issues the successor of a key, with the same rights and the same length of life. The old key
    /// stays valid for [`OVERLAP`].
    pub fn rotate(&self, id: KeyId, host: &dyn Host) -> Result<(ApiKey, KeyInfo), IssueError> {
        let old = self.get(id)?;
        let created = host.now();
        let key = ApiKey::new(old.kind, host).map_err(StoreError::from)?;
        let life = old.expires.saturating_sub(old.created);
        let expires = created.saturating_add(life);
        let info =
            KeyInfo { id: key.id(), created, expires, successor: None, revoked: None, ..old };
        let ends = created.saturating_add(OVERLAP).min(old.expires);
        let new = self.row(&key, &info);
        let rotation = Rotation { old: id.as_str().to_owned(), new, ends };
        if let Some(why) = self.book.rotate_key(rotation).wait()? {
            return Err(KeyMistake {
                message: format!("cannot rotate key `{id}`: {why}"),
                help: Some("issue a new key".to_owned()),
            }
            .into());
        }
        self.reload()?;
        Ok((key, info))
    }

    /// Ends a key at once. Returns whether it was not revoked before.
    pub fn revoke(&self, id: KeyId, now: i64) -> Result<bool, StoreError> {
        self.get(id)?;
        let was_valid = self.book.revoke_key(id.as_str().to_owned(), now).wait()?;
        self.reload()?;
        Ok(was_valid)
    }

    fn unknown(&self, id: KeyId) -> StoreError {
        let err = StoreError::new(StoreErrorKind::NotFound, format!("unknown key `{id}`"));
        let keys = self.loaded();
        match nearest(id.as_str(), keys.keys.iter().map(|it| it.id.as_str())) {
            Some(near) => err.help(format!("did you mean `{near}`?")),
            None => err,
        }
    }

    fn loaded(&self) -> Arc<Loaded> {
        self.ring.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Looks for changes of others, if that was long ago.
    fn refresh(&self, now: i64) -> Result<(), StoreError> {
        let looked = self.looked.load(Ordering::Relaxed);
        // A clock may be set back.
        if now.abs_diff(looked) < FRESH.unsigned_abs() {
            return Ok(());
        }
        self.look()?;
        self.looked.store(now, Ordering::Relaxed);
        Ok(())
    }

    /// Looks for changes of others. Whether there were any.
    fn look(&self) -> Result<bool, StoreError> {
        let has_changed = self.book.key_changes()? != self.loaded().changes;
        if has_changed {
            self.reload()?;
        }
        Ok(has_changed)
    }

    fn reload(&self) -> Result<(), StoreError> {
        let loaded = Arc::new(Loaded::read(&self.book, self.dummy)?);
        let mut ring = self.ring.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have read a later state.
        if loaded.changes >= ring.changes {
            *ring = loaded;
        }
        Ok(())
    }

    fn tag(&self, key: &ApiKey) -> [u8; 32] {
        let mut mac = self.mac.clone();
        mac.update(key.reveal().as_bytes());
        mac.finalize().into_bytes().into()
    }

    fn row(&self, key: &ApiKey, info: &KeyInfo) -> KeyRow {
        KeyRow {
            id: info.id.to_string(),
            kind: info.kind.name().to_owned(),
            owner: info.owner.clone(),
            role: info.role.clone(),
            bias: info.bias,
            tag: self.tag(key),
            created: info.created,
            began: info.began,
            expires: info.expires,
            successor: info.successor.clone(),
            revoked: info.revoked,
        }
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keys").field("count", &self.loaded().keys.len()).finish()
    }
}

impl Loaded {
    fn read(book: &Book, dummy: [u8; 32]) -> Result<Self, StoreError> {
        // Read first: a change in between is then noticed later.
        let changes = book.key_changes()?;
        let rows = book.keys()?;
        let keys = rows.iter().map(|it| info(it).map(Arc::new)).collect::<Result<Vec<_>, _>>()?;
        let tags: Vec<_> =
            keys.iter().zip(&rows).map(|(it, row)| (it.id.bits(), row.tag)).collect();
        Ok(Self { changes, ring: Ring::new(&tags, dummy), keys })
    }
}

fn info(row: &KeyRow) -> Result<KeyInfo, StoreError> {
    let id = KeyId::parse(&row.id).ok_or_else(|| StoreError::corrupt("the id of a key is damaged"));
    let kind = KeyKind::read(&row.kind).ok_or_else(|| {
        StoreError::corrupt(format_args!("the kind of key `{}` is damaged", row.id))
    });
    Ok(KeyInfo {
        id: id?,
        kind: kind?,
        owner: row.owner.clone(),
        role: row.role.clone(),
        bias: row.bias,
        created: row.created,
        began: row.began,
        expires: row.expires,
        successor: row.successor.clone(),
        revoked: row.revoked,
    })
}

impl KeyInfo {
    pub fn state(&self, now: i64) -> KeyState {
        match &self.successor {
            _ if self.revoked.is_some() => KeyState::Revoked,
            _ if self.expires <= now => KeyState::Expired,
            Some((_, ends)) if *ends <= now => KeyState::Expired,
            Some(_) => KeyState::Rotated,
            None => KeyState::Active,
        }
    }

    /// When it ends, if nothing else happens.
    pub fn ends(&self) -> i64 {
        match (&self.revoked, &self.successor) {
            (Some(at), _) => *at,
            (None, Some((_, ends))) => self.expires.min(*ends),
            (None, None) => self.expires,
        }
    }

    /// Whether it may call the tools that tune: on trial, which a rotation does not prolong, or with a paid tier, and issued for them.
    pub fn may_tune(&self, tier: Tier, now: i64) -> bool {
        let is_on_trial = now < self.began.saturating_add(TRIAL * DAY);
        match tier {
            Tier::Free => self.bias && is_on_trial,
            Tier::Researcher | Tier::Builder => self.bias,
            Tier::Bias | Tier::Admin => false,
        }
    }
}

impl KeyState {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Rotated => "rotated",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }
}

impl KeyRejection {
    /// For the audit, not for callers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown key",
            Self::Secret => "wrong secret",
            Self::Expired => "expired key",
            Self::Revoked => "revoked key",
        }
    }

    /// Whether it may have been a guess.
    pub const fn is_guess(self) -> bool {
        matches!(self, Self::Unknown | Self::Secret)
    }
}

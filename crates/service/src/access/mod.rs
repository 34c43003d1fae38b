//! Keys and rights: who calls, what they may do, how much of it, and what was decided.
//!
//! [`Access::enter`] turns the text of a key into its holder, or refuses it in one way whatever is
//! wrong with it; [`oauth`] does the same for tokens of an issuer. [`decide`] says whether the holder
//! may call a tool or the ops of a plan; the rules for effects are those of [`Role::policy`], which
//! the engine applies. [`rates`] counts calls and money. [`audit`] records decisions.
//!
//! Times are milliseconds since 1970, given by the caller. Nothing here sleeps: a caller that refuses
//! a key waits until [`Refusal::pause`] is over, without a thread.

pub mod audit;
pub mod decide;
mod gcra;
mod issue;
pub mod key;
pub mod keys;
pub mod lockout;
pub mod oauth;
pub mod patterns;
mod policy_file;
pub mod rates;
mod redact;
mod refusal;
mod ring;
pub mod roles;
#[cfg(test)]
mod tests;

use core::net::IpAddr;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use svc_contract::{host::Host, store::StoreError};
use svc_store::book::Book;

pub use gcra::Pace;
pub use policy_file::PolicyProblem;
pub use redact::redact;
pub use roles::Role;
pub use svc_store::book::{AuditHead, AuditRow, Break, LockRow};

use self::{
    audit::Audit,
    key::{ApiKey, KeyId, KeyMisfit},
    keys::{KeyInfo, KeyRejection, Keys},
    lockout::{Lock, Lockout, Network, PAUSE},
    oauth::TokenMisfit,
    rates::Rates,
};

/// The only text for a key that is not accepted.
pub const BAD_KEY: &str = "invalid API key";

/// The only text for a token that is not accepted.
pub const BAD_TOKEN: &str = "invalid access token";

/// The policy file in the folder of a service.
const POLICY: &str = "access.toml";

/// Everything about keys and rights that is kept in one folder.
#[derive(Debug)]
pub struct Access {
    pub keys: Keys,
    pub lockout: Lockout,
    pub rates: Arc<Rates>,
    pub audit: Audit,
    book: Arc<Book>,
}

/// Why a caller is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denial {
    /// The text is not a key.
    Misfit(KeyMisfit),
    /// No key is accepted from this address until then.
    Locked(Lock),
    Rejected(KeyRejection),
    Token(TokenMisfit),
}

/// A refused key. Callers learn that it is refused, and when they may try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// For the audit.
    pub denial: Denial,
    /// The id in the text, if it has one.
    pub key: Option<KeyId>,
    /// How long the answer takes at least, from when the key was received.
    pub pause: Duration,
    /// Seconds until a lock ends.
    pub retry_after: Option<u64>,
}

impl Access {
    /// Opens the folder of a service, and creates it if necessary.
    pub fn open(folder: &Path, host: &dyn Host) -> Result<Self, StoreError> {
        Self::of(Book::open(folder, host)?, host)
    }

    /// What ends with the process.
    pub fn in_memory(host: &dyn Host) -> Result<Self, StoreError> {
        Self::of(Book::in_memory(host)?, host)
    }

    /// What is kept in a book.
    pub fn of(book: Book, host: &dyn Host) -> Result<Self, StoreError> {
        let (book, now) = (Arc::new(book), host.now());
        Ok(Self {
            keys: Keys::open(book.clone(), now)?,
            lockout: Lockout::open(book.clone(), now)?,
            rates: Rates::open(book.clone()),
            audit: Audit::open(book.clone()),
            book,
        })
    }

    /// Whether a folder has been used by a service.
    pub fn exists(folder: &Path, host: &dyn Host) -> bool {
        host.stat(&Book::file_in(folder)).is_ok()
    }

    /// The policy file of a folder, which need not exist.
    pub fn policy_file(folder: &Path) -> PathBuf {
        folder.join(POLICY)
    }

    pub fn book(&self) -> &Arc<Book> {
        &self.book
    }

    /// Verifies the key of a caller at an address. Failures are durable when it returns.
    pub async fn enter(
        &self,
        text: &str,
        address: IpAddr,
        now: i64,
    ) -> Result<Result<Arc<KeyInfo>, Refusal>, StoreError> {
        let network = Network::of(address);
        let key = ApiKey::parse(text);
        let id = key.as_ref().ok().map(ApiKey::id);
        if let Some(refusal) = self.locked(&network, id, now)? {
            return Ok(Err(refusal));
        }
        let denial = match &key {
            Err(misfit) => Denial::Misfit(*misfit),
            Ok(key) => match self.keys.verify(key, now)? {
                Ok(info) => {
                    self.lockout.succeed(&network, info.id)?;
                    return Ok(Ok(info));
                }
                Err(rejection) => Denial::Rejected(rejection),
            },
        };
        self.refuse(denial, &network, id, now).await.map(Err)
    }

    /// The refusal of everything from an address that is locked, or of one key from there.
    pub(crate) fn locked(
        &self,
        network: &Network,
        key: Option<KeyId>,
        now: i64,
    ) -> Result<Option<Refusal>, StoreError> {
        let Some(lock) = self.lockout.check(network, key, now)? else { return Ok(None) };
        let left = lock.until.saturating_sub(now).max(0).cast_unsigned();
        let retry_after = Some(left.div_ceil(1_000));
        Ok(Some(Refusal { denial: Denial::Locked(lock), key, pause: PAUSE, retry_after }))
    }

    /// Counts a failure, which is durable when it returns.
    pub(crate) async fn refuse(
        &self,
        denial: Denial,
        network: &Network,
        key: Option<KeyId>,
        now: i64,
    ) -> Result<Refusal, StoreError> {
        // Who sends a token whose time is over does not guess.
        if denial.is_guess() || key.is_some() {
            for write in self.lockout.fail(network, key, denial.is_guess(), now) {
                write.await?;
            }
        }
        Ok(Refusal { denial, key, pause: PAUSE, retry_after: None })
    }
}

impl Denial {
    /// For the audit, not for callers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Misfit(it) => it.name(),
            Self::Locked(_) => "locked",
            Self::Rejected(it) => it.name(),
            Self::Token(it) => it.name(),
        }
    }

    /// Whether it may be an attempt to find a key.
    fn is_guess(self) -> bool {
        match self {
            Self::Misfit(_) => true,
            Self::Locked(_) => false,
            Self::Rejected(it) => it.is_guess(),
            Self::Token(it) => it.is_guess(),
        }
    }
}

//! Hooks and deliveries in the folder of a service, for its operator.

use std::{fmt, path::Path, sync::Arc};

use svc_contract::{
    host::Host,
    store::{RunId, StoreError},
};
use svc_store::book::{Book, DeliveryFilter, DeliveryRow, HookForm, HookRow};

use super::secrets;
use crate::access::{
    Access,
    keys::{IssueError, NewKey},
    roles::AccessPolicy,
};

/// A hook to be added.
pub struct NewHook {
    pub script: String,
    pub form: HookForm,
    /// The owner and the role of its runs; without them, they are of this machine's user.
    pub holder: Option<(String, String)>,
    /// The name of its secret on the server.
    pub secret: Option<String>,
}

/// Why a hook is not added.
#[derive(Debug)]
pub enum HookError {
    /// The key for its owner cannot be issued.
    Key(IssueError),
    /// The name of the script cannot be one.
    Name,
    /// The secret has this name, and no value on this machine.
    Secret(String),
    Store(StoreError),
}

impl From<StoreError> for HookError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl fmt::Display for HookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(IssueError::Mistake(it)) => f.write_str(&it.message),
            Self::Key(IssueError::Store(it)) | Self::Store(it) => it.fmt(f),
            Self::Name => f.write_str("invalid name of a script: expected letters, digits and `_`"),
            Self::Secret(name) => write!(f, "the secret `{name}` has no value here"),
        }
    }
}

/// Adds a hook. Its owner gets a key that no one has, so that its rights end with that key.
pub fn add(
    access: &Access,
    new: NewHook,
    policy: &AccessPolicy,
    host: &dyn Host,
) -> Result<HookRow, HookError> {
    let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_';
    if new.script.is_empty() || !new.script.chars().all(is_name) {
        return Err(HookError::Name);
    }
    if let Some(name) = &new.secret {
        let known = host.secret(name).ok().flatten().is_some_and(|it| !it.is_empty());
        if !known {
            return Err(HookError::Secret(name.clone()));
        }
    }
    let key = match new.holder {
        Some((owner, role)) => {
            let wish = NewKey { owner, role, days: None, bias: false, test: false };
            let (_, info) = access.keys.issue(&wish, policy, host).map_err(HookError::Key)?;
            Some(info.id.to_string())
        }
        None => None,
    };
    let now = host.now();
    let hook = HookRow {
        id: format!("hook_{}", RunId::new(now)),
        script: new.script,
        form: new.form,
        key,
        secret: new.secret,
        created: now,
    };
    access.book().add_hook(hook.clone()).wait()?;
    Ok(hook)
}

/// Removes a hook, and ends its key. Returns it if it was there.
pub fn remove(access: &Access, id: &str, host: &dyn Host) -> Result<Option<HookRow>, StoreError> {
    let removed = access.book().remove_hook(id.to_owned()).wait()?;
    let key = removed.as_ref().and_then(|it| it.key.as_deref());
    if let Some(key) = key.and_then(crate::access::key::KeyId::parse) {
        access.keys.revoke(key, host.now())?;
    }
    Ok(removed)
}

/// The secret of a hook that was made for it.
pub fn secret(access: &Access, hook: &HookRow) -> Option<String> {
    hook.secret.is_none().then(|| secrets::of_hook(access.book(), hook).reveal())
}

/// What is sent for one owner.
pub struct Sent {
    book: Arc<Book>,
    owner: String,
}

impl Sent {
    pub fn of_book(book: Arc<Book>, owner: &str) -> Self {
        Self { book, owner: owner.to_owned() }
    }

    /// That of an owner of keys, whose folder is below that of the service; `None` without one.
    pub fn of_owner(data: &Path, owner: &str, host: &dyn Host) -> Result<Option<Self>, StoreError> {
        let folder = data.join("owners").join(owner);
        if !Access::exists(&folder, host) {
            return Ok(None);
        }
        Ok(Some(Self::of_book(Arc::new(Book::open(&folder, host)?), owner)))
    }

    pub fn deliveries(&self, filter: &DeliveryFilter) -> Result<Vec<DeliveryRow>, StoreError> {
        self.book.deliveries(&self.owner, filter)
    }

    /// The id of the job of a delivery.
    pub fn job_of(&self, delivery: &DeliveryRow) -> Result<Option<String>, StoreError> {
        Ok(self.book.job_at(delivery.job)?.map(|it| it.id))
    }

    /// Sends a delivery again; a server that runs notices it within a second.
    pub fn resend(&self, id: &str, now: i64) -> Result<Option<DeliveryRow>, StoreError> {
        self.book.resend(self.owner.clone(), id.to_owned(), now).wait()
    }

    /// The secret that signs, after a rotation if that is asked.
    pub fn secret(&self, rotation: Option<i64>) -> Result<String, StoreError> {
        if let Some(now) = rotation {
            self.book.rotate_signing(self.owner.clone(), now).wait()?;
        }
        let (generation, _) = self.book.signing(&self.owner)?;
        Ok(secrets::signing(&self.book, &self.owner, generation).reveal())
    }
}

//! What a new key is for, and what is wrong with such a wish.

use svc_contract::{
    registry::{Tier, nearest},
    store::StoreError,
};

use super::{
    key::KeyKind,
    roles::{AccessPolicy, Role},
};

/// The days of ordinary keys, of those for tests and operators, and of those on trial.
const LIFE: i64 = 365;
const SHORT_LIFE: i64 = 90;
pub(super) const TRIAL: i64 = 14;

/// The longest life in days.
const LONGEST_LIFE: u32 = 3_650;

/// What a new key is for.
#[derive(Clone, Debug, Default)]
pub struct NewKey {
    pub owner: String,
    pub role: String,
    /// Its life; by default that of its kind.
    pub days: Option<u32>,
    /// Whether it may call the tools that tune.
    pub bias: bool,
    /// Whether it is for tests.
    pub test: bool,
}

/// A mistake in the wish for a new key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyMistake {
    pub message: String,
    pub help: Option<String>,
}

/// Why a key was not issued.
#[derive(Clone, Debug)]
pub enum IssueError {
    Mistake(KeyMistake),
    Store(StoreError),
}

impl NewKey {
    /// The kind and the days of the key, if a role of `policy` may have it.
    pub(super) fn settled(&self, policy: &AccessPolicy) -> Result<(KeyKind, i64), KeyMistake> {
        is_owner(&self.owner)?;
        let role = role(self, policy)?;
        let kind = kind(self, role)?;
        Ok((kind, days(self, kind, role)?))
    }
}

impl KeyMistake {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: Some(help.into()) }
    }
}

impl From<KeyMistake> for IssueError {
    fn from(it: KeyMistake) -> Self {
        Self::Mistake(it)
    }
}

impl From<StoreError> for IssueError {
    fn from(it: StoreError) -> Self {
        Self::Store(it)
    }
}

/// An owner has a folder of that name.
fn is_owner(name: &str) -> Result<(), KeyMistake> {
    let is_sign =
        |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || matches!(it, '-' | '_' | '.');
    let is_good = (1..=64).contains(&name.len())
        && name.chars().all(is_sign)
        && !name.starts_with(['.', '-'])
        && !name.ends_with('.')
        // This one needs no key.
        && name != crate::LOCAL;
    if is_good {
        return Ok(());
    }
    let help = "use up to 64 lower-case letters, digits, `-`, `_` and `.`, beginning with a letter \
        or digit";
    Err(KeyMistake::new(format!("invalid owner `{name}`"), help))
}

fn role<'a>(wish: &NewKey, policy: &'a AccessPolicy) -> Result<&'a Role, KeyMistake> {
    policy.role(&wish.role).ok_or_else(|| {
        let known: Vec<&str> = policy.roles().iter().map(|it| it.name.as_str()).collect();
        let help = match nearest(&wish.role, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the roles are {}", known.join(", ")),
        };
        KeyMistake::new(format!("unknown role `{}`", wish.role), help)
    })
}

fn kind(wish: &NewKey, role: &Role) -> Result<KeyKind, KeyMistake> {
    match (role.tier, wish.test) {
        (Tier::Admin, true) => Err(KeyMistake::new(
            format!("the role `{}` is for operators, and a key for tests is not", wish.role),
            "choose another role for tests",
        )),
        (Tier::Admin, false) if wish.bias => Err(KeyMistake::new(
            format!("a key of the role `{}` cannot be issued for tuning", wish.role),
            "issue another key with the role `builder` for that",
        )),
        (Tier::Admin, false) => Ok(KeyKind::Admin),
        (_, true) => Ok(KeyKind::Test),
        (_, false) => Ok(KeyKind::Live),
    }
}

fn days(wish: &NewKey, kind: KeyKind, role: &Role) -> Result<i64, KeyMistake> {
    let usual = match kind {
        KeyKind::Test | KeyKind::Admin => SHORT_LIFE,
        KeyKind::Live if role.tier == Tier::Free && wish.bias => TRIAL,
        KeyKind::Live => LIFE,
    };
    match wish.days {
        Some(0) => Err(KeyMistake::new("invalid life: expected at least one day", "use `1`")),
        Some(days) if days > LONGEST_LIFE => Err(KeyMistake::new(
            format!("invalid life: {days} days are more than {LONGEST_LIFE}"),
            "rotate the key from time to time",
        )),
        Some(days) => Ok(i64::from(days)),
        None => Ok(usual),
    }
}

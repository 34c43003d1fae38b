//! The keys that an issuer publishes. They are read when a token names one that is not known, and
//! again from time to time.

use std::{
    fmt, io,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use futures_util::StreamExt as _;
use jsonwebtoken::jwk::JwkSet;
use serde_json::Value;
use svc_contract::host::{
    self, Host,
    http::{Request, follow},
};

use super::{
    KeysAt, OAuth,
    tokens::{Grant, Head, TokenMisfit, verify},
};

/// How long keys are used before they are read again, in milliseconds.
const FRESH: i64 = 10 * 60 * 1000;

/// How long keys stay in use while they cannot be read again.
const USABLE: i64 = 24 * 60 * 60 * 1000;

/// The shortest time between two attempts: a token may name any key.
const PAUSE: i64 = 5 * 1000;

/// How long the issuer may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The largest answer of an issuer.
const LARGEST: usize = 1 << 20;

/// The keys of one issuer, as they were last read.
#[derive(Default)]
pub struct Published {
    last: RwLock<Option<Arc<Last>>>,
    /// Held by the request that reads them.
    reading: tokio::sync::Mutex<()>,
}

/// The last attempt to read keys.
struct Last {
    of: OAuth,
    tried: i64,
    read: Option<i64>,
    keys: JwkSet,
    problem: String,
}

/// A verified token, or why it is not accepted; an error if the keys cannot be read.
pub type Verified = Result<Result<Grant, TokenMisfit>, String>;

impl Published {
    /// What a token grants now.
    pub async fn verify(&self, token: &str, oauth: &OAuth, host: &dyn Host) -> Verified {
        let head = match Head::read(token) {
            Ok(head) => head,
            Err(misfit) => return Ok(Err(misfit)),
        };
        let last = self.keys(&head, oauth, host).await;
        let Some(key) = head.key(&last.keys) else {
            return if last.read.is_some() {
                Ok(Err(TokenMisfit::Key))
            } else {
                Err(last.problem.clone())
            };
        };
        Ok(verify(token, &head, key, oauth, host.now()))
    }

    /// The keys, read again if they are old or do not contain the one of the token.
    async fn keys(&self, head: &Head, oauth: &OAuth, host: &dyn Host) -> Arc<Last> {
        if let Some(last) = self.last().filter(|it| !it.is_stale(head, oauth, host.now())) {
            return last;
        }
        let _reading = self.reading.lock().await;
        // Another request may have read them meanwhile.
        let before = self.last().filter(|it| it.of == *oauth);
        if let Some(last) = before.clone().filter(|it| !it.is_stale(head, oauth, host.now())) {
            return last;
        }
        let found = match tokio::time::timeout(PATIENCE, read(oauth, host)).await {
            Ok(found) => found.map_err(|err| err.to_string()),
            Err(_) => Err(format!("no answer within {} s", PATIENCE.as_secs())),
        };
        let last = Arc::new(Last::after(before.as_deref(), oauth, found, host.now()));
        *self.last.write().unwrap_or_else(PoisonError::into_inner) = Some(last.clone());
        last
    }

    fn last(&self) -> Option<Arc<Last>> {
        self.last.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Last {
    /// The state after an attempt: keys that were read before stay for a while.
    fn after(
        before: Option<&Self>,
        oauth: &OAuth,
        found: Result<JwkSet, String>,
        now: i64,
    ) -> Self {
        let (of, tried) = (oauth.clone(), now);
        match found {
            Ok(keys) => Self { of, tried, read: Some(now), keys, problem: String::new() },
            Err(problem) => {
                tracing::warn!(
                    issuer = oauth.issuer,
                    problem,
                    "the keys of an issuer cannot be read"
                );
                let kept = before.filter(|it| {
                    it.read.is_some_and(|at| now.abs_diff(at) < USABLE.unsigned_abs())
                });
                let keys = kept.map_or_else(|| JwkSet { keys: Vec::new() }, |it| it.keys.clone());
                Self { of, tried, read: kept.and_then(|it| it.read), keys, problem }
            }
        }
    }

    /// Whether they are to be read again for a token. A clock may be set back.
    fn is_stale(&self, head: &Head, oauth: &OAuth, now: i64) -> bool {
        let age = |at: i64| now.abs_diff(at);
        let is_old = self.read.is_none_or(|it| age(it) >= FRESH.unsigned_abs());
        let may_try = age(self.tried) >= PAUSE.unsigned_abs();
        self.of != *oauth || (may_try && (is_old || head.key(&self.keys).is_none()))
    }
}

impl fmt::Debug for Published {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Published").finish_non_exhaustive()
    }
}

/// Reads the keys of an issuer.
async fn read(oauth: &OAuth, host: &dyn Host) -> io::Result<JwkSet> {
    let bytes = match &oauth.keys {
        KeysAt::File(file) => host::read(host, file, LARGEST as u64)?,
        KeysAt::Url(url) => fetched(url, host).await?,
        KeysAt::Issuer => fetched(&place(oauth, host).await?, host).await?,
    };
    let wrong = |err| invalid(format!("the keys of `{}` are not a JWK set: {err}", oauth.issuer));
    serde_json::from_slice(&bytes).map_err(wrong)
}

/// Where an issuer says that its keys are: RFC 8414, or else `OpenID` Connect Discovery.
async fn place(oauth: &OAuth, host: &dyn Host) -> io::Result<String> {
    let issuer = oauth.issuer.trim_end_matches('/');
    let (scheme, rest) = issuer.split_once("://").unwrap_or(("https", issuer));
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let path = if path.is_empty() { String::new() } else { format!("/{path}") };
    let places = [
        format!("{scheme}://{authority}/.well-known/oauth-authorization-server{path}"),
        format!("{issuer}/.well-known/openid-configuration"),
    ];
    let mut failed = invalid(format!("`{issuer}` has no metadata"));
    for place in places {
        let bytes = match fetched(&place, host).await {
            Ok(bytes) => bytes,
            Err(err) => {
                failed = err;
                continue;
            }
        };
        let metadata: Value = serde_json::from_slice(&bytes)
            .map_err(|err| invalid(format!("`{place}` is not JSON: {err}")))?;
        let text = |name: &str| metadata.get(name).and_then(Value::as_str);
        if !text("issuer").is_some_and(|it| oauth.is_issuer(it)) {
            return Err(invalid(format!("`{place}` is the metadata of another issuer")));
        }
        let keys = text("jwks_uri").ok_or_else(|| invalid(format!("`{place}` names no keys")))?;
        return if is_private(keys) {
            Ok(keys.to_owned())
        } else {
            Err(invalid(format!("`{keys}` is not encrypted")))
        };
    }
    Err(failed)
}

/// Whether no one between can change what an address answers.
pub(in crate::access) fn is_private(url: &str) -> bool {
    let host = url.strip_prefix("http://").map(|it| it.split(['/', '?', '#']).next().unwrap_or(it));
    let is_here = |authority: &str| {
        ["127.0.0.1", "[::1]", "localhost"].iter().any(|it| {
            authority.strip_prefix(it).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
        })
    };
    url.starts_with("https://") || host.is_some_and(is_here)
}

async fn fetched(url: &str, host: &dyn Host) -> io::Result<Vec<u8>> {
    let request = Request::get(url).configured().header("accept", "application/json");
    let (_, mut answer) = follow(host, request).await?;
    if answer.status != 200 {
        return Err(io::Error::other(format!("`{url}` answered with status {}", answer.status)));
    }
    let mut bytes = Vec::new();
    while let Some(piece) = answer.body.next().await {
        bytes.extend(piece?);
        if bytes.len() > LARGEST {
            return Err(invalid(format!("`{url}` answered with more than {LARGEST} bytes")));
        }
    }
    Ok(bytes)
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

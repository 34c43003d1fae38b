//! Signed requests that start scripts.

use core::net::IpAddr;
use std::time::Duration;

use svc_contract::{host::Host, registry::ErrorKind};
use svc_signatures::{Key, has_signed_as_github};
use svc_store::book::{Book, HookForm, HookRow};

use super::secrets;
use crate::{
    Fault, Service, Turned, Why,
    access::{
        Access,
        audit::AuditEntry,
        key::KeyId,
        keys::{KeyInfo, KeyState},
        lockout::{Network, PAUSE},
        rates::Window,
    },
};

/// How far the time of a request may be from now, in seconds.
const TOLERANCE: i64 = 5 * 60;

/// The only text for a request that is not signed by a hook of its script.
const BAD_SIGNATURE: &str = "invalid signature";

/// For the audit.
const SURFACE: &str = "hook";

/// A request for a hook, as it came.
#[derive(Clone, Copy, Debug)]
pub struct SignedRequest<'a> {
    pub script: &'a str,
    pub body: &'a [u8],
    pub id: Option<&'a str>,
    pub timestamp: Option<&'a str>,
    /// Those of Standard Webhooks.
    pub signatures: Option<&'a str>,
    /// That of GitHub.
    pub github: Option<&'a str>,
    pub address: IpAddr,
}

/// A request whose sender is known.
pub struct Signed {
    /// The service for the owner of the hook.
    pub service: Service,
    pub window: Option<Window>,
    /// The name under which the request is made once.
    pub once: String,
}

impl Service {
    /// The service for the sender of a signed request, with the rights of the hook, or why it is not let
    /// in.
    pub async fn enter_signed(&self, request: SignedRequest<'_>) -> Result<Signed, Turned> {
        let host = self.shared.engine.host();
        let Some(gate) = &self.shared.gate else { return Err(unsigned().into()) };
        let Some(access) = gate.access(host)? else { return Err(unsigned().into()) };
        let (network, now) = (Network::of(request.address), host.now());
        if let Some(lock) = access.lockout.check(&network, None, now)? {
            let left = lock.until.saturating_sub(now).max(0).cast_unsigned();
            let fault = Fault::new(Why::Rate, "too many wrong signatures");
            let fault = fault.retry_after(Duration::from_millis(left));
            return Err(Turned { pause: PAUSE, ..Turned::from(fault) });
        }
        let Some(hook) = found(access.book(), &request, host)? else {
            for write in access.lockout.fail(&network, None, true, now) {
                write.await?;
            }
            note(access, None, &request, "signature", now)?;
            return Err(Turned { pause: PAUSE, ..Turned::from(unsigned()) });
        };
        if let Err(fault) = in_time(&hook, &request, now) {
            note(access, hook.key.as_deref(), &request, "timestamp", now)?;
            return Err(fault.into());
        }
        let once = once(&hook, &request);
        let Some(key) = &hook.key else {
            if self.needs_keys()? {
                note(access, None, &request, "no key", now)?;
                return Err(ownerless().into());
            }
            let service = Self { surface: SURFACE, ..self.clone() };
            return Ok(Signed { service, window: None, once });
        };
        let Some(key) = valid_key(access, key, now)? else {
            note(access, Some(key), &request, "expired", now)?;
            return Err(expired().into());
        };
        let side = self.side_of(gate, &key)?;
        let window = gate.admit(&side.caller, host).await?;
        let service = Self { shared: self.shared.clone(), side, surface: SURFACE };
        Ok(Signed { service, window, once })
    }
}

/// The hook of a script that signed a request.
fn found(
    book: &Book,
    request: &SignedRequest<'_>,
    host: &dyn Host,
) -> Result<Option<HookRow>, Fault> {
    let hooks = book.hooks_of(request.script)?;
    Ok(hooks.into_iter().find(|it| has_signed(book, it, request, host)))
}

fn has_signed(book: &Book, hook: &HookRow, request: &SignedRequest<'_>, host: &dyn Host) -> bool {
    let secret = match &hook.secret {
        None => secrets::of_hook(book, hook).reveal(),
        // A secret that cannot be read signs nothing.
        Some(name) => match host.secret(name) {
            Ok(Some(secret)) if !secret.is_empty() => secret,
            _ => return false,
        },
    };
    match hook.form {
        HookForm::Github => {
            request.github.is_some_and(|it| has_signed_as_github(&secret, request.body, it))
        }
        HookForm::Standard => {
            let parts = (request.id, request.timestamp, request.signatures);
            let (Some(id), Some(time), Some(all)) = parts else { return false };
            Key::parse(&secret).is_ok_and(|it| it.has_signed(id, time, request.body, all))
        }
    }
}

/// Whether a request is from now. GitHub signs no time.
fn in_time(hook: &HookRow, request: &SignedRequest<'_>, now: i64) -> Result<(), Fault> {
    if hook.form == HookForm::Github {
        return Ok(());
    }
    let time = request.timestamp.and_then(|it| it.parse::<i64>().ok());
    let distance = time.map(|it| now.div_euclid(1000).saturating_sub(it).saturating_abs());
    match distance {
        Some(it) if it <= TOLERANCE => Ok(()),
        Some(it) => {
            let message = format!("the request was signed {it} s from now (limit {TOLERANCE} s)");
            Err(Fault::new(Why::Unauthorized, message)
                .help("sign each try with its own time, and check the clock"))
        }
        None => Err(Fault::new(Why::Unauthorized, "invalid `webhook-timestamp`: expected seconds")),
    }
}

/// The name of a request: the signed id, or else what was signed.
fn once(hook: &HookRow, request: &SignedRequest<'_>) -> String {
    let of = match hook.form {
        HookForm::Standard => request.id.unwrap_or_default().as_bytes(),
        HookForm::Github => request.body,
    };
    let name = [hook.id.as_bytes(), b"\0", of].concat();
    blake3::hash(&name).to_hex().to_string()
}

/// The key of a hook, or the one that took its place, if it is valid.
fn valid_key(access: &Access, id: &str, now: i64) -> Result<Option<KeyInfo>, Fault> {
    let mut id = KeyId::parse(id);
    while let Some(at) = id {
        let key = access.keys.get(at)?;
        match key.state(now) {
            KeyState::Active => return Ok(Some(key)),
            KeyState::Rotated | KeyState::Expired if key.successor.is_some() => {
                id = key.successor.as_ref().and_then(|(next, _)| KeyId::parse(next));
            }
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// Records a request that is not let in.
fn note(
    access: &Access,
    key: Option<&str>,
    request: &SignedRequest<'_>,
    rule: &str,
    now: i64,
) -> Result<(), Fault> {
    access.audit.append(&AuditEntry {
        at: now,
        key,
        surface: SURFACE,
        work: request.script,
        decision: "refuse",
        rule,
        status: Why::Unauthorized.name(),
        ..AuditEntry::default()
    })?;
    Ok(())
}

fn unsigned() -> Fault {
    Fault::new(Why::Unauthorized, BAD_SIGNATURE)
        .help("sign the request with the secret of a hook of this script (`svc hooks add`)")
}

fn expired() -> Fault {
    Fault::new(Why::Unauthorized, "the key of the hook is not valid any more")
        .help("add the hook again with `svc hooks add`")
}

fn ownerless() -> Fault {
    let message = "the hook has no owner, and this server needs keys";
    Fault::new(Why::Op(ErrorKind::Denied), message)
        .help("add it again with `svc hooks add --owner OWNER --role ROLE`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(timestamp: &str) -> SignedRequest<'_> {
        SignedRequest {
            script: "a",
            body: b"{}",
            id: Some("msg_1"),
            timestamp: Some(timestamp),
            signatures: None,
            github: None,
            address: IpAddr::from([127, 0, 0, 1]),
        }
    }

    fn hook(form: HookForm) -> HookRow {
        let (id, script) = ("hook_1".to_owned(), "a".to_owned());
        HookRow { id, script, form, key: None, secret: None, created: 0 }
    }

    #[test]
    fn only_requests_of_five_minutes_are_accepted() {
        let (hook, now) = (hook(HookForm::Standard), 1_000_000_999);
        let is = |time: &str| in_time(&hook, &request(time), now).is_ok();
        assert!(is("1000000") && is("999700") && is("1000300"));
        for wrong in
            ["999699", "1000301", "", "x", "1e6", "-9223372036854775808", "99999999999999999999"]
        {
            assert!(!is(wrong), "{wrong}");
        }
    }

    #[test]
    fn a_request_is_named_by_what_was_signed() {
        let mut other = request("1");
        other.body = b"[]";
        let (standard, github) = (hook(HookForm::Standard), hook(HookForm::Github));
        assert_eq!(once(&standard, &request("1")), once(&standard, &other));
        assert_ne!(once(&github, &request("1")), once(&github, &other));
        assert_eq!(once(&github, &request("1")), once(&github, &request("2")));
    }
}

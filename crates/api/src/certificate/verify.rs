//! Verifying a certificate: it is computed again, and what differs is named.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use svc_engine::Engine;
use svc_lang::diag::Source;

use super::{Bound, Certificate, Hashed, PublicKey, Refused};

/// One difference between a certificate and what holds now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Difference {
    /// `script`, `module`, `op`, `price`, `model`, `at_most`, `bound`, `effect`, `assumed`, or
    /// `certificate` if nothing of the script differs.
    pub what: &'static str,
    pub message: String,
}

/// The outcome of a verification.
pub struct Verified {
    pub certificate: Certificate,
    /// Why the seal is not valid, or missing although a key was expected.
    pub broken_seal: Option<String>,
    /// Why nothing could be computed.
    pub refused: Option<Refused>,
    pub differences: Vec<Difference>,
}

/// The outcome as `svc verify --json` prints it.
#[derive(JsonSchema, Serialize)]
pub struct VerifiedJson<'a> {
    /// Whether the certificate holds.
    ok: bool,
    script: &'a str,
    /// The public key of the seal, in base64; null without a seal.
    signed_by: Option<&'a str>,
    /// Why the seal is not valid.
    seal: Option<&'a str>,
    /// Why it could not be computed again.
    refused: Option<String>,
    differences: &'a [Difference],
}

impl Verified {
    pub fn holds(&self) -> bool {
        self.broken_seal.is_none() && self.refused.is_none() && self.differences.is_empty()
    }

    pub fn json(&self) -> VerifiedJson<'_> {
        VerifiedJson {
            ok: self.holds(),
            script: &self.certificate.script.name,
            signed_by: self.certificate.seal.as_ref().map(|it| it.public_key.as_str()),
            seal: self.broken_seal.as_deref(),
            refused: self.refused.as_ref().map(Refused::message),
            differences: &self.differences,
        }
    }

    /// Everything that is wrong, a sentence each.
    pub fn problems(&self) -> Vec<String> {
        let refused = self.refused.as_ref().map(Refused::message);
        let differences = self.differences.iter().map(|it| it.message.clone());
        self.broken_seal.iter().cloned().chain(refused).chain(differences).collect()
    }
}

impl Refused {
    pub fn message(&self) -> String {
        match self {
            Self::Plan(error) => error.failure().message,
            Self::Terms(why) | Self::Impossible(why) | Self::Prices(why) => why.clone(),
            Self::Unlimited(why) if why.is_empty() => "nothing limits what it may spend".to_owned(),
            Self::Unlimited(why) => format!("nothing limits what it may spend: {why}"),
        }
    }
}

/// Verifies a certificate for a script.
pub fn verify(
    engine: &Engine,
    certificate: Certificate,
    script: Source,
    key: Option<&PublicKey>,
) -> Verified {
    let broken_seal = match (&certificate.seal, key) {
        (Some(seal), key) => seal.problem(&certificate, key),
        (None, Some(_)) => Some("the certificate is not signed".to_owned()),
        (None, None) => None,
    };
    // The texts are compared first: a script that does not check any more was changed, too.
    let changed = changed_script(&certificate, &script);
    let now = match certificate.terms.problem() {
        Some(why) => Err(Refused::Terms(why)),
        None => Certificate::of(engine, script, certificate.terms.clone()),
    };
    let (refused, differences) = match now {
        Ok(now) => (None, differences(&certificate, &now)),
        Err(refused) => {
            let model = changed_model(&certificate, engine.host().env("SVC_MODEL").as_ref());
            (Some(refused), changed.into_iter().chain(model).collect())
        }
    };
    Verified { certificate, broken_seal, refused, differences }
}

fn changed_script(before: &Certificate, script: &Source) -> Vec<Difference> {
    let now = blake3::hash(script.text().as_bytes()).to_string();
    let is_same = now == before.script.blake3;
    if is_same { Vec::new() } else { vec![script_changed(&before.script.name)] }
}

fn script_changed(name: &str) -> Difference {
    Difference { what: "script", message: format!("the script `{name}` has changed") }
}

/// What differs between a certificate and one that was computed now: first the causes, then what
/// follows from them.
pub fn differences(before: &Certificate, now: &Certificate) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut add = |what, message| found.push(Difference { what, message });
    if before.script.blake3 != now.script.blake3 {
        add("script", script_changed(&before.script.name).message);
    }
    for message in changed_modules(&before.modules, &now.modules) {
        add("module", message);
    }
    for message in changed_ops(&before.ops, &now.ops) {
        add("op", message);
    }
    for message in changed_prices(before, now) {
        add("price", message);
    }
    if let Some(Difference { what, message }) = changed_model(before, now.prices.model.as_ref()) {
        add(what, message);
    }
    for (name, before, now) in
        [("at most", &before.at_most, &now.at_most), ("at least", &before.at_least, &now.at_least)]
    {
        if before != now {
            let message = format!(
                "{name} {} tokens and {}, and now {} tokens and {}",
                before.tokens, before.cost, now.tokens, now.cost
            );
            add("at_most", message);
        }
    }
    for message in changed_bounds(&before.bounds, &now.bounds) {
        add("bound", message);
    }
    for (verb, of, than) in
        [("new", &now.effects, &before.effects), ("gone", &before.effects, &now.effects)]
    {
        for effect in of.iter().filter(|it| !than.contains(it)) {
            add("effect", format!("{verb} effect: `{effect}`"));
        }
    }
    if before.assumed != now.assumed {
        add("assumed", "what is assumed differs".to_owned());
    }
    if found.is_empty() {
        found.extend(altered(before, now));
    }
    found
}

/// What differs although nothing that it follows from does: the certificate itself was changed.
fn altered(before: &Certificate, now: &Certificate) -> Vec<Difference> {
    let parts = [
        ("modules", before.modules == now.modules),
        ("calls", before.calls == now.calls),
        ("bounds", before.bounds == now.bounds),
        ("effects", before.effects == now.effects),
    ];
    let differ = parts.into_iter().filter(|(_, is_same)| !is_same);
    let message =
        |part| format!("`{part}` is not what the script gives: the certificate was changed");
    differ.map(|(part, _)| Difference { what: "certificate", message: message(part) }).collect()
}

fn changed_model(before: &Certificate, now: Option<&String>) -> Option<Difference> {
    let was = before.prices.model.as_ref();
    let shown = |it: Option<&String>| it.map_or("none".to_owned(), |it| format!("`{it}`"));
    (was != now && !before.calls.is_empty()).then(|| Difference {
        what: "model",
        message: format!("the language model was {}, and is {}", shown(was), shown(now)),
    })
}

fn changed_modules(before: &[Hashed], now: &[Hashed]) -> Vec<String> {
    let by_name = |all: &[Hashed]| -> BTreeMap<String, String> {
        all.iter().map(|it| (it.name.clone(), it.blake3.clone())).collect()
    };
    changes(&by_name(before), &by_name(now), |name, before, now| match (before, now) {
        (Some(_), Some(_)) => format!("the module `{name}` has changed"),
        (Some(_), None) => format!("the module `{name}` is not imported any more"),
        _ => format!("the module `{name}` is new"),
    })
}

fn changed_ops(before: &BTreeMap<String, u32>, now: &BTreeMap<String, u32>) -> Vec<String> {
    changes(before, now, |name, before, now| match (before, now) {
        (Some(before), Some(now)) => format!("the op `{name}` had version {before}, and has {now}"),
        (Some(_), None) => format!("the op `{name}` is not called any more"),
        _ => format!("the op `{name}` is new"),
    })
}

fn changes<T: PartialEq>(
    before: &BTreeMap<String, T>,
    now: &BTreeMap<String, T>,
    message: impl Fn(&str, Option<&T>, Option<&T>) -> String,
) -> Vec<String> {
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let differ = names.into_iter().filter(|it| before.get(*it) != now.get(*it));
    differ.map(|it| message(it, before.get(it), now.get(it))).collect()
}

fn changed_prices(before: &Certificate, now: &Certificate) -> Vec<String> {
    let mut found = Vec::new();
    if before.prices.tables != now.prices.tables {
        let shown =
            |all: &[String]| if all.is_empty() { "none".to_owned() } else { all.join("; ") };
        let (was, is) = (shown(&before.prices.tables), shown(&now.prices.tables));
        found.push(format!("the price table was {was}, and is {is}"));
    }
    let content = |it: &Certificate| it.prices.own.as_ref().map(|it| it.blake3.clone());
    if content(before) != content(now) && before.prices.tables == now.prices.tables {
        let name = before.prices.own.as_ref().or(now.prices.own.as_ref());
        let name = name.map(|it| it.name.clone()).unwrap_or_default();
        found.push(format!("the price table `{name}` has changed"));
    }
    for call in &before.calls {
        let same = now.calls.iter().find(|it| (&it.path, &it.op) == (&call.path, &call.op));
        let Some(same) = same.filter(|it| it.tokens == call.tokens && it.cost != call.cost) else {
            continue;
        };
        let shown = |it: &Option<String>| it.clone().unwrap_or_else(|| "any amount".to_owned());
        let (was, is) = (shown(&call.cost), shown(&same.cost));
        found.push(format!(
            "the price of `{}` at `{}`: at most {was}, and now {is}, for the same tokens",
            call.op, call.path
        ));
    }
    found
}

fn changed_bounds(before: &[Bound], now: &[Bound]) -> Vec<String> {
    let shown = |it: &Bound| {
        let place = if it.path.is_empty() { String::new() } else { format!(" at `{}`", it.path) };
        format!("`{}: {}`{place} is {}: {}", it.bound, it.limit, it.holds, it.why)
    };
    let gone =
        before.iter().filter(|it| !now.contains(it)).map(|it| format!("certified: {}", shown(it)));
    let new = now.iter().filter(|it| !before.contains(it)).map(|it| format!("now: {}", shown(it)));
    gone.chain(new).collect()
}

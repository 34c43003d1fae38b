//! Certificates: what a script may spend and do at most, as a file that others can verify.
//!
//! A certificate is a statement about one script with its modules, inputs, caps, policy, versions of
//! ops and prices. It holds no time of its making, and nothing of the machine, so the same facts give
//! the same bytes. [`verify`] computes it again and names what differs.

mod seal;
mod terms;
mod unique;
mod verify;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_contract::{
    host::{self, Host},
    value::Money,
};
use svc_engine::{Engine, Error};
use svc_lang::{
    diag::Source,
    plan::{Holds, Node, Place, Plan, Verb, Verdict},
};
use svc_service::access::decide::ops_of;

pub use seal::{KeyError, PrivateKey, PublicKey, Seal};
pub use terms::{Caps, PolicyTerms, Terms};
pub use verify::{Difference, Verified, VerifiedJson, differences, verify};

/// The version of the format.
const FORMAT: u32 = 1;

/// The largest price table, in bytes.
const LARGEST_TABLE: u64 = 1 << 20;

/// What the certified script may spend and do at most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The version of this format.
    pub format: u32,
    pub script: Hashed,
    /// The files and modules that it imports, directly or through others, by name.
    pub modules: Vec<Hashed>,
    /// The inputs, caps and policy that it is certified for.
    pub terms: Terms,
    /// The ops that it can call, by name, with the versions of their implementations; version 0 is
    /// unknown.
    #[serde(deserialize_with = "unique::map")]
    pub ops: BTreeMap<String, u32>,
    pub prices: Prices,
    /// The most that one run may take, retries and failures included.
    pub at_most: Spending,
    /// The least that a successful run takes.
    pub at_least: Spending,
    /// The calls that cost something, with the most that each place may take.
    pub calls: Vec<Priced>,
    /// The bounds of the script and of the run.
    pub bounds: Vec<Bound>,
    /// Everything that it may do to the world, as rules of a policy.
    pub effects: Vec<String>,
    /// What the certificate relies on.
    pub assumed: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<Seal>,
}

/// A text, by its name and hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hashed {
    pub name: String,
    /// BLAKE3, in hexadecimal digits.
    pub blake3: String,
}

/// Where the prices are from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// The tables, by day and name.
    pub tables: Vec<String>,
    /// The table of the user, if there is one.
    pub own: Option<Hashed>,
    /// The language model of calls that name none.
    pub model: Option<String>,
}

/// Tokens and money.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spending {
    pub tokens: u64,
    /// Dollars, as the language writes them.
    pub cost: String,
}

/// A place of the script that calls an op with a price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Priced {
    pub path: String,
    pub op: String,
    /// In all of its calls; null if only a bound around it limits them.
    pub tokens: Option<u64>,
    pub cost: Option<String>,
}

/// A bound, and what the plan says of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// The place of the bounded stages; empty for the whole file and the run.
    pub path: String,
    pub bound: String,
    pub limit: String,
    /// `proven`, `enforced` or `useless`.
    pub holds: String,
    pub why: String,
}

/// The reason why a script gets no certificate.
#[derive(Debug)]
pub enum Refused {
    /// It does not check, an input does not fit, or its policy refuses it.
    Plan(Box<Error>),
    /// The terms cannot be certified.
    Terms(String),
    /// Nothing limits what it may spend.
    Unlimited(String),
    /// A bound that cannot be met.
    Impossible(String),
    /// The price table cannot be read.
    Prices(String),
}

impl Certificate {
    /// Certifies a script under these terms.
    pub fn of(engine: &Engine, script: Source, terms: Terms) -> Result<Self, Refused> {
        let plan = terms.plan(engine, script).map_err(|it| Refused::Plan(Box::new(it)))?;
        let program = plan.program();
        if let Some(verdict) = impossible(&plan) {
            return Err(Refused::Impossible(format!(
                "`{}: {}` cannot be met: {}",
                verdict.key.name(),
                verdict.limit,
                verdict.why
            )));
        }
        let envelope = plan.envelope();
        let (Some(tokens), Some(cost)) = (envelope.tokens.max, envelope.cost.max) else {
            return Err(Refused::Unlimited(plan.open().unwrap_or_default().to_owned()));
        };
        let mut modules: Vec<Hashed> =
            program.used.iter().map(|it| module(&program.source, it)).collect();
        modules.sort_by(|a, b| a.name.cmp(&b.name));
        let ops = ops_of(program);
        Ok(Self {
            format: FORMAT,
            script: hashed(&program.source),
            modules,
            terms,
            ops: ops.iter().map(|it| (it.to_string(), it.version())).collect(),
            prices: prices(engine.host(), &plan)?,
            at_most: Spending { tokens, cost: cost.to_string() },
            at_least: Spending { tokens: envelope.tokens.min, cost: envelope.cost.min.to_string() },
            calls: priced(&plan),
            bounds: bounds(&plan),
            effects: plan.effects().iter().map(ToString::to_string).collect(),
            assumed: assumed(&plan),
            seal: None,
        })
    }

    /// Reads the text of a certificate.
    pub fn read(text: &str) -> Result<Self, String> {
        /// What every format has.
        #[derive(Deserialize)]
        struct Head {
            format: u32,
        }
        if text.trim().is_empty() {
            return Err("not a certificate: the file is empty".to_owned());
        }
        if let Ok(Head { format }) = serde_json::from_str(text)
            && format != FORMAT
        {
            return Err(format!(
                "a certificate of format {format}, and this version reads format {FORMAT}"
            ));
        }
        serde_json::from_str(text).map_err(|err| format!("not a certificate: {err}"))
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        format!("{text}\n")
    }

    /// The name of the certificate of a script: `report.cert.json` for `report.svc`.
    pub fn name_for(script: &str) -> String {
        format!("{}.cert.json", script.strip_suffix(".svc").unwrap_or(script))
    }

    /// What a seal signs: everything but the seal, without layout.
    fn signed(&self) -> Vec<u8> {
        let bare = Self { seal: None, ..self.clone() };
        serde_json::to_vec(&bare).unwrap_or_default()
    }
}

fn impossible(plan: &Plan) -> Option<&Verdict> {
    let inside = plan.nodes().iter().flat_map(|it| &it.verdicts);
    plan.verdicts().iter().chain(inside).find(|it| it.holds == Holds::Impossible)
}

fn hashed(source: &Source) -> Hashed {
    hash_of(source.name(), source.text().as_bytes())
}

/// A module, by its path from the folder of the script.
fn module(script: &Source, used: &Source) -> Hashed {
    let folder = script.folder().map(PathBuf::as_path).filter(|it| *it != Path::new("."));
    let name = Path::new(used.name());
    let from = folder.and_then(|it| name.strip_prefix(it).ok()).unwrap_or(name);
    hash_of(&from.to_string_lossy(), used.text().as_bytes())
}

fn hash_of(name: &str, bytes: &[u8]) -> Hashed {
    Hashed { name: name.to_owned(), blake3: blake3::hash(bytes).to_string() }
}

/// The tables behind the costs. Without a call that costs something, no table matters.
fn prices(host: &dyn Host, plan: &Plan) -> Result<Prices, Refused> {
    if priced(plan).is_empty() {
        return Ok(Prices::default());
    }
    let (tables, model) = (plan.prices().to_vec(), host.env("SVC_MODEL"));
    let Some(path) = host.env("SVC_PRICES") else {
        return Ok(Prices { tables, own: None, model });
    };
    let read = host::read(host, Path::new(&path), LARGEST_TABLE);
    let bytes = read
        .map_err(|err| Refused::Prices(format!("cannot read the price table `{path}`: {err}")))?;
    // The folder of the table is a fact of the machine.
    let name = Path::new(&path).file_name().unwrap_or_default().to_string_lossy();
    let (here, named) = (format!("`{path}`"), format!("`{name}`"));
    let tables = tables.iter().map(|it| it.replace(&here, &named)).collect();
    Ok(Prices { tables, own: Some(hash_of(&name, &bytes)), model })
}

/// The calls whose effects include spending.
fn priced(plan: &Plan) -> Vec<Priced> {
    let spends = |it: &&Node| it.effects.iter().any(|it| it.verb == Verb::Spends);
    let nodes = plan.nodes().iter().filter(spends);
    let priced = nodes.filter_map(|it| {
        Some(Priced {
            path: it.path.clone(),
            op: it.op.clone()?,
            tokens: it.envelope.tokens.max,
            cost: it.envelope.cost.max.map(|it: Money| it.to_string()),
        })
    });
    priced.collect()
}

fn bounds(plan: &Plan) -> Vec<Bound> {
    let whole = plan.verdicts().iter().map(|it| bound("", it));
    let inside =
        plan.nodes().iter().flat_map(|node| node.verdicts.iter().map(|it| bound(&node.path, it)));
    whole.chain(inside).collect()
}

fn bound(path: &str, verdict: &Verdict) -> Bound {
    // What is said of time depends on the machine.
    let is_timed = verdict.key.name() == "timeout";
    Bound {
        path: path.to_owned(),
        bound: verdict.key.name().to_owned(),
        limit: verdict.limit.clone(),
        holds: verdict.holds.word().to_owned(),
        why: if is_timed { "the clock ends it".to_owned() } else { verdict.why.clone() },
    }
}

/// What no computation can know.
fn assumed(plan: &Plan) -> Vec<String> {
    let mut all = vec![
        "the amounts are those of one start; a resumed run keeps its caps, and makes again only calls without a recorded result".to_owned(),
        "the time is not certified: a `timeout` is enforced by the clock of the machine".to_owned(),
    ];
    if !priced(plan).is_empty() {
        all.push("a provider bills at most what the price table says for the tokens that it reports, and reports at most what an attempt reserves; a report above that is counted, and ends the call".to_owned());
    }
    let is_open =
        |it: &Place| matches!(it, Place::PathOf(_) | Place::Web(None) | Place::Command(None));
    if plan.effects().iter().any(|it| it.place.as_ref().is_some_and(is_open)) {
        all.push("an effect whose place is known only in the run is guarded there by the policy of the run".to_owned());
    }
    all
}

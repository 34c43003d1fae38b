//! The terms of a certificate: what is given to the run, and what limits it.

use std::{collections::BTreeMap, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_contract::value::{Money, units};
use svc_engine::{Engine, Error, Request};
use svc_lang::{
    diag::Source,
    plan::{Plan, Policy},
};

/// The inputs, caps and policy of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// The first input, as on the command line.
    pub input: Option<String>,
    /// The params, as on the command line. What is not given has its default, or any value.
    #[serde(deserialize_with = "super::unique::map")]
    pub params: BTreeMap<String, String>,
    pub caps: Caps,
    /// The rules that the effects satisfy; relative paths start in the folder where it was made.
    pub policy: PolicyTerms,
}

/// The caps of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Caps {
    /// Dollars, as the language writes them.
    pub max_cost: Option<String>,
    pub max_tokens: Option<u64>,
    pub timeout: Option<String>,
}

/// Rules as of `svc plan --allow` and `--deny`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyTerms {
    /// Without any, everything is allowed that is not denied.
    pub allow: Vec<String>,
    pub deny: Vec<String>,
}

impl Caps {
    pub fn new(cost: Option<Money>, tokens: Option<u64>, time: Option<Duration>) -> Self {
        Self {
            max_cost: cost.map(|it| it.to_string()),
            max_tokens: tokens,
            timeout: time.map(units::show_duration),
        }
    }

    fn give<'e>(&self, request: Request<'e>) -> Result<Request<'e>, String> {
        let mut request = request;
        if let Some(text) = &self.max_cost {
            let cost = text.strip_prefix('$').and_then(Money::parse);
            let cost = cost.ok_or_else(|| format!("invalid `max_cost`: `{text}`"))?;
            request = request.max_cost(cost);
        }
        if let Some(tokens) = self.max_tokens {
            request = request.max_tokens(tokens);
        }
        if let Some(text) = &self.timeout {
            let time = units::parse_duration(text);
            request = request.timeout(time.ok_or_else(|| format!("invalid `timeout`: `{text}`"))?);
        }
        Ok(request)
    }
}

impl PolicyTerms {
    /// The rules as a policy.
    pub fn policy(&self) -> Result<Policy, String> {
        let allowed = self.allow.iter().try_fold(Policy::default(), |it, rule| it.allow(rule));
        self.deny.iter().try_fold(allowed?, |it, rule| it.deny(rule))
    }
}

impl Terms {
    /// The arguments of `svc certify` that give these terms, for a shell.
    pub fn arguments(&self) -> String {
        let Self { input, params, caps, policy } = self;
        let cost = caps.max_cost.iter().map(|it| ("--max-cost", it.trim_start_matches('$').into()));
        let options = params
            .iter()
            .map(|(name, value)| ("-p", format!("{name}={value}")))
            .chain(cost)
            .chain(caps.max_tokens.iter().map(|it| ("--max-tokens", it.to_string())))
            .chain(caps.timeout.iter().map(|it| ("--timeout", it.clone())))
            .chain(policy.allow.iter().map(|it| ("--allow", it.clone())))
            .chain(policy.deny.iter().map(|it| ("--deny", it.clone())))
            .map(|(name, value)| format!("{name} {}", shell_word(&value)));
        let words: Vec<String> = input.iter().map(|it| shell_word(it)).chain(options).collect();
        words.join(" ")
    }

    /// Returns why these terms cannot be certified, if so.
    pub fn problem(&self) -> Option<String> {
        let request_of = || self.policy.policy().map(drop);
        request_of().err().or_else(|| self.caps.problem())
    }

    /// The plan of a script under these terms. Call [`Self::problem`] first.
    pub(super) fn plan(&self, engine: &Engine, script: Source) -> Result<Plan, Error> {
        let policy = self.policy.policy().unwrap_or_else(|_| Policy::closed());
        let engine = engine.clone().with_policy(policy);
        let plan = engine.plan_before_inputs(script).map_err(Error::Check)?;
        let request = engine.run_plan(plan);
        let named = self.params.iter();
        let request = named.fold(request, |it, (name, value)| it.param_text(name, value));
        let request = match &self.input {
            Some(input) => request.input_text(input),
            None => request,
        };
        // An invalid cap was refused before.
        self.caps.give(request).map_or_else(|_| unreachable!("caps were checked"), Request::plan)
    }
}

/// A word that a shell takes as it is written.
fn shell_word(text: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "_-./:=,".contains(it);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

impl Caps {
    fn problem(&self) -> Option<String> {
        let cost = self
            .max_cost
            .as_ref()
            .filter(|it| it.strip_prefix('$').and_then(Money::parse).is_none());
        let time = self.timeout.as_ref().filter(|it| units::parse_duration(it).is_none());
        let of = |key: &str, text: &String| format!("invalid `{key}`: `{text}`");
        cost.map(|it| of("max_cost", it)).or_else(|| time.map(|it| of("timeout", it)))
    }
}

//! A script and the options of its run, as data.

use std::{path::PathBuf, time::Duration};

use serde::Deserialize;
use svc::{Policy, Request, diag::Source, registry::OpError, value::Money};

/// The text of a script, with the folder that its paths are relative to.
#[derive(Clone, Debug)]
pub struct Script {
    pub text: String,
    /// The name in messages.
    pub name: Option<String>,
    pub folder: Option<PathBuf>,
}

impl From<Script> for Source {
    fn from(script: Script) -> Self {
        let source = Self::new(script.name.as_deref().unwrap_or("script"), script.text);
        match script.folder {
            Some(folder) => source.in_folder(folder),
            None => source,
        }
    }
}

/// The options of a run. Everything may be left out.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunOptions {
    /// The name of the script in messages.
    pub name: Option<String>,
    /// The folder that paths in the script are relative to.
    pub folder: Option<PathBuf>,
    /// The most that the run may cost.
    pub max_cost: Option<Dollars>,
    pub max_tokens: Option<u64>,
    /// In bytes.
    pub max_memory: Option<u64>,
    /// In milliseconds.
    pub timeout_ms: Option<u64>,
    /// The policy of this run, instead of that of the engine.
    pub policy: Option<Rules>,
}

impl RunOptions {
    /// The script with the name and the folder of these options.
    pub fn script(&self, text: &str) -> Script {
        Script { text: text.to_owned(), name: self.name.clone(), folder: self.folder.clone() }
    }

    /// Adds the options to a request.
    pub fn applied<'e>(&self, mut request: Request<'e>) -> Result<Request<'e>, OpError> {
        if let Some(rules) = &self.policy {
            request = request.with_policy(rules.policy()?);
        }
        if let Some(cost) = &self.max_cost {
            request = request.max_cost(cost.money()?);
        }
        if let Some(tokens) = self.max_tokens {
            request = request.max_tokens(tokens);
        }
        if let Some(bytes) = self.max_memory {
            request = request.max_memory(bytes);
        }
        if let Some(time) = self.timeout_ms {
            request = request.timeout(Duration::from_millis(time));
        }
        Ok(request)
    }
}

/// An amount of US dollars: `0.05`, `"0.05"` or `"$0.05"`.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Dollars {
    Number(f64),
    Text(String),
}

impl Dollars {
    pub fn money(&self) -> Result<Money, OpError> {
        let (read, shown) = match self {
            Self::Number(it) => (Money::from_dollars(*it), it.to_string()),
            Self::Text(it) => (Money::read(it), format!("{it:?}")),
        };
        read.filter(|it| *it >= Money::ZERO).ok_or_else(|| {
            OpError::invalid_input(format!("invalid amount: {shown}"))
                .help("write dollars, such as `0.05` or `\"$0.05\"`")
        })
    }
}

/// The rules of a policy, as in a policy file. Without `allow`, everything is allowed that `deny`
/// does not name; an empty `allow` allows nothing.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    pub allow: Option<Vec<String>>,
    pub deny: Vec<String>,
}

impl Rules {
    /// The policy; the paths of its rules are relative to the current folder.
    pub fn policy(&self) -> Result<Policy, OpError> {
        let allow = self.allow.as_deref().unwrap_or_default();
        let begin = if self.allow.is_some() { Policy::closed() } else { Policy::default() };
        let policy = allow.iter().try_fold(begin, |it, rule| it.allow(rule));
        let policy = policy.and_then(|it| self.deny.iter().try_fold(it, |it, rule| it.deny(rule)));
        policy.map_err(|why| {
            OpError::invalid_input(format!("invalid policy: {why}"))
                .help("write effects, such as `reads fs:./docs` or `spends`")
        })
    }
}

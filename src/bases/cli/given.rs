//! The options that pass inputs and caps to a run.

use std::{collections::BTreeSet, time::Duration};

use clap::Args;
use svc_api::certificate::{Caps, PolicyTerms, Terms};
use svc_contract::value::{Money, units};
use svc_engine::{Error, Request, output::failure::Failure, run::RunError};

use super::{
    Session,
    exit::{self, Result, USAGE},
};

/// The inputs and caps of a run.
#[derive(Args)]
pub(super) struct Given {
    /// The first input of the script. If it is missing, a script that needs one reads it from
    /// standard input, unless that is a terminal.
    #[arg(value_name = "INPUT")]
    pub(super) input: Option<String>,
    /// A param of the script: `-p top_k=5`, `-p since=30d`, `-p 'tags=["a", "b"]'`.
    #[arg(short, long = "param", value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub(super) params: Vec<(String, String)>,
    #[command(flatten)]
    caps: CapArgs,
}

/// Caps of the whole run. They can only tighten the bounds of the script.
#[derive(Args)]
pub(super) struct CapArgs {
    /// The maximum cost of the run.
    #[arg(long, value_name = "DOLLARS", value_parser = money, allow_negative_numbers = true)]
    max_cost: Option<Money>,
    /// The maximum number of tokens of the run.
    #[arg(long, value_name = "N", value_parser = tokens, allow_negative_numbers = true)]
    max_tokens: Option<u64>,
    /// The maximum duration of the run: `30s`, `5m`, `1h30m`.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,
    /// The maximum memory for the values of the run: `500MB`, `2GiB`. The default is half of
    /// the machine's memory.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_memory: Option<u64>,
    /// Reuse results of other runs that are at most this old: `--reuse 1d`. Calls that write or
    /// ask a person are never reused; a `max_age` in the script takes precedence.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    reuse: Option<Duration>,
}

pub(super) fn name_and_value(text: &str) -> std::result::Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

pub(super) fn money(text: &str) -> std::result::Result<Money, String> {
    let amount = Money::parse(text.strip_prefix('$').unwrap_or(text));
    let amount = amount.filter(|it| *it >= Money::ZERO);
    amount.ok_or_else(|| "expected an amount such as `0.10` or `$0.10`".to_owned())
}

pub(super) fn tokens(text: &str) -> std::result::Result<u64, String> {
    let count = text.replace('_', "").parse();
    count.map_err(|_| "expected a number such as `50000` or `50_000`".to_owned())
}

/// Parses a duration in the notation of scripts.
pub(super) fn duration(text: &str) -> std::result::Result<Duration, String> {
    units::parse_duration(text)
        .ok_or_else(|| "expected a duration such as `30s`, `5m` or `1h30m`".to_owned())
}

/// Parses a size in the notation of scripts.
pub(super) fn size(text: &str) -> std::result::Result<u64, String> {
    units::parse_size(text).ok_or_else(|| "a size is written `500kB` or `10MiB`".to_owned())
}

impl Given {
    pub(super) fn refuse_doubles(&self) -> Result<()> {
        let mut seen = BTreeSet::new();
        match self.params.iter().find(|(name, _)| !seen.insert(name)) {
            Some((name, _)) => Err(exit::Failure::new(USAGE, format!("duplicate param `{name}`"))),
            None => Ok(()),
        }
    }

    /// The inputs and caps as terms of a certificate.
    pub(super) fn certified(&self, policy: PolicyTerms) -> Result<Terms> {
        self.refuse_doubles()?;
        let params = self.params.iter().cloned().collect();
        Ok(Terms { input: self.input.clone(), params, caps: self.caps.certified()?, policy })
    }

    /// Adds the inputs and caps to a request, including the input from a pipe.
    pub(super) fn give<'e>(
        &self,
        request: Request<'e>,
        piped: Option<&(String, String)>,
    ) -> Request<'e> {
        let named = self.params.iter().chain(piped);
        let request = named.fold(request, |it, (name, value)| it.param_text(name, value));
        let request = self.caps.give(request);
        match &self.input {
            Some(input) => request.input_text(input),
            None => request,
        }
    }
}

impl CapArgs {
    /// The caps as a certificate states them, unless it cannot.
    fn certified(&self) -> Result<Caps> {
        let Self { max_cost, max_tokens, timeout, max_memory, reuse } = *self;
        let other = max_memory.map(|_| "--max-memory").or(reuse.map(|_| "--reuse"));
        match other {
            Some(option) => Err(exit::Failure::new(
                USAGE,
                format!(
                    "`{option}` cannot be certified: it limits nothing that a certificate states"
                ),
            )),
            None => Ok(Caps::new(max_cost, max_tokens, timeout)),
        }
    }

    pub(super) fn give<'e>(&self, request: Request<'e>) -> Request<'e> {
        let Self { max_cost, max_tokens, timeout, max_memory, reuse } = *self;
        let request = reuse.into_iter().fold(request, Request::reuse);
        let request = max_cost.into_iter().fold(request, Request::max_cost);
        let request = max_tokens.into_iter().fold(request, Request::max_tokens);
        let request = max_memory.into_iter().fold(request, Request::max_memory);
        timeout.into_iter().fold(request, Request::timeout)
    }
}

/// The help for an input without help of its own.
const GENERAL: &str = "pass params as `-p NAME=VALUE`; list them with `svc run FILE --help`";

/// The failure as an object for programs, with the help that a person gets.
pub(super) fn answer(error: &Error) -> Failure {
    let mut failure = error.failure();
    if matches!(error, Error::Input { .. }) {
        failure.help.get_or_insert_with(|| GENERAL.to_owned());
    }
    failure
}

/// Reports an invalid input and returns the exit code. The mistake is on the command line, not in
/// the script.
pub(super) fn print_error(error: &RunError, session: &Session) -> u8 {
    let help = error.error.help.as_deref().unwrap_or(GENERAL);
    session.terminal.print_error(&error.to_string(), Some(help));
    USAGE
}

//! The prices of tokens: the built-in table, or one of the user's.

use std::{borrow::Cow, collections::BTreeMap, path::Path, sync::LazyLock};

use serde::{Deserialize, de::IgnoredAny};
use svc_contract::{
    host::{self, Host},
    registry::{ErrorKind, OpError},
    value::{Money, Text},
};

use super::{
    answer::Tokens,
    model::{Model, Provider},
};

/// The variable that names another table.
const VARIABLE: &str = "SVC_PRICES";

/// The size limit of a table, in bytes.
const LARGEST: u64 = 1 << 20;

static BUILT_IN: LazyLock<Table> = LazyLock::new(|| {
    toml::from_str(include_str!("prices.toml")).expect("the built-in table is valid")
});

/// Prices by `provider/model`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    /// The date of the prices.
    version: String,
    models: BTreeMap<String, Rate>,
    /// The prices of web searches, which `web_search` reads.
    #[serde(default, rename = "searches")]
    _searches: IgnoredAny,
}

/// Dollars per million tokens.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rate {
    input: f64,
    output: f64,
    long: Option<Long>,
}

/// The prices of a call with a long prompt.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Long {
    /// These prices apply to prompts of more tokens than this.
    over: u64,
    input: f64,
    output: f64,
}

/// The cost of `tokens`, or the error that a call under `max_cost` returns if the price is unknown.
/// A table that cannot be read is an error of every call.
pub(super) fn cost(
    host: &dyn Host,
    model: &Model,
    tokens: Tokens,
) -> Result<Result<Money, OpError>, OpError> {
    let table = table(host)?;
    let is_own = matches!(table, Cow::Owned(_));
    // Another server with the same protocol has other prices, whatever its models are called.
    let holds = is_own || model.is_official() || model.provider == Provider::Ollama;
    let rate = table.rate(model);
    let version = &table.version;
    Ok(match rate.filter(|_| holds) {
        None if rate.is_some() => Err(of_another_server(model, version)),
        None => Err(unknown(model, version)),
        Some(rate) => Ok(rate.cost(tokens).ok_or_else(|| wrong(model, version))?),
    })
}

/// The name and date of the table in use.
pub(super) fn named(host: &dyn Host) -> Result<Text, OpError> {
    let table = table(host)?;
    let whose = match host.env(VARIABLE) {
        Some(path) => format!("`{path}`"),
        None => "built in".to_owned(),
    };
    Ok(format!("{}, {whose}", table.version).into())
}

fn table(host: &dyn Host) -> Result<Cow<'static, Table>, OpError> {
    let Some(path) = host.env(VARIABLE) else { return Ok(Cow::Borrowed(&BUILT_IN)) };
    let path = Path::new(&path);
    let read = |file| host::read_all(file, LARGEST);
    let bytes = host.open_configured(VARIABLE).and_then(|it| it.map(read).transpose());
    let bytes = bytes.map_err(|err| OpError::io(err, path))?.unwrap_or_default();
    let table = toml::from_str(&String::from_utf8_lossy(&bytes)).map_err(|err| {
        let (shown, why) = (path.display(), err.message().to_owned());
        OpError::invalid_input(format!("cannot read the price table `{shown}`: {why}")).because(err)
    })?;
    Ok(Cow::Owned(table))
}

fn unknown(model: &Model, version: &str) -> OpError {
    let message = format!(
        "the price of `{model}` is unknown, so it cannot run under `max_cost`: it is not in the \
         price table of {version}"
    );
    let help = format!("add it to a price table of your own, and set `{VARIABLE}` to its path");
    OpError::new(ErrorKind::Budget, message).help(help)
}

fn of_another_server(model: &Model, version: &str) -> OpError {
    let (variable, server) = (model.base_variable(), model.shown_base());
    let message = format!(
        "the price of `{model}` at `{server}` is unknown, so it cannot run under `max_cost`: the \
         price table of {version} has the prices of the provider, and `{variable}` names another server"
    );
    let help = format!(
        "write the prices of that server in a table of your own, and set `{VARIABLE}` to its path"
    );
    OpError::new(ErrorKind::Budget, message).help(help)
}

fn wrong(model: &Model, version: &str) -> OpError {
    OpError::invalid_input(format!(
        "the price of `{model}` in the price table of {version} is not an amount in dollars"
    ))
}

impl Table {
    fn rate(&self, model: &Model) -> Option<Rate> {
        let name = model.to_string();
        let provider = name.split('/').next().unwrap_or_default();
        self.models.get(&name).or_else(|| self.models.get(&format!("{provider}/*"))).copied()
    }
}

/// A price that exceeds every cap.
const MOST: Money = Money::from_nanos(i64::MAX);

impl Rate {
    /// The cost of `tokens`: `None` if a price is invalid, and [`MOST`] on overflow.
    fn cost(self, tokens: Tokens) -> Option<Money> {
        let (input, output) = match self.long.filter(|it| tokens.input > it.over) {
            Some(long) => (long.input, long.output),
            None => (self.input, self.output),
        };
        let of = |dollars: f64, tokens: u64| {
            let price = Money::from_dollars(dollars).filter(|it| *it >= Money::ZERO)?;
            Some(price.per_million(tokens).unwrap_or(MOST))
        };
        let (read, written) = (of(input, tokens.input)?, of(output, tokens.output)?);
        Some(read.checked_add(written).unwrap_or(MOST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_host_os::test::TestHost;

    fn host() -> TestHost {
        TestHost::new().env("OPENAI_API_KEY", "k").env("ANTHROPIC_API_KEY", "k")
    }

    fn price(host: &TestHost, model: &str, input: u64, output: u64) -> String {
        let model = Model::find(host, model).unwrap();
        match cost(host, &model, Tokens { input, output }) {
            Ok(Ok(cost)) => cost.to_string(),
            Ok(Err(err)) | Err(err) => err.message,
        }
    }

    #[test]
    fn the_built_in_table_is_sound() {
        assert!(BUILT_IN.models.len() > 5);
        for (name, rate) in &BUILT_IN.models {
            assert!(rate.cost(Tokens { input: 1, output: 1 }).is_some(), "{name}");
        }
    }

    #[test]
    fn long_prompts_may_cost_more() {
        assert_eq!(price(&host(), "anthropic/claude-haiku-5-5", 100_000, 0), "$0.01");
        assert_eq!(price(&host(), "anthropic/claude-haiku-5-5", 200_000, 0), "$0.10");
        assert_eq!(price(&host(), "ollama/any", 1_000_000, 1_000_000), "$0.00");
    }

    #[test]
    fn what_the_table_lacks_is_unknown() {
        assert!(price(&host(), "openai/newest", 1, 1).contains("`openai/newest` is unknown"));
        let elsewhere = host().env("OPENAI_BASE_URL", "http://localhost:8000/v1");
        let other = price(&elsewhere, "openai/gpt-5.4", 1, 1);
        assert!(other.contains("`OPENAI_BASE_URL` names another server"), "{other}");
    }

    #[test]
    fn a_table_of_ones_own_takes_its_place() {
        let table = "version = \"mine\"\n[models]\n\"openai/*\" = { input = 1, output = 0.5 }\n";
        let own = host()
            .env(VARIABLE, "prices.toml")
            .env("OPENAI_BASE_URL", "http://localhost:8000/v1")
            .file("prices.toml", table);
        assert_eq!(price(&own, "openai/any", 1_000_000, 1_000_000), "$1.50");
        assert!(price(&own, "ollama/any", 1, 1).contains("is unknown"));
        let own = own.file("prices.toml", table.replace('1', "-1"));
        assert!(price(&own, "openai/any", 1, 1).contains("not an amount in dollars"));
        let own = own.file("prices.toml", "models = 1");
        assert!(
            price(&own, "openai/any", 1, 1).contains("cannot read the price table `prices.toml`")
        );
    }
}

//! The prices of searches: the standard ones, or those of the user's price table.

use std::{collections::BTreeMap, path::Path};

use serde::Deserialize;
use svc_contract::{
    host::{self, Host},
    registry::{ErrorKind, OpError},
    value::{Money, Text},
};

use super::provider::{Kind, Provider};

/// The variable that names a table of the user's.
const VARIABLE: &str = "SVC_PRICES";

/// The size limit of a table, in bytes.
const LARGEST: u64 = 1 << 20;

/// The date of the standard prices.
const VERSION: &str = "2026-11-25";

/// A request of Serper with more results costs two.
const RESULTS_OF_SERPER: i64 = 10;

/// What a table says about searches. The prices of models are for others.
#[derive(Deserialize)]
struct Table {
    version: String,
    /// Dollars per request, by provider.
    searches: Option<BTreeMap<String, f64>>,
}

/// The standard price of a request at the providers' own addresses, in dollars, from their price
/// pages:
///   <https://api-dashboard.search.brave.com/documentation/pricing>
///   <https://docs.tavily.com/documentation/api-credits>
///   <https://serper.dev>
fn standard(provider: &Provider) -> Option<f64> {
    match provider.kind {
        Kind::Searxng => Some(0.0),
        _ if !provider.is_official() => None,
        Kind::Brave => Some(0.005),
        Kind::Tavily => Some(0.008),
        Kind::Serper => Some(0.001),
    }
}

/// The cost of a search, or the error that it returns under `max_cost` if the price is unknown. A
/// table that cannot be read is an error of every call.
pub(super) fn of(
    host: &dyn Host,
    provider: &Provider,
    top_k: i64,
) -> Result<Result<Money, OpError>, OpError> {
    let own = table(host)?;
    let listed = own.as_ref().and_then(|it| it.searches.as_ref());
    let price = match listed {
        Some(listed) => listed.get(provider.name()).copied(),
        None => standard(provider),
    };
    // What is free without a table is free with one that does not list it.
    let price = price.or((provider.kind == Kind::Searxng).then_some(0.0));
    let Some(price) = price else { return Ok(Err(unknown(provider))) };
    let requests =
        if provider.kind == Kind::Serper && top_k > RESULTS_OF_SERPER { 2.0 } else { 1.0 };
    let cost = Money::from_dollars(price * requests).filter(|it| *it >= Money::ZERO);
    cost.map(Ok).ok_or_else(|| {
        let name = provider.name();
        OpError::invalid_input(format!(
            "the price of a search by `{name}` is not an amount in dollars"
        ))
    })
}

/// The date of the prices in use.
pub(super) fn named(host: &dyn Host) -> Result<Text, OpError> {
    let own = table(host)?;
    Ok(match own.filter(|it| it.searches.is_some()).zip(host.env(VARIABLE)) {
        Some((table, path)) => format!("{}, `{path}`", table.version).into(),
        None => format!("{VERSION}, built in").into(),
    })
}

fn table(host: &dyn Host) -> Result<Option<Table>, OpError> {
    let Some(path) = host.env(VARIABLE) else { return Ok(None) };
    let path = Path::new(&path);
    let read = |file| host::read_all(file, LARGEST);
    let bytes = host.open_configured(VARIABLE).and_then(|it| it.map(read).transpose());
    let bytes = bytes.map_err(|err| OpError::io(err, path))?.unwrap_or_default();
    toml::from_str(&String::from_utf8_lossy(&bytes)).map(Some).map_err(|err| {
        let (shown, why) = (path.display(), err.message().to_owned());
        OpError::invalid_input(format!("cannot read the price table `{shown}`: {why}")).because(err)
    })
}

fn unknown(provider: &Provider) -> OpError {
    let name = provider.name();
    let message =
        format!("the price of a search by `{name}` is unknown, so it cannot run under `max_cost`");
    let help = format!(
        "write it below `[searches]` in a price table of your own, and set `{VARIABLE}` to its path"
    );
    OpError::new(ErrorKind::Budget, message).help(help)
}

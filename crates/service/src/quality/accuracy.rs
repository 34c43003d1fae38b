//! Whether a result passes its tests, or its sources support it.

use std::convert::Infallible;

use svc_contract::value::Value;
use svc_text::claims::{SUPPORTED, Sources, claims_of};

use super::{said::Said, share};

/// The share of the tests that a result passes; without any, that of its sentences which the
/// passages support, or else the sources that it carries. One that says that nothing was found states
/// nothing that could be supported.
pub(super) fn of(value: &Value, said: &Said, read: &[&str]) -> Option<f64> {
    let found = value.as_record().and_then(|it| it.get("found"));
    if found == Some(&Value::Bool(false)) {
        return None;
    }
    of_checks(value).or_else(|| {
        let own: Vec<&str> = said.cited.texts().collect();
        of_claims(&said.claims, if read.is_empty() { &own } else { read })
    })
}

/// The share of the sentences of a text that passages support; `None` if there is nothing to compare.
pub fn supported(text: &str, passages: &[&str]) -> Option<f64> {
    of_claims(&claims_of(text), passages)
}

fn of_checks(value: &Value) -> Option<f64> {
    let Value::List(all) = value.as_record()?.get("checks")? else { return None };
    let passed = |it: &Value| match it.as_record()?.get("passed")? {
        Value::Bool(it) => Some(*it),
        _ => None,
    };
    let passed: Vec<bool> = all.iter().filter_map(passed).collect();
    share(passed.iter().filter(|it| **it).count(), passed.len())
}

fn of_claims(claims: &[String], passages: &[&str]) -> Option<f64> {
    if claims.is_empty() || passages.is_empty() {
        return None;
    }
    let Ok(sources) = Sources::read(passages, || Ok::<(), Infallible>(()));
    let is_supported = |it: &&String| sources.judge(it).score >= SUPPORTED;
    share(claims.iter().filter(is_supported).count(), claims.len())
}

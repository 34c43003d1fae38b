//! Learning and statistics.

use svc_contract::registry::Component;

mod adapt_automl;
mod adapt_bayes;
#[cfg(all(test, feature = "learn"))]
mod testing;

pub const ALL: &[&Component] = &[&adapt_automl::COMPONENT, &adapt_bayes::COMPONENT];

//! Learning and statistics.

use svc_contract::registry::Component;

mod adapt_automl;
mod adapt_bayes;
mod adapt_optimize;
mod adapt_stats;
mod adapt_textclf;
#[cfg(all(test, feature = "learn"))]
mod testing;

pub const ALL: &[&Component] = &[
    &adapt_automl::COMPONENT,
    &adapt_bayes::COMPONENT,
    &adapt_optimize::COMPONENT,
    &adapt_stats::COMPONENT,
    &adapt_textclf::COMPONENT,
];

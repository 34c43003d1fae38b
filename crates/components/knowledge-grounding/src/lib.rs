//! Knowledge: what texts are about.

use svc_contract::registry::Component;

mod adapt_units;
mod ctx_entities;
mod ctx_keywords;

pub const ALL: &[&Component] =
    &[&ctx_keywords::COMPONENT, &ctx_entities::COMPONENT, &adapt_units::COMPONENT];

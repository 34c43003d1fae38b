//! Code intelligence: comparing and changing texts and sources.

use svc_contract::registry::Component;

mod adapt_diff;

pub const ALL: &[&Component] = &[&adapt_diff::COMPONENT];

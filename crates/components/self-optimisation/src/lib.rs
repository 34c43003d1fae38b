//! Choosing and tuning how work is done.

use svc_contract::registry::Component;

mod adapt_algo_select;

pub const ALL: &[&Component] = &[&adapt_algo_select::COMPONENT];

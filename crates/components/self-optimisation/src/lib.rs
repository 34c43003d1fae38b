//! Choosing and tuning how work is done.

use svc_contract::registry::Component;

pub const ALL: &[&Component] = &[];

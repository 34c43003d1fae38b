//! Data processing: converting and changing structured data.

use svc_contract::registry::Component;

mod adapt_convert;

pub const ALL: &[&Component] = &[&adapt_convert::COMPONENT];

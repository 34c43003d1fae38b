//! Data processing: converting and changing structured data.

use svc_contract::registry::Component;

mod adapt_convert;
#[cfg(test)]
mod testing;

pub const ALL: &[&Component] = &[&adapt_convert::COMPONENT];

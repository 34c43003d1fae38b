//! Creative media: charts.

use svc_contract::registry::Component;

mod adapt_chart;

pub const ALL: &[&Component] = &[&adapt_chart::COMPONENT];

//! Components whose work is this service: calls by name, and the state of the server.
//!
//! They are added to the engine of a program that has a service; elsewhere they do not exist.

pub(crate) mod core;
pub(crate) mod workbench;

use std::time::{Duration, SystemTime};

use svc_contract::registry::Component;

/// The components of this crate.
pub const ALL: &[&Component] = &[&core::COMPONENT, &workbench::COMPONENT];

/// Milliseconds since 1970 as a time.
pub(crate) fn time(millis: i64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(millis.max(0).cast_unsigned())
}

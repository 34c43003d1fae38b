//! Components whose work is this service: calls by name, and the state of the server.
//!
//! They are added to the engine of a program that has a service; elsewhere they do not exist.

pub(crate) mod core;

use svc_contract::registry::Component;

/// The components of this crate.
pub const ALL: &[&Component] = &[&core::COMPONENT];

//! Components whose work is this service: calls by name, and the state of the server.
//!
//! They are added to the engine of a program that has a service; elsewhere they do not exist.

pub(crate) mod core;
mod goal_engine;
mod invariants;
mod system_doctor;
pub(crate) mod workbench;

use std::{
    any::Any,
    path::PathBuf,
    sync::Arc,
    time::{Duration, SystemTime},
};

use svc_contract::{
    host::Host,
    registry::{Component, Cx, OpError},
    store::Store,
};
use svc_engine::Engine;

/// The components of this crate.
pub const ALL: &[&Component] = &[
    &core::COMPONENT,
    &goal_engine::COMPONENT,
    &invariants::COMPONENT,
    &system_doctor::COMPONENT,
    &workbench::COMPONENT,
    &svc_bias::COMPONENT,
    &svc_bias::MEMORY,
];

/// Milliseconds since 1970 as a time.
pub(crate) fn time(millis: i64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(millis.max(0).cast_unsigned())
}

/// The store of runs of the service, which it lends to its components.
pub(crate) struct KeptStore(pub(crate) Arc<dyn Store>);

/// The file of the roles of the service, which lends it to its components.
pub(crate) struct RolesFile {
    pub(crate) path: PathBuf,
    pub(crate) is_hosted: bool,
    /// The host of the service: that of an owner sees no such file.
    pub(crate) host: Arc<dyn Host>,
}

/// The engine that runs a call.
fn engine_of(cx: &Cx) -> Result<Engine, OpError> {
    let catalog: Arc<dyn Any + Send + Sync> = cx.catalog()?;
    let engine = catalog.downcast::<Engine>();
    engine.map(|it| it.as_ref().clone()).map_err(|_| OpError::bug("no engine runs this call"))
}

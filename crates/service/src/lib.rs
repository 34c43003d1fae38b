//! Calls from outside: tools, served scripts and runs, as every entry layer offers them.
//!
//! A base turns what it receives into a [`Call`], and the [`Answer`] into what it sends. Everything
//! between is here, so that a call means the same on every surface:
//!
//! ```text
//! Call --resolve--> a script with inputs --plan, authorise--> Request --start--> Run --> Answer
//! ```
//!
//! **Invariants:** a tool is the public name of an op and has no code of its own. A call is a run of
//! the engine: nothing else executes anything. No protocol is known here: no HTTP, no JSON-RPC.

pub mod access;
mod call;
mod caller;
pub mod chat;
pub mod components;
pub mod decode;
pub mod desk;
mod fault;
mod folder;
mod gate;
pub mod hooks;
pub mod jobs;
pub mod metrics;
pub mod once;
mod owner;
mod permit;
#[cfg(test)]
mod process;
pub mod quality;
mod refused;
mod resolve;
mod runs;
mod service;
mod side;
mod starting;
pub mod tools;

pub use svc_bias as bias;

pub use call::{Answer, Args, Begun, Bounds, Call, Mode, StepReport, Work};
pub use caller::{Caller, LOCAL};
pub use fault::{Challenge, Fault, FieldFault, Why};
pub use folder::{Folder, Served, Unserved};
pub use gate::{Entrance, Turned, Visitor};
pub use resolve::Resolved;
pub use runs::{Live, Numbered, RunEnd, Seen};
pub use service::{Options, Service};

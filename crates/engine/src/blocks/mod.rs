//! The in-process model of the specification: blocks, protocols, bounds and a registry that
//! invokes ops by their names.
//!
//! Everything here writes a script and runs it: names, params and types are checked before
//! anything runs, and caps, policies, retries and records hold as for any other script. The
//! chapter on blocks in the book maps each name of the specification.

mod bounds;
mod failure;
mod info;
mod params;
mod pipeline;
mod protocols;
mod registry;
mod script;
mod single;
mod step;
mod steps;
mod workflow;

use svc_contract::registry::{ErrorKind, OpError};
use tokio::runtime::{Builder, Handle};

pub use bounds::ResourceBounds;
pub use info::{ComponentInfo, OpInfo};
pub use pipeline::PipelineBlock;
pub use protocols::{Emittable, InductiveBias, Inferrable, Ingestible, Learnable, Storable};
pub use registry::ComponentRegistry;
pub use single::AIBlock;
pub use step::PipelineStep;
pub use steps::{Order, Steps};
pub use workflow::{OnError, ResultOf, StepOutcome, WorkflowStep};

/// Success, or a failure with its kind, its message and often a help text: the specification's
/// `Result`. The source of a failure that has a place in a script is an [`Error`](crate::Error).
pub type Result<T> = std::result::Result<T, OpError>;

/// Runs a future of this module on the current thread, with a runtime of its own: for programs
/// without an async runtime. Inside a tokio runtime, which it would block, this is an error of
/// the kind `unsupported`.
pub fn blocking<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    if Handle::try_current().is_ok() {
        let message = "`blocking` would block the tokio runtime that calls it";
        let error = OpError::new(ErrorKind::Unsupported, message);
        return Err(error.help("await the future, or call `blocking` on a thread of its own"));
    }
    let runtime = Builder::new_current_thread().enable_all().build().map_err(|err| {
        OpError::failed(format!("cannot start a tokio runtime: {err}")).because(err)
    })?;
    let ended = runtime.block_on(future);
    // A computation that ignores its cancellation must not keep the caller.
    runtime.shutdown_background();
    ended
}

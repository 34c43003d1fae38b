//! rhai behind one type: code in a script, compiled before the run and run within limits.
//!
//! [`InlineScript`] is the code of one `rhai(..) -> T { .. }`: typed at both ends, pure, and unable
//! to reach anything but its arguments. The engine is created once, with the functions of a
//! few packages and every limit set ([`limits`]); the remaining limits are watched while the
//! code runs ([`Watch`]). [`Templates`] are code in a separate file, which builds pipelines
//! when a script is checked, with the same engine and a few more functions.
//!
//! **Invariant:** whatever code a script contains, running it ends, and the process survives.

#[cfg(not(feature = "rhai"))]
mod absent;
#[cfg(feature = "rhai")]
mod amount;
#[cfg(feature = "rhai")]
mod construct;
#[cfg(feature = "rhai")]
mod cross;
#[cfg(feature = "rhai")]
mod failure;
#[cfg(feature = "rhai")]
mod inline_script;
pub mod limits;
#[cfg(feature = "rhai")]
mod mistake;
#[cfg(feature = "rhai")]
mod place;
#[cfg(feature = "rhai")]
mod safe;
#[cfg(feature = "rhai")]
mod sandbox;
#[cfg(feature = "rhai")]
mod shape;
#[cfg(feature = "rhai")]
mod subprocess;
#[cfg(feature = "rhai")]
mod template;
mod types;
#[cfg(feature = "rhai")]
mod watch;

#[cfg(not(feature = "rhai"))]
pub use absent::{InlineScript, Templates, is_swollen};
#[cfg(feature = "rhai")]
pub use inline_script::InlineScript;
#[cfg(feature = "rhai")]
pub use subprocess::{PURPOSE, serve};
#[cfg(feature = "rhai")]
pub use template::Templates;
pub use types::{Ended, Failure, Mistake, Watch};
#[cfg(feature = "rhai")]
pub use watch::is_swollen;

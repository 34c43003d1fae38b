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
mod code;
pub mod limits;
mod types;

#[cfg(not(feature = "rhai"))]
pub use absent::{InlineScript, Templates, is_swollen};
#[cfg(feature = "rhai")]
pub use code::{InlineScript, PURPOSE, Templates, is_swollen, serve};
pub use types::{Ended, Failure, Mistake, Watch};

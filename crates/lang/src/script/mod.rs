//! rhai behind one type: code in a script, compiled before the run and run within limits.
//!
//! [`InlineScript`] is the code of one `rhai(..) -> T { .. }`: typed at both ends, pure, and unable
//! to reach anything but its arguments. The engine is created once, with the functions of a
//! few packages and every limit set ([`limits`]); the remaining limits are watched while the
//! code runs ([`Watch`]). [`Templates`] are code in a separate file, which builds pipelines
//! when a script is checked, with the same engine and a few more functions.
//!
//! **Invariant:** whatever code a script contains, running it ends, and the process survives.

mod amount;
mod construct;
mod cross;
mod failure;
mod inline_script;
pub mod limits;
mod mistake;
mod place;
mod safe;
mod sandbox;
mod shape;
mod subprocess;
mod template;
mod watch;

pub use failure::Failure;
pub use inline_script::{Ended, InlineScript};
pub use mistake::Mistake;
pub use subprocess::{PURPOSE, serve};
pub use template::Templates;
pub use watch::{Watch, is_swollen};

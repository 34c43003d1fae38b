//! rhai behind one type: code that a script carries, compiled beforehand and run within
//! limits.
//!
//! [`Island`] is the code of one `rhai(..) -> T { .. }`: typed at both ends, pure, and
//! unable to reach anything but its arguments. The engine that runs it is made once, with
//! the functions of a few packages and every limit set ([`limits`]); what a running island
//! may still use up is watched step by step ([`Watch`]). [`Templates`] are code of a file of
//! its own, which builds pipelines when a script is checked, with the same engine and a few
//! functions more.
//!
//! **Invariant:** whatever code a script carries, running it ends, and the process lives.

mod amount;
mod apart;
mod construct;
mod cross;
mod failure;
mod island;
pub mod limits;
mod mistake;
mod place;
mod safe;
mod sandbox;
mod shape;
mod template;
mod watch;

pub use apart::{PURPOSE, serve};
pub use failure::Failure;
pub use island::{Ended, Island};
pub use mistake::Mistake;
pub use template::Templates;
pub use watch::{Watch, is_swollen};

//! Code in a script, compiled and run by rhai.

mod amount;
mod captures;
mod construct;
mod cross;
mod failure;
mod inline_script;
mod mistake;
mod place;
mod safe;
mod sandbox;
mod shape;
mod subprocess;
mod template;
mod watch;

use super::{Ended, Failure, Mistake, Watch, limits};

pub use inline_script::InlineScript;
pub use subprocess::{PURPOSE, serve};
pub use template::Templates;
pub use watch::is_swollen;

//! Advice: the op for a task, how to use it, answers from the documentation, and whole scripts for
//! goals.
//!
//! All answers come from the registry's documentation and the book, so they are the same every
//! time. A language model may write them if the caller provides one; its scripts are checked by
//! the [`Catalog`](svc_contract::registry::Catalog).

mod ask;
mod book;
mod bounds;
mod chain;
mod closed;
mod documents;
mod files;
mod find_tool;
mod first_call;
mod how_to;
mod overview;
mod plan;
mod tables;
mod two_files;
mod workflow;
mod write;

pub use ask::{Documented, answered};
pub use book::{Page, pages};
pub use find_tool::{Tool, tools};
pub use first_call::{FirstHelp, NextCall, first_call};
pub use how_to::{HowTo, how_to};
pub use overview::{System, overview};
pub use plan::{Wanted, planned};
pub use tables::{Content, Named, Seen, named};
pub use workflow::{Gap, Need, Part, Step, Workflow};
pub use write::{BY_MODEL, Failed, Proposal, guarded};

/// The summary of the language on one page.
const CARD: &str = include_str!("../../../docs/card.md");

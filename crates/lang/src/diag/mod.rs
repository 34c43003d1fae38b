//! What a problem is, and how a list of them is carried.
//!
//! Every phase before the run reports [`Problem`]s: a [`Code`], a message, the places it
//! is about, a next step, and where there is one a [`Fix`] that a machine can apply. A
//! [`Report`] is all problems of one source; it renders itself through miette. An [`Entry`]
//! says at length what a code means. What of a text could command a terminal or hide is made
//! [`visible()`] here, for all who show it.
//!
//! **Invariant:** of this crate only [`svc_contract::value`] is known here. Where the words of a
//! message come from is the business of the phase that reports it.

mod codes;
mod entry;
mod lines;
mod problem;
mod report;
mod source;

pub use codes::Code;
pub use entry::{Entry, Sample};
pub use lines::Lines;
pub use problem::{Applicability, Fix, Label, Problem, Severity};
pub use report::{Report, Style};
pub use source::{Source, Span};
pub use svc_text::visible::{is_hidden, visible, visible_json, visible_line, visible_styled};

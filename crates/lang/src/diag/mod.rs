//! Problems, and reports that hold a list of them.
//!
//! Every phase before the run reports [`Problem`]s: a [`Code`], a message, labelled places,
//! a next step, and if possible a [`Fix`] that a tool can apply. A [`Report`] holds all
//! problems of one source and renders itself through miette. An [`Explanation`] explains a code at
//! length. [`visible()`] escapes characters that control a terminal or are invisible, for
//! every module that shows foreign text.
//!
//! **Invariant:** this module depends on no other module of the crate but [`svc_contract::value`].
//! The wording of a message belongs to the phase that reports it.

mod codes;
mod entry;
#[cfg(feature = "frames")]
mod frames;
mod lines;
mod problem;
mod report;
mod source;

pub use codes::Code;
pub use entry::{Explanation, Sample};
pub use lines::Lines;
pub use problem::{Applicability, Fix, Label, Problem, Refused, Severity, Unfilled};
pub use report::{Report, Style};
pub use source::{Source, Span};
pub use svc_text::visible::{is_hidden, visible, visible_json, visible_line, visible_styled};

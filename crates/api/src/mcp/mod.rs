//! What a client of the Model Context Protocol sees of a service, without the protocol: tools with
//! their definitions, prompts, resources, completions, and results as content.
//!
//! A base turns it into messages. Everything here is for one caller, the one of the [`Rest`].
//!
//! [`Rest`]: crate::rest::Rest

mod compact;
mod completion;
mod content;
mod definitions;
mod prompts;
mod questions;
mod resources;
mod shortened;
mod work;

pub use compact::{CALL_TOOL, Compact, DESCRIBE_TOOLS};
pub use completion::{Asked, completions};
pub use content::{Content, Output, fault_text, pending};
pub use definitions::{Definition, Definitions, LARGEST_DEFINITION};
pub use prompts::{Prompt, PromptParam, prompt, prompts};
pub use questions::{Question, answer, answer_schema, questions};
pub use resources::{Resource, ResourceText, Template, read, resources, templates};
pub use work::{JobNow, call, job_now, unknown};

use svc_engine::CancellationToken;

use crate::rest::{Rest, Serving};

/// A base that speaks the Model Context Protocol on the standard streams until they end.
pub type StreamServer = fn(Rest, StreamOptions, CancellationToken) -> Serving;

/// How the Model Context Protocol is spoken on the standard streams.
pub struct StreamOptions {
    /// Whether only the short list of tools is offered.
    pub is_compact: bool,
    /// Whether the tools of the conformance suite are offered.
    pub has_fixtures: bool,
    /// The key of the caller.
    pub key: Option<String>,
}

/// What an agent should know first, for the greeting of the server.
pub const INSTRUCTIONS: &str = "svc runs tools and checked pipelines. \
    Call svc_first_call_help_tool with your task first; guide_find_tool finds the tool for a step. \
    run_pipeline with dry_run: true checks a script and says what it can cost at most, for free; \
    its effects and caps are decided before anything runs. \
    A tool that takes long returns a job_id: job_get_result has its result.";

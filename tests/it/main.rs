//! The integration tests: one binary, so that the crate is linked once.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![expect(clippy::disallowed_methods, reason = "tests read their own files")]

mod agents;
mod architecture;
mod attacks;
mod cli;
mod components;
mod coverage;
mod declined;
mod docs;
mod drafts;
mod editors;
mod embedding;
mod envelope;
mod example_scripts;
mod examples;
mod explain;
mod foreign;
mod format;
mod grammar;
mod helpdesk;
mod hostile;
mod hostile_code;
mod imports;
mod kept;
mod laws;
mod lsp;
mod meter;
mod models;
mod overshoot;
mod plans;
mod policy;
mod promises;
mod retrieval;
mod run;
mod scripts;
mod secrets;
mod store;
mod verdict;

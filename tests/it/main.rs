//! The integration tests: one binary, so that the crate is linked once.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![expect(clippy::disallowed_methods, reason = "tests read their own files")]

mod architecture;
mod cli;
mod components;
mod docs;
mod embedding;
mod examples;
mod hostile;
mod lsp;
mod retrieval;
mod run;
mod scripts;

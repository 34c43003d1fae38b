//! The integration tests: one binary, so that the crate is linked once.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod examples;
mod hostile;

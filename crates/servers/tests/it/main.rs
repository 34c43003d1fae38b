//! Statements on real servers, which are started from the packages of the system.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![expect(clippy::disallowed_methods, reason = "tests start their own programs")]

mod call;
mod mysql;
mod postgres;
mod started;

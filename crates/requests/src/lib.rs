//! Requests to HTTP APIs, as components send them: one door for all, with the checks of addresses,
//! the limit of the answer, the errors and the secrets in one place.
//!
//! **Invariant:** no message and no answer contains a secret that a request carried.

mod call;
mod encode;
mod multipart;

pub use call::{Answer, Body, Call, Hidden};
pub use encode::{escaped, fields, header, headers, pairs, with_query, written};
pub use multipart::{Part, multipart};

//! What serves the calls of others, without a protocol: bases translate theirs to it.

pub mod access;

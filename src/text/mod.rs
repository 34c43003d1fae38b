//! What the document components share: extraction, sentences, stems, tokens.
//!
//! **Invariant:** text in, text out. Nothing here knows a component, and files are
//! reached only through a host that is handed in.

pub mod extract;

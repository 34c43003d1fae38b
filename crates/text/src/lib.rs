//! What the document components share: extraction, sentences, stems, tokens.
//!
//! **Invariant:** text in, text out. Nothing here knows a component, and files are
//! reached only through a host that is handed in.

mod abbreviations;
mod lines;
mod stop_words;

pub mod blocks;
pub mod bm25;
pub mod markup;
pub mod plain;
pub mod sentences;
pub mod snippets;
pub mod stems;
pub mod synonyms;
pub mod tokens;
pub mod vectors;
pub mod visible;

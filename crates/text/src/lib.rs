//! Shared code of the document components: extraction, sentences, stems, tokens.
//!
//! **Invariant:** text in, text out. This module does not depend on components, and reads files
//! only through the given host.

mod abbreviations;
mod lines;
mod stop_words;

#[cfg(all(feature = "languages", feature = "markdown"))]
pub mod answers;
pub mod blocks;
#[cfg(feature = "languages")]
pub mod claims;
pub mod cut;
pub mod dates;
#[cfg(feature = "languages")]
pub mod language;
#[cfg(feature = "markdown")]
pub mod links;
pub mod markup;
#[cfg(feature = "scripts")]
pub mod near;
pub mod pages;
#[cfg(feature = "markdown")]
pub mod plain;
#[cfg(feature = "analysis")]
pub mod readability;
#[cfg(feature = "scripts")]
pub mod scripts;
pub mod search;
#[cfg(feature = "analysis")]
pub mod segments;
pub mod sentences;
#[cfg(feature = "markdown")]
pub mod snippets;
#[cfg(feature = "analysis")]
pub mod snowball;
#[cfg(feature = "analysis")]
pub mod spelling;
pub mod stems;
#[cfg(feature = "analysis")]
pub mod tagger;
pub mod tokens;
pub mod typos;
pub mod vectors;
pub mod visible;

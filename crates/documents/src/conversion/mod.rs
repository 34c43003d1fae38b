//! Conversions between Markdown and HTML, and what is in Markdown: its headings and links.
//!
//! Markdown is parsed by pulldown-cmark, which cannot be stopped, and takes quadratic time for some
//! texts with deep nesting. Therefore a long text is read in a worker process. HTML is parsed within
//! the limits of `parse`.

mod blocks;
mod elements;
mod escape;
mod from_html;
mod inline;
mod layout;
mod markdown;
mod tables;

pub use from_html::from_html;
pub(super) use markdown::in_process;
pub use markdown::{MarkdownHeading, MarkdownLink, markdown_headings, markdown_links, to_html};

#[cfg(test)]
mod tests;

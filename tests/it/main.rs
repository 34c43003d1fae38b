//! The integration tests: one binary, so that the crate is linked once.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![expect(clippy::disallowed_methods, reason = "tests read their own files")]

mod agents;
mod aliases;
mod answers;
mod architecture;
mod articles;
mod attacks;
mod blocks;
mod book;
mod calls;
mod cases;
mod changed_files;
mod ci;
mod cli;
mod closures;
mod compile;
mod components;
mod coverage;
mod crm;
mod databases;
mod declined;
mod docs;
mod drafts;
mod editors;
mod embedded;
mod embedding;
mod entities;
mod envelope;
mod example_scripts;
mod examples;
mod explain;
mod facade;
mod finding;
mod fixes;
mod foreign;
mod format;
mod goals_of_tables;
mod grammar;
mod growth;
mod guide;
mod helpdesk;
mod hostile;
mod hostile_code;
mod hostile_documents;
mod hostile_runs;
mod imports;
mod imputed;
mod kept;
mod laws;
mod learning;
mod lsp;
mod memory;
mod met;
mod meter;
mod models;
mod newcomers;
mod observed;
mod overshoot;
mod pages;
mod plans;
mod policy;
mod programs;
mod promises;
mod proofs;
mod quality;
mod race;
mod real_use;
#[cfg(unix)]
mod repl;
mod requests;
mod retrieval;
mod rows;
mod run;
mod rust_values;
mod scripts;
mod secrets;
mod serve;
mod sources;
mod stale;
mod stdlib;
mod store;
mod suites;
mod table_files;
mod tables;
#[cfg(unix)]
mod terminal;
mod types;
mod verdict;
mod verifying;
mod why;
mod words;
mod zones;

/// Prints that a test was skipped because the machine lacks something.
#[expect(clippy::print_stderr, reason = "the message is for people who run the tests")]
fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}

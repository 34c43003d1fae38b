//! Converts a goal in words to a script that passes the check.
//!
//! The goal is split into steps (`goal`), the documentation determines the ops that each step
//! mentions (`mention`), a search over types chains them (`route`) with arguments from the goal's
//! own words (`arguments`), and the checker decides what is valid (`finish`). A language model may
//! write the script instead ([`super::write`]).

mod arguments;
mod asking;
mod begin;
mod branches;
mod calls;
mod conditions;
mod coordination;
mod draft;
mod fields;
mod filters;
mod finish;
mod forbidden;
mod goal;
mod idioms;
mod implied;
mod items;
mod library;
mod lists;
mod literals;
mod mention;
mod open;
mod output;
mod phrases;
mod route;
mod several;
mod sources;
mod spelling;
mod strength;
mod tokens;
mod unexplained;

pub use finish::{Wanted, planned};

//! What the bases print and send: the JSON of every command, views of runs, and the store of runs.
//!
//! A base decodes what it receives, calls the engine or this crate, and encodes the result. The
//! texts here are plain: colours, widths and terminals belong to the bases.

pub mod access;
pub mod against;
pub mod apis;
pub mod bias;
pub mod book;
pub mod calls;
pub mod certificate;
pub mod charts;
pub mod check;
pub mod ci;
pub mod components;
mod example;
pub mod expand;
pub mod explain;
pub mod failure;
pub mod folded;
pub mod guide;
pub mod hooks;
pub mod inspect;
pub mod jobs;
pub mod library;
mod looked;
pub mod mcp;
pub mod models;
pub mod page;
pub mod project;
pub mod replay;
pub mod rest;
pub mod result_file;
mod rows;
pub mod run;
pub mod runs;
pub mod schemas;
pub mod seen;
pub mod servers;
pub mod show;
pub mod store;
pub mod tables;
pub mod tap;
pub mod testing;
pub mod tuning;
pub mod upkeep;
pub mod usage;
pub mod why;

//! A pipeline language and the engine that runs it.

pub mod value;

pub mod diag;

pub mod syntax;

pub mod host;

pub mod text;

pub mod registry;

pub mod components;

pub mod check;

pub mod plan;

pub mod run;

pub mod engine;

pub mod bases;

pub use engine::{Block, Engine, Error, Request, Response, block};

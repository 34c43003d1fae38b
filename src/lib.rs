//! A pipeline language that is checked before it runs, and the engine that runs it.
//!
//! ```text
//! question >> search(source: "docs") >> rag_retrieval >> summary
//! ```
//!
//! # How a script becomes a value
//!
//! | step | function | from | to |
//! |---|---|---|---|
//! | parse | [`syntax::parse`] | text | [`syntax::ast::Program`] |
//! | check | [`check::check`] | [`syntax::ast::Program`] and [`registry::Registry`] | [`check::Checked`] |
//! | plan | [`plan::plan`] | [`check::Checked`] | [`plan::Plan`] |
//! | run | [`run::run`] | [`plan::Plan`] and inputs | [`value::Value`] |
//!
//! Each step consumes the result of the previous one; nothing is edited later. [`Engine`] is
//! the single entry point to all of them.
//!
//! # Embedding
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use svc::{Engine, block};
//!
//! let engine = Engine::new();
//!
//! // A script, with a typed param and a typed result.
//! let script = r#"param n: int  ["a", "b", "c"] >> take(n: n) >> each { upper }"#;
//! let words: Vec<String> = engine.run(script).param("n", 2).await?.get()?;
//! assert_eq!(words, ["A", "B"]);
//!
//! // The same kind of pipeline, composed in Rust.
//! let pipeline = block("split").arg("sep", ",") >> block("reverse");
//! let words: Vec<String> = engine.run(pipeline).input("a,b").await?.get()?;
//! assert_eq!(words, ["b", "a"]);
//!
//! // Problems are known before anything runs.
//! let report = engine.check(r#""a" >> uper"#).unwrap_err();
//! assert!(report.to_string().contains("unknown name `uper`"));
//! # Ok(())
//! # }
//! ```
//!
//! A program registers its own components with [`Engine::with`]; `examples/greeter.rs` is a
//! complete example.

// Modules are listed in the order of their layers: each depends only on those above it.

pub mod value;

pub mod diag;

pub mod syntax;

pub mod host;

pub mod text;

pub mod registry;

pub mod script;

pub mod store;

pub mod components;

pub mod stdlib;

pub mod check;

pub mod plan;

pub mod run;

pub mod engine;

pub mod bases;

#[doc(hidden)]
pub use engine::is_worker as is_island;
pub use engine::{Block, Engine, Error, Request, Response, block, is_worker};
pub use plan::Policy;

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
//! use svc::block;
//!
//! let engine = svc::engine();
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

use std::sync::Arc;

pub mod bases;
mod worker;

pub use worker::is_worker;

pub use svc_api as api;
pub use svc_assist as assist;
pub use svc_components as components;
pub use svc_contract::{choices, params, record, registry, value};
pub use svc_documents as documents;
pub use svc_engine::{self as engine, Block, Engine, Error, Request, Response, block, run};
pub use svc_lang::{
    check, diag,
    plan::{self, Policy},
    script, stdlib, syntax,
};
pub use svc_text as text;

/// The outside world, as a trait, and the operating system as one.
pub mod host {
    pub use svc_contract::host::*;
    pub use svc_host_os::{self as os, test};
}

/// The store of runs, as a trait, and one in a file of `SQLite`.
pub mod store {
    pub use svc_contract::store::*;
    pub use svc_store::*;
}

/// An engine with the built-in components on this machine.
pub fn engine() -> Engine {
    Engine::new(components::registry(), Arc::new(host::os::OsHost::default()))
}

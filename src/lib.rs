//! A pipeline language that is checked before it runs, and the engine that runs it.
//!
//! ```text
//! question >> search(source: "docs") >> rag_retrieval >> summary
//! ```
//!
//! # How a script becomes a value
//!
//! A script is parsed, checked against the known components, planned and run. Each step uses the
//! result of the previous one. [`Engine`] is the single entry point to all of them.
//!
//! | method | result |
//! |---|---|
//! | [`Engine::check`] | [`check::Checked`], or a [`diag::Report`] of all problems |
//! | [`Engine::plan`] | [`plan::Plan`], with the estimate of what a run can take |
//! | [`Engine::run`] | [`Request`]; awaiting it returns a [`Response`] with the value |
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
//! complete example. [`op`], [`io_op`] and [`inline_op`] make ops of closures, which
//! [`Engine::with_ops`] adds.
//!
//! **Invariant:** every exported name is listed here. `tests/it/facade.rs` holds their methods,
//! fields and variants.

use std::sync::Arc;

#[cfg(feature = "command")]
pub mod bases;
#[cfg(feature = "os")]
mod worker;

#[cfg(feature = "os")]
pub use worker::is_worker;

pub use svc_contract::{
    choices, needs, params, record,
    registry::{inline_op, io_op, op},
};
pub use svc_derive::Record;
#[cfg(feature = "script-tests")]
pub use svc_engine::TestResult;
pub use svc_engine::{
    Block, CancellationToken, Engine, Error, Events, Fixed, Fixes, FlowArgs, Happened, Hints,
    OpFailure, Request, Response, RunEvent, Running, block,
};
pub use svc_lang::plan::{Policy, Rule};

/// Components as blocks, and a registry that invokes them by their names: the in-process model of
/// the specification.
pub mod blocks {
    use std::sync::OnceLock;

    pub use svc_engine::blocks::{
        AIBlock, ComponentInfo, ComponentRegistry, Emittable, InductiveBias, Inferrable,
        Ingestible, Learnable, OnError, OpInfo, Order, PipelineBlock, PipelineStep, ResourceBounds,
        Result, ResultOf, StepOutcome, Steps, Storable, WorkflowStep, blocking,
    };

    /// The registry of the built-in components on this machine. It is created once; a program with
    /// components of its own creates one with [`ComponentRegistry::new`].
    pub fn get_registry() -> &'static ComponentRegistry {
        static REGISTRY: OnceLock<ComponentRegistry> = OnceLock::new();
        REGISTRY.get_or_init(|| ComponentRegistry::new(crate::engine()))
    }

    /// Runs steps of the built-in components one after the other, within the default bounds; see
    /// [`ComponentRegistry::run_pipeline`].
    pub async fn run_pipeline(
        steps: impl IntoIterator<Item = PipelineStep>,
    ) -> Result<Vec<crate::value::Value>> {
        get_registry().run_pipeline(steps).await
    }

    /// Runs steps of the built-in components at the same time, within the default bounds; see
    /// [`ComponentRegistry::run_parallel`].
    pub async fn run_parallel(
        steps: impl IntoIterator<Item = PipelineStep>,
    ) -> Result<Vec<crate::value::Value>> {
        get_registry().run_parallel(steps).await
    }
}

/// Values, their types, and the conversion of both.
pub mod value {
    pub use svc_contract::value::{
        BoundedText, Columns, Date, EnumType, FlowRef, FlowType, List, Money, OpaqueRef,
        OpaqueType, Record, RecordType, Secret, Slot, Text, Timestamp, Type, TypeMismatch, Value,
        from_value, to_value,
    };

    /// Values as JSON.
    pub mod json {
        pub use svc_contract::value::json::{read, write, write_pretty};
    }
}

/// The contract of components: what an op declares, and what it gets.
pub mod registry {
    pub use svc_contract::registry::{
        Amount, Arguments, Asking, Bias, Body, BoxFuture, Callback, Cases, Closure, ClosureOp,
        Component, Compute, Cx, Deferred, Effect, ErrorKind, Example, Field, FieldScheme, Flow,
        FlowCall, Found, Generic, Inline, InlineCx, InlineWith, Io, Items, Known, Lent, Limits,
        Max, Measure, Op, OpCode, OpDef, OpError, OpRef, OpSignature, Opaque, OpaqueDef, Ordered,
        Outcome, Param, ParamDefault, Params, Price, Quote, ReadyComponent, RecordDef, Registry,
        Scheme, Scope, SharedType, Size, Sizes, State, Takes, Tier, TokenPrice, Tool, Trained,
        Tuning, Usage, Var, Version, WithCx, Writer, called_io, compute, inline, inline_with, io,
        load, save,
    };

    /// The records that the built-in components use for documents and files.
    pub mod documents {
        pub use svc_contract::registry::documents::{Doc, File, Hit, Judged};
    }
}

/// What components learnt, as a store contains it.
pub mod models {
    pub use svc_contract::value::{AboutModel, Learnt, Metric, Model, ModelId};
}

/// The outside world as a trait, this machine, and a world for tests.
pub mod host {
    mod isolated;

    pub use isolated::Isolated;
    pub use svc_contract::host::{
        Access, Answering, DirEntry, Fill, Host, Machine, MemoryFiles, Process, Resolving, Server,
        Stat, WorkerError, WorkerLimits, read, read_all,
    };
    #[cfg(feature = "os")]
    pub use svc_host_os::{OsHost, test::TestHost};

    /// Requests that a component makes.
    pub mod http {
        pub use svc_contract::host::http::{Answer, BodyStream, Request, Response, Trust, follow};
    }
}

/// The store of runs as a trait, and one in a file of `SQLite`.
pub mod store {
    pub use svc_contract::store::{
        Args, Attempt, Blob, Claim, Committed, End, Entry, Filter, Hash, History, ModelRow, Node,
        NodeState, Payment, Run, RunId, RunState, Spread, Store, StoreError, StoreErrorKind,
    };
    #[cfg(feature = "store")]
    pub use svc_store::{
        Health, Old, Options, Pruned, Receipt, Recovered, Size, SqliteStore, StoredModel,
    };
}

/// Scripts as text, and the problems that a check finds in them.
pub mod diag {
    pub use svc_contract::registry::{Advice, Hint, HintId};
    pub use svc_lang::diag::{
        Applicability, Code, Fix, Label, Problem, Refused, Report, Severity, Source, Span, Style,
        Unfilled,
    };
}

/// Scripts that passed the check.
pub mod check {
    pub use svc_lang::check::{Checked, Input};
}

/// What a run will do, and what it can take.
pub mod plan {
    pub use svc_lang::{
        check::BoundKey,
        plan::{EffectUse, Envelope, Holds, Node, Place, Plan, Range, Verb, Verdict},
    };
}

/// Events of runs, failed runs, and what is known of recorded ones.
pub mod run {
    #[cfg(feature = "script-tests")]
    pub use svc_engine::{DryRunResult, Fate};
    pub use svc_engine::{
        history::cause::{Cause, Differences},
        history::why::{Called, Reason, Why},
        run::{CapPlace, Event, Observer, Partial, Parts, RunError, Unwatched, ledger::Cap},
    };
}

/// The objects that the commands of `svc` print with `--json`.
pub mod output {
    pub use svc_engine::output::{
        estimates::{Bound, Effect, EnvelopeJson, Range},
        failure::{FAILURE_SCHEMA, Failure, FilePlace, Kept, Used},
        planned::{PLAN_SCHEMA, Planned, PlannedNode},
        report::{ERROR_SCHEMA, ErrorReport},
        verdict::{
            FlowSignature, Hole, Label, Named, Node, Param, Place, Problem, RefusedEffect,
            Unchecked, VERDICT_SCHEMA, Verdict,
        },
    };
}

/// Help for those who write scripts: completion, hover and sessions.
#[cfg(feature = "editor")]
pub mod editor {
    pub use svc_assist::{
        Asked, Call, Callable, Choice, Choices, Document, Draft, Edit, Hover, Mark, Notation,
        Piece, Port, Position, Role, Sort, active, call_at, complete, grammar, hover, pieces,
        session::{Binding, Saved, Session, Statement},
    };
    pub use svc_engine::Unsaved;
    pub use svc_lang::check::{Analysis, Facts, HoleFact, Mention, NameKind, NodeFact, Target};
}

/// An engine with the built-in components on this machine; without the feature `os`, on a host
/// that has nothing but a clock.
pub fn engine() -> Engine {
    #[cfg(feature = "os")]
    let host = host::OsHost::default();
    #[cfg(not(feature = "os"))]
    let host = host::Isolated;
    Engine::new(svc_components::registry(), Arc::new(host))
}

//! The definition of components, and the registry of the available ones.
//!
//! A [`Component`] is constant data: its name, its documentation, its operations. An operation
//! is the struct of its parameters ([`params!`]) with one method, and declares everything that
//! the checker, the planner and the engine must know beforehand: types, effects, price, errors,
//! cost class, examples.
//!
//! **Invariant:** this module knows no concrete component, no script, and no run.

mod approvals;
mod bias;
mod call_effects;
mod callback;
mod catalog;
mod closure;
mod component;
mod cx;
mod deferred;
mod effect;
mod error;
mod field;
mod flow;
mod hint;
mod known_call;
mod lent;
mod lookup;
mod opaque;
mod owned;
mod params;
mod price;
mod record;
mod rows;
mod scheme;
mod shared;
mod state;
mod stateless;
mod suggest;
mod tool;
mod topics;
mod tuning;

pub mod conversation;
pub mod documents;
pub mod findings;

pub use approvals::{Approval, Approvals, Asks, KeepsApprovals, Question, Reply};
pub use bias::{Bias, Cases};
pub use call_effects::{CallEffects, DecideEffects, KnownArgs};
pub use callback::Callback;
pub use catalog::{Catalog, LibraryFlow, LibraryModule, Tried, Way};
pub use closure::{
    Arguments, Closure, ClosureOp, OpCode, OpSignature, Outcome, ReadyComponent, WithCx, called_io,
    inline_op, io_op, op,
};
#[cfg(svc_declarations)]
pub use component::declared;
pub use component::{
    Body, BoxFuture, Component, Compute, Example, Generic, Inline, InlineWith, Io, Op, OpDef,
    Version, compute, inline, inline_with, io, lacking,
};
pub use cx::{Cx, Meter, Monitor, Usage};
pub use deferred::{Deferred, Later};
pub use effect::{Effect, Limits, Measure, Scope, Takes};
pub use error::{Conflict, ErrorKind, OpError};
pub use field::{Amount, Field, Items, Ordered, Size, Var};
pub use flow::{Flow, FlowCall, FlowCalls, ToolRef, Writer, tools_of};
pub use hint::{Advice, Hint, HintId};
pub use known_call::{CheckCall, Foreseen, KnownCall, Misuse, Part};
pub use lent::{InlineCx, Lent};
pub use lookup::{Found, OpRef, Registry};
pub use opaque::{Opaque, OpaqueDef};
pub use owned::{EndsWithRun, Owned};
pub use params::{MASK, MaskedValues, Param, ParamDefault, Params, plain_name};
pub use price::{Asking, Known, Price, Quote, Sizes, TokenPrice, written};
pub use record::RecordDef;
pub use rows::{
    ANY_RECORD, AnyRows, Rows, check_column, check_columns, columns_of, columns_of_call,
};
pub use scheme::{FieldScheme, Max, Scheme, ToolCalls, record_type, tool_type};
pub use shared::SharedType;
pub use state::{State, Trained, load, save};
pub use suggest::{Near, Nearest, near, nearest};
pub use svc_text::search::Place;
pub use tool::{CallerTier, Tier, Tool};
pub use topics::{Ranked, Subject, Topic, Topics};
pub use tuning::{TunedRegistry, Tuning};

pub use crate::{choices, needs, params, record};

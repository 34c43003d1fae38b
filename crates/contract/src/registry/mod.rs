//! The definition of components, and the registry of the available ones.
//!
//! A [`Component`] is constant data: its name, its documentation, its operations. An operation
//! is the struct of its parameters ([`params!`]) with one method, and declares everything that
//! the checker, the planner and the engine must know beforehand: types, effects, price, errors,
//! cost class, examples.
//!
//! **Invariant:** this module knows no concrete component, no script, and no run.

mod callee;
mod catalog;
mod component;
mod cx;
mod effect;
mod error;
mod field;
mod index;
mod lent;
mod lookup;
mod params;
mod price;
mod record;
mod scheme;
mod stateless;
mod suggest;

pub mod documents;

pub use callee::{Callee, FlowCall, FlowCalls, Writer};
pub use catalog::{Catalog, LibraryFlow, Tried, Way};
pub use component::{
    Body, BoxFuture, Component, Compute, Example, Generic, Inline, Io, Op, OpDef, compute, inline,
    io,
};
pub use cx::{Cx, Meter, Monitor, Usage};
pub use effect::{Effect, Limits, Measure, Scope, Takes};
pub use error::{ErrorKind, OpError};
pub use field::{Amount, Field, Items, Ordered, Size, Var};
pub use index::{Index, Match, Where};
pub use lent::Lent;
pub use lookup::{Found, OpRef, Registry};
pub use params::{Param, Params};
pub use price::{Asking, Known, Price, Quote, Sizes, TokenPrice, written};
pub use record::RecordDef;
pub use scheme::{FieldScheme, Max, Scheme, record_type};
pub use suggest::{Near, Nearest, near, nearest};

pub use crate::{choices, params, record};

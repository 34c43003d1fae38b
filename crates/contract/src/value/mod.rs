//! The data of a pipeline: values, their types, and units.
//!
//! [`Value`] is cheap to clone: text, lists and records are shared, never copied.
//! [`Type`] is the checker's knowledge of a value before it exists. JSON appears only in
//! [`json`], where values enter and leave the process.
//!
//! **Invariant:** this module imports no other module of the crate.

pub mod arithmetic;
mod bounded;
mod buffers;
mod cast;
mod compare;
mod convert;
mod data;
pub mod json;
mod list;
pub mod literal;
pub mod memory;
mod merge;
mod misfit;
mod model;
mod opaque;
pub mod paths;
mod rows;
pub mod schema;
mod show;
mod structure;
pub mod times;
mod types;
pub mod units;
mod unmade;
pub mod wire;
mod written;

pub use bounded::BoundedText;
pub use buffers::NotRows;
pub use convert::{from_value, to_value};
pub use data::{Record, Slot, Text, Value};
pub use list::{ITEMS_PER_CHECK, List};
pub use merge::merge_patch;
pub use misfit::TypeMismatch;
pub use model::{AboutModel, LARGEST_STATE, Learnt, Metric, Model, ModelId};
pub use opaque::{FlowRef, OpaqueRef, OpaqueType, Secret, ToolFacts};
pub use rows::Columns;
pub use types::{EnumType, FlowType, RecordType, Type};
pub use units::Money;
pub use unmade::{RecordsBuilder, UnmadeRows};
pub use written::Written;

pub use jiff::{Timestamp, civil::Date};

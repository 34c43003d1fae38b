//! The engine, as seen by the advising ops that it calls.
//!
//! Ops know nothing about scripts. The guide writes scripts, so it needs access to the engine,
//! through this trait.

use std::any::Any;

use super::{OpRef, Registry, Topics};
use crate::value::Type;

/// Knows the available components, and can check scripts.
///
/// It is [`Any`], so that a component of the crates above the engine gets the engine itself.
pub trait Catalog: Any + Send + Sync {
    fn registry(&self) -> &Registry;

    /// The index of everything that users ask for.
    fn topics(&self) -> &Topics;

    /// Checks a script without running it.
    fn tried(&self, script: &str) -> Tried;

    /// The script after the fixes that leave no doubt.
    fn fixed(&self, script: &str) -> String;

    /// The script with a hole in place of each stage that does not pass the check; `None` if holes
    /// are not enough.
    fn sketched(&self, script: &str) -> Option<String>;

    /// The meaning of an error code, in Markdown.
    fn explained(&self, code: &str) -> Option<&'static str>;

    /// The way from a value of a type to an op; `None` if there isn't one.
    fn way_to(&self, from: &Type, op: OpRef) -> Option<Way>;

    /// The stages that convert a value of one type to another one.
    fn way_between(&self, from: &Type, to: &Type) -> Option<Way>;

    /// The type with this name: `[string]`, `Doc`.
    fn type_of(&self, written: &str) -> Option<Type>;

    /// The flows of the standard library.
    fn library(&self) -> Vec<LibraryFlow>;

    /// The modules of the standard library.
    fn modules(&self) -> Vec<LibraryModule>;
}

/// A module of the standard library.
#[derive(Clone, Debug)]
pub struct LibraryModule {
    /// Its name, without `std:`.
    pub name: &'static str,
    /// The ops that its flows call. What a template calls is known only where it is used.
    pub calls: Vec<OpRef>,
}

/// A flow of the standard library.
#[derive(Clone, Debug)]
pub struct LibraryFlow {
    /// The module, without `std:`.
    pub module: &'static str,
    /// The purpose of the module.
    pub summary: &'static str,
    pub name: String,
    pub doc: String,
    /// As declared: `bar: float 0..1 = 0.8`.
    pub params: Vec<String>,
}

/// The result of checking a script.
#[derive(Clone, Debug, Default)]
pub struct Tried {
    /// The formatted script.
    pub text: String,
    /// The errors that prevent a run; empty if the script is correct.
    pub errors: Vec<String>,
    /// The type of its result, if it passes the check.
    pub gives: Option<Type>,
    /// The estimated tokens, cost and time, in words.
    pub envelope: String,
    /// Its effects on the world, in words: `reads fs:docs`.
    pub effects: Vec<String>,
    /// The ops that it calls, in source order.
    pub ops: Vec<OpRef>,
}

/// The way from a value to the expected type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// The stages of the way, as a script writes them; empty if the value fits.
    pub stages: Vec<String>,
    /// Whether the value is a list whose items fit one by one.
    pub of_items: bool,
}

//! What ops that advise can see of the engine that calls them.
//!
//! An op knows nothing of scripts. The guide writes them, so it is handed somebody who does:
//! the engine, behind this trait.

use super::{OpRef, Registry};
use crate::value::Type;

/// Who knows what there is to call, and whether a script would run.
pub trait Catalog: Send + Sync + 'static {
    fn registry(&self) -> &Registry;

    /// What is known of a script without running it.
    fn tried(&self, script: &str) -> Tried;

    /// How a value of a type comes to an op; nothing where no way leads there.
    fn way_to(&self, from: &Type, op: OpRef) -> Option<Way>;

    /// The stages that make a value of one type one of another.
    fn way_between(&self, from: &Type, to: &Type) -> Option<Way>;

    /// The type that a text names: `[string]`, `Doc`.
    fn type_of(&self, written: &str) -> Option<Type>;

    /// The flows of the standard library.
    fn library(&self) -> Vec<LibraryFlow>;
}

/// A flow of the standard library.
#[derive(Clone, Debug)]
pub struct LibraryFlow {
    /// The module, without `std:`.
    pub module: &'static str,
    /// What the module is for.
    pub summary: &'static str,
    pub name: String,
    pub doc: String,
    /// As it declares them: `bar: float 0..1 = 0.8`.
    pub params: Vec<String>,
}

/// What is known of a script that was tried.
#[derive(Clone, Debug, Default)]
pub struct Tried {
    /// The script as it should be laid out.
    pub text: String,
    /// Why it would not run: nothing where it would.
    pub errors: Vec<String>,
    /// What it gives, where it checks.
    pub gives: Option<Type>,
    /// What it takes in tokens, money and time, in words.
    pub envelope: String,
    /// What it does to the world, in words: `reads fs:docs`.
    pub effects: Vec<String>,
    /// The ops that it calls, in the order of the text.
    pub ops: Vec<OpRef>,
}

/// How a value becomes what is due.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// The stages on the way, as a script writes them; none where the value fits.
    pub stages: Vec<String>,
    /// Whether it is a list whose items fit, one by one.
    pub of_items: bool,
}

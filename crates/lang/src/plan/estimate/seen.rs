//! What the estimate knows about a term and about a variable.

use super::{abstract_value::AbstractValue, resource_use::ResourceUse};

/// The nodes that a value comes from. The numbers from [`INPUTS`] on are inputs.
pub(super) type Sources = Vec<usize>;

/// The sources, the extent and the load of a term.
pub(super) struct Seen {
    pub(super) sources: Sources,
    pub(super) extent: AbstractValue,
    pub(super) load: ResourceUse,
}

/// A variable: the sources and the extent of its value.
pub(super) struct Slot {
    pub(super) sources: Sources,
    pub(super) extent: AbstractValue,
}

impl Slot {
    pub(super) fn bare(extent: AbstractValue) -> Self {
        Self { sources: Sources::new(), extent }
    }
}

impl Seen {
    pub(super) fn at_once(sources: Sources, extent: AbstractValue) -> Self {
        Self { sources, extent, load: ResourceUse::none() }
    }
}

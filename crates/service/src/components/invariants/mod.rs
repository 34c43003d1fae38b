//! What this system promises of itself, checked on demand with evidence.
//!
//! An [`Invariant`](table::Invariant) is a function over a [`System`](system::System): its registry,
//! and the functions of the program that it holds to its word. Tests give it a broken one, and
//! every invariant reports what is broken.

mod bounds;
mod effects;
mod generate;
mod language;
mod names;
mod ops;
mod probe;
mod quiet;
mod rights;
mod runs;
mod schemas;
mod secrets;
mod system;
mod table;
#[cfg(test)]
mod tests;
mod values;
mod wall;

use svc_contract::registry::{Bias, Component, compute, inline};

pub(super) use table::unsound;

pub(crate) const COMPONENT: Component = Component {
    name: "invariants",
    cluster: "formal-verification",
    summary: "What this system promises of itself, each with its evidence, checked on demand.",
    version: 1,
    bias: Bias::new(
        "each promise is a function over the registry and the engine, which looks for a case that \
         breaks it",
        &[
            "the examples of the registry stand for what is called",
            "a seed generates the same inputs every time",
        ],
    ),
    aliases: &[("invariants_check", "check")],
    ops: &[
        compute::<ops::Check>(),
        compute::<ops::Verify>(),
        inline::<ops::ListCategories>(),
        compute::<ops::Summary>(),
        inline::<ops::Info>(),
        inline::<ops::AtTier>(),
        compute::<ops::TierGap>(),
    ],
};

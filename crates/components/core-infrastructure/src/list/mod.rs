//! Working with lists.

use svc_contract::registry::{Bias, Component, inline};

mod cuts;
mod ends;
mod extremes;
mod range;
mod shape;
mod size;
mod totals;
mod unique;

pub(super) const COMPONENT: Component = Component {
    name: "list",
    cluster: "core-infrastructure",
    summary: "Counts, cuts, reshapes and adds up lists.",
    version: 1,
    bias: Bias::new(
        "exact operations in the order of the items",
        &["items are the same if `==` says so", "a list fits in memory"],
    ),
    aliases: &[
        ("len", "len"),
        ("keys", "keys"),
        ("first", "first"),
        ("last", "last"),
        ("take", "take"),
        ("skip", "skip"),
        ("chunk", "chunk"),
        ("reverse", "reverse"),
        ("compact", "compact"),
        ("flatten", "flatten"),
        ("enumerate", "enumerate"),
        ("unique", "unique"),
        ("range", "range"),
        ("sum", "sum"),
        ("avg", "avg"),
        ("min", "min"),
        ("max", "max"),
    ],
    ops: &[
        inline::<size::Len>(),
        inline::<size::Keys>(),
        inline::<ends::First>(),
        inline::<ends::Last>(),
        inline::<cuts::Take>(),
        inline::<cuts::Skip>(),
        inline::<cuts::Chunk>(),
        inline::<shape::Reverse>(),
        inline::<shape::Compact>(),
        inline::<shape::Flatten>(),
        inline::<shape::Enumerate>(),
        inline::<unique::Unique>(),
        inline::<range::Range>(),
        inline::<totals::Sum>(),
        inline::<totals::Avg>(),
        inline::<extremes::Min>(),
        inline::<extremes::Max>(),
    ],
};

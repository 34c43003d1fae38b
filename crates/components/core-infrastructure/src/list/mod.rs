//! Working with lists.

use svc_contract::registry::{Bias, Component, inline, io};

mod by;
mod cuts;
mod ends;
mod extremes;
mod joining;
mod range;
mod running;
mod sampling;
mod shape;
mod size;
mod statistics;
mod totals;
mod unique;

pub(super) const COMPONENT: Component = Component {
    name: "list",
    cluster: "core-infrastructure",
    summary: "Counts, cuts, reshapes, adds up and describes lists.",
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
        ("at_most", "at_most"),
        ("zip", "zip"),
        ("pairs", "pairs"),
        ("window", "window"),
        ("cumulative", "cumulative"),
        ("median", "median"),
        ("quantile", "quantile"),
        ("stdev", "stdev"),
        ("mode", "mode"),
        ("sample", "sample"),
        ("partition", "partition"),
        ("flat_map", "flat_map"),
        ("count_by", "count_by"),
        ("index_by", "index_by"),
        ("top", "top"),
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
        inline::<cuts::AtMost>(),
        inline::<joining::Zip>(),
        inline::<joining::Pairs>(),
        inline::<joining::Window>(),
        inline::<running::Cumulative>(),
        inline::<statistics::Median>(),
        inline::<statistics::Quantile>(),
        inline::<statistics::Stdev>(),
        inline::<statistics::Mode>(),
        inline::<sampling::Sample>(),
        io::<by::Partition>(),
        io::<by::FlatMap>(),
        io::<by::CountBy>(),
        io::<by::IndexBy>(),
        io::<by::Top>(),
    ],
};

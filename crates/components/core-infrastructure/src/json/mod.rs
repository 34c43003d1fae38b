//! Working with JSON.

use svc_contract::registry::{Bias, Component, inline};

mod at;
mod entries;
mod parse;
mod write;

pub(super) const COMPONENT: Component = Component {
    name: "json",
    cluster: "core-infrastructure",
    summary: "Reads, writes and queries JSON.",
    version: 1,
    bias: Bias::new(
        "strict JSON of RFC 8259",
        &[
            "a text holds exactly one value",
            "a repeated key is a mistake",
            "a number without a point is an int where it fits",
        ],
    ),
    aliases: &[
        ("parse_json", "parse_json"),
        ("to_json", "to_json"),
        ("at", "at"),
        ("entries", "entries"),
    ],
    ops: &[
        inline::<parse::ParseJson>(),
        inline::<write::ToJson>(),
        inline::<at::At>(),
        inline::<entries::Entries>(),
    ],
};

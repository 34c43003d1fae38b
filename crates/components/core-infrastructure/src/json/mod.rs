//! Working with JSON.

use svc_contract::registry::{Component, inline};

mod at;
mod entries;
mod parse;
mod write;

pub(super) const COMPONENT: Component = Component {
    name: "json",
    cluster: "core-infrastructure",
    summary: "Reads, writes and queries JSON.",
    version: 1,
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

//! Working with text.

use svc_contract::{
    needs,
    registry::{Bias, Component, compute, inline},
};

mod address;
mod alike;
mod case;
mod convert;
mod encoding;
mod find;
mod markdown;
mod pad;
mod parts;
mod patterns;
mod slug;
mod splitting;

pub(super) const COMPONENT: Component = Component {
    name: "text",
    cluster: "core-infrastructure",
    summary: "Changes, cuts, searches and reads strings.",
    version: 1,
    bias: Bias::new(
        "exact rules of Unicode",
        &[
            "a character is one Unicode scalar value",
            "upper and lower case differ unless a pattern ignores them",
            "white space separates words",
        ],
    ),
    aliases: &[
        ("upper", "upper"),
        ("lower", "lower"),
        ("trim", "trim"),
        ("split", "split"),
        ("join", "join"),
        ("lines", "lines"),
        ("words", "words"),
        ("slice", "slice"),
        ("truncate", "truncate"),
        ("contains", "contains"),
        ("starts_with", "starts_with"),
        ("ends_with", "ends_with"),
        ("replace", "replace"),
        ("matches", "matches"),
        ("find_all", "find_all"),
        ("replace_pattern", "replace_pattern"),
        ("to_int", "parse_int"),
        ("parse_int", "parse_int"),
        ("to_float", "parse_float"),
        ("parse_float", "parse_float"),
        ("show", "show"),
        ("to_text", "show"),
        ("captures", "captures"),
        ("parse_pattern", "parse_pattern"),
        ("similarity", "similarity"),
        ("edit_distance", "edit_distance"),
        ("closest", "closest"),
        ("to_base64", "to_base64"),
        ("from_base64", "from_base64"),
        ("base64_bytes", "base64_bytes"),
        ("slug", "slug"),
        ("parse_url", "parse_url"),
        ("build_url", "build_url"),
        ("markdown_text", "markdown_text"),
        ("markdown_sections", "markdown_sections"),
        ("pad_left", "pad_left"),
        ("pad_right", "pad_right"),
        ("format_number", "format_number"),
    ],
    ops: &[
        inline::<case::Upper>(),
        inline::<case::Lower>(),
        inline::<case::Trim>(),
        inline::<splitting::Split>(),
        inline::<splitting::Join>(),
        inline::<splitting::Lines>(),
        inline::<splitting::Words>(),
        inline::<parts::Slice>(),
        inline::<parts::Truncate>(),
        inline::<find::Contains>(),
        inline::<find::StartsWith>(),
        inline::<find::EndsWith>(),
        inline::<find::Replace>(),
        inline::<patterns::Matches>(),
        compute::<patterns::FindAll>(),
        compute::<patterns::ReplacePattern>(),
        // The checker suggests the first op that fits: an int would also fit a float.
        inline::<convert::ParseFloat>(),
        inline::<convert::ParseInt>(),
        inline::<convert::Show>(),
        compute::<patterns::Captures>(),
        compute::<patterns::ParsePattern>(),
        inline::<alike::Similarity>(),
        inline::<alike::EditDistance>(),
        inline::<alike::FindClosest>(),
        inline::<encoding::Encode>(),
        inline::<encoding::Decode>(),
        inline::<encoding::DecodeBytes>(),
        inline::<pad::PadLeft>(),
        inline::<pad::PadRight>(),
        inline::<pad::FormatNumber>(),
        needs!("formats", inline::<slug::Slug>()),
        needs!("formats", inline::<address::ParseUrl>()),
        needs!("formats", inline::<address::BuildUrl>()),
        needs!("formats", compute::<markdown::MarkdownText>()),
        needs!("formats", compute::<markdown::Sections>()),
    ],
};

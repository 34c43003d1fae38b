//! Reads and writes tables as text.

use svc_contract::{
    registry::{Bias, Component, OpError, compute, inline},
    value::Text,
};

mod read;
mod table;
mod write;

pub(super) const COMPONENT: Component = Component {
    name: "csv",
    cluster: "core-infrastructure",
    summary: "Reads and writes tables in CSV, similar formats and Markdown.",
    version: 2,
    bias: Bias::new(
        "RFC 4180, read leniently",
        &[
            "cells with separators stand in double quotes",
            "empty lines carry no data",
            "the first row is a row like the others, unless records are requested",
        ],
    ),
    aliases: &[("parse_csv", "parse"), ("to_csv", "write"), ("to_markdown", "markdown")],
    ops: &[compute::<read::Parse>(), inline::<write::Write>(), inline::<write::Markdown>()],
};

/// The character between cells.
fn separator(sep: &Text) -> Result<char, OpError> {
    let mut letters = sep.chars();
    let (Some(letter), None) = (letters.next(), letters.next()) else {
        let message = format!("expected one character for `sep`, found `{sep}`");
        return Err(OpError::invalid_input(message));
    };
    if matches!(letter, '"' | '\n' | '\r') {
        return Err(OpError::invalid_input("`sep` cannot be a quote or a line end"));
    }
    Ok(letter)
}

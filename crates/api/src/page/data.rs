//! The calls of a run as data for the script of the page.

use std::io::{self, Write};

use serde::Serialize;

use super::{Guarded, Page, Result, contents::Contents};
use crate::{
    failure, folded,
    runs::recorded_error,
    store::{Attempt, Node, RunId},
};

/// The run itself.
#[derive(Serialize)]
struct RunData<'a> {
    id: &'a str,
    state: &'static str,
    /// Milliseconds since 1970.
    started: i64,
    ended: Option<i64>,
    /// The number of the result.
    value: Option<usize>,
    /// The path of the step at which the run failed.
    failed: Option<String>,
    /// The places of the plan that the store records; `None` without a plan.
    kept: Option<Vec<&'a str>>,
}

/// A call as a compact array, because a run may have many.
#[derive(Serialize)]
struct NodeData<'a>(
    &'a str,
    /// The operation.
    String,
    &'static str,
    /// Tries.
    u32,
    /// Milliseconds since 1970.
    i64,
    /// Microseconds.
    u64,
    /// Tokens.
    u64,
    /// Billionths of a dollar.
    i64,
    /// The numbers of the result, the arguments and the input.
    [Option<usize>; 3],
    /// The error.
    Option<serde_json::Value>,
    /// The run that the value was reused from, if any.
    Option<&'a str>,
    /// The reason why the call was made again.
    Option<serde_json::Value>,
);

#[derive(Serialize)]
struct AttemptData<'a>(&'a str, u32, i64, u64, u64, i64, Option<serde_json::Value>);

pub(super) fn write(page: &Page<'_>, contents: &mut Contents, out: &mut dyn Write) -> Result<()> {
    let run = RunData {
        id: page.run.id.as_str(),
        state: page.run.state.word(),
        started: page.run.started,
        ended: page.run.ended,
        value: page.run.value.map(|it| contents.stored(it)),
        failed: failure::path(page.run),
        kept: page.plan.as_ref().map(super::graph::kept),
    };
    block(out, "run", [run])?;
    block(out, "nodes", page.nodes.iter().map(|it| node(it, contents)))?;
    block(out, "attempts", page.attempts.iter().map(attempt))?;
    write!(out, r#"<script type="text/plain" id="keys">"#)?;
    for node in page.nodes {
        let key = blake3::Hash::from_bytes(node.key).to_hex();
        out.write_all(key.as_bytes())?;
    }
    out.write_all(b"</script>\n")?;
    Ok(())
}

/// Writes a data element with one item per line.
fn block<T: Serialize>(
    out: &mut dyn Write,
    id: &str,
    items: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    write!(out, r#"<script type="application/json" id="{id}">["#)?;
    for (idx, item) in items.into_iter().enumerate() {
        out.write_all(if idx == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(Guarded(out), &item)?;
    }
    out.write_all(b"\n]</script>\n")
}

fn node<'a>(node: &'a Node, contents: &mut Contents) -> NodeData<'a> {
    let output = node.output.map(|it| contents.stored(it));
    let values = [output, contents.args(&node.args), node.input.map(|it| contents.stored(it))];
    NodeData(
        &node.path,
        op(node),
        folded::state(node),
        node.attempts,
        node.started,
        node.took,
        node.used.tokens,
        node.used.cost.nanos(),
        values,
        recorded_error(node.error.as_deref()),
        node.origin.as_ref().map(RunId::as_str),
        recorded_error(node.cause.as_deref()),
    )
}

/// The operation and its version. A step that is not recorded has none.
fn op(node: &Node) -> String {
    let name = failure::op(node);
    if failure::is_unrecorded(node) { name } else { format!("{name} v{}", node.version) }
}

fn attempt((path, it): &(String, Attempt)) -> AttemptData<'_> {
    let error = recorded_error(it.error.as_deref());
    let used = it.used;
    AttemptData(path, it.number, it.started, it.took, used.tokens, used.cost.nanos(), error)
}

//! Compares, merges and patches texts, line by line.

use svc_contract::registry::{Bias, Component, OpError, compute};

mod compare;
mod merge;

pub(super) const COMPONENT: Component = Component {
    name: "adapt_diff",
    cluster: "code-intelligence",
    summary: "Compares and merges texts, and applies patches.",
    version: 1,
    bias: Bias::new(
        "the fewest changed lines",
        &["a line is changed or not", "moved lines are removed and added"],
    ),
    aliases: &[("diff", "infer"), ("merge_texts", "merge"), ("apply_patch", "apply")],
    ops: &[compute::<compare::Infer>(), compute::<merge::Merge>(), compute::<merge::Apply>()],
};

/// The most lines that may differ: the libraries cannot be stopped, and this many take seconds.
const MOST_LINES: usize = 20_000;

/// Refuses texts that differ in too many lines between their equal starts and ends.
fn test_difference(old: &str, new: &str) -> Result<(), OpError> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = (&old[start..], &new[start..]);
    let end = rest.0.iter().rev().zip(rest.1.iter().rev()).take_while(|(a, b)| a == b).count();
    let between = rest.0.len().max(rest.1.len()) - end;
    if between <= MOST_LINES {
        return Ok(());
    }
    let message =
        format!("too many lines between the first and the last change (limit {MOST_LINES})");
    Err(OpError::invalid_input(message).help("compare parts of the texts"))
}

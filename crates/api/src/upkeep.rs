//! Reports about the store itself: its size, and what was removed or saved.

use std::time::Duration;

use svc_contract::{store::StoreError, value::units};
use svc_service::jobs::Jobs;

use crate::{
    check::counted,
    store::{Old, Pruned, Recovered, Size},
};

/// The runs that started longer ago than `older_than`, are not among the latest `keep`, and are not
/// those that jobs need.
pub fn old(
    now: i64,
    older_than: Option<Duration>,
    keep: Option<usize>,
    jobs: Option<&Jobs>,
) -> Result<Old, StoreError> {
    let ago = |it: Duration| i64::try_from(it.as_millis()).unwrap_or(i64::MAX);
    let before = older_than.map(|it| now.saturating_sub(ago(it)));
    let but = jobs.map(Jobs::needed_runs).transpose()?.unwrap_or_default();
    Ok(Old { before, but_last: keep, but })
}

/// `12 runs, 340 nodes, 1.2MB`, as a line.
pub fn size(size: &Size) -> String {
    let bytes = units::show_size(size.database.saturating_add(size.files));
    format!("{}, {}, {bytes}\n", counted(size.runs, "run"), counted(size.nodes, "node"))
}

/// The names of the removed runs, one per line, and the total.
pub fn pruned(pruned: &Pruned) -> String {
    let mut lines: Vec<String> = pruned.runs.iter().map(ToString::to_string).collect();
    let (count, bytes) = (pruned.runs.len(), units::show_size(pruned.bytes));
    let (runs, contents) = (counted(count, "run"), counted(pruned.contents, "content"));
    lines.push(format!("{runs} with {contents}, {bytes}\n"));
    lines.join("\n")
}

/// The saved and the lost data, and the runs that cannot be resumed.
pub fn recovered(recovered: &Recovered) -> String {
    let Recovered { aside, runs, nodes, partial, .. } = recovered;
    let mut text = format!("the damaged store is now `{}`\n", aside.display());
    text.push_str(&format!(
        "{} and {} were saved\n",
        counted(*runs, "run"),
        counted(*nodes, "node")
    ));
    let lost = [
        ("runs", recovered.lost_runs as u64),
        ("nodes", recovered.lost_nodes as u64),
        ("contents", recovered.lost_contents as u64),
        ("commits at the end", recovered.lost_commits),
    ];
    let lost = lost.into_iter().filter(|(_, count)| *count > 0);
    let lost: Vec<String> = lost.map(|(what, count)| format!("{count} {what}")).collect();
    if !lost.is_empty() {
        text.push_str(&format!("lost: {}\n", lost.join(", ")));
    }
    for run in partial {
        text.push_str(&format!("incomplete, cannot be resumed: {run}\n"));
    }
    text
}

//! The calls that a script would reuse from an earlier run.

use svc_contract::registry::Usage;
use svc_engine::{DryRunResult, Fate, history::cause::Cause, run::place_of};

/// The maximum number of calls listed separately per place.
const MOST_CALLS: usize = 3;

/// One line for each call that would be made, or for each place with many calls.
pub fn rerun_lines(dry_run: &DryRunResult) -> Vec<String> {
    let mut places: Vec<(String, Vec<(&str, &Cause)>)> = Vec::new();
    for (path, fate) in &dry_run.calls {
        let Fate::Rerun(cause) = fate else { continue };
        let place = place_of(path);
        match places.iter_mut().find(|(it, _)| *it == place) {
            Some((_, calls)) => calls.push((path, cause)),
            None => places.push((place, vec![(path, cause)])),
        }
    }
    let lines = places.into_iter().flat_map(|(place, calls)| match calls.as_slice() {
        [(_, first), ..] if calls.len() > MOST_CALLS => {
            vec![format!("{place} ×{}: {first}", calls.len())]
        }
        few => few.iter().map(|(path, cause)| format!("{path}: {cause}")).collect(),
    });
    lines.collect()
}

/// `reuses 40 of 43 calls from 01j9…, which saves 1_200 tokens, $0.03`.
pub fn summary(dry_run: &DryRunResult) -> String {
    let (same, saved) = (dry_run.same(), dry_run.saved);
    let saves =
        if saved == Usage::default() { String::new() } else { format!(", which saves {saved}") };
    let total = dry_run.recorded.len();
    let calls = if total == 1 { "call" } else { "calls" };
    format!("reuses {same} of {total} {calls} from {}{saves}", dry_run.run.id)
}

/// The summary, and the calls that would be made.
pub fn text(dry_run: &DryRunResult) -> String {
    let mut text = format!("{}\n", summary(dry_run));
    let later = dry_run.not_reached();
    let later = later.into_iter().map(str::to_owned).collect();
    for (title, lines) in
        [("made again", rerun_lines(dry_run)), ("depends on calls made again", later)]
    {
        if !lines.is_empty() {
            text.push_str(&format!("\n{title}\n"));
        }
        text.extend(lines.iter().map(|it| format!("  {it}\n")));
    }
    text
}

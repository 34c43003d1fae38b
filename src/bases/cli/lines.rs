//! Renders the progress of a run: one line for the whole run, and one for each place in the script
//! where something runs.

use std::time::{Duration, Instant};

use svc_api::seen::{CallProgress, EachProgress, Seen, SeenPlace};
use svc_contract::value::{Money, units};
use svc_lang::diag::visible_line;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Shorter calls are not shown, to avoid flicker.
const PATIENCE: Duration = Duration::from_millis(200);

/// After this time, the first line is shown even if each call is short.
const LONG: Duration = Duration::from_secs(1);

/// The maximum number of places shown at a time.
const MOST: usize = 8;

/// The minimum number of columns for a path.
const PATH: usize = 8;

/// The time and the screen size of a frame.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    pub(super) now: Instant,
    /// The time since the run began.
    pub(super) elapsed: Duration,
    /// The number of frames drawn before.
    pub(super) frame: usize,
    /// The size of the terminal.
    pub(super) columns: usize,
    pub(super) rows: usize,
}

/// The lines of a frame, none of them wider than the terminal.
pub(super) fn lines(seen: &Seen, at: Moment) -> Vec<String> {
    let running = seen.in_order(|it| it.is_running() && at.since(it) >= PATIENCE);
    if running.is_empty() && at.elapsed < LONG {
        return Vec::new();
    }
    let most = MOST.min(at.rows.saturating_sub(3));
    let mut lines = vec![overview(seen, at)];
    lines.extend(running.iter().take(most).map(|(path, it)| line(path, it, at)));
    if running.len() > most {
        lines.push(format!("  and {} more", running.len() - most));
    }
    lines.iter().map(|it| cut(&visible_line(it), at.columns)).collect()
}

impl Moment {
    fn since(&self, node: &SeenPlace) -> Duration {
        self.now.saturating_duration_since(node.since)
    }

    fn spinner(&self) -> char {
        const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
        SPINNER[self.frame % SPINNER.len()]
    }
}

/// `12s  38 of 40 calls, 2 running  $0.012 of $0.05`
///
/// On a narrow terminal, tokens are omitted first, then calls.
fn overview(seen: &Seen, at: Moment) -> String {
    let time = Some(whole_seconds(at.elapsed));
    let ended = Some(ended(seen));
    let calls = match seen.running {
        0 => ended.clone(),
        running => ended.as_ref().map(|it| format!("{it}, {running} running")),
    };
    let (cost, tokens) = (cost(seen), tokens(seen));
    let tries = [
        [&time, &calls, &cost, &tokens],
        [&time, &calls, &cost, &None],
        [&time, &ended, &cost, &None],
    ];
    let joined = |parts: &[&Option<String>]| {
        parts.iter().filter_map(|it| it.as_deref()).collect::<Vec<_>>().join("  ")
    };
    let fitting = tries.iter().map(|it| joined(it)).find(|it| it.width() <= at.columns);
    fitting.unwrap_or_else(|| joined(&[&time, &cost]))
}

fn ended(seen: &Seen) -> String {
    let Seen { ended, running, .. } = seen;
    match seen.planned.filter(|it| *it >= ended + running) {
        Some(planned) => format!("{ended} of {planned} call{}", plural(planned)),
        None => format!("{ended} call{}", plural(*ended)),
    }
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

fn cost(seen: &Seen) -> Option<String> {
    // Digits below a millionth of a dollar would only flicker.
    let spent = Money::from_nanos(seen.spent.cost.nanos() / 1000 * 1000);
    match seen.cap.cost {
        Some(cap) => Some(format!("{spent} of {cap}")),
        None => (spent > Money::ZERO).then(|| spent.to_string()),
    }
}

fn tokens(seen: &Seen) -> Option<String> {
    seen.cap.tokens.map(|cap| format!("{} of {cap} tokens", seen.spent.tokens))
}

/// `⠋ found/search: indexing ██████░░░░ 600/1000  2s`
fn line(path: &str, node: &SeenPlace, at: Moment) -> String {
    let mut what = String::new();
    if let Some(items) = &node.items {
        what += &how_many(items);
    } else if let Some(progress) = &node.progress {
        what += &format!(": {}", how_far(progress, at.columns));
    } else if node.running > 1 {
        what += &format!(" ×{}", node.running);
    }
    what += &retries(node, at.now);
    what += &format!("  {}", whole_seconds(at.since(node)));
    let left = at.columns.saturating_sub(2 + what.width()).max(PATH);
    format!("{} {}{what}", at.spinner(), end_of(path, left))
}

fn whole_seconds(time: Duration) -> String {
    units::show_duration(Duration::from_secs(time.as_secs()))
}

/// `: 12/200 items, 4 running, 1 failed`
fn how_many(items: &EachProgress) -> String {
    let EachProgress { total, done, running, failed } = items;
    let mut text = format!(": {}/{total} items", done + failed);
    for (n, word) in [(running, "running"), (failed, "failed")] {
        if *n > 0 {
            text += &format!(", {n} {word}");
        }
    }
    text
}

/// `, try 2 in 3s`, or `, 4 retry in 3s`, where the time is that until the next retry.
fn retries(node: &SeenPlace, now: Instant) -> String {
    let waits = |begins: Instant| begins.saturating_duration_since(now);
    let waiting: Vec<_> = node.retries().filter(|it| !waits(it.begins).is_zero()).collect();
    let next = waiting.iter().map(|it| waits(it.begins)).min();
    // Round up, so that a remaining wait is never shown as 0s.
    let next = next.map(|it| whole_seconds(it + Duration::from_millis(999)));
    match (node.running, next) {
        (1, Some(next)) => format!(", try {} in {next}", waiting[0].attempt),
        (_, Some(next)) => format!(", {} retry in {next}", waiting.len()),
        (1, None) => {
            node.retries().next().map_or(String::new(), |it| format!(", try {}", it.attempt))
        }
        (_, None) => String::new(),
    }
}

fn how_far(progress: &CallProgress, columns: usize) -> String {
    let cells = if columns < 60 { 8 } else { 24 };
    let CallProgress { what, done, total } = progress;
    let Some(total) = total else { return format!("{what} {done}") };
    let full = u128::from(*done) * cells as u128 / u128::from((*total).max(1));
    let full = usize::try_from(full).unwrap_or(cells).min(cells);
    let empty = cells - full;
    format!("{what} {}{} {done}/{total}", "█".repeat(full), "░".repeat(empty))
}

/// The end of a path, cut to `columns`: `…ch[]/summary`.
fn end_of(path: &str, columns: usize) -> String {
    if path.width() <= columns {
        return path.to_owned();
    }
    let end = fitting(path.chars().rev(), columns.saturating_sub(1));
    format!("…{}", end.chars().rev().collect::<String>())
}

/// The beginning of a line, cut to `columns`.
fn cut(line: &str, columns: usize) -> String {
    if line.width() <= columns {
        return line.to_owned();
    }
    fitting(line.chars(), columns.saturating_sub(1)) + "…"
}

fn fitting(chars: impl Iterator<Item = char>, mut columns: usize) -> String {
    let fits = |it: &char| {
        let rest = columns.checked_sub(it.width().unwrap_or(0));
        columns = rest.unwrap_or(columns);
        rest.is_some()
    };
    chars.take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_contract::registry::{ErrorKind, OpError, Usage};
    use svc_engine::run::{Event, ledger::Cap};

    /// A run over 200 items of which 12 have ended, one of them badly, and 4 are running.
    fn items() -> Seen {
        let mut seen = Seen::default();
        seen.note("each", &Event::Items { total: 200 });
        for idx in 0..16 {
            let (item, call) = (format!("each[{idx}]"), format!("each[{idx}]/ask"));
            seen.note(&item, &Event::ItemStarted);
            seen.note(&call, &Event::Started { component: "ask" });
            if idx < 12 {
                let (took, usage) = (Duration::from_secs(1), Usage::default());
                let cost = Money::from_nanos(1_000_000);
                let used = Usage { tokens: 100, cost };
                seen.note(&call, &Event::Settled { component: "ask", reserved: used, used });
                seen.note(
                    &call,
                    &Event::Finished {
                        component: "ask",
                        took,
                        usage,
                        value: &svc_contract::value::Value::Null,
                    },
                );
                seen.note(&item, &Event::ItemEnded { failed: idx == 3 });
            }
        }
        seen
    }

    fn drawn(seen: &Seen, columns: usize) -> Vec<String> {
        let elapsed = Duration::from_secs(12);
        let now = Instant::now() + elapsed;
        lines(seen, Moment { now, elapsed, frame: 0, columns, rows: 24 })
    }

    #[test]
    fn items_calls_and_cost_are_shown() {
        let mut seen = items();
        seen.cap.cost = Some(Money::from_nanos(50_000_000));
        let lines = drawn(&seen, 80);
        assert_eq!(lines[0], "12s  12 calls, 4 running  $0.012 of $0.05");
        assert_eq!(lines[1], "⠋ each: 12/200 items, 4 running, 1 failed  12s");
        assert_eq!(lines[2], "⠋ each[]/ask ×4  12s");
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn a_narrow_terminal_loses_what_matters_least() {
        let mut seen = items();
        seen.cap = Cap { cost: Some(Money::from_nanos(50_000_000)), tokens: Some(10_000) };
        let first = |columns| drawn(&seen, columns).swap_remove(0);
        let wide = "12s  12 calls, 4 running  $0.012 of $0.05  1200 of 10000 tokens";
        assert_eq!(first(80), wide);
        assert_eq!(first(45), "12s  12 calls, 4 running  $0.012 of $0.05");
        assert_eq!(first(35), "12s  12 calls  $0.012 of $0.05");
        assert_eq!(first(25), "12s  $0.012 of $0.05");
        for columns in 0..80 {
            for line in drawn(&seen, columns) {
                assert!(line.width() <= columns.max(1), "{columns}: {line}");
            }
        }
    }

    #[test]
    fn a_wait_before_another_attempt_is_reported() {
        let error = OpError::new(ErrorKind::RateLimit, "too many");
        let wait = Duration::from_millis(14_200);
        let again = Event::Retrying { component: "ask", attempt: 1, wait, error: &error };
        let mut seen = Seen::default();
        seen.note("ask", &Event::Started { component: "ask" });
        seen.note("ask", &again);
        assert_eq!(drawn(&seen, 80)[1], "⠋ ask, try 2 in 3s  12s");
        let mut seen = items();
        seen.note("each[13]/ask", &again);
        seen.note("each[14]/ask", &again);
        assert_eq!(drawn(&seen, 80)[2], "⠋ each[]/ask ×4, 2 retry in 3s  12s");
    }

    #[test]
    fn few_rows_hold_few_places() {
        let mut seen = Seen::default();
        for idx in 0..12 {
            seen.note(&format!("branch{idx}"), &Event::Started { component: "ask" });
        }
        let elapsed = Duration::from_secs(2);
        let now = Instant::now() + elapsed;
        let at = Moment { now, elapsed, frame: 0, columns: 80, rows: 6 };
        let drawn = lines(&seen, at);
        assert_eq!(drawn.len(), 5, "{drawn:?}");
        assert_eq!(drawn[4], "  and 9 more");
    }

    #[test]
    fn long_paths_keep_their_end() {
        assert_eq!(end_of("found/web/search", 10), "…eb/search");
        assert_eq!(cut("日本語です", 5), "日本…");
    }

    #[test]
    fn a_bar_is_as_full_as_the_work_is_done() {
        let far =
            |done, total| how_far(&CallProgress { what: "indexing".to_owned(), done, total }, 80);
        assert_eq!(far(7, None), "indexing 7");
        assert_eq!(far(0, Some(0)), format!("indexing {} 0/0", "░".repeat(24)));
        let half = format!("indexing {}{} 5/10", "█".repeat(12), "░".repeat(12));
        assert_eq!(far(5, Some(10)), half);
        assert_eq!(far(11, Some(10)), format!("indexing {} 11/10", "█".repeat(24)));
    }
}

//! Drawing what runs, on standard error.

use std::{sync::Arc, time::Duration};

use tokio::{task::JoinHandle, time::interval};
use tokio_util::sync::CancellationToken;

use super::{
    terminal::harmless,
    watch::{Node, Progress, Watch},
};
use crate::{host::os::is_asking, value::units};

/// How often it is drawn anew.
const PERIOD: Duration = Duration::from_millis(100);

/// What takes less time than this is not worth a flicker.
const PATIENCE: Duration = Duration::from_millis(200);

/// How many places of the script are shown at a time.
const MOST: usize = 8;

/// Draws a run's progress until it is told to stop.
pub(super) struct Drawing {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Drawing {
    /// Starts to draw on a task of its own, where nothing that computes holds it up.
    pub(super) fn start(watch: Arc<Watch>) -> Self {
        let stop = CancellationToken::new();
        let task = tokio::spawn(draw(watch, stop.clone()));
        Self { stop, task }
    }

    /// Stops, and takes away what was drawn.
    pub(super) async fn stop(self) {
        self.stop.cancel();
        // A failed drawing is no failure of the run.
        let _ = self.task.await;
    }
}

async fn draw(watch: Arc<Watch>, stop: CancellationToken) {
    if !watch.screen.is_drawn_on() {
        return;
    }
    let mut ticks = interval(PERIOD);
    for frame in 0_usize.. {
        if stop.run_until_cancelled(ticks.tick()).await.is_none() {
            break;
        }
        if is_asking() {
            watch.screen.clear();
            continue;
        }
        let running = watch.running();
        let slow = running.iter().filter(|(_, it)| it.since.elapsed() >= PATIENCE);
        let lines: Vec<String> = slow.take(MOST).map(|(path, it)| line(path, it, frame)).collect();
        watch.screen.draw(&lines);
    }
    watch.screen.clear();
}

/// `⠋ found/search: indexing ██████░░░░ 600/1000  2s`
fn line(path: &str, node: &Node, frame: usize) -> String {
    const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
    let spinner = SPINNER[frame % SPINNER.len()];
    let time = units::show_duration(Duration::from_secs(node.since.elapsed().as_secs()));
    let what = match &node.progress {
        Some(progress) => format!(": {}", how_far(progress)),
        None if node.running > 1 => format!(" ×{}", node.running),
        None => String::new(),
    };
    harmless(&format!("{spinner} {path}{what}  {time}")).into_owned()
}

fn how_far(progress: &Progress) -> String {
    const CELLS: usize = 24;
    let Progress { what, done, total } = progress;
    let Some(total) = total else { return format!("{what} {done}") };
    let full = u128::from(*done) * CELLS as u128 / u128::from((*total).max(1));
    let full = usize::try_from(full).unwrap_or(CELLS).min(CELLS);
    let empty = CELLS - full;
    format!("{what} {}{} {done}/{total}", "█".repeat(full), "░".repeat(empty))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_full_as_the_work_is_done() {
        let far = |done, total| how_far(&Progress { what: "indexing".to_owned(), done, total });
        assert_eq!(far(7, None), "indexing 7");
        assert_eq!(far(0, Some(0)), format!("indexing {} 0/0", "░".repeat(24)));
        let half = format!("indexing {}{} 5/10", "█".repeat(12), "░".repeat(12));
        assert_eq!(far(5, Some(10)), half);
        assert_eq!(far(11, Some(10)), format!("indexing {} 11/10", "█".repeat(24)));
    }
}

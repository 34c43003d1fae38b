//! Drawing what runs, on standard error.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use tokio::{task::JoinHandle, time::interval};
use tokio_util::sync::CancellationToken;

use super::{
    terminal::harmless,
    watch::{Node, Watch},
};

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
    if watch.screen.is_hidden() {
        return;
    }
    let mut bars: BTreeMap<String, ProgressBar> = BTreeMap::new();
    let mut ticks = interval(PERIOD);
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        let running: Vec<_> = watch
            .running()
            .into_iter()
            .filter(|(_, it)| it.since.elapsed() >= PATIENCE)
            .take(MOST)
            .collect();
        bars.retain(|path, bar| {
            let stays = running.iter().any(|(it, _)| it == path);
            if !stays {
                bar.finish_and_clear();
                watch.screen.remove(bar);
            }
            stays
        });
        for (path, node) in running {
            let bar = bars.entry(path).or_insert_with_key(|path| new_bar(path, &watch));
            update(bar, &node);
        }
    }
    // What is left of the run is its result, not its progress.
    let _ = watch.screen.clear();
}

fn new_bar(path: &str, watch: &Watch) -> ProgressBar {
    let bar = ProgressBar::no_length()
        .with_finish(ProgressFinish::AndClear)
        .with_prefix(harmless(path).into_owned());
    watch.screen.add(bar)
}

fn update(bar: &ProgressBar, node: &Node) {
    bar.set_elapsed(node.since.elapsed());
    let template = if let Some(progress) = &node.progress {
        bar.set_message(harmless(&progress.what).into_owned());
        bar.set_position(progress.done);
        bar.set_length(progress.total.unwrap_or_default());
        if progress.total.is_some() { BAR } else { COUNT }
    } else {
        let many = node.running > 1;
        bar.set_message(if many { format!("×{}", node.running) } else { String::new() });
        SPINNER
    };
    bar.set_style(style(template));
    bar.tick();
}

const SPINNER: &str = "{spinner} {prefix} {msg} {elapsed}";
const COUNT: &str = "{spinner} {prefix}: {msg} {human_pos} {elapsed}";
const BAR: &str = "{spinner} {prefix}: {msg} [{bar:24}] {human_pos}/{human_len} {elapsed}";

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates above are sound")
}

#[cfg(test)]
mod tests {
    #[test]
    fn templates_are_sound() {
        for template in [super::SPINNER, super::COUNT, super::BAR] {
            super::style(template);
        }
    }
}

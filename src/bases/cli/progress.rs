//! Drawing what runs, on standard error.

use std::{sync::Arc, time::Duration};

use svc_host_os::is_asking;
use tokio::{task::JoinHandle, time::interval};
use tokio_util::sync::CancellationToken;

use super::{screen, watch::Watch};

/// How often it is drawn anew.
const PERIOD: Duration = Duration::from_millis(100);

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
        watch.screen.draw(&watch.lines(frame, screen::size()));
    }
    watch.screen.clear();
}

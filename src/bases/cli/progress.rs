//! Draws the progress of a run on standard error.

use std::{sync::Arc, time::Duration};

use svc_host_os::is_asking;
use tokio::{task::JoinHandle, time::interval};
use tokio_util::sync::CancellationToken;

use super::{screen, watch::Watch};

/// The time between two frames.
const PERIOD: Duration = Duration::from_millis(100);

/// Draws the progress of a run until it is stopped.
pub(super) struct Drawing {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Drawing {
    /// Starts drawing on a separate task, which no computation blocks.
    pub(super) fn start(watch: Arc<Watch>) -> Self {
        let stop = CancellationToken::new();
        let task = tokio::spawn(draw(watch, stop.clone()));
        Self { stop, task }
    }

    /// Stops drawing and clears the lines.
    pub(super) async fn stop(self) {
        self.stop.cancel();
        // A drawing that failed must not fail the run.
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

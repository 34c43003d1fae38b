//! A process in tests: a runtime. When it is dropped, nothing of it goes on, and the files are opened
//! again by the next one.

use tokio::runtime::{Builder, Runtime};

use crate::Service;

pub(crate) struct Process(Runtime);

impl Process {
    /// A process in which a service takes its jobs.
    pub(crate) fn of(service: &Service) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let working = service.clone();
        runtime.spawn(async move { working.work().await });
        Self(runtime)
    }

    pub(crate) fn run<T>(&self, work: impl Future<Output = T>) -> T {
        self.0.block_on(work)
    }

    /// Ends it without a warning.
    pub(crate) fn kill(self) {
        self.0.shutdown_background();
    }
}

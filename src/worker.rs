//! Worker processes: this program, when it was started as a worker.

#[cfg(feature = "data-processing")]
use svc_components as components;
#[cfg(feature = "files")]
use svc_documents as documents;
use svc_host_os as os;
#[cfg(feature = "rhai")]
use svc_lang::script;

/// Whether this process was started as a worker, which reads untrusted documents and runs
/// untrusted inline scripts ([`Engine::untrusted`](crate::Engine::untrusted)); if so, it has
/// done its work and must exit. Call it first of all in `main`: workers do not work without
/// this call.
pub fn is_worker() -> bool {
    os::is_worker(work)
}

/// Answers a task, whose first bytes name its kind.
fn work(asked: &[u8]) -> Vec<u8> {
    match asked.split_first() {
        #[cfg(feature = "files")]
        Some((&documents::PURPOSE, asked)) => documents::serve(asked),
        #[cfg(feature = "data-processing")]
        Some((&components::PURPOSE, asked)) => components::serve(asked),
        #[cfg(feature = "rhai")]
        Some((&script::PURPOSE, asked)) => {
            script::serve(asked, std::sync::Arc::new(os::OsHost::default()))
        }
        _ => Vec::new(),
    }
}

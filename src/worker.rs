//! What this program does where it was started to work apart.

use std::sync::Arc;

use svc_documents as documents;
use svc_host_os::{self as os, OsHost};
use svc_lang::script;

/// Whether this process was started as a worker, which reads documents that may be hostile,
/// and runs inline code that is not trusted ([`Engine::untrusted`](svc_engine::Engine::untrusted)); if so, it has done that,
/// and is to end. Asked first of all in `main`: without that there are no workers.
pub fn is_worker() -> bool {
    os::is_worker(work)
}

/// The answer to a piece of work, which begins with what it is for.
fn work(asked: &[u8]) -> Vec<u8> {
    match asked.split_first() {
        Some((&documents::PURPOSE, asked)) => documents::serve(asked),
        Some((&script::PURPOSE, asked)) => script::serve(asked, Arc::new(OsHost::default())),
        _ => Vec::new(),
    }
}

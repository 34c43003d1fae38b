//! Worker processes: this program, when it was started as a worker.

use std::sync::Arc;

use crate::{
    host::os::{self, OsHost},
    script,
    text::extract,
};

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
        Some((&extract::PURPOSE, asked)) => extract::serve(asked),
        Some((&script::PURPOSE, asked)) => script::serve(asked, Arc::new(OsHost::default())),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Not a test of its own: the binary of the unit tests has no `main` of ours, so this runs
    /// when a test starts it as a worker.
    #[test]
    fn works_where_it_is_a_worker() {
        if os::is_worker(|asked| os::work_of_tests(asked).unwrap_or_else(|| work(asked))) {
            std::process::exit(0);
        }
    }
}

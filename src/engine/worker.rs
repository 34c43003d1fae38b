//! What this program does where it was started to work apart.

use std::sync::Arc;

use crate::{
    host::os::{self, OsHost},
    script,
    text::extract,
};

/// Whether this process was started as a worker, which reads documents that may be hostile,
/// and runs inline code that is not trusted ([`Engine::untrusted`](crate::Engine::untrusted)); if so, it has done that,
/// and is to end. Asked first of all in `main`: without that there are no workers.
pub fn is_worker() -> bool {
    os::is_worker(work)
}

/// The answer to a piece of work, which begins with what it is for.
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

    /// Not a test of its own: the binary of the unit tests has no `main` of ours, so this is
    /// what it does where one of them starts it as a worker.
    #[test]
    fn works_where_it_is_a_worker() {
        if os::is_worker(|asked| os::work_of_tests(asked).unwrap_or_else(|| work(asked))) {
            std::process::exit(0);
        }
    }
}

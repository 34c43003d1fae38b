//! The threads that the engine lends to the language.

use std::{panic::resume_unwind, thread};

use svc_lang::syntax::{Executor, Part};

/// Uses all cores: each part but the first runs on a thread of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Threads;

impl Executor for Threads {
    fn width(&self) -> usize {
        thread::available_parallelism().map_or(1, usize::from)
    }

    fn run(&self, parts: Vec<Part<'_>>) {
        let mut parts = parts.into_iter();
        let first = parts.next();
        thread::scope(|scope| {
            let others: Vec<_> = parts.map(|it| scope.spawn(it)).collect();
            if let Some(first) = first {
                first();
            }
            for other in others {
                other.join().unwrap_or_else(|it| resume_unwind(it));
            }
        });
    }
}

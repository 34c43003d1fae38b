//! What is known of a connection: whether it still works, and what the server said last.

use std::{
    collections::VecDeque,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use svc_contract::registry::ErrorKind;

/// How much of the error output is kept.
const KEPT: usize = 4 << 10;
/// The lines of it that a message shows, and their length.
const SHOWN_LINES: usize = 3;
const SHOWN_CHARS: usize = 300;

#[derive(Default)]
pub(crate) struct Health {
    broken: OnceLock<(ErrorKind, String)>,
    /// The messages that arrived.
    pub(crate) heard: AtomicU64,
    /// Whether the server said that its tools changed.
    changed: AtomicBool,
    errors: Mutex<VecDeque<u8>>,
}

impl Health {
    /// The connection cannot be used any more; the first reason counts.
    pub(crate) fn fail(&self, kind: ErrorKind, why: String) {
        let _ = self.broken.set((kind, why));
    }

    pub(crate) fn broken(&self) -> Option<&(ErrorKind, String)> {
        self.broken.get()
    }

    pub(crate) fn hears(&self) {
        self.heard.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn tools_changed(&self) {
        self.changed.store(true, Ordering::Relaxed);
    }

    pub(crate) fn take_changed(&self) -> bool {
        self.changed.swap(false, Ordering::Relaxed)
    }

    /// Keeps the end of what the server writes to its error output.
    pub(crate) fn said(&self, bytes: &[u8]) {
        let mut errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        errors.extend(bytes);
        let extra = errors.len().saturating_sub(KEPT);
        errors.drain(..extra);
    }

    /// The error in the error output, or its last lines, as `: line; line`.
    pub(crate) fn last_lines(&self) -> String {
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = errors.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
        // Programs in Node end with a trace of the stack, below the error.
        let error = lines.iter().find(|it| it.contains("Error:") || it.contains("error:"));
        let last = match error {
            Some(error) => (*error).to_owned(),
            None => lines[lines.len().saturating_sub(SHOWN_LINES)..].join("; "),
        };
        match last.char_indices().nth(SHOWN_CHARS) {
            Some((end, _)) => format!(": {}…", &last[..end]),
            None if last.is_empty() => String::new(),
            None => format!(": {last}"),
        }
    }
}

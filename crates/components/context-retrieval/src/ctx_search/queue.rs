//! Limits the amount of text that waits for the writer.
//!
//! tantivy's own queue is limited by the number of documents, ten thousand, whatever their size.

use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

use svc_contract::registry::{Cx, OpError};
use tantivy::{Document, TantivyDocument};

/// The maximum amount of waiting text in bytes, unless a single document exceeds it.
const MOST: usize = 16 << 20;

/// The total size in bytes of all rows that are not yet written.
#[derive(Clone, Default)]
pub(super) struct Queue(Arc<Waiting>);

#[derive(Default)]
struct Waiting {
    bytes: Mutex<usize>,
    less: Condvar,
}

/// A document for the writer, which frees its room after writing it.
pub(super) struct Row {
    document: TantivyDocument,
    bytes: usize,
    queue: Queue,
}

impl Queue {
    /// Waits until there is room for a document of `bytes` bytes.
    pub(super) fn row(
        &self,
        cx: &Cx,
        document: TantivyDocument,
        bytes: usize,
    ) -> Result<Row, OpError> {
        const TURN: Duration = Duration::from_millis(50);
        // A failed writer frees nothing. It reports its failure when it receives the next row.
        const MOST_TURNS: usize = 1_200;
        let mut waiting = self.0.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..MOST_TURNS {
            if *waiting == 0 || waiting.saturating_add(bytes) <= MOST {
                break;
            }
            cx.check()?;
            let woken = self.0.less.wait_timeout(waiting, TURN);
            waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        *waiting = waiting.saturating_add(bytes);
        Ok(Row { document, bytes, queue: self.clone() })
    }
}

impl Drop for Row {
    fn drop(&mut self) {
        let mut waiting = self.queue.0.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting = waiting.saturating_sub(self.bytes);
        self.queue.0.less.notify_one();
    }
}

impl Document for Row {
    type Value<'a> = <TantivyDocument as Document>::Value<'a>;
    type FieldsValuesIter<'a> = <TantivyDocument as Document>::FieldsValuesIter<'a>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        self.document.iter_fields_and_values()
    }
}

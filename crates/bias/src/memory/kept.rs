//! Where notes are kept.

use std::sync::{Arc, OnceLock};

use svc_contract::{
    registry::{Cx, ErrorKind, OpError},
    store::StoreError,
};
use svc_store::book::Book;

use crate::biases::failed;

type Open = dyn Fn() -> Result<Arc<Book>, StoreError> + Send + Sync;

/// The database of notes. It is opened by the first call that needs it.
pub struct Notes {
    open: Box<Open>,
    book: OnceLock<Arc<Book>>,
}

impl Notes {
    /// The notes in a database that is open.
    pub fn of(book: Arc<Book>) -> Self {
        Self::opened_by(move || Ok(book.clone()))
    }

    /// The notes in a database that `open` opens.
    pub fn opened_by(
        open: impl Fn() -> Result<Arc<Book>, StoreError> + Send + Sync + 'static,
    ) -> Self {
        Self { open: Box::new(open), book: OnceLock::new() }
    }

    fn book(&self) -> Result<Arc<Book>, StoreError> {
        if let Some(book) = self.book.get() {
            return Ok(book.clone());
        }
        // Two calls that open it at once share the first one's.
        let book = (self.open)()?;
        Ok(self.book.get_or_init(|| book).clone())
    }
}

/// The notes that the program lends to a call.
pub(super) fn notes(cx: &Cx) -> Result<Arc<Book>, OpError> {
    let notes = cx.lent::<Notes>().map_err(|_| {
        OpError::new(ErrorKind::Unsupported, "no notes are kept here")
            .help("`svc run`, `svc repl` and servers keep them")
    })?;
    notes.book().map_err(failed)
}

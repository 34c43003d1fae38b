//! `svc book`: writes the book and the reference as sources for mdBook.

use std::path::{Path, PathBuf};

use clap::Args;
use svc_api::book::{self, BookFile, OVERVIEW};
use svc_contract::{host, registry::OpError};
use svc_engine::LARGEST_SCRIPT;
use svc_lang::diag::visible_line;

use super::{
    Session,
    exit::{Failure, NOT_FOUND, OK, Result},
    terminal,
};

/// Write the reference, as a book for mdBook, into a folder.
///
/// The book has a page for every component, op, module and word of the language.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Book {
    /// The folder; it is created if it does not exist.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// A folder with chapters in Markdown, in the order in which its `README.md` links to them.
    #[arg(long, value_name = "FOLDER")]
    chapters: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples:
  svc book reference && mdbook build reference
  svc book target/book --chapters docs

`mdbook build` makes a site that can be searched: install it with `cargo install mdbook`.";

impl Book {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let files = self.files(session)?;
        files.iter().try_for_each(|it| self.write(it, session))?;
        let count = files.iter().filter(|it| it.is_page()).count();
        let folder = self.folder.display().to_string();
        terminal::print(&format!("{}: {count} pages written\n", visible_line(&folder)))?;
        Ok(OK)
    }

    fn files(&self, session: &Session) -> Result<Vec<BookFile>> {
        let registry = session.engine.registry();
        let Some(folder) = &self.chapters else {
            return Ok(book::files(registry, None).unwrap_or_default());
        };
        let read = |name: &str| read(&folder.join(name), session);
        book::files(registry, Some(&read)).ok_or_else(|| {
            let overview = folder.join(OVERVIEW).display().to_string();
            Failure::new(NOT_FOUND, format!("cannot read `{}`", visible_line(&overview)))
                .help("the chapters are those that this file links to")
        })
    }

    fn write(&self, page: &BookFile, session: &Session) -> Result<()> {
        let path = self.folder.join(&page.path);
        let written = session.engine.host().write(&path, &page.content);
        written.map_err(|err| Failure::reading(OpError::io(err, &path)))
    }
}

fn read(path: &Path, session: &Session) -> Option<Vec<u8>> {
    host::read(session.engine.host(), path, LARGEST_SCRIPT).ok()
}

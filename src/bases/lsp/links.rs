//! Document links: the files that a script uses.

use lsp_types::DocumentLink;
use svc_engine::Threads;
use svc_lang::{
    diag::Span,
    stdlib::{self, PREFIX},
    syntax::{ast::ItemKind, parse_with},
};

use super::{documents::Look, library, uri};

/// The maximum number of links.
const MOST: usize = 200;

/// The links of `use "file"`.
pub(super) fn links(look: &Look<'_>) -> Vec<DocumentLink> {
    let program = parse_with(look.text(), &Threads).program;
    let uses = program.items.iter().filter_map(|it| match &it.kind {
        ItemKind::Use(it) => Some(&it.file),
        _ => None,
    });
    uses.take(MOST).filter_map(|it| link(look, &it.text, it.span)).collect()
}

fn link(look: &Look<'_>, file: &str, span: Span) -> Option<DocumentLink> {
    let target = match file.strip_prefix(PREFIX) {
        Some(name) => {
            let module = stdlib::find(name)?;
            library::module(look.documents.engine.host(), &module.source())?
        }
        None => {
            let source = look.document.source();
            uri::of_name(file, Some(source.folder()?)).filter(|_| !file.is_empty())?
        }
    };
    // Without the quotes.
    let inner = Span::new(span.start + 1, span.end.saturating_sub(1).max(span.start + 1));
    let range = look.page().range(inner);
    Some(DocumentLink { range, target: Some(target), tooltip: None, data: None })
}

//! Hover: types and documentation.

use lsp_types::{Documentation, Hover, HoverContents, MarkupContent, MarkupKind};
use svc_assist::Callable;

use super::documents::Look;

pub(super) fn markdown(value: String) -> MarkupContent {
    MarkupContent { kind: MarkupKind::Markdown, value }
}

/// The documentation of a callable.
pub(super) fn page(callable: &Callable<'_>) -> Documentation {
    Documentation::MarkupContent(markdown(callable.page()))
}

/// The type and documentation of the item at a place.
pub(super) fn hover(look: &Look<'_>, at: usize) -> Option<Hover> {
    let registry = look.documents.engine.registry();
    let found = svc_assist::hover(look.text(), &look.analysis.facts, registry, at)?;
    let range = Some(look.page().range(found.span));
    Some(Hover { contents: HoverContents::Markup(markdown(found.text)), range })
}

//! Inlay hints: types that are not written, and the costs of stages.

use lsp_types::{InlayHint, InlayHintKind, InlayHintLabel, InlayHintTooltip, Range};
use svc_assist::{Inlay, inlays};
use svc_lang::diag::Span;

use super::{documents::Look, hover::markdown};

/// The hints in a part of a document.
pub(super) fn hints(look: &Look<'_>, range: Range) -> Vec<InlayHint> {
    let page = look.page();
    let (start, end) = (page.clamped(range.start), page.clamped(range.end));
    let within = Span::new(start, end.max(start));
    let all = inlays(look.text(), look.analysis, look.plan(), within);
    all.into_iter().map(|it| hint(look, it)).collect()
}

fn hint(look: &Look<'_>, inlay: Inlay) -> InlayHint {
    let Inlay { at, label, details, is_let } = inlay;
    InlayHint {
        position: look.page().position(at),
        label: InlayHintLabel::String(label),
        kind: Some(InlayHintKind::TYPE),
        text_edits: None,
        tooltip: Some(InlayHintTooltip::MarkupContent(markdown(details))),
        padding_left: Some(!is_let),
        padding_right: None,
        data: None,
    }
}

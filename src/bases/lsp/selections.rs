//! Selection ranges: ever larger parts around a place.

use lsp_types::{Position, SelectionRange};
use svc_assist::Parts;
use svc_lang::diag::Span;

use super::documents::Look;

/// The maximum number of places in a request; further ones select nothing larger.
const MOST: usize = 100;

/// The maximum number of parts around a place.
const DEEPEST: usize = 100;

/// The parts around each of some places.
pub(super) fn ranges(look: &Look<'_>, places: &[Position]) -> Vec<SelectionRange> {
    let all = Parts::new(look.text(), &look.analysis.facts);
    let one = |(idx, place): (usize, &Position)| {
        let at = look.page().clamped(*place);
        let mut parts = vec![Span::new(at, at)];
        if idx < MOST {
            parts.extend(all.around(at));
        }
        nested(look, &parts)
    };
    places.iter().enumerate().map(one).collect()
}

fn nested(look: &Look<'_>, parts: &[Span]) -> SelectionRange {
    let whole = parts.last().copied().unwrap_or_default();
    let range = |it: Span| look.page().range(it);
    let outer = SelectionRange { range: range(whole), parent: None };
    let inner = parts[..parts.len().saturating_sub(1)].iter().take(DEEPEST).rev();
    inner.fold(outer, |outer, it| SelectionRange {
        range: range(*it),
        parent: Some(Box::new(outer)),
    })
}

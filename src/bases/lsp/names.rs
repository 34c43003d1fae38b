//! Names: their definitions and uses.

use lsp_types::{DocumentHighlight, DocumentHighlightKind, GotoDefinitionResponse, Location, Uri};
use svc_assist::mention_at;
use svc_contract::registry::{OpRef, Param};
use svc_lang::{
    check::{Mention, Target},
    diag::{Source, Span},
};

use super::{diagnostics::address, documents::Look, library, lines::Page};

/// The item that a name refers to, identified by its definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Symbol {
    /// The name of the file.
    pub(super) file: String,
    pub(super) defined: Span,
}

impl Symbol {
    /// The symbol that a mention refers to, if it is defined in a script.
    fn of(target: &Target, own: &Source) -> Option<Self> {
        let here = |defined: Span| Self { file: own.name().to_owned(), defined };
        match target {
            Target::Here { defined, .. } | Target::Field { defined: Some(defined), .. } => {
                Some(here(*defined))
            }
            Target::There { source, defined } => {
                Some(Self { file: source.name().to_owned(), defined: *defined })
            }
            Target::Field { defined: None, .. } | Target::Op(_) | Target::OpParam(..) => None,
        }
    }
}

impl<'a> Look<'a> {
    /// The name at a place.
    pub(super) fn mention(&self, at: usize) -> Option<&'a Mention> {
        mention_at(&self.analysis.facts, at)
    }

    pub(super) fn symbol(&self, mention: &Mention) -> Option<Symbol> {
        Symbol::of(&mention.target, &self.analysis.report.source)
    }

    /// All mentions of a symbol in this document, in order.
    pub(super) fn uses(&self, symbol: &Symbol) -> Vec<Span> {
        let mentions = self.analysis.facts.mentions.iter();
        let same = mentions.filter(|it| self.symbol(it).as_ref() == Some(symbol));
        let mut spans: Vec<Span> = same.map(|it| it.span).filter(|it| it.end > it.start).collect();
        spans.sort();
        spans.dedup();
        spans
    }
}

/// The definition of a name: a place in a script, or in the documentation of a component.
pub(super) fn definition(look: &Look<'_>, at: usize) -> Option<GotoDefinitionResponse> {
    let mention = look.mention(at)?;
    let place = match &mention.target {
        Target::There { source, defined } => place_in(look, source, *defined),
        Target::Op(op) => documentation(look, *op, None),
        Target::OpParam(op, idx) => documentation(look, *op, op.op.params.get(*idx)),
        _ => look.symbol(mention).map(|it| own_place(look, it.defined)),
    };
    place.map(GotoDefinitionResponse::Scalar)
}

/// The place of an op, or of one of its parameters, in the documentation of its component.
fn documentation(look: &Look<'_>, op: OpRef, param: Option<&Param>) -> Option<Location> {
    let (uri, page) = library::component(look.documents.engine.host(), op)?;
    let start = page.op(op);
    let named = param.and_then(|it| page.text[start..].find(&format!("\n- `{}`", it.name)));
    let at = named.map_or(start, |it| start + it + 1);
    let page = Page::new(page.text, look.page().encoding());
    Some(Location { uri, range: page.range(Span::new(at, at)) })
}

/// All uses of a name in the open documents, and its definition if requested.
pub(super) fn references(look: &Look<'_>, at: usize, with_definition: bool) -> Vec<Location> {
    let Some(symbol) = look.mention(at).and_then(|it| look.symbol(it)) else { return Vec::new() };
    let mut found = Vec::new();
    for other in look.documents.all() {
        let is_own = other.analysis.report.source.name() == symbol.file;
        let spans = other.uses(&symbol).into_iter();
        let spans = spans.filter(|it| with_definition || !is_own || *it != symbol.defined);
        found.extend(spans.map(|it| own_place(&other, it)));
    }
    found.extend(closed_definition(look, at).filter(|_| with_definition));
    found
}

/// The definition of a name in a file that is not open.
fn closed_definition(look: &Look<'_>, at: usize) -> Option<Location> {
    let Target::There { source, defined } = &look.mention(at)?.target else { return None };
    let uri = address(source).filter(|it| !look.documents.is_open(it))?;
    Some(Location { uri, range: range_in(look, source, *defined) })
}

/// The uses of a name in this document.
pub(super) fn highlights(look: &Look<'_>, at: usize) -> Vec<DocumentHighlight> {
    let Some(mention) = look.mention(at) else { return Vec::new() };
    let Some(symbol) = look.symbol(mention) else {
        return same_op(look, mention).into_iter().map(|it| highlight(look, it, None)).collect();
    };
    let defined = symbol.defined;
    let spans = look.uses(&symbol).into_iter();
    spans.map(|it| highlight(look, it, Some(defined))).collect()
}

/// The calls of the same op.
fn same_op(look: &Look<'_>, mention: &Mention) -> Vec<Span> {
    let name = |it: &Target| match it {
        Target::Op(op) => Some(op.to_string()),
        Target::OpParam(op, idx) => Some(format!("{op}:{idx}")),
        _ => None,
    };
    let Some(wanted) = name(&mention.target) else { return Vec::new() };
    let mentions = look.analysis.facts.mentions.iter();
    let same = mentions.filter(|it| name(&it.target).as_ref() == Some(&wanted));
    let mut spans: Vec<Span> = same.map(|it| it.span).collect();
    spans.sort();
    spans.dedup();
    spans
}

fn highlight(look: &Look<'_>, span: Span, defined: Option<Span>) -> DocumentHighlight {
    let is_definition = defined == Some(span);
    let kind =
        if is_definition { DocumentHighlightKind::WRITE } else { DocumentHighlightKind::READ };
    DocumentHighlight { range: look.page().range(span), kind: Some(kind) }
}

fn own_place(look: &Look<'_>, span: Span) -> Location {
    Location { uri: look.document.uri.clone(), range: look.page().range(span) }
}

fn place_in(look: &Look<'_>, source: &Source, span: Span) -> Option<Location> {
    let uri: Uri = if source.name() == look.analysis.report.source.name() {
        look.document.uri.clone()
    } else {
        let host = look.documents.engine.host();
        address(source).or_else(|| library::module(host, source))?
    };
    Some(Location { uri, range: range_in(look, source, span) })
}

fn range_in(look: &Look<'_>, source: &Source, span: Span) -> lsp_types::Range {
    Page::new(source.text(), look.page().encoding()).range(span)
}

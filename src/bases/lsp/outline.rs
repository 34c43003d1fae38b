//! The outline of a script: its declarations and folding ranges.

use lsp_types::{DocumentSymbol, FoldingRange, FoldingRangeKind, SymbolKind};
use svc_engine::Threads;
use svc_lang::{
    diag::Span,
    syntax::{
        ast::{Item, ItemKind, Let},
        parse_with, token,
    },
};

use super::{documents::Look, lines::Page};

/// The declarations of a script, in order.
pub(super) fn symbols(page: &Page) -> Vec<DocumentSymbol> {
    let program = parse_with(page.text(), &Threads).program;
    program.items.iter().filter_map(|it| item(page, it)).collect()
}

fn item(page: &Page, item: &Item) -> Option<DocumentSymbol> {
    let (name, kind, inside) = match &item.kind {
        ItemKind::Param { name, .. } => (name, SymbolKind::VARIABLE, Vec::new()),
        ItemKind::Secret { name } => (name, SymbolKind::KEY, Vec::new()),
        ItemKind::Type { name, .. } => (name, SymbolKind::STRUCT, Vec::new()),
        ItemKind::Flow(flow) => (&flow.name, SymbolKind::FUNCTION, lets(page, &flow.body.lets)),
        ItemKind::Let(bind) => (&bind.name, SymbolKind::CONSTANT, Vec::new()),
        ItemKind::Use(import) => (&import.name, SymbolKind::MODULE, Vec::new()),
        ItemKind::Test(test) => (&test.name, SymbolKind::EVENT, lets(page, &test.lets)),
        ItemKind::Mock(_) | ItemKind::Broken { .. } => return None,
    };
    Some(symbol(page, &Named { name: &name.text, kind, span: item.span, at: name.span }, inside))
}

/// A name, the place of its declaration, and the place of the name alone.
struct Named<'a> {
    name: &'a str,
    kind: SymbolKind,
    span: Span,
    at: Span,
}

fn lets(page: &Page, all: &[Let]) -> Vec<DocumentSymbol> {
    let one = |it: &Let| {
        let (span, at) = (it.span, it.name.span);
        let named = Named { name: &it.name.text, kind: SymbolKind::CONSTANT, span, at };
        symbol(page, &named, Vec::new())
    };
    all.iter().map(one).collect()
}

#[expect(deprecated, reason = "the type has a field that must be filled")]
fn symbol(page: &Page, named: &Named<'_>, inside: Vec<DocumentSymbol>) -> DocumentSymbol {
    let whole = named.span.to(named.at);
    let first = page.text()[whole.range()].lines().next().unwrap_or_default();
    DocumentSymbol {
        name: if named.name.is_empty() { "\"\"".to_owned() } else { named.name.to_owned() },
        detail: Some(first.trim_end().to_owned()),
        kind: named.kind,
        tags: None,
        deprecated: None,
        range: page.range(whole),
        selection_range: page.range(named.at),
        children: Some(inside),
    }
}

/// The brackets and comments that span several lines.
pub(super) fn folds(look: &Look<'_>) -> Vec<FoldingRange> {
    let lexed = token::lex(look.text());
    let mut open = Vec::new();
    let mut folds = Vec::new();
    for token in &lexed.tokens {
        match token.kind {
            token::TokenKind::Open(bracket) => open.push((bracket, token.span)),
            token::TokenKind::Close(bracket) => {
                let Some(idx) = open.iter().rposition(|(it, _)| *it == bracket) else { continue };
                let (_, start) = open[idx];
                open.truncate(idx);
                // The line of the closing bracket stays visible.
                folds.extend(fold(look, start.to(token.span), 1, None));
            }
            token::TokenKind::Text => folds.extend(fold(look, token.span, 0, None)),
            _ => {}
        }
    }
    folds.extend(comments(look, &lexed.comments));
    folds
}

fn fold(
    look: &Look<'_>,
    span: Span,
    kept: u32,
    kind: Option<FoldingRangeKind>,
) -> Option<FoldingRange> {
    let range = look.page().range(span);
    let (start_line, end_line) = (range.start.line, range.end.line.saturating_sub(kept));
    let fold = FoldingRange { start_line, end_line, kind, ..FoldingRange::default() };
    (start_line < end_line).then_some(fold)
}

/// Blocks of consecutive comments.
fn comments(look: &Look<'_>, comments: &[Span]) -> Vec<FoldingRange> {
    let adjoin = |a: &Span, b: &Span| {
        let between = &look.text()[a.end..b.start];
        between.trim().is_empty() && between.matches('\n').count() == 1
    };
    let blocks = comments.chunk_by(adjoin).map(|block| block[0].to(block[block.len() - 1]));
    blocks.filter_map(|it| fold(look, it, 0, Some(FoldingRangeKind::Comment))).collect()
}

//! Semantic tokens: the words of a script, coloured by their roles.

use lsp_types::{SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokensLegend};
use svc_assist::{Mark, pieces};

use super::{documents::Look, lines};

/// The token types, in the order of [`svc_assist::Role`].
const TYPES: [SemanticTokenType; 11] = [
    SemanticTokenType::COMMENT,
    SemanticTokenType::KEYWORD,
    SemanticTokenType::STRING,
    SemanticTokenType::NUMBER,
    SemanticTokenType::OPERATOR,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::TYPE,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::NAMESPACE,
];

const MODIFIERS: [SemanticTokenModifier; 2] =
    [SemanticTokenModifier::DECLARATION, SemanticTokenModifier::DEFAULT_LIBRARY];

pub(super) fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend { token_types: TYPES.to_vec(), token_modifiers: MODIFIERS.to_vec() }
}

/// All words of a document, each with a position relative to the previous one.
pub(super) fn tokens(look: &Look<'_>) -> Vec<SemanticToken> {
    let registry = look.documents.engine.registry();
    let mut pieces = pieces(look.text(), &look.analysis.facts.mentions, registry);
    pieces.sort_by_key(|it| it.span);
    let (page, encoding) = (look.page(), look.page().encoding());
    let (mut line, mut character) = (0, 0);
    let mut tokens = Vec::with_capacity(pieces.len());
    for piece in pieces {
        for span in page.per_line(piece.span) {
            let at = page.position(span.start);
            let delta_line = at.line - line;
            let before = if delta_line == 0 { character } else { 0 };
            tokens.push(SemanticToken {
                delta_line,
                delta_start: at.character - before,
                length: lines::number(encoding.len(&look.text()[span.range()])),
                token_type: piece.role as u32,
                token_modifiers_bitset: modifiers(piece.mark),
            });
            (line, character) = (at.line, at.character);
        }
    }
    tokens
}

/// The bits of [`MODIFIERS`].
fn modifiers(mark: Mark) -> u32 {
    match mark {
        Mark::Plain => 0,
        Mark::Declares => 1,
        Mark::BuiltIn => 2,
    }
}

//! Semantic tokens: the words of a script, coloured by what they stand for.

use std::collections::HashMap;

use lsp_types::{SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokensLegend};

use super::documents::Look;
use crate::{
    check::{Mention, NameKind, Target, type_names},
    diag::Span,
    syntax::{
        RESERVED,
        token::{self, Token, TokenKind},
    },
};

/// What a word is. The order is that of the legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Comment,
    Keyword,
    String,
    Number,
    Operator,
    Function,
    Variable,
    Parameter,
    Type,
    Property,
    Namespace,
}

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
const DECLARATION: u32 = 1;
const LIBRARY: u32 = 2;

pub(super) fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend { token_types: TYPES.to_vec(), token_modifiers: MODIFIERS.to_vec() }
}

/// A piece of the text and its colour.
struct Piece {
    span: Span,
    kind: Kind,
    modifiers: u32,
}

/// All words of a document, each told from where the one before begins.
pub(super) fn tokens(look: &Look<'_>) -> Vec<SemanticToken> {
    let mut pieces = pieces(look);
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
                length: encoding.len(&look.text()[span.range()]),
                token_type: piece.kind as u32,
                token_modifiers_bitset: piece.modifiers,
            });
            (line, character) = (at.line, at.character);
        }
    }
    tokens
}

fn pieces(look: &Look<'_>) -> Vec<Piece> {
    let lexed = token::lex(look.text());
    let known: HashMap<usize, &Mention> =
        look.analysis.facts.mentions.iter().map(|it| (it.span.start, it)).collect();
    let comment = |span: &Span| Piece { span: *span, kind: Kind::Comment, modifiers: 0 };
    let mut pieces: Vec<Piece> = lexed.comments.iter().map(comment).collect();
    for (idx, token) in lexed.tokens.iter().enumerate() {
        let before = idx.checked_sub(1).map(|it| &lexed.tokens[it]);
        let kind = match token.kind {
            TokenKind::Word if names_type(look.text(), &lexed.tokens[idx..], &known) => {
                Some((Kind::Type, LIBRARY))
            }
            TokenKind::Word => word(look, token, before, &known),
            TokenKind::Number | TokenKind::Money => Some((Kind::Number, 0)),
            TokenKind::Text
            | TokenKind::TextOpen
            | TokenKind::TextMiddle
            | TokenKind::TextClose => Some((Kind::String, 0)),
            TokenKind::Sign if is_operator(&look.text()[token.span.range()]) => {
                Some((Kind::Operator, 0))
            }
            _ => None,
        };
        let piece = |(kind, modifiers)| Piece { span: token.span, kind, modifiers };
        pieces.extend(kind.map(piece));
    }
    pieces
}

/// Whether tokens begin with the name of a type that every script knows.
fn names_type(text: &str, tokens: &[Token], known: &HashMap<usize, &Mention>) -> bool {
    let shown = |idx: usize| tokens.get(idx).map_or("", |it| &text[it.span.range()]);
    type_names().any(|it| it == shown(0))
        && !known.contains_key(&tokens[0].span.start)
        && shown(1) != ":"
}

fn is_operator(sign: &str) -> bool {
    !matches!(sign, "." | "," | ":" | ";")
}

fn word(
    look: &Look<'_>,
    token: &Token,
    before: Option<&Token>,
    known: &HashMap<usize, &Mention>,
) -> Option<(Kind, u32)> {
    let text = &look.text()[token.span.range()];
    if let Some(mention) = known.get(&token.span.start) {
        return Some(mentioned(mention, token.span));
    }
    let after_dot = before.is_some_and(|it| {
        it.span.end == token.span.start && matches!(&look.text()[it.span.range()], "." | "?.")
    });
    if after_dot {
        // The op of `text.upper`, whose mention begins with the component.
        let around = |it: &&&Mention| it.span.end == token.span.end;
        let whole = known.values().find(around).map(|it| mentioned(it, token.span));
        return Some(whole.unwrap_or((Kind::Property, 0)));
    }
    if RESERVED.contains(&text) {
        return Some((Kind::Keyword, 0));
    }
    text.starts_with(|it: char| it.is_ascii_uppercase()).then_some((Kind::Type, 0))
}

fn mentioned(mention: &Mention, span: Span) -> (Kind, u32) {
    match &mention.target {
        Target::Op(_) if mention.span == span || mention.span.end == span.end => {
            (Kind::Function, LIBRARY)
        }
        Target::Op(_) => (Kind::Namespace, LIBRARY),
        Target::OpParam(..) => (Kind::Parameter, LIBRARY),
        Target::Field { .. } => (Kind::Property, 0),
        Target::There { .. } => (Kind::Function, 0),
        Target::Here { kind, defined, .. } => {
            let declared = if *defined == span { DECLARATION } else { 0 };
            (of_name(*kind), declared)
        }
    }
}

fn of_name(kind: NameKind) -> Kind {
    match kind {
        NameKind::Param | NameKind::FlowParam => Kind::Parameter,
        NameKind::Secret | NameKind::Let => Kind::Variable,
        NameKind::Flow => Kind::Function,
        NameKind::Type => Kind::Type,
        NameKind::Import => Kind::Namespace,
        NameKind::Field => Kind::Property,
    }
}

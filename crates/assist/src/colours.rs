//! The words of a script by their role: the basis of syntax highlighting.

use std::collections::HashMap;

use svc_contract::registry::Registry;
use svc_lang::{
    check::{Mention, NameKind, Target, type_names},
    diag::Span,
    syntax::{
        RESERVED,
        token::{self, Token, TokenKind},
    },
};

/// A piece of the text, and its role.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub span: Span,
    pub role: Role,
    pub mark: Mark,
}

/// The role of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
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

/// Further facts about a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Plain,
    /// The name is bound here.
    Declares,
    /// The name is built in.
    BuiltIn,
}

/// The words of a text with their roles.
///
/// In the order of the text, with comments first.
pub fn pieces(text: &str, mentions: &[Mention], registry: &Registry) -> Vec<Piece> {
    let lexed = token::lex(text);
    let known: HashMap<usize, &Mention> = mentions.iter().map(|it| (it.span.start, it)).collect();
    let comment = |span: &Span| Piece { span: *span, role: Role::Comment, mark: Mark::Plain };
    let mut pieces: Vec<Piece> = lexed.comments.iter().map(comment).collect();
    for (idx, token) in lexed.tokens.iter().enumerate() {
        let before = idx.checked_sub(1).map(|it| &lexed.tokens[it]);
        let role = match token.kind {
            TokenKind::Word if names_type(text, &lexed.tokens[idx..], &known, registry) => {
                Some((Role::Type, Mark::BuiltIn))
            }
            TokenKind::Word => word(text, token, before, &known),
            TokenKind::Number | TokenKind::Money => Some((Role::Number, Mark::Plain)),
            TokenKind::Text
            | TokenKind::TextOpen
            | TokenKind::TextMiddle
            | TokenKind::TextClose => Some((Role::String, Mark::Plain)),
            TokenKind::Sign if is_operator(&text[token.span.range()]) => {
                Some((Role::Operator, Mark::Plain))
            }
            _ => None,
        };
        let piece = |(role, mark)| Piece { span: token.span, role, mark };
        pieces.extend(role.map(piece));
    }
    pieces
}

/// Whether tokens begin with the name of a built-in type.
fn names_type(
    text: &str,
    tokens: &[Token],
    known: &HashMap<usize, &Mention>,
    registry: &Registry,
) -> bool {
    let shown = |idx: usize| tokens.get(idx).map_or("", |it| &text[it.span.range()]);
    type_names(registry).any(|it| it == shown(0))
        && !known.contains_key(&tokens[0].span.start)
        && shown(1) != ":"
}

fn is_operator(sign: &str) -> bool {
    !matches!(sign, "." | "," | ":" | ";")
}

fn word(
    whole: &str,
    token: &Token,
    before: Option<&Token>,
    known: &HashMap<usize, &Mention>,
) -> Option<(Role, Mark)> {
    let text = &whole[token.span.range()];
    if let Some(mention) = known.get(&token.span.start) {
        return Some(mentioned(mention, token.span));
    }
    let after_dot = before.is_some_and(|it| {
        it.span.end == token.span.start && matches!(&whole[it.span.range()], "." | "?.")
    });
    if after_dot {
        // The op of `text.upper`, whose mention begins with the component.
        let around = |it: &&&Mention| it.span.end == token.span.end;
        let named = known.values().find(around).map(|it| mentioned(it, token.span));
        return Some(named.unwrap_or((Role::Property, Mark::Plain)));
    }
    if text.starts_with('?') {
        return Some((Role::Variable, Mark::Plain));
    }
    if RESERVED.contains(&text) {
        return Some((Role::Keyword, Mark::Plain));
    }
    text.starts_with(|it: char| it.is_ascii_uppercase()).then_some((Role::Type, Mark::Plain))
}

fn mentioned(mention: &Mention, span: Span) -> (Role, Mark) {
    match &mention.target {
        Target::Op(_) if mention.span == span || mention.span.end == span.end => {
            (Role::Function, Mark::BuiltIn)
        }
        Target::Op(_) => (Role::Namespace, Mark::BuiltIn),
        Target::OpParam(..) => (Role::Parameter, Mark::BuiltIn),
        Target::Field { .. } => (Role::Property, Mark::Plain),
        Target::There { .. } => (Role::Function, Mark::Plain),
        Target::Here { kind, defined, .. } => {
            let declared = if *defined == span { Mark::Declares } else { Mark::Plain };
            (of_name(*kind), declared)
        }
    }
}

fn of_name(kind: NameKind) -> Role {
    match kind {
        NameKind::Param | NameKind::FlowParam => Role::Parameter,
        NameKind::Secret | NameKind::Let => Role::Variable,
        NameKind::Flow => Role::Function,
        NameKind::Type => Role::Type,
        NameKind::Import => Role::Namespace,
        NameKind::Field => Role::Property,
    }
}

//! Types and documentation of the item at a place.

use std::sync::Arc;

use svc_contract::{registry::Registry, value::Type};
use svc_lang::{
    check::{Facts, Mention, NameKind, NodeFact, Target, TypedFlow},
    constructs::Construct,
    diag::Span,
    stdlib,
    syntax::token::{Token, TokenKind, lex},
};

use super::Callable;

/// The type and documentation of an item, as Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    pub text: String,
    /// The place of the item.
    pub span: Span,
}

/// The type and documentation of the item at a place of a text with these facts.
pub fn hover(text: &str, facts: &Facts, registry: &Registry, at: usize) -> Option<Hover> {
    let mention = mention_at(facts, at);
    let node = node_at(facts, at).filter(|it| !it.gives.is_unknown());
    let construct = if mention.is_none() { construct_at(text, at) } else { None };
    let (text, span) = match (mention, construct, node) {
        (Some(it), ..) => (named(text, facts, registry, it)?, it.span),
        (None, Some((it, span)), None) => (it.page(), span),
        (None, Some((it, span)), Some(node)) => {
            (format!("{}\n\n{}", code(&flowing(node)), it.page()), span)
        }
        (None, None, Some(it)) => (code(&flowing(it)), it.span),
        (None, None, None) => return None,
    };
    let stage = mention.and_then(|it| stage_named(facts, it.span)).map(flowing);
    let text = match stage {
        Some(stage) => format!("{text}\n\nhere: `{stage}`"),
        None => text,
    };
    Some(Hover { text, span })
}

/// The name at a place; a place at its end counts.
pub fn mention_at(facts: &Facts, at: usize) -> Option<&Mention> {
    let around = facts.mentions.iter().filter(|it| it.span.start <= at && at <= it.span.end);
    around.min_by_key(|it| it.span.end - it.span.start)
}

/// The word of the language at a place. The name of a field or an argument is not one.
fn construct_at(text: &str, at: usize) -> Option<(&'static Construct, Span)> {
    let tokens = lex(text).tokens;
    let is_word = |it: &Token| it.kind == TokenKind::Word;
    let idx =
        tokens.iter().position(|it| is_word(it) && it.span.start <= at && at <= it.span.end)?;
    let shown = |idx: usize| tokens.get(idx).map_or("", |it| &text[it.span.range()]);
    let is_selected = idx > 0 && matches!(shown(idx - 1), "." | "?.");
    if shown(idx).starts_with('?') {
        return Some((Construct::find("?")?, tokens[idx].span));
    }
    let is_label = shown(idx + 1) == ":" || (shown(idx + 1) == "?" && shown(idx + 2) == ":");
    if is_selected || is_label {
        return None;
    }
    Some((Construct::find(shown(idx))?, tokens[idx].span))
}

/// The smallest node with a type around a place.
fn node_at(facts: &Facts, at: usize) -> Option<&NodeFact> {
    let around = facts.nodes.iter().filter(|it| it.span.start <= at && at <= it.span.end);
    around.min_by_key(|it| it.span.end - it.span.start)
}

/// The stage that begins with a name.
fn stage_named(facts: &Facts, name: Span) -> Option<&NodeFact> {
    let begins = |it: &&NodeFact| it.is_stage && it.span.start == name.start;
    facts.nodes.iter().filter(begins).find(|it| !it.gives.is_unknown() && it.enters.is_some())
}

/// `[Hit] >> Summary`
fn flowing(node: &NodeFact) -> String {
    match &node.enters {
        Some(enters) => format!("{enters} >> {}", node.gives),
        None => node.gives.to_string(),
    }
}

/// The documentation of a name of the script.
fn named(text: &str, facts: &Facts, registry: &Registry, mention: &Mention) -> Option<String> {
    let name = &text[mention.span.range()];
    Some(match &mention.target {
        Target::Op(op) => Callable::Op(*op).page(),
        Target::OpParam(op, idx) => {
            let port = Callable::Op(*op).ports().into_iter().nth(*idx)?;
            format!("{}\n\n{}", code(&port.label), port.doc)
        }
        Target::Field { ty, .. } => code(&format!("{name}: {ty}")),
        Target::There { source, defined } => {
            let is_it = |it: &&(_, Arc<TypedFlow>)| {
                it.1.source.name() == source.name() && it.1.span == *defined
            };
            match facts.flows.iter().find(is_it) {
                Some((name, flow)) => Callable::Flow(name, flow).page(),
                None => there(facts, name, source.name()),
            }
        }
        Target::Here { kind, ty, .. } => match Callable::named(name, facts, registry) {
            Some(flow) if *kind == NameKind::Flow => flow.page(),
            _ => code(&bound(*kind, name, ty)),
        },
    })
}

/// A type of another file, or the file itself.
fn there(facts: &Facts, name: &str, file: &str) -> String {
    let ends = format!(".{name}");
    match facts.types.iter().find(|(it, _)| it.ends_with(&ends)) {
        Some((_, ty)) => code(&format!("type {name} = {}", written(ty))),
        None => match stdlib::ALL.iter().find(|it| it.source().name() == file) {
            Some(module) => module.docs(),
            None => format!("the file `{file}`"),
        },
    }
}

fn bound(kind: NameKind, name: &str, ty: &Type) -> String {
    match kind {
        NameKind::Param => format!("param {name}: {ty}"),
        NameKind::Secret => format!("secret {name}"),
        NameKind::Let => format!("let {name}: {ty}"),
        NameKind::Flow => format!("flow {name} -> {ty}"),
        NameKind::Type => format!("type {name} = {}", written(ty)),
        NameKind::Import => format!("use .. as {name}"),
        NameKind::FlowParam | NameKind::Field => format!("{name}: {ty}"),
    }
}

/// A type without its own name.
fn written(ty: &Type) -> String {
    match ty {
        Type::Record(of) => Type::record(of.fields.clone()).to_string(),
        Type::Enum(of) => {
            let all: Vec<String> = of.variants.iter().map(|it| format!("{it:?}")).collect();
            all.join(" | ")
        }
        other => other.to_string(),
    }
}

fn code(text: &str) -> String {
    format!("```svc\n{text}\n```")
}

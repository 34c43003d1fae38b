//! Renames names that scripts define: every mention in the open documents and in the file that
//! defines it, or none, with a reason.

use lsp_types::{PrepareRenameResponse, TextEdit, WorkspaceEdit};
use svc_lang::{
    check::{FIXED, Mention, NameKind, Target},
    diag::{Report, Span},
    syntax::RESERVED,
};

use super::{
    diagnostics::address, documents::Look, edits::workspace, failure::Failure, library,
    names::Symbol,
};

/// The name that would be renamed, or the reason why it cannot be.
pub(super) fn prepare(look: &Look<'_>, at: usize) -> Result<PrepareRenameResponse, Failure> {
    let mention = look.mention(at).ok_or_else(nothing)?;
    at_home(look, mention, |home, at| renamed(home, at).map(drop))?;
    let placeholder = look.text()[mention.span.range()].to_owned();
    let range = look.page().range(mention.span);
    Ok(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder })
}

/// The edits that rename a name in all open documents, and in the file that defines it.
pub(super) fn rename(look: &Look<'_>, at: usize, name: &str) -> Result<WorkspaceEdit, Failure> {
    let mention = look.mention(at).ok_or_else(nothing)?;
    at_home(look, mention, |home, at| rename_at_home(home, at, name))
}

/// Does something where a name is defined: in this document, or in the used file, which may be
/// closed.
fn at_home<T>(
    look: &Look<'_>,
    mention: &Mention,
    act: impl FnOnce(&Look<'_>, usize) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let Target::There { source, defined } = &mention.target else {
        return act(look, mention.span.start);
    };
    let name = &look.text()[mention.span.range()];
    if defined.start == defined.end {
        return Err(Failure::refused(format!("cannot rename `{name}`: it is a file")));
    }
    let Some(uri) = address(source).filter(|_| !source.is_built()) else {
        return Err(Failure::refused(format!(
            "cannot rename `{name}`: it is defined in `{}`",
            source.name()
        )));
    };
    let documents = look.documents;
    if let Ok(home) = documents.look(&uri) {
        return act(&home, defined.start);
    }
    let closed = documents.closed(&uri, source);
    act(&documents.look_at(&closed), defined.start)
}

fn rename_at_home(look: &Look<'_>, at: usize, name: &str) -> Result<WorkspaceEdit, Failure> {
    let (mention, kind) = renamed(look, at)?;
    is_possible(name, kind)?;
    let symbol = look.symbol(mention).ok_or_else(nothing)?;
    let old = &look.text()[mention.span.range()];
    if old == name {
        return Ok(WorkspaceEdit::default());
    }
    is_free(look, name)?;
    let mut changes = Vec::new();
    let closed = (!look.documents.is_open(&look.document.uri)).then_some(*look);
    for other in closed.into_iter().chain(look.documents.all()) {
        let spans = other.uses(&symbol);
        if !spans.is_empty() {
            stays_as_right(&other, &spans, name, &symbol)?;
            changes.push((other.document.uri.clone(), edits(&other, &spans, name)));
        }
    }
    Ok(workspace(changes))
}

fn edits(look: &Look<'_>, spans: &[Span], name: &str) -> Vec<TextEdit> {
    let edit = |it: &Span| TextEdit { range: look.page().range(*it), new_text: name.to_owned() };
    spans.iter().map(edit).collect()
}

fn nothing() -> Failure {
    Failure::refused("expected a name that the script defines")
}

/// The name at a place, if this document defines it.
fn renamed<'a>(look: &Look<'a>, at: usize) -> Result<(&'a Mention, NameKind), Failure> {
    let mention = look.mention(at).ok_or_else(nothing)?;
    let name = &look.text()[mention.span.range()];
    if library::contains(look.documents.engine.host(), &look.document.uri) {
        let why = "it belongs to the standard library";
        return Err(Failure::refused(format!("cannot rename `{name}`: {why}")));
    }
    match &mention.target {
        Target::Op(_) | Target::OpParam(..) => {
            Err(Failure::refused(format!("cannot rename `{name}`: it belongs to a component")))
        }
        Target::There { source, .. } => Err(Failure::refused(format!(
            "cannot rename `{name}` here: it is defined in `{}`",
            source.name()
        ))),
        Target::Field { .. } | Target::Here { kind: NameKind::Field, .. } => Err(Failure::refused(
            format!("cannot rename `{name}`: it is a field, and records match by their fields"),
        )),
        Target::Here { kind, .. } => Ok((mention, *kind)),
    }
}

/// Whether a name is valid for an item of this kind.
fn is_possible(name: &str, kind: NameKind) -> Result<(), Failure> {
    let is_type = kind == NameKind::Type;
    let first = |it: char| {
        if is_type { it.is_ascii_uppercase() } else { it.is_ascii_lowercase() || it == '_' }
    };
    let is_word = |it: char| it.is_ascii_alphanumeric() || it == '_';
    if !name.starts_with(first) || !name.chars().all(is_word) {
        let wanted = if is_type { "`UpperCase`" } else { "`lower_case`" };
        return Err(Failure::params(format!("invalid name `{name}`: expected {wanted}")));
    }
    if RESERVED.contains(&name) || FIXED.contains(&name) {
        return Err(Failure::params(format!("`{name}` is a reserved word")));
    }
    Ok(())
}

/// Whether a name is unused in the script.
fn is_free(look: &Look<'_>, name: &str) -> Result<(), Failure> {
    let stands_for = |it: &&Mention| match &it.target {
        Target::Here { kind: NameKind::Field, .. } | Target::Field { .. } | Target::OpParam(..) => {
            false
        }
        _ => &look.text()[it.span.range()] == name,
    };
    match look.analysis.facts.mentions.iter().find(stands_for) {
        Some(_) => Err(Failure::refused(format!("duplicate name `{name}` in the script"))),
        None => Ok(()),
    }
}

/// Tries the change on a copy: the document must not get new problems.
fn stays_as_right(
    look: &Look<'_>,
    spans: &[Span],
    name: &str,
    symbol: &Symbol,
) -> Result<(), Failure> {
    let own = &look.analysis.report;
    // Other documents see the new name only after they are changed too.
    if own.source.name() != symbol.file {
        return Ok(());
    }
    let mut text = look.text().to_owned();
    for span in spans.iter().rev() {
        text.replace_range(span.range(), name);
    }
    let after = look.documents.analyse(own.source.with_text(text)).report;
    let errors = |it: &Report| it.errors().count();
    match after.errors().next().filter(|_| errors(&after) > errors(own)) {
        Some(problem) => Err(Failure::refused(format!("cannot rename to `{name}`: {problem}"))),
        None => Ok(()),
    }
}

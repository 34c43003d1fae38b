//! Renaming what a script binds: every mention, or none with a reason.

use lsp_types::{PrepareRenameResponse, TextEdit, WorkspaceEdit};

use super::{documents::Look, edits::workspace, failure::Failure, names::Symbol};
use crate::{
    check::{FIXED, Mention, NameKind, Target},
    diag::{Report, Span},
    syntax::RESERVED,
};

/// The name that would be renamed, or why it cannot be.
pub(super) fn prepare(look: &Look<'_>, at: usize) -> Result<PrepareRenameResponse, Failure> {
    let (mention, _) = renamed(look, at)?;
    let placeholder = look.text()[mention.span.range()].to_owned();
    let range = look.page().range(mention.span);
    Ok(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder })
}

/// The changes that give a name another one, in all open documents.
pub(super) fn rename(look: &Look<'_>, at: usize, name: &str) -> Result<WorkspaceEdit, Failure> {
    let (mention, kind) = renamed(look, at)?;
    is_possible(name, kind)?;
    let symbol = look.symbol(mention).ok_or_else(nothing)?;
    let old = &look.text()[mention.span.range()];
    if old == name {
        return Ok(WorkspaceEdit::default());
    }
    is_free(look, name)?;
    let mut changes = Vec::new();
    for other in look.documents.all() {
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
    Failure::refused("nothing here has a name that the script binds")
}

/// The name at a place, if it is one that this document binds.
fn renamed<'a>(look: &Look<'a>, at: usize) -> Result<(&'a Mention, NameKind), Failure> {
    let mention = look.mention(at).ok_or_else(nothing)?;
    let name = &look.text()[mention.span.range()];
    match &mention.target {
        Target::Op(_) | Target::OpParam(..) => {
            Err(Failure::refused(format!("`{name}` is a component's, which keeps its names")))
        }
        Target::There { source, .. } => Err(Failure::refused(format!(
            "`{name}` is bound in `{}`: rename it there",
            source.name()
        ))),
        Target::Field { .. } | Target::Here { kind: NameKind::Field, .. } => {
            Err(Failure::refused(format!("`{name}` is a field: records match by their fields")))
        }
        Target::Here { kind, .. } => Ok((mention, *kind)),
    }
}

/// Whether a thing of a kind can have a name at all.
fn is_possible(name: &str, kind: NameKind) -> Result<(), Failure> {
    let is_type = kind == NameKind::Type;
    let first = |it: char| match is_type {
        true => it.is_ascii_uppercase(),
        false => it.is_ascii_lowercase() || it == '_',
    };
    let is_word = |it: char| it.is_ascii_alphanumeric() || it == '_';
    if !name.starts_with(first) || !name.chars().all(is_word) {
        let wanted = if is_type { "`UpperCase`" } else { "`lower_case`" };
        return Err(Failure::params(format!("`{name}` cannot be a name here: write {wanted}")));
    }
    if RESERVED.contains(&name) || FIXED.contains(&name) {
        return Err(Failure::params(format!("`{name}` is a reserved word")));
    }
    Ok(())
}

/// Whether nothing in the script has a name yet.
fn is_free(look: &Look<'_>, name: &str) -> Result<(), Failure> {
    let stands_for = |it: &&Mention| match &it.target {
        Target::Here { kind: NameKind::Field, .. } | Target::Field { .. } | Target::OpParam(..) => {
            false
        }
        _ => &look.text()[it.span.range()] == name,
    };
    match look.analysis.facts.mentions.iter().find(stands_for) {
        Some(_) => Err(Failure::refused(format!("`{name}` is taken: the script uses that name"))),
        None => Ok(()),
    }
}

/// Tries the change on a copy: a document must not be wronger than before.
fn stays_as_right(
    look: &Look<'_>,
    spans: &[Span],
    name: &str,
    symbol: &Symbol,
) -> Result<(), Failure> {
    let own = &look.analysis.report;
    // The other documents see the new name only when they are changed too.
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
        Some(problem) => Err(Failure::refused(format!("`{name}` does not fit here: {problem}"))),
        None => Ok(()),
    }
}

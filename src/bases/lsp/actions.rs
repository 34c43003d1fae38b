//! Code actions: the fixes of problems, one by one or all at once.

use std::collections::HashMap;

use lsp_types::{
    CodeAction, CodeActionContext, CodeActionKind, CodeActionOrCommand, Range, TextEdit,
    WorkspaceEdit,
};

use super::{diagnostics::About, documents::Look};
use crate::diag::{Fix, Problem, Span};

/// What can be done about the problems in a range.
pub(super) fn actions(
    look: &Look<'_>,
    range: Range,
    context: &CodeActionContext,
) -> Vec<CodeActionOrCommand> {
    let (start, end) = (look.page().clamped(range.start), look.page().clamped(range.end));
    let touches = |it: &&Problem| it.span().start <= end && start <= it.span().end;
    let mut actions = Vec::new();
    if wanted(context, &CodeActionKind::QUICKFIX) {
        let problems = look.analysis.report.problems.iter().filter(touches);
        actions.extend(problems.filter(|it| !it.fixes.is_empty()).map(|it| mend(look, it)));
    }
    if wanted(context, &CodeActionKind::SOURCE_FIX_ALL) {
        actions.extend(mend_all(look));
    }
    actions.into_iter().map(CodeActionOrCommand::CodeAction).collect()
}

/// Whether the client asks for a kind: `source` asks for `source.fixAll` too.
fn wanted(context: &CodeActionContext, kind: &CodeActionKind) -> bool {
    let covers = |it: &CodeActionKind| {
        let rest = kind.as_str().strip_prefix(it.as_str());
        rest.is_some_and(|it| it.is_empty() || it.starts_with('.'))
    };
    context
        .only
        .as_ref()
        .is_none_or(|only| only.iter().any(|it| it.as_str().is_empty() || covers(it)))
}

fn mend(look: &Look<'_>, problem: &Problem) -> CodeAction {
    let edits = problem
        .fixes
        .iter()
        .map(|fix| TextEdit { range: look.page().range(fix.span), new_text: fix.text.clone() });
    CodeAction {
        title: title(look, &problem.fixes),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![About::document(look).one(problem)]),
        edit: Some(edit(look, edits.collect())),
        is_preferred: Some(true),
        ..CodeAction::default()
    }
}

fn title(look: &Look<'_>, fixes: &[Fix]) -> String {
    let [fix] = fixes else { return "fix this problem".to_owned() };
    let old = &look.text()[fix.span.range()];
    match (old.is_empty(), fix.text.is_empty()) {
        (true, _) => format!("insert `{}`", fix.text.trim()),
        (_, true) => format!("remove `{}`", short(old)),
        _ => format!("replace `{}` with `{}`", short(old), short(&fix.text)),
    }
}

/// The first line of a text.
fn short(text: &str) -> String {
    match text.split_once('\n') {
        Some((first, _)) => format!("{}…", first.trim_end()),
        None => text.to_owned(),
    }
}

/// Applies every fix, until none is left.
fn mend_all(look: &Look<'_>) -> Option<CodeAction> {
    let fixed = look.documents.engine.fix(look.document.source());
    let changed = changed(look.text(), fixed.source.text())?;
    let range = look.page().range(changed.0);
    let edits = vec![TextEdit { range, new_text: changed.1.to_owned() }];
    Some(CodeAction {
        title: "fix everything that can be fixed".to_owned(),
        kind: Some(CodeActionKind::SOURCE_FIX_ALL),
        edit: Some(edit(look, edits)),
        ..CodeAction::default()
    })
}

/// The part of a text that another one has otherwise; nothing where they are the same.
pub(super) fn changed<'a>(old: &str, new: &'a str) -> Option<(Span, &'a str)> {
    if old == new {
        return None;
    }
    let same = |(a, b): &(char, char)| a == b;
    let lead: usize =
        old.chars().zip(new.chars()).take_while(same).map(|(it, _)| it.len_utf8()).sum();
    let (old_rest, new_rest) = (&old[lead..], &new[lead..]);
    let backwards = old_rest.chars().rev().zip(new_rest.chars().rev());
    let tail: usize = backwards.take_while(same).map(|(it, _)| it.len_utf8()).sum();
    Some((Span::new(lead, old.len() - tail), &new_rest[..new_rest.len() - tail]))
}

#[expect(
    clippy::mutable_key_type,
    reason = "the protocol's map is keyed by addresses, whose hash never changes"
)]
fn edit(look: &Look<'_>, edits: Vec<TextEdit>) -> WorkspaceEdit {
    let changes = HashMap::from([(look.document.uri.clone(), edits)]);
    WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_changed() {
        assert_eq!(changed("a bc d", "a bXc d"), Some((Span::new(3, 3), "X")));
        assert_eq!(changed("aaa", "aa"), Some((Span::new(2, 3), "")));
        assert_eq!(changed("ä", "ö"), Some((Span::new(0, 2), "ö")));
        assert_eq!(changed("a", "a"), None);
    }
}

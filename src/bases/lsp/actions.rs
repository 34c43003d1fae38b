//! Code actions: the fixes of problems, one at a time or all at once.

use lsp_types::{
    CodeAction, CodeActionContext, CodeActionKind, CodeActionOrCommand, Range, TextEdit,
};
use svc_assist::{Fill, fills};
use svc_lang::diag::{Applicability, Fix, Problem, Span};

use super::{
    diagnostics::About,
    documents::Look,
    edits::{changed, workspace},
};

/// The code actions for the problems in a range.
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
        actions.extend(problems.filter(|it| !it.fixes.is_empty()).map(|it| fix_action(look, it)));
        let source = look.document.source();
        let filled = fills(&look.draft(&source), Span::new(start, end));
        for fill in filled.into_iter().map(|it| fill_action(look, it)) {
            // The only candidate is a fix already.
            if !actions.iter().any(|it| it.title == fill.title) {
                actions.push(fill);
            }
        }
    }
    if wanted(context, &CodeActionKind::SOURCE_FIX_ALL) {
        actions.extend(fix_all(look));
    }
    actions.into_iter().map(CodeActionOrCommand::CodeAction).collect()
}

/// Whether the client requests a kind: `source` includes `source.fixAll`.
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

fn fix_action(look: &Look<'_>, problem: &Problem) -> CodeAction {
    let edits = problem
        .fixes
        .iter()
        .map(|fix| TextEdit { range: look.page().range(fix.span), new_text: fix.text.clone() });
    CodeAction {
        title: title(look, &problem.fixes),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![About::document(look).one(problem)]),
        edit: Some(workspace([(look.document.uri.clone(), edits.collect())])),
        is_preferred: Some(problem.applicability == Applicability::Safe),
        ..CodeAction::default()
    }
}

/// Writes a stage or value in place of a hole.
fn fill_action(look: &Look<'_>, fill: Fill) -> CodeAction {
    let Fill { span, text } = fill;
    let problems = look.analysis.report.problems.iter();
    let about = About::document(look);
    let unfilled = problems.filter(|it| it.hole.is_some() && it.span() == span);
    let edit = TextEdit { range: look.page().range(span), new_text: text.clone() };
    let hole = short(&look.text()[span.range()]);
    CodeAction {
        title: format!("replace `{hole}` with `{text}`"),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(unfilled.map(|it| about.one(it)).collect()),
        edit: Some(workspace([(look.document.uri.clone(), vec![edit])])),
        is_preferred: Some(false),
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

/// Applies all safe fixes repeatedly, until none is left.
fn fix_all(look: &Look<'_>) -> Option<CodeAction> {
    let fixed = look.documents.engine.fix(look.document.source());
    let changed = changed(look.text(), fixed.source.text())?;
    let range = look.page().range(changed.0);
    let edits = vec![TextEdit { range, new_text: changed.1.to_owned() }];
    Some(CodeAction {
        title: "apply all safe fixes".to_owned(),
        kind: Some(CodeActionKind::SOURCE_FIX_ALL),
        edit: Some(workspace([(look.document.uri.clone(), edits)])),
        ..CodeAction::default()
    })
}

//! Completion.

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionList, CompletionTextEdit, Documentation,
    InsertTextFormat, Range, TextEdit,
};
use svc_assist::{Asked, Choice, Sort, complete};

use super::{documents::Look, hover::markdown};

/// The completions at a place; `snippets` is set if the client can fill in arguments.
pub(super) fn list(look: &Look<'_>, at: usize, asked: Asked, snippets: bool) -> CompletionList {
    let source = look.document.source();
    let Some(choices) = complete(&look.draft(&source), at, asked) else {
        return CompletionList::default();
    };
    let range = look.page().range(choices.span);
    let filter = choices.fills_hole.then(|| look.text()[choices.span.range()].to_owned());
    let all = choices.all.into_iter().enumerate();
    let items = all.map(|(idx, it)| item(it, idx, range, snippets));
    let items = items.map(|it| CompletionItem { filter_text: filter.clone(), ..it });
    CompletionList { is_incomplete: choices.is_cut, items: items.collect() }
}

fn item(choice: Choice, idx: usize, range: Range, snippets: bool) -> CompletionItem {
    let Choice { label, sort, detail, doc, snippet } = choice;
    let has_places = snippet.contains('$');
    let is_snippet = snippets && has_places;
    let new_text = if has_places && !snippets { label.clone() } else { snippet };
    CompletionItem {
        kind: Some(kind(sort)),
        detail,
        documentation: said(doc),
        sort_text: Some(format!("{idx:04}")),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text })),
        insert_text_format: Some(if is_snippet {
            InsertTextFormat::SNIPPET
        } else {
            InsertTextFormat::PLAIN_TEXT
        }),
        label,
        ..CompletionItem::default()
    }
}

fn kind(sort: Sort) -> CompletionItemKind {
    match sort {
        Sort::Keyword => CompletionItemKind::KEYWORD,
        Sort::Variable => CompletionItemKind::VARIABLE,
        Sort::Field => CompletionItemKind::FIELD,
        Sort::Literal => CompletionItemKind::ENUM_MEMBER,
        Sort::Type => CompletionItemKind::STRUCT,
        Sort::File => CompletionItemKind::FILE,
        Sort::Folder => CompletionItemKind::FOLDER,
        Sort::Argument => CompletionItemKind::PROPERTY,
        Sort::Call | Sort::Chain => CompletionItemKind::FUNCTION,
    }
}

fn said(doc: String) -> Option<Documentation> {
    (!doc.is_empty()).then(|| Documentation::MarkupContent(markdown(doc)))
}

//! Edits of documents.

use lsp_types::{TextEdit, Uri, WorkspaceEdit};
use svc_engine::Threads;
use svc_lang::{diag::Span, syntax};

use super::documents::Look;

/// A workspace edit from the edits of several documents.
pub(super) fn workspace(changes: impl IntoIterator<Item = (Uri, Vec<TextEdit>)>) -> WorkspaceEdit {
    let changes = Some(changes.into_iter().collect());
    WorkspaceEdit { changes, ..WorkspaceEdit::default() }
}

/// The edits of formatting. Statements with syntax errors are left unchanged.
pub(super) fn formatted(look: &Look<'_>) -> Vec<TextEdit> {
    let formatted = syntax::format_with(look.text(), &Threads).text;
    let changed = changed(look.text(), &formatted);
    let edit = |(span, text): (Span, &str)| TextEdit {
        range: look.page().range(span),
        new_text: text.to_owned(),
    };
    changed.map(edit).into_iter().collect()
}

/// The part of `old` that differs from `new`, and its replacement; `None` if they are equal.
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

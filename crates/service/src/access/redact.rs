//! The redactor: no log, error, audit or report contains the secret of a key.

use std::borrow::Cow;

use super::key::{KeyId, KeyKind};

/// What takes the place of a secret.
const HIDDEN: &str = "***";

/// Hides the secrets of all keys in a text, also those of damaged keys. The ids stay.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((at, begun)) = first(rest) {
        let (before, from) = rest.split_at(at);
        let end = from.find(|it: char| !is_sign(it)).unwrap_or(from.len());
        shown.push_str(before);
        shown.push_str(&hidden(&from[..end], begun));
        rest = &from[end..];
    }
    if shown.is_empty() && rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

fn is_sign(it: char) -> bool {
    it.is_ascii_alphanumeric() || it == '_'
}

/// The first place that looks like a key, and the length of what begins it.
fn first(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(found) = text[from..].find("svc_") {
        let at = from + found;
        let rest = &text[at + "svc_".len()..];
        let kind = KeyKind::ALL
            .into_iter()
            .find(|it| rest.strip_prefix(it.name()).is_some_and(|it| it.starts_with('_')));
        if let Some(kind) = kind {
            return Some((at, "svc_".len() + kind.name().len() + 1));
        }
        from = at + "svc_".len();
    }
    None
}

/// A key without its secret.
fn hidden(key: &str, begun: usize) -> String {
    let (begin, rest) = key.split_at(begun);
    match rest.split_once('_') {
        Some((id, _)) if KeyId::parse(id).is_some() => format!("{begin}{id}_{HIDDEN}"),
        _ if KeyId::parse(rest).is_some() || rest.is_empty() => key.to_owned(),
        _ => format!("{begin}{HIDDEN}"),
    }
}

#[cfg(test)]
mod tests {
    use svc_host_os::OsHost;

    use super::*;
    use crate::access::key::ApiKey;

    #[test]
    fn secrets_are_hidden_and_ids_stay() {
        for kind in KeyKind::ALL {
            let key = ApiKey::new(kind, &OsHost::default()).unwrap();
            let (text, id) = (key.reveal(), key.id());
            let secret = &text[text.len() - 38..];
            let shown = format!("svc_{}_{id}_***", kind.name());
            for (raw, expected) in [
                (text.to_owned(), shown.clone()),
                (format!("Bearer {text}, {text}\n"), format!("Bearer {shown}, {shown}\n")),
                (format!("{{\"a\":\"{text}\"}}"), format!("{{\"a\":\"{shown}\"}}")),
                (format!("é{text}é"), format!("é{shown}é")),
                (format!("{text}{text}"), shown.clone()),
                (text[..40].to_owned(), shown.clone()),
                (text.replace(id.as_str(), "x"), format!("svc_{}_***", kind.name())),
                (format!("svc_{}_{secret}", kind.name()), format!("svc_{}_***", kind.name())),
            ] {
                assert_eq!(redact(&raw), expected);
            }
        }
    }

    #[test]
    fn other_texts_are_unchanged() {
        for text in ["", "svc_", "svc_live", "svc_model_a", "use svc_lang;", "é"] {
            assert!(matches!(redact(text), Cow::Borrowed(it) if it == text), "{text}");
        }
        assert_eq!(redact("key svc_live_abcdefghijkl"), "key svc_live_abcdefghijkl");
    }
}

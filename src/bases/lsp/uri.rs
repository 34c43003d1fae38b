//! Addresses of documents, and their paths.

use std::{path::Path, str::FromStr};

use lsp_types::Uri;
use svc_contract::value::paths;
use svc_lang::diag::Source;

/// The name of a document: the path of a file, or the address of anything else.
pub(super) fn name_of(uri: &Uri) -> String {
    match path_of(uri) {
        Some(path) => paths::join(Path::new(""), &path).to_string(),
        None => uri.as_str().to_owned(),
    }
}

/// The path of a document that is a file, with the separators of the machine.
pub(super) fn file_of(uri: &Uri) -> Option<String> {
    path_of(uri).map(|it| paths::join(Path::new(""), &it).to_string())
}

/// The text of a document as a script, with paths relative to the folder of the document.
pub(super) fn source(uri: &Uri, text: impl Into<std::sync::Arc<str>>) -> Source {
    let name = name_of(uri);
    let source = Source::new(name.as_str(), text);
    match Path::new(&name).parent().filter(|_| path_of(uri).is_some()) {
        Some(folder) => source.in_folder(folder),
        None => source,
    }
}

/// The address of a file; a relative name starts from the current folder.
pub(super) fn of_name(name: &str, folder: Option<&Path>) -> Option<Uri> {
    if let Ok(uri) = Uri::from_str(name)
        && uri.scheme().is_some_and(|it| it.as_str().len() > 1)
    {
        return Some(uri);
    }
    let path = paths::join(folder.unwrap_or(Path::new("")), name).replace('\\', "/");
    let slash = if path.starts_with('/') { "" } else { "/" };
    Uri::from_str(&format!("file://{slash}{}", encoded(&path))).ok()
}

fn path_of(uri: &Uri) -> Option<String> {
    let is_file = uri.scheme().is_some_and(|it| it.as_str() == "file");
    let path = decoded(uri.path().as_str()).filter(|_| is_file)?;
    // `/C:/scripts` is a Windows path.
    let drive = path.strip_prefix('/').filter(|it| it.as_bytes().get(1) == Some(&b':'));
    Some(drive.map(str::to_owned).unwrap_or(path))
}

/// Decodes percent-encoding such as `%20`; `None` if the result is not valid text.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = (*first == b'%').then(|| tail.get(..2)).flatten();
        match code.and_then(|it| u8::from_str_radix(std::str::from_utf8(it).ok()?, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

fn encoded(path: &str) -> String {
    let is_plain = |it: u8| it.is_ascii_alphanumeric() || b"-._~/:".contains(&it);
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        if is_plain(byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_stand_for_paths() {
        let uri = Uri::from_str("file:///tmp/my%20notes/%C3%BC.svc").unwrap();
        assert_eq!(name_of(&uri), "/tmp/my notes/ü.svc");
        assert_eq!(of_name("/tmp/my notes/ü.svc", None), Some(uri));
        assert_eq!(name_of(&Uri::from_str("file:///C:/a.svc").unwrap()), "C:/a.svc");
        let unsaved = Uri::from_str("untitled:Untitled-1").unwrap();
        assert_eq!(name_of(&unsaved), "untitled:Untitled-1");
        assert_eq!(of_name("untitled:Untitled-1", None), Some(unsaved));
    }
}

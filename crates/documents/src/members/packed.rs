//! The members of ZIP archives, and the file in GZIP.

use std::io::{Cursor, Read};

use flate2::read::MultiGzDecoder;
use svc_contract::value::units::show_size;
use zip::{ZipArchive, result::ZipError};

use super::{
    super::{LARGEST_FILE, Unreadable, last_name},
    Found,
};

/// The maximum length of a name that is shown.
const NAME_CHARS: usize = 80;

/// A portion of an archive, from this member on.
pub(super) fn zip(content: &[u8], from: usize) -> Result<Found, Unreadable> {
    let mut archive = ZipArchive::new(Cursor::new(content))
        .map_err(|err| Unreadable::Damaged(format!("it is not a readable ZIP ({err})")))?;
    let mut found = Found::default();
    for idx in from..archive.len() {
        if found.is_full() {
            found.next = Some(idx as u64);
            break;
        }
        if let Err((name, why)) = member(&mut archive, idx, &mut found) {
            found.notices.push(format!("`{}`: skipped: {why}", excerpt(&name)));
        }
    }
    Ok(found)
}

type Archive<'a> = ZipArchive<Cursor<&'a [u8]>>;

/// Adds a member, or returns its name and why it is skipped.
fn member(archive: &mut Archive, idx: usize, found: &mut Found) -> Result<(), (String, String)> {
    let number = || format!("member {}", idx + 1);
    let why = |err: ZipError| match err.to_string() {
        why if why.to_lowercase().contains("password") => "it is encrypted".to_owned(),
        why => format!("it is damaged: {why}"),
    };
    let (name, is_file) = {
        let entry = archive.by_index_raw(idx).map_err(|err| (number(), why(err)))?;
        let name = entry.name().map_err(|err| (number(), why(err)))?.to_string();
        (name, !entry.is_dir() && !entry.is_symlink())
    };
    if !is_file || is_hidden(&name) {
        return Ok(());
    }
    if !is_inside(&name) {
        return Err((name, "its name leads out of the archive".to_owned()));
    }
    let entry = match archive.by_index(idx) {
        Ok(it) => it,
        Err(err) => return Err((name, why(err))),
    };
    match content_of(entry) {
        Ok(bytes) => found.add_member(name, bytes),
        Err(why) => return Err((name, why)),
    }
    Ok(())
}

/// The file in GZIP: its name is in the header, else it is that of the file without `.gz`.
pub(super) fn gzip(name: &str, content: &[u8]) -> Result<Found, Unreadable> {
    let decoder = MultiGzDecoder::new(content);
    let stated = decoder.header().and_then(|it| it.filename());
    let stated = stated.and_then(|it| std::str::from_utf8(it).ok()).map(last_name);
    let stated = stated.filter(|it| is_inside(it) && it != "." && it != "..");
    let inner = stated.unwrap_or_else(|| {
        let whole = last_name(name);
        let lower = whole.to_ascii_lowercase();
        match [".tgz", ".gz"].iter().find(|it| lower.ends_with(**it)) {
            Some(ending) if whole.len() > ending.len() => {
                whole[..whole.len() - ending.len()].to_owned()
            }
            _ => "content".to_owned(),
        }
    });
    let bytes = content_of(decoder).map_err(Unreadable::Damaged)?;
    let mut found = Found::default();
    found.add_member(inner, bytes);
    Ok(found)
}

/// The content of a member, whatever size its header says.
fn content_of(input: impl Read) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = input.take(LARGEST_FILE + 1).read_to_end(&mut bytes);
    read.map_err(|err| format!("it is damaged: {err}"))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(format!("it unpacks to more than {}", show_size(LARGEST_FILE)));
    }
    Ok(bytes)
}

/// Whether a member is hidden, as files of a folder are, or is data of a system.
fn is_hidden(name: &str) -> bool {
    let is_dotted = |it: &str| it.starts_with('.') && !it.trim_matches('.').is_empty();
    name.split('/').any(|it| it == "__MACOSX" || is_dotted(it))
}

/// Whether a name stays inside of the folder of the archive, on any system.
pub(super) fn is_inside(name: &str) -> bool {
    let has_drive = name.get(1..2) == Some(":");
    if name.is_empty() || has_drive || name.starts_with(['/', '\\']) || name.contains('\0') {
        return false;
    }
    name.split(['/', '\\']).all(|part| part != "..")
}

fn excerpt(name: &str) -> String {
    name.chars().take(NAME_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_out_are_known() {
        for name in ["a", "a/b.txt", "./a", "..a", "ü/:"] {
            assert!(is_inside(name), "{name}");
        }
        for name in ["", "/etc/x", "..", "../a", "a/../b", "a\\..\\b", "\\x", "C:\\x", "a\0"] {
            assert!(!is_inside(name), "{name}");
        }
        assert!(is_hidden("__MACOSX/a") && is_hidden("a/.git/x") && !is_hidden("a/../b"));
    }
}

//! Reading and writing files.

use std::{io, path::Path};

use svc_contract::{
    host,
    registry::{Component, Cx, OpError, Size, compute, inline},
};

mod folder;
mod glob;
mod path;
mod pdf;
mod read;
mod read_jsonl;
mod write;

pub(super) const COMPONENT: Component = Component {
    name: "files",
    cluster: "core-infrastructure",
    summary: "Reads and writes files: text, JSON, PDF, whole folders.",
    version: 2,
    aliases: &[
        ("read_files", "read_files"),
        ("read_text", "read_text"),
        ("pdf_text", "pdf_text"),
        ("read_json", "read_json"),
        ("read_jsonl", "read_jsonl"),
        ("write_file", "write_file"),
        ("save_json", "save_json"),
        ("path", "path"),
    ],
    ops: &[
        compute::<folder::ReadFiles>(),
        compute::<read::ReadText>(),
        compute::<pdf::PdfText>(),
        compute::<read::ReadJson>(),
        compute::<read_jsonl::ReadJsonl>(),
        compute::<write::WriteFile>(),
        compute::<write::SaveJson>(),
        inline::<path::ToPath>(),
    ],
};

/// The largest file that is read where a script says nothing.
const MAX_SIZE: Size = Size(10 << 20);

/// What editors on Windows begin a text with; it is no part of it.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text of a file, without a byte order mark.
fn read_text(cx: &Cx, path: &Path, max_size: Size) -> Result<String, OpError> {
    let content = host::read(cx.host(), path, max_size.0).map_err(|err| io_error(err, path))?;
    text_of(content).map_err(|why| OpError::invalid_input(format!("`{}` {why}", path.display())))
}

/// The text that a file's content is, or why it is none.
fn text_of(content: Vec<u8>) -> Result<String, String> {
    if content.contains(&0) {
        return Err("is no text but binary data".to_owned());
    }
    let mut text = String::from_utf8(content).map_err(|err| {
        let place = err.utf8_error().valid_up_to();
        format!("is no text in UTF-8: byte {place} is none of it")
    })?;
    if text.starts_with(BYTE_ORDER_MARK) {
        text.remove(0);
    }
    Ok(text)
}

/// A failure of the file system with its next step.
fn io_error(err: io::Error, path: &Path) -> OpError {
    let help = match err.kind() {
        io::ErrorKind::NotFound => {
            "relative paths in a script start from its folder, those from outside from the current folder"
        }
        io::ErrorKind::PermissionDenied if host::refused(&err).is_none() => {
            "look at the permissions of the file and its folder"
        }
        io::ErrorKind::IsADirectory => "`read_files` reads the files of a folder",
        io::ErrorKind::FileTooLarge if err.raw_os_error().is_some() => {
            "the system lets no file grow that large"
        }
        io::ErrorKind::FileTooLarge => "`max_size` allows larger files",
        io::ErrorKind::NotADirectory => "a part of the path is a file, not a folder",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space",
        _ => return OpError::io(err, path),
    };
    OpError::io(err, path).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_from_other_data() {
        assert_eq!(text_of(b"\xef\xbb\xbfa".to_vec()).unwrap(), "a");
        assert_eq!(text_of(Vec::new()).unwrap(), "");
        assert!(text_of(b"a\0b".to_vec()).unwrap_err().contains("binary"));
        assert!(text_of(b"ab\xff".to_vec()).unwrap_err().contains("byte 2"));
    }
}

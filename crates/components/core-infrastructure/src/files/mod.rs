//! Reading and writing files.

use std::{io, path::Path};

use svc_contract::{
    host,
    registry::{Bias, Component, Cx, OpError, Size, compute, inline},
};

mod append;
mod change;
mod folder;
mod glob;
mod listed;
mod path;
mod pdf;
mod read;
mod read_bytes;
mod read_jsonl;
mod temporary;
mod write;

pub(super) const COMPONENT: Component = Component {
    name: "files",
    cluster: "core-infrastructure",
    summary: "Reads, writes, lists and moves files: text, JSON, PDF, whole folders.",
    version: 3,
    bias: Bias::new(
        "whole files, in one piece",
        &[
            "text is in UTF-8",
            "hidden and ignored files of a folder are not wanted",
            "a PDF has a text layer",
        ],
    ),
    aliases: &[
        ("read_files", "read_files"),
        ("read_text", "read_text"),
        ("pdf_text", "pdf_text"),
        ("read_json", "read_json"),
        ("read_jsonl", "read_jsonl"),
        ("read_bytes", "read_bytes"),
        ("write_file", "write_file"),
        ("save_json", "save_json"),
        ("list_files", "list_files"),
        ("append_file", "append_file"),
        ("copy_file", "copy_file"),
        ("move_file", "move_file"),
        ("delete_file", "delete_file"),
        ("temp_file", "temp_file"),
        ("path", "path"),
    ],
    ops: &[
        compute::<folder::ReadFiles>(),
        compute::<read::ReadText>(),
        compute::<pdf::PdfText>(),
        compute::<read::ReadJson>(),
        compute::<read_jsonl::ReadJsonl>(),
        compute::<read_bytes::ReadBytes>(),
        compute::<write::WriteFile>(),
        compute::<write::SaveJson>(),
        compute::<listed::ListFiles>(),
        compute::<append::AppendFile>(),
        compute::<change::CopyFile>(),
        compute::<change::MoveFile>(),
        compute::<change::DeleteFile>(),
        compute::<temporary::TempFile>(),
        inline::<path::ToPath>(),
    ],
};

/// The default maximum size of a file to read.
const MAX_SIZE: Size = Size(10 << 20);

/// The mark that editors on Windows put at the start of a text; it is not part of the text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text of a file, without a byte order mark.
fn read_text(cx: &Cx, path: &Path, max_size: Size) -> Result<String, OpError> {
    let content = host::read(cx.host(), path, max_size.0).map_err(|err| io_error(err, path))?;
    text_of(content).map_err(|why| OpError::invalid_input(format!("`{}` {why}", path.display())))
}

/// Decodes the content of a file as text, or returns why it is not text.
fn text_of(content: Vec<u8>) -> Result<String, String> {
    if content.contains(&0) {
        return Err("is binary data, not text".to_owned());
    }
    let mut text = String::from_utf8(content).map_err(|err| {
        let place = err.utf8_error().valid_up_to();
        format!("is not valid UTF-8 (invalid byte at offset {place})")
    })?;
    if text.starts_with(BYTE_ORDER_MARK) {
        text.remove(0);
    }
    Ok(text)
}

/// Refuses a path without a file name.
fn test_name(path: &Path) -> Result<(), OpError> {
    if path.file_name().is_some() {
        return Ok(());
    }
    Err(OpError::invalid_input(format!("cannot use `{}`: not a file name", path.display())))
}

/// A failure of the file system, with a help line.
fn io_error(err: io::Error, path: &Path) -> OpError {
    let help = match err.kind() {
        io::ErrorKind::NotFound => {
            "check the path: in a script file it is relative to the script's folder, elsewhere to the current folder"
        }
        io::ErrorKind::PermissionDenied if host::refused(&err).is_none() => {
            "check the permissions of the file and its folder"
        }
        io::ErrorKind::IsADirectory => "use `read_files` to read the files of a folder",
        io::ErrorKind::FileTooLarge if err.raw_os_error().is_some() => {
            "write less: the system does not allow larger files"
        }
        io::ErrorKind::FileTooLarge => "raise `max_size`",
        io::ErrorKind::NotADirectory => "check the path: a part of it is a file, not a folder",
        io::ErrorKind::CrossesDevices => {
            "copy it with `copy_file`, and delete it with `delete_file`"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space",
        _ => return OpError::io(err, path),
    };
    OpError::io(err, path).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_distinguished_from_other_data() {
        assert_eq!(text_of(b"\xef\xbb\xbfa".to_vec()).unwrap(), "a");
        assert_eq!(text_of(Vec::new()).unwrap(), "");
        assert!(text_of(b"a\0b".to_vec()).unwrap_err().contains("binary"));
        assert!(text_of(b"ab\xff".to_vec()).unwrap_err().contains("offset 2"));
    }
}

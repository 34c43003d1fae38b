//! The bytes of a table's file.

use std::{
    io::{self, Read},
    path::Path,
};

use flate2::read::MultiGzDecoder;
use svc_contract::{
    choices,
    registry::{Cx, OpError},
    value::{memory, units::show_size},
};

use crate::cells;

/// The largest file that is read as a whole, unpacked.
pub(super) const LARGEST: u64 = 4 << 30;

choices! {
    /// How a table is written.
    pub(super) enum Format {
        Csv = "csv",
        Tsv = "tsv",
        Jsonl = "jsonl",
        Xlsx = "xlsx",
        Parquet = "parquet",
        Auto = "auto",
    }
}

impl Format {
    /// Whether it is text.
    pub(super) fn is_text(self) -> bool {
        !matches!(self, Self::Xlsx | Self::Parquet)
    }

    /// The format of a file, by its name if it is not given.
    pub(super) fn of(self, path: &Path) -> Result<Self, OpError> {
        if self != Self::Auto {
            return Ok(self);
        }
        let name = path.to_string_lossy().to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match name.rsplit_once('.').map(|it| it.1) {
            Some("csv" | "txt") => Ok(Self::Csv),
            Some("tsv" | "tab") => Ok(Self::Tsv),
            Some("jsonl" | "ndjson") => Ok(Self::Jsonl),
            Some("xlsx" | "xlsm" | "xlsb" | "xls" | "ods") => Ok(Self::Xlsx),
            Some("parquet" | "pq") => Ok(Self::Parquet),
            _ => {
                let message = format!("unknown format of `{}`", path.display());
                Err(OpError::invalid_input(message)
                    .help("name it: `format: \"csv\"`, `\"tsv\"`, `\"jsonl\"`, `\"xlsx\"` or `\"parquet\"`"))
            }
        }
    }
}

pub(super) fn io_error(err: io::Error, path: &Path) -> OpError {
    let help = match err.kind() {
        io::ErrorKind::NotFound => {
            "check the path: in a script file it is relative to the script's folder, elsewhere to the current folder"
        }
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
            let message = format!("cannot unpack `{}`: {err}", path.display());
            return OpError::invalid_input(message).help("check that the file is complete");
        }
        _ => return OpError::io(err, path),
    };
    OpError::io(err, path).help(help)
}

/// Opens a file; one that is compressed by gzip is unpacked.
pub(super) fn open(cx: &Cx, path: &Path) -> Result<Box<dyn Read + Send>, OpError> {
    let mut file = cx.host().open(path).map_err(|err| io_error(err, path))?;
    let mut start = [0; 2];
    let mut len = 0;
    while len < start.len() {
        match file.read(&mut start[len..]).map_err(|err| io_error(err, path))? {
            0 => break,
            read => len += read,
        }
    }
    let whole = io::Cursor::new(start).take(len as u64).chain(file);
    Ok(if start[..len] == [0x1F, 0x8B] {
        Box::new(MultiGzDecoder::new(whole))
    } else {
        Box::new(whole)
    })
}

/// The whole text of a file, without the mark that some editors write at its start.
pub(super) fn text(cx: &Cx, path: &Path) -> Result<String, OpError> {
    const STEP: u64 = 8 << 20;
    let mut file = open(cx, path)?;
    let mut bytes = Vec::new();
    loop {
        cx.check()?;
        memory::room(bytes.len())?;
        let read = file.by_ref().take(STEP).read_to_end(&mut bytes);
        if read.map_err(|err| io_error(err, path))? == 0 {
            break;
        }
        if bytes.len() as u64 > LARGEST {
            let message = format!("`{}` is larger than {}", path.display(), show_size(LARGEST));
            return Err(OpError::invalid_input(message)
                .help("group it with `table.scan(path: .., by: .., measures: ..)`"));
        }
    }
    decoded(bytes, path, 1)
}

/// Bytes as text; `line` is the line in which they start.
pub(super) fn decoded(bytes: Vec<u8>, path: &Path, line: usize) -> Result<String, OpError> {
    let text = String::from_utf8(bytes).map_err(|err| {
        let at = err.utf8_error().valid_up_to();
        let before = &err.as_bytes()[..at];
        let line = line + String::from_utf8_lossy(before).matches('\n').count();
        let message = format!("line {line} of `{}` is not valid UTF-8", path.display());
        OpError::invalid_input(message).help("convert the file to UTF-8, for example with `iconv`")
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// The letter between the cells.
pub(super) fn separator(text: &str, format: Format) -> u8 {
    if format == Format::Tsv { b'\t' } else { cells::separator(text) }
}

//! The formats of files, by the extensions of their names.

use svc_contract::registry::{OpRef, Scheme};

/// The extensions of files that are not text.
const BINARY: [&str; 16] = [
    "xlsx", "xlsb", "xls", "ods", "pdf", "zip", "gz", "tar", "tgz", "png", "jpg", "jpeg", "wav",
    "mp3", "docx", "db",
];

/// The extension of a path, as it is or as a script writes it.
pub(super) fn extension(path: &str) -> Option<&str> {
    let (_, extension) = path.trim_end_matches('"').rsplit_once('.')?;
    Some(extension).filter(|it| !it.contains('/'))
}

/// Whether a file is known not to be text.
pub(super) fn is_binary(path: &str) -> bool {
    extension(path).is_some_and(|it| BINARY.contains(&it))
}

/// Whether an op is for files of the format of a path, as far as it names formats.
pub(super) fn fits_format(op: OpRef, path: &str) -> bool {
    const TEXTS: [&str; 7] = ["csv", "json", "jsonl", "yaml", "toml", "xml", "html"];
    let Some(own) = extension(path) else { return true };
    let about = format!("{} {}", op.op.name.replace('_', " "), op.op.doc).to_lowercase();
    let says = |format: &str| about.split(|it: char| !it.is_alphanumeric()).any(|it| it == format);
    let named = |all: &[&str]| all.iter().any(|it| says(it));
    says(own) || !(named(&BINARY) || named(&TEXTS))
}

/// Whether an input may be a path.
pub(super) fn takes_path(scheme: Scheme) -> bool {
    match scheme {
        Scheme::Path => true,
        Scheme::Optional(it) => takes_path(*it),
        Scheme::OneOf(all) => all.iter().any(|it| takes_path(*it)),
        _ => false,
    }
}

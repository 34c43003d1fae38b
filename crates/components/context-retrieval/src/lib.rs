//! Context and retrieval: searching, reading and condensing documents.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use svc_contract::{
    host,
    registry::{Component, Cx, ErrorKind, Field, OpError, Scheme, Size, documents::File},
    value::{Text, Value},
};
use svc_documents::Unreadable;

mod ctx_docs;
mod ctx_fetch;
mod ctx_office;
mod ctx_pdf;
mod ctx_rag;
mod ctx_rerank;
mod ctx_scrape;
mod ctx_search;
mod ctx_summary;
#[cfg(test)]
mod testing;

pub const ALL: &[&Component] = &[
    &ctx_search::COMPONENT,
    &ctx_rag::COMPONENT,
    &ctx_rerank::COMPONENT,
    &ctx_summary::COMPONENT,
    &ctx_docs::COMPONENT,
    &ctx_fetch::COMPONENT,
    &ctx_office::COMPONENT,
    &ctx_pdf::COMPONENT,
    &ctx_scrape::COMPONENT,
];

/// A file to read: a path, or its content.
#[derive(Clone, Debug)]
enum Input {
    Path(PathBuf),
    Content(Text, Arc<[u8]>),
}

impl Field for Input {
    const SCHEME: Scheme = Scheme::OneOf(&[Scheme::Path, File::SCHEME, Scheme::Bytes]);

    fn decode(value: Value) -> Option<Self> {
        Some(match value {
            Value::Path(it) => Self::Path(it.as_ref().into()),
            Value::Bytes(it) => Self::Content("the file".into(), it),
            other => {
                let file = File::decode(other)?;
                Self::Content(format!("`{}`", file.name).into(), file.bytes)
            }
        })
    }

    fn encode(self) -> Value {
        match self {
            Self::Path(path) => path.encode(),
            Self::Content(_, bytes) => Value::Bytes(bytes),
        }
    }
}

impl Input {
    /// The name for messages, and the content.
    fn read(self, max_size: Size, cx: &Cx) -> Result<(Text, Arc<[u8]>), OpError> {
        match self {
            Self::Path(path) => {
                let content = host::read(cx.host(), &path, max_size.0);
                let content = content.map_err(|err| failed(err, &path))?;
                Ok((format!("`{}`", path.display()).into(), content.into()))
            }
            Self::Content(name, bytes) if bytes.len() as u64 <= max_size.0 => Ok((name, bytes)),
            Self::Content(name, _) => {
                let max = Value::Size(max_size.0);
                let message = format!("cannot read {name}: it is larger than {max}");
                Err(OpError::invalid_input(message).help("raise `max_size`"))
            }
        }
    }
}

fn failed(err: std::io::Error, path: &Path) -> OpError {
    let help = match err.kind() {
        std::io::ErrorKind::FileTooLarge => "raise `max_size`",
        std::io::ErrorKind::NotFound => {
            "check the path: in a script file it is relative to the script's folder, elsewhere to the current folder"
        }
        _ => return OpError::io(err, path),
    };
    OpError::io(err, path).help(help)
}

/// The error for a file that cannot be read.
fn unreadable(name: &str, why: &Unreadable) -> OpError {
    let message = format!("cannot read {name}: {why}");
    match why {
        Unreadable::Encrypted => {
            OpError::new(ErrorKind::Unsupported, message).help("save it without a password first")
        }
        Unreadable::Damaged(_) | Unreadable::Textless => OpError::invalid_input(message),
        Unreadable::Unsupported => OpError::new(ErrorKind::Unsupported, message).help(
            "run it with the `svc` program, or set up a worker process as in docs/embedding.md",
        ),
        Unreadable::Unread(_) => OpError::failed(message),
    }
}

//! Files that are sent: as a form (RFC 7578), or in JSON as base64.

use std::convert::Infallible;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use futures_util::stream;
use multer::{Constraints, Multipart, SizeLimit, bytes::Bytes};
use svc_service::{
    Fault, Why,
    desk::{LARGEST_FILE, NewResource},
};

use crate::rest::Input;

/// The longest text next to a file.
const LONGEST_TEXT: u64 = 256 << 10;

/// A file with the texts of its form.
#[derive(Debug, Default)]
pub(super) struct Upload {
    pub(super) name: String,
    pub(super) content: Vec<u8>,
    pub(super) fields: Vec<(String, String)>,
}

impl Upload {
    /// The file of a request: of a form with the field `file` and these texts, or of JSON.
    pub(super) async fn of(input: &Input, texts: &[&'static str]) -> Result<Self, Fault> {
        let kind = input.content_type.as_deref().unwrap_or_default();
        match multer::parse_boundary(kind) {
            Ok(boundary) => Self::of_form(input, boundary, texts).await,
            Err(_) if texts.is_empty() => Self::of_json(input),
            Err(_) => {
                let found = if kind.is_empty() { "none" } else { kind };
                let message =
                    format!("expected a body of the type multipart/form-data, found {found}");
                Err(Fault::new(Why::Format, message))
            }
        }
    }

    fn of_json(input: &Input) -> Result<Self, Fault> {
        let new: NewResource = input.read()?;
        let wrong = |err| Fault::field("content_base64", format!("expected base64: {err}"));
        let content = STANDARD.decode(new.content_base64.as_bytes()).map_err(wrong)?;
        Ok(Self { name: new.name.to_string(), content, fields: Vec::new() })
    }

    async fn of_form(
        input: &Input,
        boundary: String,
        texts: &[&'static str],
    ) -> Result<Self, Fault> {
        let names: Vec<&str> = texts.iter().copied().chain(["file"]).collect();
        let limits =
            SizeLimit::new().for_field("file", LARGEST_FILE as u64 + 1).per_field(LONGEST_TEXT);
        let rules = Constraints::new().size_limit(limits);
        let body = Bytes::copy_from_slice(&input.body);
        let body = stream::iter([Ok::<_, Infallible>(body)]);
        let mut form = Multipart::with_constraints(body, boundary, rules);
        let (mut found, mut upload) = (false, Self::default());
        while let Some(part) = form.next_field().await.map_err(|it| malformed(&it))? {
            let name = part.name().unwrap_or_default().to_owned();
            if !names.contains(&name.as_str()) {
                let message = format!("unknown field `{name}`: there are {}", names.join(", "));
                return Err(Fault::field(name, message));
            }
            if name == "file" {
                if found {
                    return Err(Fault::field("file", "expected one file, found several"));
                }
                found = true;
                part.file_name().unwrap_or_default().clone_into(&mut upload.name);
                upload.content = part.bytes().await.map_err(|it| malformed(&it))?.to_vec();
            } else if upload.fields.iter().any(|it| it.0 == name) {
                return Err(Fault::field(name.clone(), format!("duplicate field `{name}`")));
            } else {
                let text = part.bytes().await.map_err(|it| malformed(&it))?;
                let text = String::from_utf8(text.to_vec()).map_err(|_| {
                    Fault::field(name.clone(), format!("`{name}` is not valid UTF-8"))
                })?;
                upload.fields.push((name, text));
            }
        }
        if found { Ok(upload) } else { Err(Fault::field("file", "missing field `file`")) }
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|it| it.0 == name).map(|it| it.1.as_str())
    }
}

fn malformed(err: &multer::Error) -> Fault {
    if let multer::Error::FieldSizeExceeded { field_name, .. } = err {
        let name = field_name.as_deref().unwrap_or("a field");
        let message = if name == "file" {
            format!("the file is larger than {} MiB", LARGEST_FILE >> 20)
        } else {
            format!("`{name}` is longer than {} KiB", LONGEST_TEXT >> 10)
        };
        return Fault::new(Why::TooLarge, message);
    }
    Fault::new(Why::Malformed, format!("the form cannot be read: {err}"))
}

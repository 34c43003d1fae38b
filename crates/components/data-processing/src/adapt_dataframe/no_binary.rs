//! Without the feature `files`, workbooks and files of Parquet cannot be read or written.

use std::path::Path;

use svc_contract::{
    registry::{Cx, ErrorKind, OpError},
    value::{RecordType, Text},
};

use super::{Frame, input::Format};

#[expect(dead_code, reason = "the reader that is not there needs them")]
pub(super) struct Wanted<'a> {
    pub(super) sheet: Option<&'a Text>,
    pub(super) columns: Option<&'a [Text]>,
    pub(super) row: Option<&'a RecordType>,
}

fn lacking<T>() -> Result<T, OpError> {
    let message =
        "this program was built without the feature `files`, which Excel and Parquet need";
    Err(OpError::new(ErrorKind::Unsupported, message).help("use CSV or JSON lines"))
}

pub(super) fn read(_: &Cx, _: &Path, _: Format, _: &Wanted<'_>) -> Result<Frame, OpError> {
    lacking()
}

pub(super) fn bytes(_: Format, _: &Frame, _: &Cx) -> Result<Vec<u8>, OpError> {
    lacking()
}

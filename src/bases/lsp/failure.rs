//! Failures of requests, with the error codes of the protocol.

use lsp_server::{ErrorCode, ResponseError};

/// The failure of a request.
#[derive(Debug)]
pub(super) struct Failure {
    code: ErrorCode,
    message: String,
}

impl Failure {
    pub(super) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The params refer to something that does not exist, or are malformed.
    pub(super) fn params(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidParams, message)
    }

    /// The request is well-formed, but cannot be fulfilled.
    pub(super) fn refused(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::RequestFailed, message)
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }
}

impl From<Failure> for ResponseError {
    fn from(failure: Failure) -> Self {
        Self { code: failure.code as i32, message: failure.message, data: None }
    }
}

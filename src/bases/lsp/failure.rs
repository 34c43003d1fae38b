//! Why a request is not answered, in the words of the protocol.

use lsp_server::{ErrorCode, ResponseError};

/// Why a request is not answered.
#[derive(Debug)]
pub(super) struct Failure {
    code: ErrorCode,
    message: String,
}

impl Failure {
    pub(super) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The params name something that is not there, or make no sense.
    pub(super) fn params(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidParams, message)
    }

    /// The request makes sense, but what it asks for cannot be done.
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

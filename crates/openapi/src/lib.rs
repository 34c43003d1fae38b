//! OpenAPI documents, versions 3.0 and 3.1, as operations with typed parameters and results.
//!
//! [`parse`] reads the text, JSON or YAML; [`Bundle`] makes one document of several files; [`Api::read`] makes operations of it; [`Lock`] is their
//! compact form in a file, whose lines are parsed when they are needed. A plain library: it knows no
//! network, no file, no script and no engine.
//!
//! ```
//! let text = r#"{"openapi": "3.1.0", "info": {"title": "Pets", "version": "1"}, "paths": {
//!     "/pets/{id}": {"get": {"operationId": "getPet", "responses": {"204": {"description": ""}},
//!         "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}]}}}}"#;
//! let document = svc_openapi::parse(text.as_bytes())?;
//! let api = svc_openapi::Api::read(&document, &[])?;
//! assert_eq!(api.operations[0].name, "get_pet");
//! # Ok::<(), svc_openapi::ReadError>(())
//! ```
//!
//! **Invariant:** whatever a document contains, reading it neither panics nor recurses deeper than a
//! constant, and takes time in proportion to its length.

mod access;
mod bundle;
mod difference;
mod lock;
mod media;
mod merge;
mod names;
mod operations;
mod parameters;
mod references;
mod shape;
mod shapes;
mod text;
mod tool;

pub use access::{Access, Carrier};
pub use bundle::{Bundle, Join, Wanted};
pub use difference::{Change, Difference, details};
pub use lock::{Entry, Lock, LockError, Locked};
pub use media::{Body, Media};
pub use names::{Names, is_name, snake};
pub use operations::{Api, Operation, Skipped};
pub use parameters::{Parameter, Place, Style};
pub use shape::{FieldShape, Shape};
pub use text::{ReadError, parse};
pub use tool::tool;

/// The fingerprint of bytes, as 32 hex digits.
pub fn fingerprint(bytes: &[u8]) -> String {
    let hash = blake3::hash(bytes).to_hex();
    hash.as_str()[..32].to_owned()
}

//! Documents from files and addresses, for the commands that write a lock.

use std::path::Path;

use futures_util::StreamExt as _;
use svc_contract::host::{
    self, Host,
    http::{self, Request},
};
use svc_openapi::{Api, parse};

/// The largest document, in bytes.
const LARGEST: u64 = 256 << 20;

/// The names that no operation can have: calls of a component mean something else by them.
const RESERVED: [&str; 4] = ["infer", "learn", "save", "load"];

/// The bytes of a file.
pub fn read_file(host: &dyn Host, file: &Path) -> Result<Vec<u8>, String> {
    host::read(host, file, LARGEST)
        .map_err(|err| format!("cannot read `{}`: {err}", file.display()))
}

/// The bytes at an address that the user of a command named: it may be anywhere.
pub async fn fetched(host: &dyn Host, url: &str) -> Result<Vec<u8>, String> {
    let failed = |err: std::io::Error| format!("cannot read `{url}`: {err}");
    let request = Request::get(url).configured().header("accept", "application/json, */*");
    let (_, mut answer) = http::follow(host, request).await.map_err(failed)?;
    if !(200..300).contains(&answer.status) {
        return Err(format!("cannot read `{url}`: the server returned status {}", answer.status));
    }
    let mut content = Vec::new();
    while let Some(piece) = answer.body.next().await {
        content.extend(piece.map_err(failed)?);
        if content.len() as u64 > LARGEST {
            return Err(format!("cannot read `{url}`: it is larger than 256 MB"));
        }
    }
    Ok(content)
}

/// The text of a lock for a document.
pub fn locked(source: &str, bytes: &[u8]) -> Result<String, String> {
    let read = parse(bytes).and_then(|it| Api::read(&it, &RESERVED));
    let api = read.map_err(|err| format!("cannot use `{source}`: {err}"))?;
    if api.operations.is_empty() {
        return Err(format!("cannot use `{source}`: it has no operation that can be called"));
    }
    Ok(api.lock(source, bytes))
}

//! Documents from files and addresses, for the commands that write a lock.

use std::path::{Component, Path, PathBuf};

use futures_util::StreamExt as _;
use serde_json::Value;
use svc_contract::host::{
    self, Host,
    address::Address,
    http::{self, Request},
};
use svc_openapi::{Api, Bundle, Join, ReadError, Wanted, parse};

use super::Source;

/// The largest document with all its files, in bytes.
const LARGEST: u64 = 256 << 20;

/// The most files that a document may refer to.
const MOST_FILES: usize = 1_000;

/// The names that no operation can have: calls of a component mean something else by them.
const RESERVED: [&str; 4] = ["infer", "learn", "save", "load"];

/// The text of a lock for the document at a source, with the files that it refers to.
pub async fn locked(host: &dyn Host, folder: &Path, source: &Source) -> Result<String, String> {
    let (document, bytes) = gathered(host, folder, source).await?;
    lock_of(source.place(), &document, &bytes)
}

/// The text of a lock for a document, whose fingerprint is that of the bytes.
pub fn lock_of(place: &str, document: &Value, bytes: &[u8]) -> Result<String, String> {
    let api = Api::read(document, &RESERVED);
    let api = api.map_err(|err| format!("cannot use `{place}`: {err}"))?;
    if api.operations.is_empty() {
        return Err(format!("cannot use `{place}`: it has no operation that can be called"));
    }
    Ok(api.lock(place, bytes))
}

/// A document, and the files that it refers to, as one; with the bytes that its fingerprint is of.
async fn gathered(
    host: &dyn Host,
    folder: &Path,
    source: &Source,
) -> Result<(Value, Vec<u8>), String> {
    let place = source.place();
    let bytes = read(host, folder, source).await?;
    let wrong = |err: ReadError| format!("cannot use `{place}`: {err}");
    let document = parse(&bytes).map_err(wrong)?;
    let join: Join<'_> = match source {
        Source::File(_) => &|from, file| beside(place, from, file),
        Source::Url(_) => &|from, file| at_the_same(place, from, file),
    };
    let mut bundle = Bundle::new(place, document, join).map_err(|err| wrong(ReadError(err)))?;
    if bundle.is_whole() {
        return Ok((bundle.finish(), bytes));
    }
    let mut all = bytes;
    while let Some(Wanted { place: other, by }) = bundle.next_file() {
        if bundle.files() > MOST_FILES {
            return Err(format!("cannot use `{place}`: it refers to more than {MOST_FILES} files"));
        }
        let failed = |err: String| format!("{err}, which `{by}` refers to");
        let source = source.at(&other);
        let bytes = read(host, folder, &source).await.map_err(failed)?;
        let wrong = |err: String| format!("cannot use `{other}`: {err}");
        let content = parse(&bytes).map_err(|err| wrong(err.to_string()))?;
        bundle.add(&other, content, join).map_err(wrong)?;
        all.extend(bytes);
        if all.len() as u64 > LARGEST {
            return Err(format!("cannot use `{place}`: its files are larger than 256 MB together"));
        }
    }
    Ok((bundle.finish(), all))
}

async fn read(host: &dyn Host, folder: &Path, source: &Source) -> Result<Vec<u8>, String> {
    match source {
        Source::File(file) => read_file(host, &folder.join(file)),
        Source::Url(url) => fetched(host, url).await,
    }
}

/// The path of a file that a file refers to: in the folder of the project, or of a document elsewhere.
fn beside(document: &str, from: &str, file: &str) -> Option<String> {
    if file.contains("://") || Path::new(file).is_absolute() {
        return None;
    }
    let path = plain(&Path::new(from).parent()?.join(file));
    let document = Path::new(document);
    let is_inside = document.is_relative() && !document.starts_with("..");
    let root = if is_inside { Path::new("") } else { document.parent()? };
    let is_there = path.starts_with(plain(root)) && (!is_inside || !path.starts_with(".."));
    is_there.then(|| path.to_string_lossy().into_owned())
}

/// A path without `.` and with `..` only at its begin.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

/// The address of a file that one at an address refers to: of the same server.
fn at_the_same(document: &str, from: &str, file: &str) -> Option<String> {
    let address = Address::read(from).ok()?.join(file).ok()?;
    let is_same = Address::read(document).is_ok_and(|it| !it.is_elsewhere(&address));
    is_same.then(|| address.to_string())
}

/// The bytes of a file.
fn read_file(host: &dyn Host, file: &Path) -> Result<Vec<u8>, String> {
    host::read(host, file, LARGEST)
        .map_err(|err| format!("cannot read `{}`: {err}", file.display()))
}

/// The bytes at an address that the user of a command named: it may be anywhere.
async fn fetched(host: &dyn Host, url: &str) -> Result<Vec<u8>, String> {
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

#[cfg(test)]
mod tests {
    use super::{at_the_same, beside};

    #[test]
    fn files_are_found_in_the_folder_of_the_project() {
        let found = |document, from, file| beside(document, from, file);
        let some = |it: &str| Some(it.to_owned());
        assert_eq!(found("a.yaml", "a.yaml", "pets/pet.yaml"), some("pets/pet.yaml"));
        assert_eq!(found("a.yaml", "pets/pet.yaml", "../b.yaml"), some("b.yaml"));
        assert_eq!(found("api/a.yaml", "api/a.yaml", "../b.yaml"), some("b.yaml"));
        assert_eq!(found("../api/a.yaml", "../api/a.yaml", "./b.yaml"), some("../api/b.yaml"));
        assert_eq!(found("/api/a.yaml", "/api/a.yaml", "x/../b.yaml"), some("/api/b.yaml"));
        for (document, file) in [
            ("a.yaml", "../b.yaml"),
            ("a.yaml", "/etc/passwd"),
            ("a.yaml", "https://a.example/b.yaml"),
            ("api/a.yaml", "../../b.yaml"),
            ("../api/a.yaml", "../b.yaml"),
            ("/api/a.yaml", "../etc/passwd"),
        ] {
            assert_eq!(found(document, document, file), None, "{document} {file}");
        }
    }

    #[test]
    fn addresses_are_of_the_same_server() {
        let document = "https://a.example/v1/a.yaml";
        let found = |file| at_the_same(document, document, file);
        assert_eq!(found("b.yaml"), Some("https://a.example/v1/b.yaml".to_owned()));
        assert_eq!(found("/b.yaml"), Some("https://a.example/b.yaml".to_owned()));
        assert_eq!(found("http://169.254.169.254/b.yaml"), None);
        assert_eq!(found("//b.example/b.yaml"), None);
    }
}

//! A secret of this machine in a file that only its owner can read.
#![expect(clippy::disallowed_methods, reason = "the store owns its file and the files next to it")]

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use svc_contract::{
    host::{Host, secret},
    store::{StoreError, StoreErrorKind},
};

use crate::{error::Result, private};

/// Its length in bytes; its text has twice as many digits.
const LEN: usize = 32;

/// The secret in a file, which is created if it is not there.
pub fn token_in(file: &Path, host: &dyn Host) -> Result<String> {
    match read(file)? {
        Some(token) => Ok(token),
        None => create(file, host),
    }
}

fn read(path: &Path) -> Result<Option<String>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(err) => return Err(private::unusable(path, &err)),
    };
    let mut text = String::new();
    file.take(2 * LEN as u64 + 2).read_to_string(&mut text)?;
    let token = text.trim();
    if token.len() == 2 * LEN && token.bytes().all(|it| it.is_ascii_hexdigit()) {
        return Ok(Some(token.to_owned()));
    }
    let message = format!("`{}` is not a token", path.display());
    Err(StoreError::new(StoreErrorKind::Corrupt, message)
        .help("remove the file: a new token is made at the next start"))
}

/// Creates the file with its whole content, unless another process did.
fn create(path: &Path, host: &dyn Host) -> Result<String> {
    if let Some(folder) = path.parent() {
        private::create_folder(folder).map_err(|err| private::unusable(folder, &err))?;
    }
    let token = secret(host, LEN)?;
    match private::create_whole(path, format!("{token}\n").as_bytes()) {
        Ok(()) => Ok(token),
        Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {
            read(path)?.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound).into())
        }
        Err(err) => Err(private::unusable(path, &err)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_token_is_made_once_and_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new/desktop.token");
        let host = svc_host_os::OsHost::default();
        let token = token_in(&file, &host).unwrap();
        assert_eq!(token_in(&file, &host).unwrap(), token);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        }
        fs::write(&file, "x").unwrap();
        assert!(token_in(&file, &host).unwrap_err().message.contains("is not a token"));
    }
}

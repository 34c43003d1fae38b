//! The files that scripts use, read through the host.

use std::{io, path::Path};

use crate::{
    check::Files,
    diag::Source,
    host::{self, Host},
    syntax::MAX_BYTES,
    value::{paths, units},
};

/// The files of a host, seen from the folder of the script that names them.
pub(super) struct HostFiles<'a>(pub(super) &'a dyn Host);

impl Files for HostFiles<'_> {
    fn load(&self, from: &Source, file: &str) -> Result<Source, String> {
        if let Some(name) = file.strip_prefix("std:") {
            return Err(format!("the standard library has no `{name}`"));
        }
        if Path::new(file).extension().is_some_and(|it| it == "rhai") {
            return Err("templates in rhai are not run by this version of svc".to_owned());
        }
        let here = Path::new(".");
        let folder = from.folder().map_or(here, |it| it.as_path());
        let name = paths::join(folder, file);
        let path = Path::new(name.as_ref());
        let bytes = host::read(self.0, path, MAX_BYTES as u64).map_err(|err| why(&err))?;
        let text = String::from_utf8(bytes)
            .map_err(|err| format!("it is not UTF-8 at byte {}", err.utf8_error().valid_up_to()))?;
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(here);
        Ok(Source::new(name.clone(), text).in_folder(folder))
    }
}

fn why(err: &io::Error) -> String {
    match err.kind() {
        io::ErrorKind::NotFound => "it does not exist".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::FileTooLarge => {
            format!("it is larger than {}", units::show_size(MAX_BYTES as u64))
        }
        _ => err.to_string(),
    }
}

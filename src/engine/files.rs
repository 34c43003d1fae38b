//! The files that scripts use, read through the host.

use std::{collections::HashMap, io, path::Path, sync::Arc};

use crate::{
    check::Files,
    diag::Source,
    host::{self, Host},
    value::{paths, units},
};

/// The largest script, in bytes.
pub const LARGEST_SCRIPT: u64 = 16 << 20;

/// Texts that stand for those of files, by path: what an editor has and did not save yet.
pub type Unsaved = HashMap<String, Arc<str>>;

/// The files of a host, seen from the folder of the script that names them.
pub(super) struct HostFiles<'a> {
    host: &'a Arc<dyn Host>,
    unsaved: Option<&'a Unsaved>,
}

impl<'a> HostFiles<'a> {
    pub(super) fn of(host: &'a Arc<dyn Host>) -> Self {
        Self { host, unsaved: None }
    }

    pub(super) fn with(self, unsaved: &'a Unsaved) -> Self {
        Self { unsaved: Some(unsaved), ..self }
    }

    fn text(&self, name: &str) -> Result<Arc<str>, String> {
        if let Some(text) = self.unsaved.and_then(|it| it.get(name)) {
            return Ok(text.clone());
        }
        let path = Path::new(name);
        let known = self.host.stat(path).map_err(|err| why(&err))?;
        // A pipe or a device would keep whoever checks waiting.
        if !known.is_file && !known.is_dir {
            return Err("it is no regular file".to_owned());
        }
        let bytes =
            host::read(self.host.as_ref(), path, LARGEST_SCRIPT).map_err(|err| why(&err))?;
        let text = String::from_utf8(bytes)
            .map_err(|err| format!("it is not UTF-8 at byte {}", err.utf8_error().valid_up_to()))?;
        Ok(text.into())
    }
}

impl Files for HostFiles<'_> {
    fn load(&self, from: &Source, file: &str) -> Result<Source, String> {
        if let Some(name) = file.strip_prefix("std:") {
            return Err(format!("the standard library has no `{name}`"));
        }
        match Path::new(file).extension().and_then(|it| it.to_str()) {
            Some("svc" | "rhai") => {}
            _ => {
                let due = "the name of a script ends in `.svc`, that of templates in `.rhai`";
                return Err(due.to_owned());
            }
        }
        let here = Path::new(".");
        let folder = from.folder().map_or(here, |it| it.as_path());
        let name = paths::join(folder, file);
        let path = Path::new(name.as_ref());
        let text = self.text(&name)?;
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(here);
        Ok(Source::new(name.clone(), text).in_folder(folder))
    }

    fn host(&self) -> Option<Arc<dyn Host>> {
        Some(self.host.clone())
    }
}

fn why(err: &io::Error) -> String {
    match err.kind() {
        io::ErrorKind::NotFound => "it does not exist".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::FileTooLarge => {
            format!("it is larger than {}", units::show_size(LARGEST_SCRIPT))
        }
        _ => err.to_string(),
    }
}

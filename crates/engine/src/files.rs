//! The files that scripts use, read through the host.

use std::{
    collections::HashMap,
    io,
    path::{Component, Path},
    sync::Arc,
};

use svc_contract::{
    host::{self, Host, refused},
    registry::{HintId, Near, OpDef, near},
    value::{paths, units},
};
use svc_lang::{
    check::{Files, Unread},
    diag::Source,
    plan::Policy,
    stdlib::{self, FOLDER, PREFIX, USER},
    syntax::Executor,
};

use super::Threads;

/// The largest script, in bytes: as large as the language allows.
pub const LARGEST_SCRIPT: u64 = svc_lang::syntax::MAX_BYTES as u64;

/// The most modules of the user that a wrong name is compared with.
const MOST_COMPARED: usize = 1_000;

/// Unsaved texts of an editor, by path, which replace those of the files.
pub type Unsaved = HashMap<String, Arc<str>>;

/// The files of a host, relative to the folder of the script that names them.
pub(super) struct HostFiles<'a> {
    host: &'a Arc<dyn Host>,
    unsaved: Option<&'a Unsaved>,
    policy: Option<&'a Policy>,
}

impl<'a> HostFiles<'a> {
    pub(super) fn of(host: &'a Arc<dyn Host>) -> Self {
        Self { host, unsaved: None, policy: None }
    }

    pub(super) fn with(self, unsaved: &'a Unsaved) -> Self {
        Self { unsaved: Some(unsaved), ..self }
    }

    /// The same, without suggestions that the policy refuses.
    pub(super) fn under(self, policy: &'a Policy) -> Self {
        Self { policy: Some(policy), ..self }
    }

    fn unsaved(&self, name: &str) -> Option<Arc<str>> {
        self.unsaved?.get(name).cloned()
    }

    /// A module of the standard library; the stored version, if a run of another version is
    /// inspected.
    fn module(&self, name: &str) -> Result<Source, Unread> {
        let mut files = stdlib::SUFFIXES.iter().map(|it| format!("{PREFIX}{name}{it}"));
        let kept = files.find_map(|file| self.unsaved(&file).map(|text| Source::new(file, text)));
        let known = || stdlib::find(name).map(stdlib::Module::source);
        kept.or_else(known).ok_or_else(|| no_module(name))
    }

    /// A module of the user: `crm` is `crm.svc`, `crm.rhai` or `crm/mod.svc` in their folder.
    fn module_of_user(&self, name: &str) -> Result<Source, Unread> {
        let steps = Path::new(name).components();
        let is_plain =
            !name.is_empty() && steps.into_iter().all(|it| matches!(it, Component::Normal(_)));
        if !is_plain {
            return Err(format!("expected a name after `{USER}`, found `{name}`").into());
        }
        let folder = self.host.modules_dir().map_err(|err| err.to_string())?;
        let file = |it: String| paths::join(&folder, &it);
        let files = [
            file(name.to_owned()),
            file(format!("{name}.svc")),
            file(format!("{name}.rhai")),
            file(format!("{name}/{FOLDER}")),
        ];
        let found = files.iter().skip(usize::from(!is_script(name))).find(|it| self.exists(it));
        match found {
            Some(found) => self.source(found),
            None => Err(self.no_module_of_user(name, &folder)),
        }
    }

    /// The reason why a module of the user does not exist, with the closest match.
    fn no_module_of_user(&self, name: &str, folder: &Path) -> Unread {
        let root = paths::join(Path::new(""), &folder.to_string_lossy());
        let files = self.host.walk(folder).take(MOST_COMPARED).flatten();
        let names: Vec<String> = files
            .filter_map(|it| {
                let path =
                    it.path.strip_prefix(Path::new(root.as_ref())).ok()?.to_str()?.to_owned();
                let suffixes = ["/mod.svc"].into_iter().chain(stdlib::SUFFIXES);
                suffixes.into_iter().find_map(|it| path.strip_suffix(it)).map(str::to_owned)
            })
            .collect();
        let near = near(name, names.iter().map(String::as_str));
        let meant = near.map(|it| format!("{USER}{}", it.name));
        let is_sure = near.is_some_and(|it| it.is_sure);
        let file = if is_script(name) { name.to_owned() } else { format!("{name}.svc") };
        let help = match &meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("its file would be `{}`", paths::join(folder, &file)),
        };
        let why = format!("you have no module `{name}`");
        Unread { help: Some(help.into()), meant, is_sure, ..why.into() }
    }

    /// Whether there is something of that name, even if it cannot be used.
    fn exists(&self, name: &str) -> bool {
        let known = self.host.stat(Path::new(name));
        self.unsaved(name).is_some() || !known.is_err_and(|it| it.kind() == io::ErrorKind::NotFound)
    }

    fn source(&self, name: &str) -> Result<Source, Unread> {
        let text = self.text(name)?;
        let folder = Path::new(name).parent().filter(|it| !it.as_os_str().is_empty());
        Ok(Source::new(name, text).in_folder(folder.unwrap_or(Path::new("."))))
    }

    fn text(&self, name: &str) -> Result<Arc<str>, Unread> {
        let path = Path::new(name);
        let known = self.host.stat(path);
        // Unsaved text in an editor is not more allowed than the file itself.
        let may_use = known.as_ref().err().and_then(refused).is_none();
        if let Some(text) = self.unsaved(name).filter(|_| may_use) {
            return Ok(text);
        }
        let known = known.map_err(|err| unread(&err))?;
        // Reading a pipe or a device would block the check.
        if !known.is_file && !known.is_dir {
            return Err("it is not a regular file".to_owned().into());
        }
        let bytes =
            host::read(self.host.as_ref(), path, LARGEST_SCRIPT).map_err(|err| unread(&err))?;
        let text = String::from_utf8(bytes).map_err(|err| {
            format!("not valid UTF-8 (invalid byte at offset {})", err.utf8_error().valid_up_to())
        })?;
        Ok(text.into())
    }
}

impl Files for HostFiles<'_> {
    fn load(&self, from: &Source, file: &str) -> Result<Source, Unread> {
        if let Some(name) = file.strip_prefix(PREFIX) {
            return self.module(name);
        }
        if let Some(name) = file.strip_prefix(USER) {
            return self.module_of_user(name);
        }
        let folder = from.folder().map_or(Path::new("."), |it| it.as_path());
        let mut name = paths::join(folder, file);
        if name.starts_with(PREFIX) || name.starts_with(USER) {
            // A file of the user is never a module, whatever its name is.
            name = format!("./{name}").into();
        }
        if is_script(file) {
            return self.source(&name);
        }
        let inside = paths::join(Path::new(name.as_ref()), FOLDER);
        if self.exists(&inside) {
            return self.source(&inside);
        }
        let message = "names of scripts end in `.svc`, those of templates in `.rhai`";
        let with_suffix = stdlib::SUFFIXES.iter().map(|it| format!("{file}{it}"));
        let meant = with_suffix.into_iter().find(|it| self.exists(&paths::join(folder, it)));
        let help = meant.as_ref().map(|it| format!("did you mean `{it}`?"));
        let help = help.unwrap_or_else(|| format!("a folder is used by its file `{FOLDER}`"));
        let is_sure = meant.is_some();
        Err(Unread { help: Some(help.into()), meant, is_sure, ..message.to_owned().into() })
    }

    fn host(&self) -> Option<Arc<dyn Host>> {
        Some(self.host.clone())
    }

    fn admits(&self, op: &OpDef) -> bool {
        self.policy.is_none_or(|it| it.admits(op))
    }

    fn executor(&self) -> &dyn Executor {
        &Threads
    }
}

fn is_script(file: &str) -> bool {
    matches!(Path::new(file).extension().and_then(|it| it.to_str()), Some("svc" | "rhai"))
}

/// The reason why a module does not exist, with the closest match.
pub(super) fn no_module(name: &str) -> Unread {
    let names = || stdlib::ALL.iter().map(|it| it.name);
    let bare = stdlib::SUFFIXES.iter().find_map(|it| name.strip_suffix(it)).unwrap_or(name);
    let exact = names().find(|it| *it == bare).map(|name| Near { name, is_sure: true });
    let near = exact.or_else(|| near(bare, names()));
    let is_sure = near.is_some_and(|it| it.is_sure);
    let meant = near.map(|it| it.name).map(|it| format!("{PREFIX}{it}"));
    let help = match &meant {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => {
            let all: Vec<String> = names().map(|it| format!("`{PREFIX}{it}`")).collect();
            format!("the modules are {}", all.join(", "))
        }
    };
    let why = match name {
        "" => "missing module name".to_owned(),
        _ => format!("the standard library has no `{name}`"),
    };
    Unread { why, help: Some(help.into()), meant, is_sure, is_refused: false }
}

/// The reason why a file cannot be used. For a refused file only its location is reported.
fn unread(err: &io::Error) -> Unread {
    let Some(refused) = refused(err) else { return why(err).into() };
    let help = Some(HintId::AllowImport.into());
    Unread { help, is_refused: true, ..refused.to_owned().into() }
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

#[cfg(test)]
mod tests {
    use super::*;
    use svc_host_os::test::TestHost;

    /// A run is resumed with the modules it started with, even if the library has changed
    /// since.
    #[test]
    fn a_module_that_a_run_kept_goes_before_the_one_that_is_there() {
        let host: Arc<dyn Host> = Arc::new(TestHost::new());
        let kept = |(name, text): (&str, &str)| (name.to_owned(), Arc::from(text));
        let unsaved: Unsaved =
            [("std:panel.rhai", "// old"), ("std:gone.svc", "# gone")].map(kept).into();
        let files = HostFiles::of(&host).with(&unsaved);
        let load = |name: &str| files.load(&Source::from(""), name);
        let (old, gone) = (load("std:panel").unwrap(), load("std:gone").unwrap());
        assert_eq!((old.name(), old.text()), ("std:panel.rhai", "// old"));
        assert_eq!((gone.name(), gone.text()), ("std:gone.svc", "# gone"));
        assert!(load("std:table").is_ok());
        assert_eq!(load("std:tabel").unwrap_err().meant.as_deref(), Some("std:table"));
    }

    /// `user:crm` is `crm.svc`, `crm.rhai` or `crm/mod.svc` in the folder of the host.
    #[test]
    fn modules_of_the_user_are_found_by_name() {
        let host = TestHost::new()
            .file("/modules/crm.svc", "# crm")
            .file("/modules/mail/mod.svc", "# mail")
            .file("/modules/mail/parts.svc", "# parts")
            .file("/modules/t.rhai", "// t");
        let host: Arc<dyn Host> = Arc::new(host);
        let load = |name: &str| HostFiles::of(&host).load(&Source::from(""), name);
        let text = |name: &str| load(name).unwrap().text().to_owned();
        assert_eq!(
            ["user:crm", "user:crm.svc", "user:mail", "user:mail/parts", "user:t"].map(text),
            ["# crm", "# crm", "# mail", "# parts", "// t"]
        );
        let mail = load("user:mail").unwrap();
        assert_eq!(HostFiles::of(&host).load(&mail, "./parts.svc").unwrap().text(), "# parts");
        assert_eq!(load("user:mial").unwrap_err().meant.as_deref(), Some("user:mail"));
        for outside in ["user:", "user:../crm", "user:/modules/crm", "user:./crm"] {
            assert!(load(outside).unwrap_err().why.contains("expected a name"), "{outside}");
        }
        let none = load("user:unlike").unwrap_err();
        assert_eq!(none.help, Some("its file would be `/modules/unlike.svc`".into()));
    }

    /// A folder is used by its file `mod.svc`.
    #[test]
    fn folders_are_used_by_one_file() {
        let host = TestHost::new().file("lib/mod.svc", "# lib").file("one.svc", "# one");
        let host: Arc<dyn Host> = Arc::new(host);
        let load = |name: &str| HostFiles::of(&host).load(&Source::from(""), name);
        assert_eq!(load("./lib").unwrap().text(), "# lib");
        assert_eq!(load("./one").unwrap_err().meant.as_deref(), Some("./one.svc"));
        assert!(load("./none").unwrap_err().meant.is_none());
    }
}

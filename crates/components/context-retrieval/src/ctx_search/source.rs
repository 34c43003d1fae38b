//! The files to search: all below a folder, or one file.

use std::{
    collections::BTreeMap,
    io::{self, Read},
    path::{Component, Path, PathBuf},
};

use svc_contract::{
    host::Stat,
    registry::{Cx, OpError},
};

use super::{
    collection::{self, Collection},
    notices::Notices,
};

/// A source: its name in the script, and its path.
pub(super) struct Source {
    shown: PathBuf,
    /// The absolute path, without `.` and `..`.
    pub(super) root: PathBuf,
    is_dir: bool,
    /// Whether it is the file of a named collection.
    pub(super) is_collection: bool,
}

/// The files of a source by their path relative to it, with `/` as separator.
#[derive(Default)]
pub(super) struct Listing {
    pub(super) files: BTreeMap<String, Stat>,
}

impl Source {
    pub(super) fn of(cx: &Cx, shown: &Path) -> Result<Self, OpError> {
        let here = cx.host().current_dir().map_err(|err| OpError::io(err, shown))?;
        let root = plain(&here.join(shown));
        let stat = cx.host().stat(&root).map_err(|err| OpError::io(err, shown))?;
        let shown = shown.to_owned();
        Ok(Self { shown, root, is_dir: stat.is_dir, is_collection: false })
    }

    /// The documents of a named collection.
    pub(super) fn of_collection(cx: &Cx, name: &str) -> Result<Self, OpError> {
        let collection = Collection::of(cx, name)?;
        if !collection.exists() {
            return Err(collection.unknown());
        }
        let root = collection.file();
        Ok(Self { shown: name.into(), root, is_dir: false, is_collection: true })
    }

    /// Opens one of the files.
    pub(super) fn open(&self, cx: &Cx, file: &str) -> io::Result<Box<dyn Read + Send>> {
        let path = self.path(file);
        if self.is_collection { collection::open(&path) } else { cx.host().open(&path) }
    }

    /// The path of one of the files.
    pub(super) fn path(&self, file: &str) -> PathBuf {
        if self.is_dir { self.root.join(file) } else { self.root.clone() }
    }

    /// The displayed path of one of the files, or of what is in it: as the script would write it.
    pub(super) fn show(&self, file: &str) -> String {
        let path = if self.is_dir {
            self.shown.join(file)
        } else {
            let inner = file.split_once('/').map(|(_, inner)| inner);
            inner.map_or_else(|| self.shown.clone(), |inner| self.shown.join(inner))
        };
        path.strip_prefix(".").unwrap_or(&path).to_string_lossy().into_owned()
    }

    pub(super) fn show_root(&self) -> String {
        self.shown.to_string_lossy().into_owned()
    }

    /// Walks the source. Directories that cannot be read are skipped, and so is `except`, the
    /// folder of the indexes.
    pub(super) fn list(
        &self,
        cx: &Cx,
        except: Option<&Path>,
        notices: &Notices,
    ) -> Result<Listing, OpError> {
        let mut files = BTreeMap::new();
        if self.is_collection {
            let stat = collection::stat(&self.root);
            let stat = stat.map_err(|err| OpError::io(err, &self.shown))?;
            files.extend(self.name(&self.root).map(|it| (it, stat)));
            return Ok(Listing { files });
        }
        for entry in cx.host().walk(&self.root) {
            cx.check()?;
            match entry {
                Ok(it) if it.stat.is_dir || except.is_some_and(|dir| it.path.starts_with(dir)) => {}
                Ok(it) => match self.name(&it.path) {
                    Some(name) => drop(files.insert(name, it.stat)),
                    None => notices
                        .add(format!("`{}`: skipped: its name is not UTF-8", it.path.display())),
                },
                Err(err) => notices.add(format!("skipped: {err}")),
            }
        }
        Ok(Listing { files })
    }

    /// The path relative to the source; for a source that is a file, its name.
    fn name(&self, path: &Path) -> Option<String> {
        let path = path.strip_prefix(&self.root).unwrap_or(path);
        if path.as_os_str().is_empty() {
            return self.root.file_name()?.to_str().map(str::to_owned);
        }
        let parts: Option<Vec<&str>> = path.iter().map(|it| it.to_str()).collect();
        parts.map(|it| it.join("/"))
    }
}

/// The path with `.` and `..` resolved by name.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

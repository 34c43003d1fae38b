//! Files in memory, instead of those of a machine.

use std::{
    collections::BTreeMap,
    fmt,
    io::{self, Cursor, Read},
    path::{Component, Path, PathBuf},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::{
    Answering, DirEntry, Host, Machine, Resolving, Server, Stat, WorkerError, WorkerLimits, http,
};

/// Files in memory, by path. Clones share them, so a program sees what a script writes.
///
/// Relative paths begin at `/`. No file is a symbolic link.
#[derive(Clone, Default)]
pub struct MemoryFiles(Arc<Mutex<BTreeMap<PathBuf, File>>>);

#[derive(Clone)]
struct File {
    content: Arc<[u8]>,
    /// Nanoseconds since 1970; 0 for a file of the program.
    modified: i128,
}

impl MemoryFiles {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces a file.
    pub fn put(&self, path: impl AsRef<Path>, content: impl Into<Vec<u8>>) {
        let file = File { content: content.into().into(), modified: 0 };
        self.files().insert(absolute(path.as_ref()), file);
    }

    /// Removes a file; returns whether it existed.
    pub fn remove(&self, path: impl AsRef<Path>) -> bool {
        self.files().remove(&absolute(path.as_ref())).is_some()
    }

    /// The content of a file.
    pub fn get(&self, path: impl AsRef<Path>) -> Option<Arc<[u8]>> {
        self.files().get(&absolute(path.as_ref())).map(|it| it.content.clone())
    }

    /// The content of a file as text; `None` also if it is not valid UTF-8.
    pub fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        String::from_utf8(self.get(path)?.to_vec()).ok()
    }

    /// The absolute paths of all files, in order.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.files().keys().cloned().collect()
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<PathBuf, File>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, path: &Path, content: &[u8], modified: i128) -> io::Result<()> {
        let path = absolute(path);
        let mut files = self.files();
        if is_folder(&files, &path) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if path.ancestors().skip(1).any(|it| files.contains_key(it)) {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        files.insert(path, File { content: content.into(), modified });
        Ok(())
    }
}

impl<P: AsRef<Path>, C: Into<Vec<u8>>> FromIterator<(P, C)> for MemoryFiles {
    fn from_iter<I: IntoIterator<Item = (P, C)>>(all: I) -> Self {
        let files = Self::new();
        all.into_iter().for_each(|(path, content)| files.put(path, content));
        files
    }
}

impl<P: AsRef<Path>, C: Into<Vec<u8>>, const N: usize> From<[(P, C); N]> for MemoryFiles {
    fn from(all: [(P, C); N]) -> Self {
        all.into_iter().collect()
    }
}

/// The same files.
impl From<&MemoryFiles> for MemoryFiles {
    fn from(files: &MemoryFiles) -> Self {
        files.clone()
    }
}

impl fmt::Debug for MemoryFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.files().keys()).finish()
    }
}

/// Another host with files in memory instead of its own. It has no folder for a cache.
pub struct WithFiles {
    files: MemoryFiles,
    host: Arc<dyn Host>,
}

impl WithFiles {
    pub fn new(files: MemoryFiles, host: Arc<dyn Host>) -> Self {
        Self { files, host }
    }
}

impl Host for WithFiles {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        let path = absolute(path);
        let files = self.files.files();
        match files.get(&path) {
            Some(file) => Ok(Box::new(Cursor::new(file.content.clone()))),
            None if is_folder(&files, &path) => Err(io::ErrorKind::IsADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let path = absolute(path);
        let files = self.files.files();
        match files.get(&path) {
            Some(file) => Ok(file.stat()),
            None if is_folder(&files, &path) => Ok(FOLDER),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn walk(&self, root: &Path) -> Box<dyn Iterator<Item = io::Result<DirEntry>> + Send> {
        let root = absolute(root);
        let files = self.files.files();
        if !files.contains_key(&root) && !is_folder(&files, &root) {
            return Box::new(std::iter::once(Err(io::ErrorKind::NotFound.into())));
        }
        let below = files.iter().filter(|(path, _)| is_listed(path, &root));
        let entry = |(path, file): (&PathBuf, &File)| {
            Ok(DirEntry { path: path.clone(), stat: file.stat(), is_link: false })
        };
        Box::new(below.map(entry).collect::<Vec<_>>().into_iter())
    }

    fn write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        self.files.write(path, content, i128::from(self.now()) * 1_000_000)
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        Ok(PathBuf::from("/"))
    }

    fn cache_dir(&self) -> io::Result<PathBuf> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "files in memory have no cache folder"))
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(absolute(path))
    }

    fn env(&self, name: &str) -> Option<String> {
        self.host.env(name)
    }

    fn secret(&self, name: &str) -> io::Result<Option<String>> {
        self.host.secret(name)
    }

    fn open_configured(&self, variable: &str) -> io::Result<Option<Box<dyn Read + Send>>> {
        self.host.open_configured(variable)
    }

    fn http(&self, request: http::Request) -> http::Answer {
        self.host.http(request)
    }

    fn library_server(&self, server: Server) -> Resolving {
        self.host.library_server(server)
    }

    fn now(&self) -> i64 {
        self.host.now()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.host.sleep(duration)
    }

    fn ask_person(&self, question: &str, details: &str) -> Answering {
        self.host.ask_person(question, details)
    }

    fn chance(&self) -> f64 {
        self.host.chance()
    }

    fn memory(&self) -> Option<u64> {
        self.host.memory()
    }

    fn memory_share(&self) -> Option<u64> {
        self.host.memory_share()
    }

    fn machine(&self, folder: &Path) -> Machine {
        self.host.machine(folder)
    }

    fn run_in_worker(
        &self,
        work: Vec<u8>,
        limits: &WorkerLimits<'_>,
    ) -> Result<Vec<u8>, WorkerError> {
        self.host.run_in_worker(work, limits)
    }
}

const FOLDER: Stat =
    Stat { is_dir: true, is_file: false, size: 0, modified: 0, changed: 0, inode: 0 };

impl File {
    /// A replaced file is another one, as on a disk. The hash of its content is its identity, so
    /// that it is the same in the next process.
    fn stat(&self) -> Stat {
        let hash = blake3::hash(&self.content);
        let inode = hash.as_bytes().iter().take(8).fold(0, |all, it| all << 8 | u64::from(*it));
        let size = self.content.len() as u64;
        Stat { is_dir: false, is_file: true, size, modified: self.modified, changed: 0, inode }
    }
}

/// Whether a path is the root, or a folder that contains files.
fn is_folder(files: &BTreeMap<PathBuf, File>, path: &Path) -> bool {
    // The paths below a folder follow it in the order of paths.
    let mut after = files.range(path.to_owned()..).map(|(it, _)| it).skip_while(|it| *it == path);
    path.parent().is_none() || after.next().is_some_and(|it| it.starts_with(path))
}

/// Whether a walk from `root` lists a file: hidden files are skipped.
fn is_listed(path: &Path, root: &Path) -> bool {
    let is_hidden = |it: Component<'_>| it.as_os_str().as_encoded_bytes().starts_with(b".");
    path.strip_prefix(root).is_ok_and(|it| !it.components().any(is_hidden))
}

/// The path from `/` on. What leads above `/` stays there, as on a disk.
fn absolute(path: &Path) -> PathBuf {
    let mut whole = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => whole.push(name),
            Component::ParentDir => {
                whole.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{MemoryFiles, absolute, is_folder};

    #[test]
    fn paths_stay_below_the_root() {
        for (path, whole) in
            [("a/./b", "/a/b"), ("/a/../b", "/b"), ("../../etc", "/etc"), ("", "/"), ("..", "/")]
        {
            assert_eq!(absolute(Path::new(path)), Path::new(whole));
        }
    }

    #[test]
    fn a_folder_is_what_contains_files() {
        let files = MemoryFiles::from([("a/b/c.md", ""), ("a.md", ""), ("ab/d.md", "")]);
        let is = |path: &str| is_folder(&files.files(), Path::new(path));
        assert!(is("/") && is("/a") && is("/a/b") && is("/ab"));
        assert!(!is("/b") && !is("/a.md") && !is("/a/b/c.md") && !is("/a/b/c"));
    }
}

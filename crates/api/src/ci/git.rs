//! What has changed since a revision of git, and the scripts as they were.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use svc_contract::host::{
    Host,
    program::{ProgramCall, ProgramError, ProgramOutput},
};
use svc_engine::{CancellationToken, Unsaved};
use svc_lang::diag::Source;

/// The variables that git gets; others could change what it prints.
const INHERITED: [&str; 14] = [
    "PATH",
    "HOME",
    "USER",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_CEILING_DIRECTORIES",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_KEY_0",
    "GIT_CONFIG_VALUE_0",
];

/// The most that git may print.
const LARGEST: u64 = 512 << 20;

/// A revision, and what differs from it.
pub struct Base {
    /// As it was named.
    pub name: String,
    /// The commit that is compared with: the last one that both sides have in common.
    pub commit: String,
    /// The folder of the repository.
    root: PathBuf,
    /// Files that were changed, added or removed since, by their paths in the repository.
    changed: BTreeSet<String>,
    /// The earlier paths of renamed files.
    renamed: BTreeMap<String, String>,
    /// The scripts that exist no more.
    deleted: Vec<String>,
    /// The scripts and templates of the revision.
    files: BTreeMap<String, Arc<str>>,
    /// The same by the names that scripts know them by.
    texts: Unsaved,
    current: PathBuf,
}

/// Why nothing can be compared.
#[derive(Debug)]
pub struct BaseError {
    pub message: String,
    pub help: Option<&'static str>,
}

impl BaseError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None }
    }

    fn help(self, help: &'static str) -> Self {
        Self { help: Some(help), ..self }
    }
}

impl fmt::Display for BaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

const WHOLE: &str = "fetch the whole history: `git fetch --unshallow`, or `fetch-depth: 0` of the step that checks out";

/// Git in a folder.
struct Git<'h> {
    host: &'h dyn Host,
    folder: PathBuf,
}

impl Base {
    /// Compares the files of the repository around a folder with a revision.
    pub async fn read(host: &dyn Host, name: &str, folder: &Path) -> Result<Self, BaseError> {
        let git = Git { host, folder: folder.to_owned() };
        let root = git.root().await?;
        let commit = git.common(name).await?;
        let changes = git.changes(&commit).await?;
        let files = git.scripts(&commit).await?;
        let real = |path: &Path| host.real_path(path).unwrap_or_else(|_| path.to_owned());
        let (root, current) = (real(Path::new(&root)), real(Path::new(".")));
        let mut texts = Unsaved::new();
        for (path, text) in &files {
            let whole = root.join(path);
            texts.insert(relative(&current, &whole), text.clone());
            texts.insert(whole.to_string_lossy().into_owned(), text.clone());
        }
        let Changes { changed, renamed, deleted } = changes;
        let deleted = deleted.into_iter().filter(|it| is_of(it, "svc")).collect();
        let name = name.to_owned();
        Ok(Self { name, commit, root, changed, renamed, deleted, files, texts, current })
    }

    /// The path of a file in the repository; `None` if it is elsewhere.
    pub(super) fn path_of(&self, host: &dyn Host, file: &str) -> Option<String> {
        let real = host.real_path(Path::new(file)).ok()?;
        let path = real.strip_prefix(&self.root).ok()?;
        Some(path.to_string_lossy().replace('\\', "/"))
    }

    /// Whether a file, or one in a folder, has changed. One outside of the repository may have.
    pub(super) fn has_changed(&self, host: &dyn Host, file: &str) -> bool {
        let Some(path) = self.path_of(host, file) else { return true };
        let folder = format!("{path}/");
        path.is_empty()
            || self.changed.contains(&path)
            || self.changed.range(folder.clone()..).next().is_some_and(|it| it.starts_with(&folder))
    }

    /// Whether data has changed; what is outside of the repository is not compared.
    pub(super) fn has_changed_inside(&self, host: &dyn Host, file: &str) -> bool {
        self.path_of(host, file).is_some() && self.has_changed(host, file)
    }

    /// A script as it was, under its earlier name.
    pub(super) fn before(&self, host: &dyn Host, script: &Source) -> Option<Source> {
        let path = self.path_of(host, script.name())?;
        let Some(old) = self.renamed.get(&path) else {
            return Some(script.with_text(self.files.get(&path)?.clone()));
        };
        let text = self.files.get(old)?.clone();
        let name = relative(&self.current, &self.root.join(old));
        let folder = Path::new(&name).parent().filter(|it| !it.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).to_owned();
        Some(Source::new(name, text).in_folder(folder))
    }

    /// The earlier path of a renamed file.
    pub(super) fn renamed_from(&self, host: &dyn Host, file: &str) -> Option<&str> {
        self.renamed.get(&self.path_of(host, file)?).map(String::as_str)
    }

    /// The scripts that exist no more, by their paths in the repository.
    pub fn deleted(&self) -> &[String] {
        &self.deleted
    }

    /// The texts of all scripts and templates as they were.
    pub(super) fn texts(&self) -> &Unsaved {
        &self.texts
    }
}

/// The files that differ.
#[derive(Debug, Default, PartialEq, Eq)]
struct Changes {
    changed: BTreeSet<String>,
    renamed: BTreeMap<String, String>,
    deleted: Vec<String>,
}

impl Git<'_> {
    async fn root(&self) -> Result<String, BaseError> {
        let found = self.run(&["rev-parse", "--show-toplevel"], Vec::new()).await?;
        if found.code == 0 {
            return Ok(line(&found.stdout));
        }
        let said = line(&found.stderr);
        if said.contains("not a git repository") {
            let message = format!("`{}` is not in a git repository", self.folder.display());
            return Err(BaseError::new(message)
                .help("leave out `--changed`, or run this in a clone of the repository"));
        }
        Err(failed("find the repository", &found))
    }

    /// The last commit that the current one and a revision have in common.
    async fn common(&self, name: &str) -> Result<String, BaseError> {
        let wanted = format!("{name}^{{commit}}");
        let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted];
        let known = self.run(&args, Vec::new()).await?;
        if known.code != 0 {
            let message = format!("unknown revision `{name}`");
            let help = "name a branch, a tag or a commit, such as `origin/main`";
            return Err(self.unless_shallow(message, help).await?);
        }
        let commit = line(&known.stdout);
        let common = self.run(&["merge-base", &commit, "HEAD"], Vec::new()).await?;
        if common.code == 0 {
            return Ok(line(&common.stdout));
        }
        let message = format!("no common commit of `{name}` and the current one");
        Err(self.unless_shallow(message, "name a revision of the same history").await?)
    }

    /// The error with this help, or with that for a clone that lacks a part of the history.
    async fn unless_shallow(
        &self,
        message: String,
        help: &'static str,
    ) -> Result<BaseError, BaseError> {
        let found = self.run(&["rev-parse", "--is-shallow-repository"], Vec::new()).await?;
        let is_shallow = line(&found.stdout) == "true";
        Ok(if is_shallow {
            BaseError::new(format!("{message} in a shallow clone")).help(WHOLE)
        } else {
            BaseError::new(message).help(help)
        })
    }

    async fn changes(&self, commit: &str) -> Result<Changes, BaseError> {
        let args = [
            "diff",
            "--no-ext-diff",
            "--no-relative",
            "--find-renames",
            "--name-status",
            "-z",
            commit,
            "--",
        ];
        let tracked = self.done("compare the files", &args, Vec::new()).await?;
        let mut changes = Changes::of(&tracked);
        // Files that are not added yet are new, too.
        let args = ["ls-files", "-z", "--others", "--exclude-standard", "--full-name", "--", ":/"];
        let new = self.done("list new files", &args, Vec::new()).await?;
        changes.changed.extend(parts(&new));
        Ok(changes)
    }

    /// The scripts and templates of a commit.
    async fn scripts(&self, commit: &str) -> Result<BTreeMap<String, Arc<str>>, BaseError> {
        let args = ["ls-tree", "-r", "-z", "--full-tree", commit];
        let tree = self.done("list the files of the revision", &args, Vec::new()).await?;
        let blobs: Vec<(String, String)> = parts(&tree).filter_map(|it| blob(&it)).collect();
        if blobs.is_empty() {
            return Ok(BTreeMap::new());
        }
        let wanted: Vec<&str> = blobs.iter().map(|(id, _)| id.as_str()).collect();
        let wanted = wanted.join("\n") + "\n";
        let args = ["cat-file", "--batch"];
        let texts = self.done("read the files of the revision", &args, wanted.into_bytes()).await?;
        Ok(contents(&texts, blobs))
    }

    async fn done(&self, what: &str, args: &[&str], stdin: Vec<u8>) -> Result<Vec<u8>, BaseError> {
        let output = self.run(args, stdin).await?;
        if output.code == 0 { Ok(output.stdout) } else { Err(failed(what, &output)) }
    }

    async fn run(&self, args: &[&str], stdin: Vec<u8>) -> Result<ProgramOutput, BaseError> {
        let given = |name: &str| Some((name.to_owned(), self.host.env(name)?));
        let set = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let env = INHERITED.into_iter().filter_map(given);
        let call = ProgramCall {
            program: "git".to_owned(),
            args: args.iter().map(|it| (*it).to_owned()).collect(),
            stdin,
            // Messages in English, and no lock that another git could wait for.
            env: env.chain([("LC_ALL", "C"), ("GIT_OPTIONAL_LOCKS", "0")].map(set)).collect(),
            dir: Some(self.folder.clone()),
            max_output: LARGEST,
        };
        self.host.run_program(call, CancellationToken::new()).await.map_err(|err| not_run(&err))
    }
}

impl Changes {
    /// The output of `git diff --name-status -z`.
    fn of(output: &[u8]) -> Self {
        let (mut changes, mut parts) = (Self::default(), parts(output));
        while let (Some(status), Some(path)) = (parts.next(), parts.next()) {
            match status.chars().next() {
                Some('R' | 'C') => {
                    let Some(new) = parts.next() else { break };
                    if status.starts_with('R') {
                        changes.changed.insert(path.clone());
                    }
                    changes.changed.insert(new.clone());
                    changes.renamed.insert(new, path);
                }
                Some('D') => {
                    changes.changed.insert(path.clone());
                    changes.deleted.push(path);
                }
                _ => {
                    changes.changed.insert(path);
                }
            }
        }
        changes
    }
}

/// The parts between zeros.
fn parts(output: &[u8]) -> impl Iterator<Item = String> + '_ {
    let parts = output.split(|it| *it == 0).filter(|it| !it.is_empty());
    parts.map(|it| String::from_utf8_lossy(it).into_owned())
}

/// Whether a file has this extension, as the engine compares it.
fn is_of(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|it| it == extension)
}

/// The id and the path of a line of `git ls-tree`, if it is a script or a template.
fn blob(line: &str) -> Option<(String, String)> {
    let (head, path) = line.split_once('\t')?;
    let mut head = head.split(' ');
    let (mode, kind, id) = (head.next()?, head.next()?, head.next()?);
    let is_script = is_of(path, "svc") || is_of(path, "rhai");
    // The text of a symbolic link is the path of another file.
    (is_script && kind == "blob" && mode != "120000").then(|| (id.to_owned(), path.to_owned()))
}

/// The texts of blobs in the output of `git cat-file --batch`.
fn contents(mut output: &[u8], blobs: Vec<(String, String)>) -> BTreeMap<String, Arc<str>> {
    let mut texts = BTreeMap::new();
    for (_, path) in blobs {
        let Some(end) = output.iter().position(|it| *it == b'\n') else { break };
        let head = String::from_utf8_lossy(&output[..end]).into_owned();
        output = &output[end + 1..];
        let Some(size) = head.rsplit(' ').next().and_then(|it| it.parse::<usize>().ok()) else {
            // It is missing: a partial clone without a connection.
            continue;
        };
        let Some(content) = output.get(..size) else { break };
        if let Ok(text) = std::str::from_utf8(content) {
            texts.insert(path, text.into());
        }
        output = output.get(size + 1..).unwrap_or_default();
    }
    texts
}

/// The path to a file from a folder; both are absolute.
fn relative(from: &Path, to: &Path) -> String {
    let shared = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(shared).map(|_| Path::new(".."));
    let down = to.components().skip(shared).map(|it| Path::new(it.as_os_str()));
    let path: PathBuf = up.chain(down).collect();
    path.to_string_lossy().into_owned()
}

fn line(output: &[u8]) -> String {
    String::from_utf8_lossy(output).trim().to_owned()
}

fn failed(what: &str, output: &ProgramOutput) -> BaseError {
    let said = line(&output.stderr);
    let said = said.lines().next().unwrap_or("it printed nothing");
    BaseError::new(format!("git cannot {what}: {said}"))
}

fn not_run(err: &ProgramError) -> BaseError {
    match err {
        ProgramError::Start(err) if err.kind() == io::ErrorKind::NotFound => {
            BaseError::new("cannot run `git`: it is not installed, or not in PATH")
                .help("install git, or leave out `--changed`")
        }
        ProgramError::Start(err) => BaseError::new(format!("cannot run `git`: {err}")),
        ProgramError::Lost(err) => BaseError::new(format!("lost `git` while it ran: {err}")),
        ProgramError::Unsupported => BaseError::new("this host runs no programs"),
        ProgramError::Cancelled => BaseError::new("cancelled"),
        ProgramError::TooLarge(_) => {
            BaseError::new("the repository has too many scripts (limit 512 MiB)")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_read() {
        let output = b"M\0a.svc\0R086\0old.svc\0new dir/new.svc\0D\0gone.svc\0A\0b\nc.svc\0";
        let changes = Changes::of(output);
        let changed: Vec<&str> = changes.changed.iter().map(String::as_str).collect();
        assert_eq!(changed, ["a.svc", "b\nc.svc", "gone.svc", "new dir/new.svc", "old.svc"]);
        assert_eq!(changes.renamed["new dir/new.svc"], "old.svc");
        assert_eq!(changes.deleted, ["gone.svc"]);
    }

    #[test]
    fn contents_are_read_by_their_size() {
        let output = b"1 blob 3\na\nb\n2 missing\n3 blob 0\n\n4 blob 2\n\xff\xff\n5 blob 1\nz\n";
        let blobs = ["1", "2", "3", "4", "5"].map(|it| (it.to_owned(), format!("{it}.svc")));
        let texts = contents(output, blobs.into());
        let texts: Vec<(&str, &str)> = texts.iter().map(|(k, v)| (k.as_str(), &**v)).collect();
        assert_eq!(texts, [("1.svc", "a\nb"), ("3.svc", ""), ("5.svc", "z")]);
        assert_eq!(blob("100644 blob ab\tx y.svc"), Some(("ab".into(), "x y.svc".into())));
        for other in ["120000 blob ab\tx.svc", "160000 commit ab\tx.svc", "100644 blob ab\tx.md"] {
            assert_eq!(blob(other), None);
        }
    }

    #[test]
    fn paths_are_relative_to_a_folder() {
        let of = |from: &str, to: &str| relative(Path::new(from), Path::new(to));
        assert_eq!(of("/a/b", "/a/b/c/d.svc"), "c/d.svc");
        assert_eq!(of("/a/b", "/a/c.svc"), "../c.svc");
        assert_eq!(of("/a", "/b/c.svc"), "../b/c.svc");
    }
}

//! What runs of an owner see of a real disk.
#![expect(clippy::disallowed_methods, reason = "the host works on real files")]

use std::{
    collections::BTreeMap,
    fs,
    io::Read as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use proptest::prelude::*;
use svc_contract::host::Host;
use svc_host_os::OsHost;
use tempfile::TempDir;

use super::host::{Folders, Mount, OwnerHost};

const SECRET: &str = "a secret of somebody else";

/// A machine with one owner, a shared folder, and links that lead out of both.
struct Machine {
    root: TempDir,
    host: OwnerHost,
}

impl Machine {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let at = |it: &str| root.path().join(it);
        for (name, text) in [
            ("ann/files/own.txt", "own"),
            ("ann/files/deep/er/own.txt", "deep"),
            ("ann/store.db", SECRET),
            ("bob/files/own.txt", SECRET),
            ("docs/page.md", "page"),
            ("docs/deep/page.md", "deep page"),
            ("secret.txt", SECRET),
        ] {
            fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            fs::write(at(name), text).unwrap();
        }
        for (link, to) in [
            ("ann/files/up", ".."),
            ("ann/files/other", "../../bob/files"),
            ("ann/files/root", "/"),
            ("ann/files/loop", "loop"),
            ("ann/files/inner", "deep/er"),
            ("docs/out", ".."),
            ("docs/secret.md", "../secret.txt"),
        ] {
            std::os::unix::fs::symlink(to, at(link)).unwrap();
        }
        let folders =
            Folders { files: at("ann/files"), cache: at("ann/cache"), state: at("ann/state") };
        let mounts = vec![Mount { name: "docs".into(), folder: at("docs") }];
        let host = OwnerHost::new(Arc::new(OsHost::default()), folders, mounts, false);
        Self { root, host }
    }

    fn text(&self, path: &str) -> Option<String> {
        let mut text = String::new();
        self.host.open(Path::new(path)).ok()?.read_to_string(&mut text).ok()?;
        Some(text)
    }

    /// The files outside of those of the owner, with their contents.
    fn others(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.root.path().to_owned()];
        let own = self.root.path().join("ann/files");
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                let kind = entry.file_type().unwrap();
                if kind.is_dir() && entry.path() != own {
                    open.push(entry.path());
                } else if kind.is_file() {
                    found.insert(entry.path(), fs::read_to_string(entry.path()).unwrap());
                }
            }
        }
        found
    }
}

#[test]
fn files_of_the_owner_and_shared_ones_are_one_tree() {
    let machine = Machine::new();
    assert_eq!(machine.text("own.txt").as_deref(), Some("own"));
    assert_eq!(machine.text("/own.txt").as_deref(), Some("own"));
    assert_eq!(machine.text("inner/own.txt").as_deref(), Some("deep"));
    assert_eq!(machine.text("docs/page.md").as_deref(), Some("page"));
    assert_eq!(machine.text("../../docs/./deep/page.md").as_deref(), Some("deep page"));
    let walked = |root: &str| {
        let found = machine.host.walk(Path::new(root));
        // A link that leads to itself is an error of its own.
        found.flatten().map(|it| it.path.display().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(walked("docs"), ["docs/deep/page.md", "docs/page.md"]);
    assert!(walked("/").contains(&"/docs/page.md".to_owned()), "{:?}", walked("/"));
    let listed = machine.host.list(Path::new("/"), 100).unwrap();
    let names: Vec<String> = listed.iter().map(|it| it.path.display().to_string()).collect();
    assert!(names.contains(&"/docs".to_owned()) && names.contains(&"/own.txt".to_owned()));
    let real = machine.host.real_path(Path::new("inner/own.txt")).unwrap();
    assert_eq!(real, Path::new("/deep/er/own.txt"));

    machine.host.write(Path::new("new/file.txt"), b"new").unwrap();
    assert_eq!(machine.text("new/file.txt").as_deref(), Some("new"));
    let refused = machine.host.write(Path::new("docs/page.md"), b"x").unwrap_err();
    assert_eq!(refused.to_string(), "`/docs/page.md` is shared, and can only be read");
}

#[test]
fn nothing_of_the_server_is_lent() {
    let machine = Machine::new();
    assert!(matches!(machine.host.secret("token"), Ok(None)));
    assert_eq!(machine.host.env("SVC_SECRET_TOKEN"), None);
    assert_eq!(machine.host.current_dir().unwrap(), Path::new("/"));
    // No error names a path of the machine.
    for path in ["missing/x", "up/store.db", "docs/secret.md", "loop/x", "own.txt/x"] {
        let err = machine.host.open(Path::new(path)).map(drop).unwrap_err().to_string();
        let root = machine.root.path().display().to_string();
        assert!(!err.contains(&root), "{path}: {err}");
    }
}

fn path() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "..",
        ".",
        "",
        "up",
        "other",
        "root",
        "loop",
        "inner",
        "deep",
        "er",
        "docs",
        "out",
        "ann",
        "bob",
        "files",
        "own.txt",
        "store.db",
        "secret.md",
        "secret.txt",
        "page.md",
        "etc",
        "passwd",
    ]);
    (any::<bool>(), prop::collection::vec(part, 1..7)).prop_map(|(is_absolute, parts)| {
        format!("{}{}", if is_absolute { "/" } else { "" }, parts.join("/"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn no_path_leads_out(paths in prop::collection::vec(path(), 1..4)) {
        let machine = Machine::new();
        let before = machine.others();
        for path in &paths {
            if let Some(text) = machine.text(path) {
                prop_assert!(["own", "deep", "page", "deep page", "new"].contains(&text.as_str()));
            }
            let at = Path::new(path);
            for entry in machine.host.walk(at).chain(machine.host.list(at, 100).into_iter().flatten().map(Ok)).flatten() {
                let text = machine.text(&entry.path.display().to_string());
                prop_assert!(text.as_deref() != Some(SECRET), "{path}: {entry:?}");
            }
            let _ = machine.host.stat(at);
            let _ = machine.host.write(at, b"new");
            let _ = machine.host.append(at, b"", 1 << 20);
            let _ = machine.host.rename(at, Path::new("moved"));
            let _ = machine.host.rename(Path::new("own.txt"), at);
            let _ = machine.host.remove(at);
        }
        prop_assert_eq!(before, machine.others());
    }
}

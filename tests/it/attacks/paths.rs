//! Paths that lead out of the folders that a run may access.
#![cfg(unix)]

use std::{
    fs,
    os::unix::{fs::FileTypeExt, fs::symlink, net::UnixListener},
    path::Path,
    sync::Arc,
};

use svc::Engine;
use svc_contract::{
    registry::{
        Bias, Component, Compute, Cx, Effect, ErrorKind, Example, Op, OpError, Scheme, Scope,
        compute,
    },
    value::{Text, Value},
};
use svc_host_os::OsHost;
use tempfile::TempDir;

use super::{failure, policy};

/// The plans do not know the paths, so this tests the guard of the run.
const READ: &str = "param given: path\nparam other: path = \"other\"\nread_text(path: (if 1 < 2 { given } else { other }))";
const WRITE: &str = "param given: path\nparam other: path = \"other\"\n\"evil\" >> write_file(to: (if 1 < 2 { given } else { other }))";

/// A folder `docs` that may be read, `out` that may be written, a secret next to them, and links
/// between them.
fn place() -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(place.path()).unwrap();
    for folder in ["docs/sub", "docs2", "out"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    for (file, text) in [
        ("docs/in.txt", "inside"),
        ("docs/sub/deep.txt", "deep"),
        ("docs2/near.txt", "TOP SECRET"),
        ("secret.txt", "TOP SECRET"),
    ] {
        fs::write(root.join(file), text).unwrap();
    }
    for (link, to) in [
        ("docs/relative", Path::new("../secret.txt")),
        ("docs/absolute", &root.join("secret.txt")),
        ("docs/chain", Path::new("sub/../link2")),
        ("docs/link2", Path::new("relative")),
        ("docs/up", Path::new("..")),
        ("docs/root", Path::new("/")),
        ("docs/process", Path::new("/proc/self/root")),
        ("docs/good", Path::new("sub/deep.txt")),
        ("docs/good_absolute", &root.join("docs/sub")),
        ("docs/nothing", Path::new("../not-there.txt")),
        ("docs/circle", Path::new("circle")),
        ("out/up", Path::new("../docs")),
        ("out/secret", Path::new("../secret.txt")),
        ("entry", Path::new("docs")),
    ] {
        symlink(to, root.join(link)).unwrap();
    }
    place
}

fn engine(place: &TempDir) -> Engine {
    let root = place.path().display();
    let rules = policy(&[&format!("reads fs:{root}/docs"), &format!("writes fs:{root}/out")]);
    svc::engine()
        .with_host(Arc::new(OsHost::with_cache(place.path().join("cache"))))
        .with_policy(rules)
}

#[tokio::test]
async fn no_path_leads_out_for_reading() {
    let place = place();
    let engine = engine(&place);
    let root = place.path().display();
    let attacks = [
        format!("{root}/secret.txt"),
        format!("{root}/docs/../secret.txt"),
        format!("{root}/docs/sub/../../secret.txt"),
        format!("{root}/docs/./sub/.././../secret.txt"),
        format!("{root}//docs//..//secret.txt"),
        format!("{root}/docs2/near.txt"),
        format!("{root}/docs/relative"),
        format!("{root}/docs/absolute"),
        format!("{root}/docs/chain"),
        format!("{root}/docs/up/secret.txt"),
        format!("{root}/docs/up/docs/../secret.txt"),
        format!("{root}/docs/root/etc/passwd"),
        format!("{root}/docs/process/etc/passwd"),
        format!("{root}/out/secret"),
        format!("/proc/self/root{root}/secret.txt"),
        "/etc/passwd".to_owned(),
        "//etc/./passwd".to_owned(),
        "/proc/self/root/etc/passwd".to_owned(),
        "/proc/self/cwd/Cargo.toml".to_owned(),
        "/proc/self/environ".to_owned(),
        "/proc/self/fd/0".to_owned(),
        "/proc/1/cmdline".to_owned(),
        "/dev/null".to_owned(),
        "/dev/fd/0".to_owned(),
        "Cargo.toml".to_owned(),
        "../../../../../../../../etc/passwd".to_owned(),
    ];
    for attack in &attacks {
        let (kind, message) = failure(&engine, READ, attack).await;
        assert_eq!(kind, ErrorKind::Denied, "{attack}: {message}");
        assert!(message.contains(attack.as_str()), "{attack}: {message}");
        assert!(message.contains("the policy does not allow it to be read: it is `/"), "{message}");
    }
    // A path that leads nowhere fails as usual.
    for nowhere in ["docs/nothing", "docs/circle", "docs/none/x", "docs/in.txt/x"] {
        let (kind, message) = failure(&engine, READ, &format!("{root}/{nowhere}")).await;
        assert_ne!(kind, ErrorKind::Bug, "{message}");
    }
}

#[tokio::test]
async fn what_stays_inside_is_read() {
    let place = place();
    let engine = engine(&place);
    let root = place.path().display();
    for (path, text) in [
        ("docs/in.txt", "inside"),
        ("docs/sub/../in.txt", "inside"),
        ("docs/../docs/in.txt", "inside"),
        ("docs/good", "deep"),
        ("docs/good_absolute/deep.txt", "deep"),
        ("docs/up/docs/in.txt", "inside"),
        ("entry/in.txt", "inside"),
    ] {
        let run = engine.run(READ).param_text("given", &format!("{root}/{path}"));
        assert_eq!(run.await.unwrap().value.as_str(), Some(text), "{path}");
    }
}

/// A file is replaced, but a device, a pipe or a socket is not.
#[tokio::test]
async fn what_is_no_file_is_not_replaced() {
    let place = place();
    let socket = place.path().join("out/socket");
    let _listening = UnixListener::bind(&socket).unwrap();
    let script = "param given: path\n\"x\" >> write_file(to: given)";
    let free = svc::engine().with_host(Arc::new(OsHost::with_cache(place.path().join("cache"))));
    for engine in [engine(&place), free] {
        let (kind, message) = failure(&engine, script, socket.to_str().unwrap()).await;
        assert_eq!(kind, ErrorKind::InvalidInput, "{message}");
        assert!(message.contains("it is a device, a pipe or a socket"), "{message}");
        assert!(fs::symlink_metadata(&socket).unwrap().file_type().is_socket());
    }
}

#[tokio::test]
async fn no_path_leads_out_for_writing() {
    let place = place();
    let engine = engine(&place);
    let root = fs::canonicalize(place.path()).unwrap().display().to_string();
    let attacks = [
        format!("{root}/evil.txt"),
        format!("{root}/docs/evil.txt"),
        format!("{root}/out/../evil.txt"),
        format!("{root}/out/up/evil.txt"),
        format!("{root}/out/up/../evil.txt"),
        format!("{root}/out2/evil.txt"),
        format!("/proc/self/root{root}/evil.txt"),
        "/proc/self/cwd/evil.txt".to_owned(),
        "/dev/shm/evil.txt".to_owned(),
        "evil.txt".to_owned(),
    ];
    for attack in &attacks {
        let (kind, message) = failure(&engine, WRITE, attack).await;
        assert_eq!(kind, ErrorKind::Denied, "{attack}: {message}");
        assert!(message.contains("the policy does not allow it to be written"), "{message}");
    }
    for good in ["out/a.txt", "out/new/deep/b.txt", "out/../out/c.txt", "out/secret"] {
        engine.run(WRITE).param_text("given", &format!("{root}/{good}")).await.unwrap();
        assert_eq!(fs::read(place.path().join(good)).unwrap(), b"evil", "{good}");
    }
    // A link with that name was replaced, not followed.
    assert_eq!(fs::read(place.path().join("secret.txt")).unwrap(), b"TOP SECRET");
    let evil = walk(place.path()).into_iter().filter(|it| it.contains("evil"));
    assert_eq!(evil.collect::<Vec<_>>(), Vec::<String>::new());
}

fn walk(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|it| it.unwrap()) {
        if entry.file_type().unwrap().is_dir() {
            all.extend(walk(&entry.path()));
        }
        all.push(entry.path().display().to_string());
    }
    all
}

#[tokio::test]
async fn a_folder_is_not_left_while_it_is_walked() {
    let place = place();
    let root = place.path().display().to_string();
    let script =
        "param given: path\nread_files(folder: given) >> each { .text } >> join(sep: \" \")";
    let find = "param given: path\nsearch(query: \"secret deep\", source: given) >> each { .text }";
    // With a policy, and without one, where the call's own argument decides.
    let free = svc::engine().with_host(Arc::new(OsHost::with_cache(place.path().join("cache"))));
    for engine in [engine(&place), free] {
        for folder in ["docs", "entry", "docs/up/docs"] {
            let given = format!("{root}/{folder}");
            let run = engine.run(script).param_text("given", &given);
            let read = run.await.unwrap().value.to_string();
            assert_eq!(read, "deep inside deep", "{folder}");
            let run = engine.run(find).param_text("given", &given);
            let found = run.await.unwrap().value.to_string();
            assert!(found.contains("deep") && !found.contains("SECRET"), "{folder}: {found}");
        }
    }
}

/// A path that the author names may be a link, or anything else.
#[tokio::test]
async fn without_a_policy_the_named_path_is_followed() {
    let place = place();
    let engine = svc::engine().with_host(Arc::new(OsHost::with_cache(place.path().join("cache"))));
    for (path, text) in [("docs/relative", "TOP SECRET"), ("docs/up/docs/chain", "TOP SECRET")] {
        let path = place.path().join(path).display().to_string();
        let run = engine.run(READ).param_text("given", &path);
        assert_eq!(run.await.unwrap().value.as_str(), Some(text));
    }
    let run = engine.run(READ).param_text("given", "/dev/null");
    assert_eq!(run.await.unwrap().value.as_str(), Some(""));
    let run = engine.run(WRITE).param_text("given", &format!("{}/new/a", place.path().display()));
    run.await.unwrap();
}

svc::params! {
    /// Declares that it reads one file, and reads another.
    struct Nosy {
        /// The declared file.
        path: std::path::PathBuf,
        /// The file that is read.
        other: Text,
    }
}

impl Op for Nosy {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("path"))];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Denied];
    const SAYS: &'static [&'static str] =
        &["read another file", "look where it should not", "touch an undeclared path"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Compute for Nosy {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let other = Path::new(self.other.as_ref());
        if self.path.ends_with("write") {
            let written = cx.host().write(other, b"evil");
            return written.map(|()| "".into()).map_err(|err| OpError::io(err, other));
        }
        let read = svc_contract::host::read(cx.host(), other, 1 << 10);
        let read = read.map_err(|err| OpError::io(err, other))?;
        Ok(String::from_utf8_lossy(&read).into_owned().into())
    }
}

const NOSY: Component = Component {
    name: "nosy",
    cluster: "testing",
    summary: "Touches more than it says.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[compute::<Nosy>()],
};

#[tokio::test]
async fn a_component_touches_what_its_effects_say() {
    let place = place();
    let engine = svc::engine()
        .with(&[&NOSY])
        .with_host(Arc::new(OsHost::with_cache(place.path().join("cache"))));
    let root = place.path().display();
    let script = |path: &str| {
        format!("param given: string\nnosy(path: path(\"{root}/{path}\"), other: given)")
    };
    let run =
        engine.run(script("docs").as_str()).param_text("given", &format!("{root}/docs/in.txt"));
    assert_eq!(run.await.unwrap().value.as_str(), Some("inside"));
    for other in ["secret.txt", "docs/relative", "docs/up/secret.txt", "docs2/near.txt"] {
        let other = format!("{root}/{other}");
        let (kind, message) = failure(&engine, &script("docs"), &other).await;
        assert_eq!(kind, ErrorKind::Denied, "{message}");
        assert!(message.contains("outside the paths named by the call"), "{message}");
        let (kind, message) = failure(&engine, &script("write"), &other).await;
        assert_eq!(kind, ErrorKind::Denied, "{message}");
    }
    assert_eq!(fs::read(place.path().join("secret.txt")).unwrap(), b"TOP SECRET");
}

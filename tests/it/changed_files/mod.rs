//! Files that scripts list, append to, copy, move and delete.

use std::{fs, path::Path, sync::Arc};

use svc::{Engine, Error, Policy, store::SqliteStore};
use svc_contract::{host::Host as _, registry::ErrorKind, value::json};
use svc_host_os::OsHost;

/// The result of a script in which `$DIR` stands for a folder.
async fn run(engine: &Engine, folder: &Path, script: &str) -> Result<String, (ErrorKind, String)> {
    let script = script.replace("$DIR", folder.to_str().unwrap());
    match engine.run(script.as_str()).await {
        Ok(done) => Ok(json::write(&done.value)),
        Err(Error::Run { error, .. }) => Err((error.kind(), error.to_string())),
        Err(Error::Check(report)) => Err((ErrorKind::Denied, report.to_string())),
        Err(other) => panic!("{script}: {other}"),
    }
}

fn engine() -> Engine {
    svc::engine().with_host(Arc::new(OsHost::default()))
}

/// A folder with `a.txt` and `b/c.txt`, by its real path.
fn place() -> (tempfile::TempDir, std::path::PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(place.path()).unwrap();
    fs::create_dir(folder.join("b")).unwrap();
    fs::write(folder.join("a.txt"), "A").unwrap();
    fs::write(folder.join("b/c.txt"), "CC").unwrap();
    (place, folder)
}

#[tokio::test]
async fn files_are_listed_with_size_and_time() {
    let (_place, folder) = place();
    let now = svc_text::dates::rfc3339(OsHost::default().now());
    let script = r#"list_files(folder: "$DIR") >> each { { n: .name, s: .size, t: .modified } }"#;
    let listed = run(&engine(), &folder, script).await.unwrap();
    assert!(
        listed.contains(r#""n":"a.txt","s":1"#) && listed.contains(r#""n":"c.txt","s":2"#),
        "{listed}"
    );
    assert!(listed.contains(&now[..13]), "{listed}: {now}");
    let (kind, message) =
        run(&engine(), &folder, r#"list_files(folder: "$DIR/a.txt")"#).await.unwrap_err();
    assert_eq!(kind, ErrorKind::InvalidInput, "{message}");
}

#[tokio::test]
async fn files_are_copied_moved_and_deleted() {
    let (_place, folder) = place();
    let script = r#"
let copy = copy_file(path: "$DIR/a.txt", to: "$DIR/new/a.txt")
let moved = copy >> move_file(to: "$DIR/b/c.txt")
moved >> read_text"#;
    assert_eq!(run(&engine(), &folder, script).await.unwrap(), r#""A""#);
    assert!(!folder.join("new/a.txt").exists() && folder.join("a.txt").exists());
    run(&engine(), &folder, r#"delete_file(path: "$DIR/a.txt")"#).await.unwrap();
    assert!(!folder.join("a.txt").exists());
    for (script, kind, why) in [
        (r#"delete_file(path: "$DIR/b")"#, ErrorKind::InvalidInput, "it is a folder"),
        (r#"move_file(path: "$DIR/b", to: "$DIR/d")"#, ErrorKind::InvalidInput, "it is a folder"),
        (
            r#"move_file(path: "$DIR/b/c.txt", to: "$DIR/b")"#,
            ErrorKind::InvalidInput,
            "it is a folder",
        ),
        (r#"delete_file(path: "$DIR/none")"#, ErrorKind::NotFound, "it does not exist"),
        (r#"move_file(path: "$DIR/none", to: "$DIR/x")"#, ErrorKind::NotFound, "it does not exist"),
        (r#""x" >> append_file(to: "$DIR/b")"#, ErrorKind::InvalidInput, "it is a folder"),
        (
            r#""x" >> append_file(to: "$DIR/b/c.txt", max_size: 2B)"#,
            ErrorKind::InvalidInput,
            "larger than 2B",
        ),
        (r#""x" >> append_file(to: "$DIR/b/c.txt/d")"#, ErrorKind::Denied, ""),
    ] {
        let (found, message) = run(&engine(), &folder, script).await.unwrap_err();
        assert_eq!(found, kind, "{script}: {message}");
        assert!(message.contains(why), "{script}: {message}");
    }
    assert_eq!(fs::read_to_string(folder.join("b/c.txt")).unwrap(), "A");
}

/// Calls at the same time, also of several processes, lose no line.
#[tokio::test(flavor = "multi_thread")]
async fn no_appended_line_is_lost() {
    let (_place, folder) = place();
    let script =
        r#"range(0, 100) >> each { "line ${it}" >> append_file(to: "$DIR/log.txt") } >> len"#;
    let (first, second) = (engine(), engine());
    let (a, b) = tokio::join!(run(&first, &folder, script), run(&second, &folder, script));
    assert_eq!((a.unwrap().as_str(), b.unwrap().as_str()), ("100", "100"));
    let text = fs::read_to_string(folder.join("log.txt")).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 200);
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), 100);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3, "no partial file is left");
}

/// A process that is killed while it appends leaves whole lines.
#[cfg(unix)]
#[test]
fn a_killed_append_leaves_whole_lines() {
    let (_place, folder) = place();
    fs::write(folder.join("log.txt"), "").unwrap();
    let line = "x".repeat(1 << 20);
    fs::write(folder.join("line.txt"), &line).unwrap();
    let script = r#"let line = read_text(path: "line.txt")
range(0, 40) >> each { line >> append_file(to: "log.txt") } within { max_parallel: 1 } >> len"#;
    fs::write(folder.join("a.svc"), script).unwrap();
    let mut grown = 0;
    for wait in [150, 400, 700] {
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("svc"))
            .args(["run", "a.svc"])
            .current_dir(&folder)
            .env("SVC_STORE", "runs.db")
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        let size = fs::metadata(folder.join("log.txt")).unwrap().len();
        assert_eq!(size % (line.len() as u64 + 1), 0, "after {wait} ms");
        grown = size;
    }
    assert!(grown > 0, "nothing was written before a kill");
}

#[cfg(unix)]
#[tokio::test]
async fn links_and_policies_are_respected() {
    use std::os::unix::fs::symlink;

    let (_place, folder) = place();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("kept"), "K").unwrap();
    symlink(outside.path().join("kept"), folder.join("link")).unwrap();
    symlink(outside.path(), folder.join("out")).unwrap();
    let rule = format!("writes fs:{}", folder.display());
    let policy = Policy::default().allow(&rule).unwrap().allow("reads").unwrap();
    let engine = engine().with_policy(policy);
    for script in [
        r#"delete_file(path: "$DIR/out/kept")"#,
        r#"move_file(path: "$DIR/out/kept", to: "$DIR/x")"#,
        r#"move_file(path: "$DIR/a.txt", to: "$DIR/out/x")"#,
        r#"copy_file(path: "$DIR/a.txt", to: "$DIR/out/kept")"#,
        r#""x" >> append_file(to: "$DIR/out/kept")"#,
    ] {
        let script =
            format!("param dir: string = \"$DIR\"\n{}", script.replace("\"$DIR/", "\"${dir}/"));
        let Err((kind, message)) = run(&engine, &folder, &script).await else { panic!("{script}") };
        assert_eq!(kind, ErrorKind::Denied, "{script}: {message}");
    }
    // A link itself is in the folder; its target is not touched.
    let denied = run(&engine, &folder, r#""x" >> append_file(to: "$DIR/link")"#).await;
    assert!(denied.is_err());
    run(&engine, &folder, r#"delete_file(path: "$DIR/link")"#).await.unwrap();
    assert_eq!(fs::read_to_string(outside.path().join("kept")).unwrap(), "K");
    assert!(engine.plan(r#""x" >> temp_file"#).is_err());
}

#[tokio::test]
async fn what_would_happen_twice_is_not_retried() {
    for script in [
        r#"delete_file(path: "a") within { max_retries: 1 }"#,
        r#"move_file(path: "a", to: "b") within { max_retries: 1 }"#,
        r#""x" >> append_file(to: "a") within { max_retries: 1 }"#,
    ] {
        let refused = engine().check(script).unwrap_err().to_string();
        assert!(refused.contains("must not be retried"), "{script}: {refused}");
    }
    assert!(engine().check(r#"copy_file(path: "a", to: "b") within { max_retries: 1 }"#).is_ok());
}

#[tokio::test]
async fn a_temporary_file_is_private_and_new() {
    let script = r#""secret" >> temp_file(suffix: ".csv")"#;
    let nowhere = Path::new("/");
    let (a, b) = (
        run(&engine(), nowhere, script).await.unwrap(),
        run(&engine(), nowhere, script).await.unwrap(),
    );
    assert_ne!(a, b);
    for path in [a, b].map(|it| it.trim_matches('"').to_owned()) {
        assert_eq!(Path::new(&path).extension().unwrap(), "csv");
        assert_eq!(fs::read_to_string(&path).unwrap(), "secret");
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions())
                & 0o777,
            0o600
        );
        fs::remove_file(path).unwrap();
    }
}

/// A resumed run has the identifier that it had before.
#[tokio::test]
async fn a_resumed_run_keeps_its_identifiers() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let engine = engine().with_store(store);
    let script = "range(0, 3) >> each { uuid() }";
    let first = engine.run(script).await.unwrap();
    let resumed = engine.resume("last").unwrap().await.unwrap();
    assert_eq!(json::write(&first.value), json::write(&resumed.value));
    let other = engine.run(script).await.unwrap();
    let ids: std::collections::BTreeSet<String> = [&first, &other]
        .iter()
        .flat_map(|it| {
            it.value.as_list().unwrap().iter().map(ToString::to_string).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(ids.len(), 6, "{ids:?}");
    assert!(ids.iter().all(|it| it.len() == 36 && it.as_bytes()[14] == b'4'), "{ids:?}");
}

//! Results of other runs for real files, whose times may be misleading.

use std::{
    fs::{self, File, FileTimes},
    path::Path,
    sync::Arc,
    time::Duration,
};

use svc_contract::{store::Store as _, value::json};
use svc_host_os::OsHost;
use svc_lang::diag::Source;
use svc_store::SqliteStore;
use tempfile::TempDir;

/// A folder of files, and its runs.
struct Place {
    folder: TempDir,
    store: Arc<SqliteStore>,
}

impl Place {
    fn new() -> Self {
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
            store: Arc::new(SqliteStore::in_memory().unwrap()),
        };
        place.write("docs/a.md", "tea is hot");
        place.write("docs/b.md", "ice is cold");
        place.write("x.txt", "one");
        place
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    async fn run(&self, script: &str, reuses: bool) -> String {
        let host = OsHost::with_cache(self.path("cache"));
        let engine = svc::engine().with_host(Arc::new(host)).with_store(self.store.clone());
        let source = Source::new("main.svc", script).in_folder(self.folder.path());
        let run = engine.run(source);
        let run = if reuses { run.reuse(Duration::from_hours(1)) } else { run };
        json::write(&run.await.unwrap_or_else(|err| panic!("{err}")).value)
    }

    fn taken(&self) -> usize {
        let run = self.store.run("last").unwrap();
        self.store.nodes(&run.id).unwrap().iter().filter(|it| it.origin.is_some()).count()
    }
}

/// Changes the content of a file, but not its size and time.
fn edited_in_secret(path: &Path, text: &str) {
    let known = fs::metadata(path).unwrap();
    assert_eq!(known.len(), text.len() as u64);
    fs::write(path, text).unwrap();
    let file = File::options().write(true).open(path).unwrap();
    file.set_times(FileTimes::new().set_modified(known.modified().unwrap())).unwrap();
}

const READERS: [&str; 5] = [
    r#"read_text(path: "x.txt")"#,
    r#"read_files(folder: "docs", glob: "*.md") >> each { .text }"#,
    r#""tea ice" >> search(source: "docs") >> each { .text }"#,
    r#"read_files(folder: "docs") >> each { .title }"#,
    r#"[{ input: "one", expected: true }] >> evaluate(flow: is_x) >> .score
       flow is_x(text: string) -> bool { contains((read_text(path: "x.txt")), text) }"#,
];

/// Checks that a reader with results of other runs returns the same as without.
async fn fresh_after(edit: impl Fn(&Place)) {
    for script in READERS {
        let place = Place::new();
        place.run(script, false).await;
        place.run(script, true).await;
        edit(&place);
        let reused = place.run(script, true).await;
        assert_eq!(reused, place.run(script, false).await, "{script}");
    }
}

#[tokio::test]
async fn a_content_is_noticed_whatever_the_times_say() {
    fresh_after(|place| {
        edited_in_secret(&place.path("x.txt"), "two");
        edited_in_secret(&place.path("docs/a.md"), "tea is old");
    })
    .await;
}

#[tokio::test]
async fn files_that_come_go_and_change_their_names_are_noticed() {
    fresh_after(|place| place.write("docs/c.md", "more tea")).await;
    fresh_after(|place| place.write("docs/deep/d.md", "deep tea")).await;
    fresh_after(|place| fs::remove_file(place.path("docs/b.md")).unwrap()).await;
    fresh_after(|place| fs::rename(place.path("docs/b.md"), place.path("docs/0.md")).unwrap())
        .await;
    fresh_after(|place| {
        fs::rename(place.path("docs/b.md"), place.path("docs/t")).unwrap();
        fs::rename(place.path("docs/a.md"), place.path("docs/b.md")).unwrap();
        fs::rename(place.path("docs/t"), place.path("docs/a.md")).unwrap();
    })
    .await;
    fresh_after(|place| place.write("docs/.gitignore", "a.md\n")).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_that_leads_elsewhere_is_noticed() {
    use std::os::unix::fs::symlink;
    for script in READERS {
        let place = Place::new();
        place.write("other/x.txt", "two");
        fs::rename(place.path("x.txt"), place.path("real.txt")).unwrap();
        symlink(place.path("real.txt"), place.path("x.txt")).unwrap();
        place.run(script, true).await;
        fs::remove_file(place.path("x.txt")).unwrap();
        symlink(place.path("other/x.txt"), place.path("x.txt")).unwrap();
        assert_eq!(place.run(script, true).await, place.run(script, false).await, "{script}");
    }
}

/// Unchanged results are reused, also if only the times of files changed.
#[tokio::test]
async fn what_is_the_same_is_taken() {
    for script in &READERS[..2] {
        let place = Place::new();
        place.run(script, false).await;
        place.run(script, true).await;
        assert_eq!(place.taken(), 1, "{script}");
    }
    let place = Place::new();
    place.run(READERS[0], false).await;
    place.write("x.txt", "one");
    place.run(READERS[0], true).await;
    assert_eq!(place.taken(), 1, "its content is unchanged");
}

/// A result that was reused from an earlier run keeps its original fingerprint.
#[tokio::test]
async fn a_result_that_went_through_an_edited_script_is_not_fresh() {
    let place = Place::new();
    let script = r#"read_text(path: "x.txt") >> wait(duration: 1ms)"#;
    place.run(script, false).await;
    edited_in_secret(&place.path("x.txt"), "two");
    let host = Arc::new(OsHost::with_cache(place.path("cache")));
    let engine = svc::engine().with_host(host).with_store(place.store.clone());
    let edited =
        Source::new("main.svc", format!("{script} >> upper")).in_folder(place.folder.path());
    engine.resume_with("last", edited).unwrap().await.unwrap();
    assert_eq!(place.run(script, true).await, "\"two\"");
}

//! Tests of a book: its files, and what survives a crash or a full disk.
#![expect(clippy::disallowed_methods, reason = "tests read and damage their own files")]

mod chain;
mod deliveries;
mod quotas;
mod sequences;
mod work;

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use svc_contract::{store::StoreErrorKind, value::Money};
use svc_host_os::OsHost;
use tempfile::TempDir;

use super::*;

/// The folder of a book that a child of a test writes.
const CHILD: &str = "SVC_TEST_BOOK";

/// The file in which it notes what was acknowledged.
const SAID: &str = "said";

fn host() -> OsHost {
    OsHost::default()
}

fn open(folder: &TempDir) -> Book {
    Book::open(folder.path(), &host()).unwrap()
}

fn key(id: &str) -> KeyRow {
    KeyRow {
        id: id.to_owned(),
        kind: "live".to_owned(),
        owner: "ann".to_owned(),
        role: "free".to_owned(),
        bias: false,
        tag: [7; 32],
        created: 1,
        began: 1,
        expires: 100,
        successor: None,
        revoked: None,
    }
}

fn entry(number: u64) -> AuditRow {
    AuditRow {
        at: 1_000,
        surface: "rest".to_owned(),
        tool: format!("tool_{number}"),
        decision: "allow".to_owned(),
        took: number,
        ..AuditRow::default()
    }
}

#[test]
fn keys_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let book = open(&folder);
    let (changes, mut row) = (book.key_changes().unwrap(), key("a"));
    book.add_key(row.clone()).wait().unwrap();
    let again = book.add_key(row.clone()).wait().unwrap_err();
    assert_eq!(again.kind, StoreErrorKind::Bug, "{again}");
    drop(book);
    let book = open(&folder);
    assert_eq!(book.key("a").unwrap().unwrap(), row);
    assert_eq!(book.key("b").unwrap(), None);
    assert_eq!(book.key_changes().unwrap(), changes + 1);
    let rotation = Rotation { old: "a".to_owned(), new: key("b"), ends: 50 };
    assert_eq!(book.rotate_key(rotation.clone()).wait().unwrap(), None);
    row.successor = Some(("b".to_owned(), 50));
    assert_eq!(book.key("a").unwrap().unwrap(), row);
    let twice = Rotation { new: key("c"), ..rotation };
    let why = book.rotate_key(twice).wait().unwrap();
    assert_eq!(why.unwrap(), "`b` has taken its place");
    assert_eq!(book.keys().unwrap().len(), 2);
    assert!(book.revoke_key("b".to_owned(), 9).wait().unwrap());
    assert!(!book.revoke_key("b".to_owned(), 10).wait().unwrap());
    assert_eq!(book.key("b").unwrap().unwrap().revoked, Some(9));
    let err = book.revoke_key("x".to_owned(), 9).wait().unwrap_err();
    assert_eq!(err.kind, StoreErrorKind::NotFound);
}

#[test]
fn locks_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let lock = |address: &str, key: &str, until| LockRow {
        address: address.to_owned(),
        key: key.to_owned(),
        failures: vec![1, -2, i64::MAX],
        level: 3,
        until,
    };
    let book = open(&folder);
    book.keep_lock(lock("a", "", 5)).wait().unwrap();
    book.keep_lock(lock("a", "k", 9)).wait().unwrap();
    book.keep_lock(lock("b", "k", 9)).wait().unwrap();
    drop(book);
    let book = open(&folder);
    assert_eq!(book.lock("a", "").unwrap().unwrap(), lock("a", "", 5));
    assert_eq!(book.locks().unwrap().len(), 3);
    let changes = book.lock_changes().unwrap();
    assert_eq!(book.unlock(Some("k".to_owned()), Some("a".to_owned())).wait().unwrap(), 1);
    assert_eq!(book.lock_changes().unwrap(), changes + 1);
    assert_eq!(book.unlock(None, None).wait().unwrap(), 2);
}

#[cfg(unix)]
#[test]
fn the_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("service");
    drop(Book::open(&inner, &host()).unwrap());
    for file in fs::read_dir(&inner).unwrap() {
        let file = file.unwrap();
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{:?}", file.file_name());
    }
    fs::set_permissions(inner.join(PEPPER), PermissionsExt::from_mode(0o644)).unwrap();
    let err = Book::open(&inner, &host()).unwrap_err();
    assert!(err.message.ends_with("can be read by others (mode 644)"), "{err}");
    assert!(err.help.unwrap().contains("chmod 600"));
}

#[test]
fn a_book_without_its_pepper_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(&folder));
    let file = folder.path().join(PEPPER);
    let pepper = fs::read(&file).unwrap();
    assert_eq!(pepper.len(), 32);
    fs::remove_file(&file).unwrap();
    let err = Book::open(folder.path(), &host()).unwrap_err();
    assert!(err.message.ends_with("is missing"), "{err}");
    assert!(!file.exists(), "no other one takes its place");
    let other = tempfile::tempdir().unwrap();
    drop(open(&other));
    fs::copy(other.path().join(PEPPER), &file).unwrap();
    let err = Book::open(folder.path(), &host()).unwrap_err();
    assert!(err.message.starts_with("the pepper is not that of this database"), "{err}");
    let mut short = private(&file);
    short.write_all(&pepper[1..]).unwrap();
    let err = Book::open(folder.path(), &host()).unwrap_err();
    assert!(err.message.ends_with("is damaged: expected 32 bytes, found 31"), "{err}");
    private(&file).write_all(&pepper).unwrap();
    drop(open(&folder));
}

fn private(file: &Path) -> fs::File {
    fs::remove_file(file).unwrap();
    crate::private::options().create(true).write(true).open(file).unwrap()
}

#[test]
fn other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(FILE);
    fs::write(&file, "not a database").unwrap();
    let err = Book::open(folder.path(), &host()).unwrap_err();
    assert_eq!(err.kind, StoreErrorKind::Foreign, "{err}");
    fs::remove_file(&file).unwrap();
    let other = Connection::open(&file).unwrap();
    other.execute_batch("CREATE TABLE theirs (it TEXT)").unwrap();
    drop(other);
    let err = Book::open(folder.path(), &host()).unwrap_err();
    assert_eq!(err.kind, StoreErrorKind::Foreign, "{err}");
    let help = err.help.unwrap();
    assert!(!help.contains("--") && err.hint.is_none(), "{help}");
}

#[test]
fn two_processes_that_begin_at_once_share_a_pepper() {
    let folder = tempfile::tempdir().unwrap();
    thread::scope(|scope| {
        let opened: Vec<_> = (0..8).map(|_| scope.spawn(|| open(&folder))).collect();
        let all: Vec<Book> = opened.into_iter().map(|it| it.join().unwrap()).collect();
        let derived: Vec<_> = all.iter().map(|it| it.pepper.derive("test")).collect();
        assert!(derived.iter().all(|it| *it == derived[0]));
    });
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap()).collect();
    assert!(left.iter().all(|it| !it.file_name().to_string_lossy().starts_with("pepper.")));
}

#[test]
fn a_full_disk_is_an_error_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(&folder));
    let bytes = fs::metadata(folder.path().join(FILE)).unwrap().len();
    let room = u32::try_from(bytes / 4096).unwrap() + 12;
    let book = Book::open_with(folder.path(), &host(), Some(room)).unwrap();
    let long = |number| AuditRow { work: "long ".repeat(200), ..entry(number) };
    let mut written = 0;
    let err = loop {
        match book.commit_audit(long(written)).wait() {
            Ok(number) => {
                written += 1;
                assert_eq!(number, written);
            }
            Err(err) => break err,
        }
    };
    assert_eq!(err.kind, StoreErrorKind::Full, "{err}");
    assert!(err.message.starts_with("the database of the service `"), "{err}");
    assert!(err.help.unwrap().contains("free some space"));
    assert_eq!(book.verify_audit(None).unwrap().unwrap().entries, written);
    let reserved = book.reserve("r".into(), "a".into(), 1, Money::cents(1), None).wait();
    assert!(reserved.is_ok() || reserved.unwrap_err().kind == StoreErrorKind::Full);
    // An entry that no one waits for stays pending, and as long as it does, that is known.
    let again = |is_done: &dyn Fn() -> bool| {
        assert!((0..1000).any(|_| is_done() || {
            std::thread::sleep(Duration::from_millis(5));
            false
        }));
    };
    again(&|| book.append_audit(long(written)).is_ok());
    again(&|| book.test_writing().is_err());
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(book.test_writing().unwrap_err().kind, StoreErrorKind::Full);
    drop(book);
    let book = open(&folder);
    assert_eq!(book.commit_audit(entry(0)).wait().unwrap(), written + 1);
    assert!(book.verify_audit(None).unwrap().is_ok());
}

/// Not a test by itself: the process that is killed.
#[test]
fn a_child_writes_until_it_is_killed() {
    let Ok(folder) = std::env::var(CHILD) else { return };
    let book = Book::open(Path::new(&folder), &host()).unwrap();
    let mut said = fs::File::create(Path::new(&folder).join(SAID)).unwrap();
    for number in 0.. {
        let run = format!("{}-{number}", std::process::id());
        book.reserve(run.clone(), "a".into(), 1, Money::cents(1), None).wait().unwrap();
        book.append_audit(entry(number)).unwrap();
        book.take_calls("a".into(), 1, 1, u64::MAX).wait().unwrap();
        let at = book.commit_audit(entry(number)).wait().unwrap();
        writeln!(said, "{at}").unwrap();
    }
}

#[test]
fn a_killed_process_loses_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    for lines in [1, 2, 5, 9, 20, 3] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["book::tests::a_child_writes_until_it_is_killed", "--exact", "--quiet"])
            .env(CHILD, folder.path())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        let acknowledged = || -> Vec<u64> {
            let said = fs::read_to_string(folder.path().join(SAID)).unwrap_or_default();
            let whole = said.rsplit_once('\n').map_or("", |it| it.0);
            whole.lines().map(|it| it.parse().unwrap()).collect()
        };
        while acknowledged().len() < lines && begun.elapsed() < Duration::from_mins(1) {
            thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let last = acknowledged().pop().unwrap();
        fs::remove_file(folder.path().join(SAID)).unwrap();
        let book = open(&folder);
        let head = book.verify_audit(None).unwrap().unwrap();
        assert!(head.entries >= last, "{} of {last}", head.entries);
        let calls = book.calls("a", 1).unwrap();
        assert!(calls >= last / 2, "{calls} calls");
        let spent = book.spent("a", 1).unwrap();
        assert!(spent >= Money::cents(i64::try_from(last / 2).unwrap()), "{spent}");
    }
}

//! Links that are swapped between check and use: the guarded host never returns content from
//! outside, however often it is raced; an unguarded one does.
#![cfg(unix)]

use std::{
    fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use svc_contract::host::{self, Host};
use svc_host_os::OsHost;
use tempfile::TempDir;

use super::policy;

const SECRET: &[u8] = b"TOP SECRET";
/// The duration of a race, and how long it may take until all expected outcomes were seen: other
/// programs run next to the tests.
const LONG: Duration = Duration::from_millis(700);
const LONGEST: Duration = Duration::from_secs(30);

fn place() -> (TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(place.path()).unwrap();
    for folder in ["in/real", "out"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    fs::write(root.join("in/real/x.txt"), "inside").unwrap();
    fs::write(root.join("out/x.txt"), SECRET).unwrap();
    (place, root)
}

fn guarded(root: &Path) -> Arc<dyn Host> {
    let inside = root.join("in").display().to_string();
    let rules = policy(&[&format!("reads fs:{inside}"), &format!("writes fs:{inside}")]);
    rules.guard(Arc::new(OsHost::default()))
}

/// Swaps without pause while `work` runs; a swap may fail because its victim races it.
fn while_swapping<T>(
    swap: impl Fn() -> io::Result<()> + Send + 'static,
    work: impl FnOnce() -> T,
) -> T {
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let swapping = thread::spawn(move || {
        while !stopped.load(Ordering::Relaxed) {
            let _ = swap();
        }
    });
    let done = work();
    stop.store(true, Ordering::Relaxed);
    swapping.join().unwrap();
    done
}

/// Atomically replaces a link.
fn relink(to: &str, link: &Path) -> io::Result<()> {
    let fresh = link.with_extension("new");
    symlink(to, &fresh)?;
    fs::rename(&fresh, link)
}

type Swap = Box<dyn Fn() -> io::Result<()> + Send>;

/// A file or folder at `in/swapped`, alternately inside and outside.
fn swaps(root: &Path) -> Vec<(&'static str, Swap)> {
    let at = |name: &str| root.join(name);
    let (swapped, kept) = (at("in/swapped"), at("in/kept"));
    let links = {
        let swapped = swapped.clone();
        move || relink("real", &swapped).and_then(|()| relink("../out", &swapped))
    };
    let folders = {
        let (swapped, real) = (swapped.clone(), at("in/real"));
        move || {
            let _ = fs::remove_file(&swapped);
            fs::rename(&real, &swapped)?;
            fs::rename(&swapped, &real)?;
            symlink("../out", &swapped)
        }
    };
    let files = move || {
        let file = kept.join("x.txt");
        fs::create_dir_all(&kept)?;
        let _ = fs::remove_file(&swapped);
        let _ = symlink("kept", &swapped);
        fs::write(kept.join("y"), "inside")?;
        fs::rename(kept.join("y"), &file)?;
        relink("../../out/x.txt", &file)
    };
    vec![("links", Box::new(links)), ("folders", Box::new(folders)), ("files", Box::new(files))]
}

/// Tries for a while, and until all wanted outcomes occurred.
fn race<const N: usize>(wanted: [bool; N], mut attempt: impl FnMut() -> usize) -> [usize; N] {
    let (mut seen, start) = ([0; N], Instant::now());
    loop {
        seen[attempt()] += 1;
        let lacks = seen.iter().zip(wanted).any(|(seen, wanted)| wanted && *seen == 0);
        if start.elapsed() > if lacks { LONGEST } else { LONG } {
            return seen;
        }
    }
}

/// The outcome of a read: 0 for content from inside, 1 from outside, 2 for nothing.
fn read(host: &dyn Host, path: &Path) -> usize {
    match host::read(host, path, 1 << 10) {
        Ok(content) if content == SECRET => 1,
        Ok(content) => {
            assert!(content.is_empty() || content == b"inside");
            0
        }
        Err(_) => 2,
    }
}

#[test]
fn what_is_outside_is_never_read() {
    for idx in 0..3 {
        let (_place, root) = place();
        let (name, swap) = swaps(&root).remove(idx);
        let file = root.join("in/swapped/x.txt");
        let (with, without) = while_swapping(swap, || {
            let (with, without) = (guarded(&root), OsHost::default());
            (
                race([true, false, true], || read(with.as_ref(), &file)),
                race([true, true, false], || read(&without, &file)),
            )
        });
        let [inside, outside, refused] = with;
        assert_eq!(outside, 0, "{name}: {with:?}");
        assert!(inside > 0 && refused > 0, "{name}: the race took place: {with:?}");
        assert!(without[1] > 0, "{name}: an unguarded host reads it: {without:?}");
    }
}

#[test]
fn what_is_outside_is_never_written() {
    let (_place, root) = place();
    let (swapped, host) = (root.join("in/swapped"), guarded(&root));
    let file = swapped.join("new.txt");
    let swap = move || {
        // This removes a link itself.
        let _ = fs::remove_dir_all(&swapped);
        fs::create_dir(&swapped)?;
        let _ = fs::remove_dir_all(&swapped);
        symlink("../out", &swapped)
    };
    let [written, refused] = while_swapping(swap, || {
        race([true, true], || usize::from(host.write(&file, b"inside").is_err()))
    });
    assert!(written > 0 && refused > 0, "the race took place: {written} {refused}");
    assert_eq!(files(&root.join("out")), ["x.txt"]);
}

/// The case that a race hits only sometimes, every time: the link already exists when the checked
/// path is used.
#[test]
fn a_real_path_follows_no_link() {
    let (_place, root) = place();
    symlink("../out", root.join("in/folder")).unwrap();
    symlink("../out/x.txt", root.join("in/file")).unwrap();
    let host = OsHost::default();
    for link in ["in/folder/x.txt", "in/file"] {
        let link = root.join(link);
        let refused = [host.open_real(&link).err(), host.stat_real(&link).err()];
        for err in refused {
            assert!(host::refused(&err.unwrap()).unwrap().contains("a symbolic link appeared"));
        }
    }
    let err = host.write_real(&root.join("in/folder/new.txt"), b"x").unwrap_err();
    assert!(host::refused(&err).is_some(), "{err}");
    assert_eq!(files(&root.join("out")), ["x.txt"]);
    // A link with the file's own name is replaced.
    host.write_real(&root.join("in/file"), b"new").unwrap();
    assert_eq!(fs::read(root.join("out/x.txt")).unwrap(), SECRET);
    host.write_real(&root.join("in/some/more/new.txt"), b"new").unwrap();
    let mut read = host.open_real(&root.join("in/some/more/new.txt")).unwrap();
    assert_eq!(io::read_to_string(&mut read).unwrap(), "new");
    assert_eq!(host.stat_real(&root.join("in/some/more/new.txt")).unwrap().size, 3);
    assert!(host.stat_real(Path::new("/")).unwrap().is_dir);
    let err = host.open_real(&root.join("in/real")).err().unwrap();
    assert_eq!(err.kind(), io::ErrorKind::IsADirectory);
}

fn files(folder: &Path) -> Vec<String> {
    let all = fs::read_dir(folder).unwrap();
    all.map(|it| it.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

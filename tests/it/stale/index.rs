//! An index with any changed byte is rebuilt: without a panic, and with the right hits.
//!
//! `SVC_FLIPS=500` sets the number of damages.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use fastrand::Rng;

use super::number;

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if path.extension().is_none_or(|it| it != "lock") && !path.ends_with("lock") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn search(place: &Path) -> (String, String) {
    let done = Command::new(assert_cmd::cargo::cargo_bin!("svc"))
        .args(["run", "main.svc", "--no-store", "--json"])
        .current_dir(place)
        .env("SVC_CACHE", place.join("cache"))
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(done.status.success(), "{}{}", text(&done.stdout), text(&done.stderr));
    (text(&done.stdout), text(&done.stderr))
}

fn damage(file: &Path, rng: &mut Rng) {
    let mut bytes = fs::read(file).unwrap();
    let known = fs::metadata(file).unwrap();
    match rng.u8(0..8) {
        0 => bytes.truncate(rng.usize(0..=bytes.len())),
        1 => bytes.extend((0..rng.usize(1..64)).map(|_| rng.u8(..))),
        2 => bytes.iter_mut().for_each(|it| *it = rng.u8(..)),
        _ => {
            for _ in 0..rng.usize(1..4) {
                if let Some(len) = (!bytes.is_empty()).then_some(bytes.len()) {
                    bytes[rng.usize(0..len)] ^= 1 << rng.u8(0..8);
                }
            }
        }
    }
    fs::write(file, bytes).unwrap();
    if rng.bool() {
        let times = fs::FileTimes::new().set_modified(known.modified().unwrap());
        fs::File::options().write(true).open(file).unwrap().set_times(times).unwrap();
    }
}

#[expect(clippy::print_stderr, reason = "how much was tried is worth knowing")]
#[test]
fn any_damage_is_repaired_silently() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    fs::create_dir(place.join("docs")).unwrap();
    for idx in 0..8 {
        let text = format!("# Page {idx}\n\nTea number {idx} is {}.", "hot ".repeat(idx + 1));
        fs::write(place.join(format!("docs/{idx}.md")), text).unwrap();
    }
    fs::write(place.join("main.svc"), r#""hot tea" >> search(source: "docs", top_k: 5)"#).unwrap();
    let (wanted, said) = search(place);
    assert_eq!(said, "");
    let mut rng = Rng::with_seed(number("SVC_SEED", 1));
    let (rounds, mut message) = (number("SVC_FLIPS", 24), 0);
    for round in 0..rounds {
        let files = files(&place.join("cache/search"));
        let file = &files[usize::try_from(round).unwrap() % files.len()];
        damage(file, &mut rng);
        let (found, said) = search(place);
        assert_eq!(found, wanted, "{}", file.display());
        assert!(!said.contains("panic") && said.lines().count() <= 1, "{}: {said}", file.display());
        message += usize::from(!said.is_empty());
    }
    eprintln!("{rounds} damages, each repaired; {message} times with a notice");
    assert!(message > 0);
}

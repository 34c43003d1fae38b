//! Tests of the index: stored, changed, damaged, shared, or missing.
#![expect(clippy::disallowed_methods, reason = "the tests damage the index's directory")]

use std::{fs, io, path::Path};

use super::*;

#[test]
fn changes_are_seen_and_nothing_else_is_read() {
    let world = World::with(PETS);
    world.search("cat");
    assert_eq!(world.search("cat").indexed, 0);
    let (commits, place) = (world.index_files("meta.json"), |it: &Path| fs::read(it).unwrap());
    let before = place(&commits[0]);
    world.search("cat");
    assert_eq!(place(&commits[0]), before);

    world.host.put(Path::new("new.txt"), b"a cat of another kind".to_vec());
    world.host.put(Path::new("cats.md"), b"# Cows".to_vec());
    world.host.remove("sub/dogs.txt");
    let answer = world.search("cat dog cow");
    assert_eq!(answer.ids(), ["cats.md", "new.txt"]);
    assert_eq!(answer.indexed, 2);

    // Touched but not changed: compared by content once, then known.
    world.host.put(Path::new("cats.md"), b"# Cows".to_vec());
    assert_eq!(world.search("cow").indexed, 1);
    assert_eq!(world.search("cow").indexed, 0);
    assert_eq!(world.search("cow").ids(), ["cats.md"]);
}

#[test]
fn scores_do_not_depend_on_the_past() {
    let world = World::with(&[("z.txt", "cat cat fish"), ("a.txt", "one cat")]);
    for turn in 0..12 {
        let text = format!("cat dog {}", "bird ".repeat(turn));
        world.host.put(Path::new("b.txt"), text.into_bytes());
        world.host.put(Path::new(&format!("extra{turn}.txt")), b"fish dog".to_vec());
        world.search("cat");
    }
    (0..12).for_each(|turn| world.host.remove(&format!("extra{turn}.txt")));
    let old = world.search("cat fish bird");
    fs::remove_dir_all(world.cache()).unwrap();
    let new = world.search("cat fish bird");
    assert_eq!(new.indexed, 3);
    let scores =
        |it: &Answer| it.hits().iter().map(|it| (it.id.clone(), it.score)).collect::<Vec<_>>();
    assert_eq!(scores(&old), scores(&new));
}

#[test]
fn a_damaged_index_is_rebuilt() {
    let world = World::with(PETS);
    for ending in ["meta.json", ".managed.json", ".term", ".store", ".idx", ".fast", ".fieldnorm"] {
        world.search("cat");
        let files = world.index_files(ending);
        assert!(!files.is_empty(), "{ending}");
        for file in files {
            fs::write(file, b"{\"broken\"").unwrap();
        }
        let answer = world.search("cat");
        assert_eq!(answer.ids(), ["cats.md", "sub/dogs.txt"], "{ending}");
        assert_eq!(answer.indexed, 3, "{ending}");
        assert!(answer.notices[0].starts_with("the index was damaged"), "{ending}");
        assert_eq!(world.search("cat").notices, [""; 0], "{ending}");
    }
}

#[test]
fn an_index_that_vanished_is_rebuilt() {
    let world = World::with(PETS);
    world.search("cat");
    for file in world.index_files(".store") {
        fs::remove_file(file).unwrap();
    }
    assert_eq!(world.search("cat").ids().len(), 2);
    fs::remove_dir_all(world.cache()).unwrap();
    assert_eq!(world.search("cat").ids().len(), 2);
}

#[test]
fn without_a_cache_the_index_is_in_memory() {
    let pets = || PETS.iter().fold(TestHost::new(), |host, (path, text)| host.file(path, *text));
    let nowhere = World::new(pets().failing("/cache", io::ErrorKind::PermissionDenied));
    // There is a file where the folder of indexes should be.
    let blocked = World::new(pets());
    fs::create_dir_all(blocked.host.cache_dir().unwrap()).unwrap();
    fs::write(blocked.cache(), b"").unwrap();
    for world in [nowhere, blocked] {
        let answer = world.search("cat");
        assert_eq!(answer.ids(), ["cats.md", "sub/dogs.txt"]);
        assert_eq!(answer.notices.len(), 1);
        assert!(answer.notices[0].starts_with("the index cannot be stored"));
    }
}

#[test]
fn a_cancelled_search_leaves_no_harm() {
    let world = World::with(PETS);
    world.cancel.cancel();
    assert_eq!(world.search("cat").error().0, ErrorKind::Cancelled);
    let world = World { cancel: CancellationToken::new(), ..world };
    assert_eq!(world.search("cat").ids().len(), 2);
}

#[test]
fn several_searches_at_once_share_one_index() {
    let files: Vec<(String, String)> =
        (0..200).map(|it| (format!("{it}.txt"), format!("cat number{it}"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let world = World::with(&files);
    let indexed: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|it| {
                let world = &world;
                scope.spawn(move || {
                    let answer = world.search(&format!("number{it}"));
                    assert_eq!(answer.ids(), [format!("{it}.txt")]);
                    assert_eq!(answer.notices, [""; 0]);
                    answer.indexed
                })
            })
            .collect();
        threads.into_iter().map(|it| it.join().unwrap()).sum()
    });
    assert_eq!(indexed, 200);
}

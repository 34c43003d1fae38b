//! Searches from outside, over files in memory and an index in a real folder.
#![expect(clippy::disallowed_methods, reason = "the tests damage the index's directory")]

use std::{
    fs, io,
    path::Path,
    sync::{Arc, Mutex},
};

use tokio_util::sync::CancellationToken;

use super::*;
use crate::{
    host::{Host as _, test::TestHost},
    registry::{Meter, Monitor, Params as _},
};

#[derive(Default)]
struct Watch {
    notices: Mutex<Vec<String>>,
    indexed: Mutex<u64>,
}

impl Monitor for Watch {
    fn progress(&self, what: &str, done: u64, _: Option<u64>) {
        assert_eq!(what, "indexing");
        *self.indexed.lock().unwrap() = done;
    }

    fn notice(&self, message: &str) {
        self.notices.lock().unwrap().push(message.to_owned());
    }
}

struct World {
    host: Arc<TestHost>,
    cancel: CancellationToken,
}

struct Answer {
    hits: Result<Vec<Hit>, OpError>,
    notices: Vec<String>,
    /// How many files were read.
    indexed: u64,
}

impl World {
    fn new(host: TestHost) -> Self {
        Self { host: Arc::new(host), cancel: CancellationToken::new() }
    }

    fn with(files: &[(&str, &str)]) -> Self {
        let host = files.iter().fold(TestHost::new(), |host, (path, text)| host.file(path, *text));
        Self::new(host)
    }

    fn ask(&self, query: &str, source: &str, top_k: i64, syntax: &str) -> Answer {
        let watch = Arc::new(Watch::default());
        let (cancel, meter) = (self.cancel.clone(), Meter::default());
        let cx = Cx::new("ctx_search", self.host.clone(), cancel, watch.clone(), meter);
        let path = Value::Path(source.into());
        let mut args = [Value::text(query), path, top_k.into(), Value::text(syntax)];
        let found = Infer::decode(&mut args).and_then(|it| it.run(&cx));
        let hits = found.map(|it| Vec::<Hit>::decode(it).unwrap());
        let notices = watch.notices.lock().unwrap().clone();
        let indexed = *watch.indexed.lock().unwrap();
        Answer { hits, notices, indexed }
    }

    fn search(&self, query: &str) -> Answer {
        self.ask(query, ".", 10, "words")
    }

    fn cache(&self) -> std::path::PathBuf {
        self.host.cache_dir().unwrap().join("search")
    }

    /// The files of all indexes whose names end so.
    fn index_files(&self, ending: &str) -> Vec<std::path::PathBuf> {
        let places = fs::read_dir(self.cache()).unwrap();
        let files = places.flat_map(|it| fs::read_dir(it.unwrap().path().join("index")).unwrap());
        let files = files.map(|it| it.unwrap().path());
        files.filter(|it| it.to_string_lossy().ends_with(ending)).collect()
    }
}

impl Answer {
    fn hits(&self) -> &[Hit] {
        self.hits.as_ref().unwrap()
    }

    fn ids(&self) -> Vec<&str> {
        self.hits().iter().map(|it| it.id.as_ref()).collect()
    }

    fn error(&self) -> (ErrorKind, &str) {
        let err = self.hits.as_ref().unwrap_err();
        (err.kind, &err.message)
    }
}

const PETS: &[(&str, &str)] = &[
    ("cats.md", "# Cats\n\nA cat sleeps. Cats sleep.\n"),
    ("sub/dogs.txt", "A dog barks at a cat."),
    ("birds.html", "<title>Birds</title><p>A bird sings."),
];

#[test]
fn the_best_document_comes_first() {
    let answer = World::with(PETS).search("sleeping cats");
    assert_eq!(answer.ids(), ["cats.md", "sub/dogs.txt"]);
    assert_eq!((answer.notices.len(), answer.indexed), (0, 3));
    let hit = &answer.hits()[0];
    assert_eq!(hit.title.as_ref(), "Cats");
    assert_eq!(hit.text.as_ref(), PETS[0].1);
    assert_eq!(hit.query.as_ref(), "sleeping cats");
    assert_eq!(hit.snippet.as_ref(), "# **Cats** A **cat** **sleeps**. **Cats** **sleep**.");
    assert_eq!((hit.start, hit.end), (0, 34));
    assert!(hit.score > answer.hits()[1].score);
}

#[test]
fn paths_are_shown_as_the_script_names_them() {
    let world = World::with(PETS);
    let path = |source| world.ask("dog", source, 1, "words").hits()[0].path.to_string();
    assert_eq!(path("."), "sub/dogs.txt");
    assert_eq!(path("sub"), "sub/dogs.txt");
    assert_eq!(path("./sub/../sub"), "sub/../sub/dogs.txt");
    assert_eq!(path("/home/sub"), "/home/sub/dogs.txt");
    assert_eq!(path("sub/dogs.txt"), "sub/dogs.txt");
    assert_eq!(world.ask("dog", "sub/dogs.txt", 1, "words").ids(), ["dogs.txt"]);
}

#[test]
fn a_repeated_word_counts_again() {
    let world = World::with(&[("a.txt", "red red blue"), ("b.txt", "red blue blue")]);
    assert_eq!(world.search("red red blue").ids(), ["a.txt", "b.txt"]);
    assert_eq!(world.search("red blue blue").ids(), ["b.txt", "a.txt"]);
    assert_eq!(world.search("red blue").ids(), ["a.txt", "b.txt"]);
}

#[test]
fn equal_documents_are_ordered_by_id_also_where_the_list_ends() {
    let lines: Vec<String> = (0..60)
        .rev()
        .map(|it| format!("{{\"id\": \"{it:02}\", \"text\": \"same words\"}}"))
        .collect();
    let world = World::with(&[("r.jsonl", &lines.join("\n"))]);
    let answer = world.ask("words", "r.jsonl", 3, "words");
    assert_eq!(answer.ids(), ["00", "01", "02"]);
    assert_eq!(answer.hits()[0].title.as_ref(), "same words");
}

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

    // Touched, not changed: compared by content once, then known.
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
fn a_query_with_syntax_follows_it() {
    let world = World::with(PETS);
    let ids = |query| world.ask(query, ".", 10, "query").ids().join(" ");
    assert_eq!(ids("+cat -dog"), "cats.md");
    assert_eq!(ids("\"a cat sleeps\""), "cats.md");
    assert_eq!(ids("(cat AND barks) OR bird"), "birds.html sub/dogs.txt");
    assert_eq!(ids("the"), "");
    for wrong in ["\"open", "cat AND", "nofield:x", "-dog", &"(".repeat(10_000), "[a TO"] {
        let answer = world.ask(wrong, ".", 10, "query");
        assert_eq!(answer.error().0, ErrorKind::InvalidInput, "{wrong}");
    }
    let nested = format!("{}cat{}", "(".repeat(32), ")".repeat(32));
    assert_eq!(ids(&nested), "cats.md sub/dogs.txt");
    assert_eq!(world.search("\"open AND +(cat").ids().len(), 2);
}

#[test]
fn nothing_to_look_for_finds_nothing() {
    let world = World::with(PETS);
    for query in ["", "  ?!", "who are you", "unheard"] {
        let answer = world.search(query);
        assert_eq!((answer.ids().len(), answer.notices.len()), (0, 0));
    }
}

#[test]
fn an_empty_folder_holds_no_documents() {
    let world = World::with(&[("sub/a.bin", "\0")]);
    let answer = world.ask("x", "sub", 10, "words");
    assert_eq!(answer.ids(), [""; 0]);
    let said = ["`sub/a.bin`: skipped: it is not text", "`sub` holds no documents"];
    assert_eq!(answer.notices, said);
    world.host.remove("sub/a.bin");
    assert_eq!(world.ask("x", ".", 10, "words").notices, ["`.` holds no documents"]);
}

#[test]
fn a_missing_source_is_an_error() {
    let answer = World::with(PETS).ask("x", "nowhere", 10, "words");
    let said = "cannot use `nowhere`: it does not exist";
    assert_eq!(answer.error(), (ErrorKind::NotFound, said));
    assert_eq!(World::with(PETS).ask("x", ".", 0, "words").error().0, ErrorKind::InvalidInput);
}

#[test]
fn what_cannot_be_read_is_named_every_time() {
    let host = TestHost::new()
        .file("a.txt", "cat")
        .file("b.txt", "cat")
        .file("c.pdf", "")
        .file("d.jsonl", "no record")
        .file("e.txt", b"caf\xe9 cat".to_vec())
        .failing("b.txt", io::ErrorKind::PermissionDenied);
    let world = World::new(host);
    for _ in 0..2 {
        let answer = world.search("cat");
        assert_eq!(answer.ids(), ["a.txt", "e.txt"]);
        assert_eq!(
            answer.notices,
            [
                "`b.txt`: skipped: permission denied",
                "`c.pdf`: skipped: it is empty",
                "`d.jsonl`:1: skipped: expected ident",
                "`e.txt`: 1 byte that is not UTF-8 stands as `?`",
            ]
        );
    }
}

#[test]
fn many_notices_are_cut_short() {
    let host = (0..30).fold(TestHost::new(), |host, it| host.file(&format!("{it}.pdf"), ""));
    let notices = World::new(host).search("x").notices;
    assert_eq!(notices.len(), 21);
    assert_eq!(notices[20], "11 more notices of this kind were left out");
}

#[test]
fn a_damaged_index_is_built_anew() {
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
fn an_index_that_vanished_is_built_anew() {
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
    // A file stands where the folder of indexes should be.
    let blocked = World::new(pets());
    fs::create_dir_all(blocked.host.cache_dir().unwrap()).unwrap();
    fs::write(blocked.cache(), b"").unwrap();
    for world in [nowhere, blocked] {
        let answer = world.search("cat");
        assert_eq!(answer.ids(), ["cats.md", "sub/dogs.txt"]);
        assert_eq!(answer.notices.len(), 1);
        assert!(answer.notices[0].starts_with("the index could not be kept"));
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

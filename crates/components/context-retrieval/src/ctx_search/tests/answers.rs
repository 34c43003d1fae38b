//! Tests of the hits of a search, and of its notices about skipped files.

use std::io;

use super::*;

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
fn a_query_with_syntax_follows_it() {
    let world = World::with(PETS);
    let ids = |query| world.ask(query, ".", 10, "query").ids().join(" ");
    assert_eq!(ids("+cat -dog"), "cats.md");
    assert_eq!(ids("\"a cat sleeps\""), "cats.md");
    assert_eq!(ids("(cat AND barks) OR bird"), "birds.html sub/dogs.txt");
    assert_eq!(ids("the"), "");
    assert_eq!(ids("file:\"cats.md\""), "cats.md");
    assert_eq!(ids("body:[bar TO barm]"), "sub/dogs.txt");
    for wrong in [
        "\"open",
        "cat AND",
        "nofield:x",
        "-dog",
        &"(".repeat(10_000),
        "[a TO",
        "title:x",
        "body:*",
        "x:*",
        "^2cat\"cat",
        "body:/b.*/",
    ] {
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
    let said = ["`sub/a.bin`: skipped: it is not text", "`sub` contains no documents"];
    assert_eq!(answer.notices, said);
    world.host.remove("sub/a.bin");
    assert_eq!(world.ask("x", ".", 10, "words").notices, ["`.` contains no documents"]);
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
                "`e.txt`: it is not UTF-8, and is read as windows-1252",
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

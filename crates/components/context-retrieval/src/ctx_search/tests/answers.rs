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
fn a_word_counts_more_the_earlier_it_comes() {
    let late = format!("{} budget", "other ".repeat(20));
    let early = format!("budget {}", "other ".repeat(20));
    let files = [("a.txt", late.as_str()), ("b.txt", &early), ("c.txt", "nothing")];
    assert_eq!(World::with(&files).search("budget").ids(), ["b.txt", "a.txt"]);
    // A title stands before its text.
    let record = |id: &str, title: &str| {
        format!(r#"{{"id": "{id}", "title": "{title}", "text": "{}"}}"#, "other ".repeat(20))
    };
    let lines = [
        record("a", "All about the long history of every single budget"),
        record("b", "Budget of all the long history about every single"),
    ];
    let world = World::with(&[("r.jsonl", &lines.join("\n"))]);
    assert_eq!(world.search("budget").ids(), ["b", "a"]);
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
fn nothing_to_look_for_finds_nothing_and_says_so() {
    let world = World::with(PETS);
    for (query, notices) in [
        ("", vec!["the query has no word to search for"]),
        ("  ?!", vec!["the query has no word to search for"]),
        ("who are", vec!["no document contains `are`", "no document contains `who`"]),
        ("Unheard", vec!["no document contains `Unheard`"]),
    ] {
        let answer = world.search(query);
        assert_eq!(
            (answer.ids().len(), answer.notices),
            (0, notices.into_iter().map(str::to_owned).collect())
        );
    }
    let answer = world.ask("+cat +bird", ".", 10, "query");
    assert_eq!(
        (answer.ids().len(), answer.notices.as_slice()),
        (0, ["no document matches the query".to_owned()].as_slice())
    );
}

#[test]
fn words_that_no_document_has_are_replaced_by_the_nearest() {
    let world = World::with(&[
        ("a.md", "The environments of Budgets."),
        ("b.md", "A budgeted environment."),
        ("c.md", "The cat."),
    ]);
    let took = |query: &str| {
        let answer = world.search(query);
        (answer.ids().join(" "), answer.notices.join("; "))
    };
    let said = |word: &str, other: &str| {
        format!("no document contains `{word}`; searched for `{other}` instead")
    };
    assert_eq!(took("bugdet"), ("a.md b.md".to_owned(), said("bugdet", "budgets")));
    assert_eq!(took("Budg").1, said("Budg", "budgets"));
    assert_eq!(took("enviroment").1, said("enviroment", "environments"));
    assert_eq!(took("ca"), (String::new(), "no document contains `ca`".to_owned()));
    // A word that is found needs no help for the others.
    assert_eq!(took("cat bugdet"), ("c.md".to_owned(), String::new()));
}

#[test]
fn stop_words_alone_are_searched_for() {
    let world = World::with(&[("a.md", "To be or not to be."), ("b.md", "Or nothing")]);
    assert_eq!(world.search("to be or not to be").ids(), ["a.md", "b.md"]);
    assert_eq!(world.search("not nothing").ids(), ["b.md"]);
}

#[test]
fn names_are_found_by_their_words() {
    let world = World::with(&[
        ("camel.js", "let x = getUserName()"),
        ("snake.py", "x = get_user_name()"),
        ("words.md", "The username is a key."),
        ("mail.md", "An e-mail to all."),
        ("post.md", "One email."),
    ]);
    let found = |query: &str| {
        let answer = world.search(query);
        let mut ids = answer.ids().iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        ids.sort_unstable();
        ids.join(" ")
    };
    assert_eq!(found("username"), "camel.js snake.py words.md");
    assert_eq!(found("getUserName"), "camel.js snake.py words.md");
    assert_eq!(found("get_user_name"), "camel.js snake.py words.md");
    assert_eq!(found("email"), "mail.md post.md");
    assert_eq!(found("e-mail"), "mail.md post.md");
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
    assert_eq!(notices.len(), 22);
    assert_eq!(notices[20], "10 more notices of this kind were left out");
    assert_eq!(notices[21], "`.` contains no documents");
}

#[test]
fn every_form_of_a_query_finds_what_it_means() {
    let world = World::with(&[
        ("a.md", "big bad wolf, red apple"),
        ("b.md", "big wolf, green apple pie"),
        ("c.md", "small wolf"),
    ]);
    for (query, ids) in [
        ("bad small", "a.md c.md"),
        ("+wolf apple", "a.md b.md c.md"),
        ("wolf -apple", "c.md"),
        ("wolf AND apple", "a.md b.md"),
        ("small OR red AND apple", "a.md c.md"),
        ("wolf AND NOT big", "c.md"),
        ("NOT big AND wolf", "c.md"),
        ("(small OR green) AND wolf", "b.md c.md"),
        (r#""big wolf""#, "b.md"),
        ("'big wolf'", "b.md"),
        (r#""big wolf"~1"#, "a.md b.md"),
        (r#""green apple pi"*"#, "b.md"),
        ("small^3 big", "a.md b.md c.md"),
        ("id:a.md", "a.md"),
        (r#"file:"b.md""#, "b.md"),
        ("file: IN [a.md c.md]", "a.md c.md"),
        ("body:[gr TO gs]", "b.md"),
        ("body:{gr TO gs}", "b.md"),
        ("id:>=b.md", "b.md c.md"),
        ("id:<b.md", "a.md"),
        ("id:[b.md TO *]", "b.md c.md"),
        ("body:(small red)", "a.md c.md"),
        ("*", "a.md b.md c.md"),
        ("* -apple", "c.md"),
        ("file:*", "a.md b.md c.md"),
        (r"green\ apple", "b.md"),
        ("wolf OR NOT big", "a.md b.md c.md"),
        (r#""AND" small"#, "c.md"),
    ] {
        let answer = world.ask(query, ".", 10, "query");
        let mut found: Vec<&str> = match &answer.hits {
            Ok(_) => answer.ids(),
            Err(err) => vec![&err.message],
        };
        found.sort_unstable();
        assert_eq!(found.join(" "), ids, "{query}");
    }
}

#[test]
fn a_wrong_query_is_answered_with_what_to_write() {
    let world = World::with(PETS);
    let alone = |it: &str| {
        format!(
            "`{it}` needs a word on both sides; add the word, or write `\"{it}\"` for the word \
             itself"
        )
    };
    let after = "it may only follow a phrase, as in `\"two wo\"*` and `\"two words\"~1`";
    let quoted = "put text with special characters in `\"`";
    let known = "a query may name `body`, `file` and `id`; put text with `:` in `\"`";
    for (wrong, why) in [
        ("cat \"open", "missing end of `\"open` at character 5; add `\"`".to_owned()),
        ("é (cat", "missing end of `(cat` at character 3; add `)`".to_owned()),
        ("body:[a TO", "missing end of `[a TO` at character 6; add `]`".to_owned()),
        ("a) b", "unexpected `) b` at character 2; remove it, or add the `(`".to_owned()),
        ("cat AND", alone("AND")),
        ("OR cat", alone("OR")),
        ("http://x.org", format!("unknown field in `http://x.org` at character 1; {known}")),
        ("title:x", format!("unknown field in `title:x` at character 1; {known}")),
        ("-dog", "all of its words are excluded; add a word without `-`, or `*` for all documents".to_owned()),
        ("body:*", "every document has a `body`; write `*`".to_owned()),
        ("[a TO b]", "a range needs a field; write `body:` before the `[`".to_owned()),
        ("don't", "unexpected apostrophe before `'t` at character 4; write `\\'`, or the words in `\"`".to_owned()),
        ("cat^", format!("unexpected `^` at character 4; {quoted}")),
        ("cat* dog", format!("unexpected `* dog` at character 4; {after}")),
        ("cat~2", format!("unexpected `~2` at character 4; {after}")),
        ("+", "it ends too early; complete or remove the last part".to_owned()),
        ("body:/b.*/", "regular expressions are not supported; write `\"two wo\"*` for the beginning of a word".to_owned()),
    ] {
        let answer = world.ask(wrong, ".", 10, "query");
        assert_eq!(answer.error(), (ErrorKind::InvalidInput, format!("invalid `query`: {why}").as_str()));
    }
}

#[test]
fn the_best_hits_are_evidence_for_hits_like_them_if_asked_for() {
    let world = World::with(&[
        ("a.txt", "whale whale harpoon captain"),
        ("b.txt", "whale of a tale about money"),
        ("c.txt", "harpoon captain and a whale"),
        ("d.txt", "harpoon captain"),
    ]);
    let found = |terms: i64, neighbours: f64| {
        let args = Infer::PARAMS.iter().map(|it| match it.name {
            "query" => Value::text("whale"),
            "feedback_terms" => terms.into(),
            "neighbour_weight" => neighbours.into(),
            "title_boost" => 0.0.into(),
            _ => it.default.map(ParamDefault::value).unwrap_or_default(),
        });
        world.call(args.collect(), None)
    };
    let scores =
        |answer: &Answer| -> Vec<f64> { answer.hits().iter().map(|it| it.score).collect() };
    let without = found(0, 0.0);
    assert_eq!(without.ids().len(), 3);
    for with in [found(20, 0.0), found(0, 1.0), found(20, 1.0)] {
        // It finds no other documents, and without it nothing is raised.
        assert_eq!(with.ids(), ["a.txt", "c.txt", "b.txt"], "{:?}", scores(&with));
        assert!(scores(&with)[1] > scores(&without)[1]);
    }
}

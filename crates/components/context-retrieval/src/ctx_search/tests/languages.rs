//! Tests of documents in several languages.

use super::*;

const ENGLISH: &str = "The houses by the sea are old, and some of them are for sale this year.";
const GERMAN: &str = "Das Haus am Meer ist alt, und es steht in diesem Jahr zum Verkauf.";
const SPANISH: &str = "Las naciones de la región se reunieron para hablar sobre el comercio.";
const RUSSIAN: &str = "Книги этой библиотеки были написаны очень давно, и их никто не читает.";
const CHINESE: &str = "小猫在房子里睡觉，没有人在家。";

fn world() -> World {
    World::with(&[
        ("en.txt", ENGLISH),
        ("de.txt", GERMAN),
        ("es.txt", SPANISH),
        ("ru.txt", RUSSIAN),
        ("zh.txt", CHINESE),
    ])
}

#[test]
fn words_are_found_in_the_forms_of_each_language() {
    let world = world();
    for (query, expected) in [
        ("Häuser", "de.txt"),
        ("house", "en.txt"),
        ("nación", "es.txt"),
        ("книгой", "ru.txt"),
        ("房子", "zh.txt"),
        ("猫", "zh.txt"),
    ] {
        assert_eq!(world.search(query).ids().join(" "), expected, "{query}");
    }
    assert_eq!(world.search("Häuser houses").ids().len(), 2);
}

#[test]
fn accents_may_be_left_out() {
    let world = World::with(&[
        ("with.txt", "La información sobre el comercio de la región no es pública."),
        ("without.txt", "La informacion sobre el comercio de la ciudad no es publica."),
    ]);
    for query in ["información", "informacion", "INFORMACIÓN pública", "region ciudad"] {
        assert_eq!(world.search(query).ids().len(), 2, "{query}");
    }
    assert_eq!(world.search("region").ids().join(" "), "with.txt");
}

#[test]
fn stop_words_are_those_of_the_query() {
    let world = world();
    assert_eq!(world.search("das und dem Haus").ids().join(" "), "de.txt");
    assert_eq!(world.search("the houses and").ids().join(" "), "en.txt");
}

#[test]
fn operators_hold_in_each_language() {
    let world = world();
    let ids = |query| world.ask(query, ".", 10, "query").ids().join(" ");
    assert_eq!(ids("Häuser"), "de.txt");
    assert_eq!(ids("* -Häuser -house"), "es.txt ru.txt zh.txt");
    assert_eq!(ids("\"alten Häuser\" OR \"old houses\""), "");
    assert_eq!(ids("Jahr AND Verkäufe"), "de.txt");
    assert_eq!(ids("Jahr AND house"), "");
}

#[test]
fn snippets_mark_the_words_of_their_language() {
    let answer = world().search("Jahre Häuser");
    assert_eq!(
        answer.hits()[0].snippet.as_ref(),
        "Das **Haus** am Meer ist alt, und es steht in diesem **Jahr** zum Verkauf."
    );
}

#[test]
fn a_few_documents_in_another_language_do_not_outrank_the_others() {
    let english =
        |it: usize| format!("The method of the report is used for the case {it} and more.");
    let mut files: Vec<(String, String)> =
        (0..40).map(|it| (format!("{it:02}.txt"), english(it))).collect();
    files.push((
        "de.txt".to_owned(),
        "Der Report über die Methods wurde von den Autoren nicht veröffentlicht, und das ist schade. \
         Es gibt noch viele andere Texte, die man in dieser Zeit nicht mehr finden kann."
            .to_owned(),
    ));
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let answer = World::with(&files).search("methods used in the report");
    assert_ne!(answer.ids()[0], "de.txt");
}

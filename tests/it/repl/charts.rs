//! `:chart`: values as pictures.

use super::Place;

const ROWS: &str = "[{ city: \"Bonn\", n: 3, day: \"2026-01-01\" }, { city: \"Kiel\", n: 5, day: \"2026-01-02\" }, \
                    { city: \"Bonn\", n: 1, day: \"2026-01-03\" }]\n";

/// What the prompt prints for these lines, without the value of the first one.
fn printed(place: &Place, first: &str, commands: &str) -> (String, String, bool) {
    let done = place.repl(
        format!("let rows = {first}\nrows >> take(n: 9)\n:json rows\n{commands}").as_bytes(),
        &[],
    );
    let text = |it: Vec<u8>| String::from_utf8(it).unwrap();
    let out = text(done.stdout);
    let after = out.rsplit_once("]\n").map_or(String::new(), |it| it.1.to_owned());
    (after, text(done.stderr), done.status.success())
}

#[test]
fn tables_are_drawn_as_letters() {
    let place = Place::new();
    let (bars, err, ok) = printed(&place, ROWS, ":chart bar city n\n");
    assert!(ok, "{err}");
    for wanted in ["██", "▁", "Bonn", "Kiel", "┤", "5"] {
        assert!(bars.contains(wanted), "{wanted}:\n{bars}");
    }
    assert!(bars.lines().all(|it| it.chars().count() <= 80), "{bars}");
    assert!(!bars.contains('\u{1b}'), "{bars}");
    // The types decide: dates and numbers are a line.
    let (line, err, ok) = printed(&place, ROWS, ":chart\n");
    assert!(ok && line.contains("2026-01-0") && !line.contains('█'), "{line}{err}");
    let (named, _, ok) = printed(&place, ROWS, ":chart city n\n");
    assert!(ok && named.contains("Bonn"), "{named}");
    let (series, _, ok) = printed(&place, ROWS, ":chart point day n color=city of=rows\n");
    assert!(ok && series.contains("Bonn") && series.contains("Kiel"), "{series}");
    let (numbers, _, ok) = printed(&place, "[1, 4, 9, 16, 25]", ":chart line nr value\n");
    assert!(ok && numbers.contains("25"), "{numbers}");
    let drawn =
        "[{ city: \"Bonn\", n: 3 }] >> chart(mark: \"bar\", x: \"city\", y: \"n\")\n:chart\n";
    let done = place.repl(drawn.as_bytes(), &[]);
    assert!(
        String::from_utf8(done.stdout).unwrap().contains("██"),
        "a chart that is drawn already"
    );
}

#[test]
fn pictures_are_saved() {
    let place = Place::new();
    let (_, err, ok) = printed(&place, ROWS, ":chart bar city n out/x.svg\n");
    assert!(ok, "{err}");
    assert!(place.read("out/x.svg").starts_with("<svg "));
    let (_, err, ok) = printed(&place, ROWS, ":chart bar city n x.png\n");
    if cfg!(feature = "media") {
        assert!(ok, "{err}");
    } else {
        assert!(!ok && err.contains("`media`"), "{err}");
    }
}

#[test]
fn what_cannot_be_drawn_is_explained() {
    let place = Place::new();
    for (rows, command, why) in [
        (ROWS, ":chart bar town n", "missing column `town`, found `city`, `n`, `day`"),
        (ROWS, ":chart city n day extra", "unexpected `day`"),
        (ROWS, ":chart of=nothing", "`nothing` has no value"),
        (ROWS, ":chart line city city", "expected numbers in column `city`"),
        (ROWS, ":chart heatmap", "no heatmap suits the columns"),
        (ROWS, ":chart bar city n /proc/x.svg", "cannot use `/proc/x.svg`"),
        ("[\"a\", \"b\"]", ":chart", "expected a list of records or numbers"),
        ("[[1]]", ":chart", "expected a list of records or numbers"),
    ] {
        let (out, err, ok) = printed(&place, rows, &format!("{command}\n"));
        assert!(!ok && err.contains(why), "{command}: {out}{err}");
    }
    let done = place.repl(b":chart\n", &[]);
    assert!(String::from_utf8(done.stderr).unwrap().contains("`ans` has no value"));
}

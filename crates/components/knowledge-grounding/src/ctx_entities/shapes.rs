//! Finds names by their shape and their neighbours, as they are in English.

use std::ops::Range;

use svc_contract::registry::{Cx, OpError};

use super::{
    found::{Found, Source},
    known::{BODIES, FORMS, GROUND, OTHERS, PARTICLES, PLACES, STOP_WORDS, TITLES},
    words::Word,
};

/// A few milliseconds of work.
const BETWEEN_CHECKS: usize = 1 << 9;

/// The most words of a name.
const MOST_WORDS: usize = 7;

/// Words in capitals that stand together, without those that are not part of a name.
struct Run {
    words: Range<usize>,
}

/// Adds the names of a text.
pub(super) fn find(
    text: &str,
    words: &[Word],
    all: &mut Vec<Found>,
    cx: &Cx,
) -> Result<(), OpError> {
    let mut at = 0;
    let mut since = 0;
    while at < words.len() {
        if at >= since {
            cx.check()?;
            since = at + BETWEEN_CHECKS;
        }
        let Some(run) = run(text, words, at) else {
            at += 1;
            continue;
        };
        at = run.words.end;
        let before = all.len();
        names(text, words, &run, all);
        if all.len() == before {
            places(text, words, &run.words, all);
        }
    }
    Ok(())
}

/// The words in capitals from a word on.
fn run(text: &str, words: &[Word], start: usize) -> Option<Run> {
    if !words[start].is_capital(text) {
        return None;
    }
    let mut end = start + 1;
    let mut count = 1;
    while count < MOST_WORDS {
        let Some(next) = next(text, words, end) else { break };
        end = next;
        count += 1;
    }
    let mut run = start..end;
    while run.len() > 1 && is_other(words[run.start].of(text)) {
        run.start += 1;
        while run.len() > 1 && !words[run.start].is_capital(text) {
            run.start += 1;
        }
    }
    if run.len() == 1 && is_other(words[run.start].of(text)) {
        run.start = end;
    }
    Some(Run { words: run })
}

/// Where the name goes on behind its last word, if it does.
fn next(text: &str, words: &[Word], end: usize) -> Option<usize> {
    let gap = |idx: usize| Some(&text[words[idx - 1].range.end..words.get(idx)?.range.start]);
    let of = |idx: usize| words.get(idx).map(|it| it.of(text));
    let is_name = |idx: usize| words.get(idx).is_some_and(|it| it.is_capital(text));
    let is_near = |idx: usize| matches!(gap(idx), Some("" | " "));
    match of(end)? {
        // `O'Brien`, `Jean-Luc`, `AT&T`
        "'" | "’" | "-" | "&"
            if gap(end) == Some("") && gap(end + 1) == Some("") && is_name(end + 1) =>
        {
            Some(end + 2)
        }
        // `Smith & Sons`
        "&" if gap(end) == Some(" ") && gap(end + 1) == Some(" ") && is_name(end + 1) => {
            Some(end + 2)
        }
        // `J. Smith`
        "." if gap(end) == Some("")
            && is_initial(of(end - 1)?)
            && is_near(end + 1)
            && is_name(end + 1) =>
        {
            Some(end + 2)
        }
        _ if gap(end) == Some(" ") && is_name(end) => Some(end + 1),
        particle if gap(end) == Some(" ") && PARTICLES.contains(&particle) => {
            let after = if of(end + 1).is_some_and(|it| PARTICLES.contains(&it)) {
                end + 2
            } else {
                end + 1
            };
            (gap(after) == Some(" ") && is_name(after)).then_some(after + 1)
        }
        // `University of Oxford`
        "of" if gap(end) == Some(" ") && BODIES.contains(&of(end - 1)?) => {
            let after = if of(end + 1) == Some("the") { end + 2 } else { end + 1 };
            is_name(after).then_some(after + 1)
        }
        _ => None,
    }
}

fn is_initial(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase) && letters.next().is_none()
}

fn is_other(word: &str) -> bool {
    OTHERS.contains(&word) || STOP_WORDS.contains(&word.to_lowercase())
}

/// Adds a run as one name, if its words or neighbours are those of names.
fn names(text: &str, words: &[Word], run: &Run, all: &mut Vec<Found>) {
    let range = run.words.clone();
    if range.is_empty() {
        return;
    }
    let of = |idx: usize| words[idx].of(text);
    let mut add = |range: Range<usize>, kind, score| {
        let place = words[range.start].range.start..words[range.end - 1].range.end;
        all.push(Found::new(place, kind, score, Source::Shape));
    };
    let title = range.clone().take_while(|idx| TITLES.contains(&of(*idx))).count();
    let after_title = before(text, words, range.start).is_some_and(|it| TITLES.contains(&it));
    if title > 0 || after_title {
        let start = range.clone().skip(title).find(|idx| words[*idx].is_letters);
        if let Some(start) = start.filter(|it| !PLACES.contains(of(*it))) {
            add(start..range.end, "person", 0.9);
        }
        return;
    }
    let whole = &text[words[range.start].range.start..words[range.end - 1].range.end];
    if PLACES.contains(whole) {
        add(range, "place", 0.85);
        return;
    }
    let last = of(range.end - 1);
    let has = |list: &[&str]| range.clone().any(|idx| list.contains(&of(idx)));
    if range.len() > 1 && (FORMS.contains(&last) || has(&BODIES)) {
        add(range, "organisation", 0.8);
    } else if range.len() > 1 && GROUND.contains(&last) {
        add(range, "place", 0.6);
    } else if let Some((kind, score)) = by_neighbours(text, words, &range) {
        add(range, kind, score);
    }
}

/// What the words around a name say.
fn by_neighbours(text: &str, words: &[Word], range: &Range<usize>) -> Option<(&'static str, f64)> {
    let one = before(text, words, range.start).unwrap_or_default().to_lowercase();
    let two = range
        .start
        .checked_sub(2)
        .map(|idx| words[idx].of(text).to_lowercase())
        .unwrap_or_default();
    let after = words.get(range.end).map(|it| it.of(text)).unwrap_or_default();
    let count = range.clone().filter(|idx| words[*idx].is_letters).count();
    let is_named =
        matches!((two.as_str(), one.as_str()), ("name", "is") | ("i", "am") | ("'" | "’", "m"))
            || matches!(
                one.as_str(),
                "named"
                    | "dear"
                    | "hi"
                    | "hello"
                    | "signed"
                    | "mother"
                    | "father"
                    | "wife"
                    | "husband"
                    | "son"
                    | "daughter"
                    | "sister"
                    | "brother"
                    | "friend"
                    | "colleague"
            );
    if count <= 4 && is_named {
        return Some(("person", 0.7));
    }
    let speaks = matches!(
        after,
        "said" | "says" | "wrote" | "asked" | "replied" | "married" | "lives" | "lived" | "thinks"
    );
    if count <= 4 && speaks {
        return Some(("person", 0.6));
    }
    let works = matches!(
        (two.as_str(), one.as_str()),
        ("works" | "worked" | "working" | "work" | "job", "at" | "for")
    ) || matches!(
        (two.as_str(), one.as_str()),
        ("ceo" | "director" | "founder" | "employee" | "member", "of")
    ) || matches!(one.as_str(), "joined" | "acquired" | "company");
    if works {
        return Some(("organisation", 0.6));
    }
    let stays = matches!(
        (two.as_str(), one.as_str()),
        (
            "live"
                | "lives"
                | "lived"
                | "living"
                | "born"
                | "based"
                | "moved"
                | "travel"
                | "flew"
                | "flight"
                | "arrived"
                | "trip"
                | "went",
            "in" | "to" | "from" | "near"
        )
    );
    if stays || (one == "in" && count <= 3) {
        return Some(("place", if stays { 0.7 } else { 0.5 }));
    }
    let is_plain = range.clone().all(|idx| {
        let word = words[idx].of(text);
        !words[idx].is_letters
            || (word.chars().all(char::is_alphabetic)
                && (is_initial(word) || word.contains(char::is_lowercase)))
    });
    ((2..=3).contains(&count) && is_plain).then_some(("person", 0.4))
}

/// The word before a place on the same line, over the point of a title.
fn before<'a>(text: &'a str, words: &[Word], start: usize) -> Option<&'a str> {
    let last = start.checked_sub(1)?;
    let gap = &text[words[last].range.end..words[start].range.start];
    if gap.contains('\n') {
        return None;
    }
    match words[last].of(text) {
        "." => last.checked_sub(1).map(|idx| words[idx].of(text)).filter(|it| TITLES.contains(it)),
        word => Some(word),
    }
}

/// Adds the known places inside a run that is not one name.
fn places(text: &str, words: &[Word], run: &Range<usize>, all: &mut Vec<Found>) {
    let mut start = run.start;
    while start < run.end {
        let ends = (start + 1..=run.end).rev();
        let place = |end: usize| words[start].range.start..words[end - 1].range.end;
        match ends.into_iter().find(|end| PLACES.contains(&text[place(*end)])) {
            Some(end) => {
                all.push(Found::new(place(end), "place", 0.8, Source::Shape));
                start = end;
            }
            None => start += 1,
        }
    }
}

//! How well ops are found by the words of users, and questions are answered from the documentation:
//! measured on phrases of people who had not seen the phrasings of the registry.
//!
//! The even lines of both files are frozen: their results are never shown, only counted.
#![expect(clippy::print_stdout, reason = "`--nocapture` shows the scores")]

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use serde::Deserialize;
use svc::Engine;
use svc_contract::{
    registry::{Catalog, Topics},
    value::Value,
};
use svc_lang::{constructs, diag::Explanation, stdlib, topics};

const PHRASES: &str = include_str!("../goals/phrases.jsonl");
const SEARCHES: &str = include_str!("../goals/find.jsonl");
const QUESTIONS: &str = include_str!("../goals/ask.jsonl");

/// An op, and how somebody asks for it.
#[derive(Deserialize)]
struct Wanted {
    op: String,
    /// Other ops that do it as well.
    also: Vec<String>,
    phrase: String,
}

/// A question about svc.
#[derive(Deserialize)]
struct Case {
    question: String,
    /// What a right answer quotes: one of these.
    contains: Vec<String>,
    /// Where it quotes it from: one of these is part of the name of a source.
    source: Vec<String>,
    /// Written when nothing was tuned any more.
    fresh: bool,
}

/// How many of some phrases are found first, and among the first three.
#[derive(Debug, PartialEq, Eq)]
struct Score {
    phrases: usize,
    first: usize,
    among_three: usize,
}

fn read<T: for<'d> Deserialize<'d>>(lines: &str) -> Vec<T> {
    lines.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
}

/// The place of an op among the results.
fn place(topics: &Topics, asked: &Wanted) -> Option<usize> {
    let found = topics.find(&asked.phrase);
    let name = |it: &svc_contract::registry::Topic| it.op().map(|it| it.to_string());
    let is_meant = |it: &String| *it == asked.op || asked.also.contains(it);
    found.iter().position(|it| name(it.topic).as_ref().is_some_and(is_meant))
}

/// The scores of the odd lines, which may be tuned on, and of the frozen even ones.
fn scores(topics: &Topics, lines: &str) -> [Score; 2] {
    let all: Vec<Wanted> = read(lines);
    [0, 1].map(|half| {
        let asked = all.iter().skip(half).step_by(2);
        let places: Vec<Option<usize>> = asked.map(|it| place(topics, it)).collect();
        let within = |most: usize| places.iter().flatten().filter(|it| **it < most).count();
        Score { phrases: places.len(), first: within(1), among_three: within(3) }
    })
}

fn holds(is: &[Score; 2], least: &[Score; 2]) {
    for (is, least) in is.iter().zip(least) {
        assert_eq!(is.phrases, least.phrases);
        let holds = is.first >= least.first && is.among_three >= least.among_three;
        assert!(holds, "{is:?} is less than {least:?}");
    }
}

/// Slightly below what was measured.
#[test]
fn ops_are_found_by_the_words_of_others() {
    let engine = svc::engine();
    let (phrases, searches) = (scores(engine.topics(), PHRASES), scores(engine.topics(), SEARCHES));
    println!("phrases: {phrases:?}\nsearches: {searches:?}");
    let least = [(84, 71, 77), (83, 71, 78)];
    let score = |(phrases, first, among_three)| Score { phrases, first, among_three };
    holds(&phrases, &least.map(score));
    holds(&searches, &[(30, 24, 27), (30, 19, 22)].map(score));
}

/// All that users ask for is first for each of its own phrasings, or among the first three where
/// two are alike.
#[test]
fn everything_is_found_by_its_own_phrasings() {
    let engine = svc::engine();
    let shared = ["save", "load", "learn"];
    for topic in engine.topics().all() {
        let is_shared = topic.op().is_some_and(|it| shared.contains(&it.op.name));
        for phrase in topic.says.iter().filter(|_| !is_shared) {
            let found = engine.topics().find(phrase);
            let names: Vec<&str> = found.iter().take(3).map(|it| it.topic.name.as_str()).collect();
            assert!(names.contains(&topic.name.as_str()), "{}: {phrase:?}: {names:?}", topic.name);
        }
    }
}

#[test]
fn everything_has_phrasings_of_its_own() {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for topic in topics::all() {
        let count = topic.says.len();
        assert!((3..=8).contains(&count), "{} has {count} phrasings", topic.name);
        for phrase in topic.says {
            let is_plain = !phrase.is_empty() && phrase.trim() == phrase && !phrase.ends_with('.');
            assert!(is_plain, "{}: {phrase:?}", topic.name);
            let other = known.insert(phrase.clone(), topic.name.clone());
            assert!(other.is_none(), "{} and {other:?}: {phrase:?}", topic.name);
        }
    }
    let flows: usize = stdlib::ALL.iter().map(|it| it.flows().len()).sum();
    let all = constructs::all().count() + flows + Explanation::all().count();
    assert_eq!(topics::all().count(), all);
}

#[test]
fn words_of_the_language_flows_and_codes_are_found() {
    let engine = svc::engine();
    for (words, name) in [
        ("sort by date", "sort"),
        ("keep only paid orders", "where"),
        ("do something for every file", "each"),
        ("catch an error and go on", "fallback"),
        ("several models vote", "panel.vote_by_model"),
        ("missing closing brace", "E102"),
        ("my api key is rejected", "E404"),
    ] {
        let first = engine.topics().find(words).into_iter().next();
        assert_eq!(first.map(|it| it.topic.name.as_str()), Some(name), "{words}");
    }
}

#[test]
fn a_search_is_fast() {
    let engine = svc::engine();
    let topics = engine.topics();
    let all: Vec<Wanted> = read(PHRASES);
    let start = Instant::now();
    for it in &all {
        topics.find(&it.phrase);
    }
    let each = start.elapsed() / u32::try_from(all.len()).unwrap();
    assert!(each < Duration::from_millis(20), "{each:?} without optimisation");
    println!("{each:?} a search");
}

async fn answer(engine: &Engine, question: &str) -> Value {
    let request = engine.run("param question: string  question >> guide_ask");
    request.param("question", question).await.unwrap().value
}

/// The parts of an answer, each with its source.
fn parts(answer: &Value) -> Vec<(String, String)> {
    let field = |name: &str| answer.as_record().and_then(|it| it.get(name)).cloned();
    let text = field("answer").map(|it| it.to_string()).unwrap_or_default().replace('`', "");
    let Some(Value::List(sources)) = field("sources") else { return Vec::new() };
    let sources = sources.iter().map(ToString::to_string);
    text.split("\n\n").map(str::to_owned).zip(sources).collect()
}

/// Whether a part of the answer quotes the right sentence, from where it stands.
fn is_right(asked: &Case, answer: &Value) -> bool {
    let quotes = |text: &str| asked.contains.iter().any(|it| text.contains(&it.replace('`', "")));
    let names = |source: &str| asked.source.iter().any(|it| source.contains(it.as_str()));
    parts(answer).iter().any(|(text, source)| quotes(text) && names(source))
}

/// Slightly below what was measured: of 50 questions that were tuned on, and of 25 fresh ones.
#[tokio::test]
async fn questions_are_answered_with_sources() {
    const LEAST: [(usize, usize); 2] = [(50, 43), (25, 13)];
    let engine = svc::engine();
    let all: Vec<Case> = read(QUESTIONS);
    for (fresh, least) in [false, true].into_iter().zip(LEAST) {
        let (mut count, mut right) = (0, 0);
        for asked in all.iter().filter(|it| it.fresh == fresh) {
            count += 1;
            right += usize::from(is_right(asked, &answer(&engine, &asked.question).await));
        }
        println!("fresh: {fresh}: {right} of {count} right and sourced");
        assert_eq!(count, least.0);
        assert!(right >= least.1, "{right} of {count}");
    }
}

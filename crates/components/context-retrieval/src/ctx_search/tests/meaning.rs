//! Tests of searches by meaning, and of the vectors next to the index.
#![expect(clippy::disallowed_methods, reason = "the tests damage the index's directory")]

use std::{collections::BTreeSet, fs, path::Path};

use svc_contract::{registry::Trained, value::Record};

use super::*;
use crate::{
    meaning::{latent, titled},
    testing::decode,
};

const TEXTS: [(&str, &str); 7] = [
    ("a.txt", "Cats purr when they sleep."),
    ("b.txt", "A sleeping cat purrs and dreams."),
    ("c.txt", "Dogs bark at cats, and cats purr at dogs."),
    ("d.txt", "Stocks fell on the market."),
    ("e.txt", "The market of stocks and bonds rose."),
    ("f.txt", "Bonds fell, too, and stocks fell again."),
    ("g.txt", "..."),
];

/// A model of these texts.
fn model(dimensions: usize) -> Value {
    let plan = latent::Plan { dimensions, weighting: 0.5, ngram: 1, seed: 1 };
    let cx = crate::testing::cx();
    let space = latent::learn(TEXTS.iter().map(|it| Ok(it.1)), plan, &cx).unwrap().space;
    Trained::learn(&space, TEXTS.len(), Vec::new()).unwrap().encode()
}

impl World {
    fn like(&self, query: &str, args: &[(&str, Value)]) -> Answer {
        let given = |name: &str| args.iter().find(|it| it.0 == name).map(|it| it.1.clone());
        let all = Infer::PARAMS.iter().map(|param| match param.name {
            "query" => Value::text(query),
            name => {
                let default = || param.default.map(ParamDefault::value).unwrap_or_default();
                given(name).unwrap_or_else(default)
            }
        });
        self.call(all.collect(), None)
    }

    fn by(&self, mode: &str, query: &str, model: &Value) -> Answer {
        self.like(query, &[("mode", mode.into()), ("model", model.clone())])
    }

    fn vectors(&self) -> Vec<std::path::PathBuf> {
        let places = fs::read_dir(self.cache()).unwrap();
        let folders = places.map(|it| it.unwrap().path().join("vectors"));
        let files = folders.filter_map(|it| fs::read_dir(it).ok()).flatten();
        let files = files.map(|it| it.unwrap().path());
        files.filter(|it| it.extension().is_some()).collect()
    }
}

impl Answer {
    fn scores(&self) -> Vec<(&str, f64)> {
        self.hits().iter().map(|it| (it.id.as_ref(), it.score)).collect()
    }
}

#[test]
fn meaning_finds_what_is_said_in_other_words() {
    let (world, model) = (World::with(&TEXTS), model(2));
    let answer = world.by("meaning", "dreaming", &model);
    assert_eq!(answer.notices, [""; 0]);
    let ids: BTreeSet<&str> = answer.ids()[..3].iter().copied().collect();
    assert_eq!(ids, BTreeSet::from(["a.txt", "b.txt", "c.txt"]));
    assert_eq!(answer.hits().len(), 7, "each document is more or less near");
    assert!(answer.hits()[0].score > 0.9 && answer.hits()[6].score < 0.3);
    assert!(!answer.hits()[0].snippet.is_empty());
    // Words that the model does not know say nothing.
    assert!(world.by("meaning", "xylophone", &model).hits().iter().all(|it| it.score == 0.0));
}

#[test]
fn neighbours_are_those_of_a_scan_of_all_texts() {
    let (world, model) = (World::with(&TEXTS), model(16));
    let space = <crate::meaning::Given as Field>::decode(model.clone()).unwrap();
    let space = space.read(&crate::testing::cx()).unwrap();
    for query in ["cat", "stocks and cats", "bark", "the market fell"] {
        let wanted = space.encoded(&[query]).unwrap().remove(0);
        let mut all: Vec<(&str, f64)> = Vec::new();
        for (id, text) in TEXTS {
            let vector = space.encoded(&[titled(id, text)]).unwrap().remove(0);
            let product: f32 = vector.iter().zip(&wanted).map(|(a, b)| a * b).sum();
            all.push((id, f64::from(product)));
        }
        let answer = world.by("meaning", query, &model);
        assert_eq!(answer.hits().len(), all.len());
        assert!(answer.scores().windows(2).all(|it| it[0].1 >= it[1].1), "{query}");
        for (id, product) in all {
            let score = answer.scores().iter().find(|it| it.0 == id).unwrap().1;
            assert!((score - product).abs() < 2e-4, "{query}: {id} {score} {product}");
        }
    }
}

#[test]
fn both_adds_the_scores_of_words_and_meaning() {
    let (world, model) = (World::with(&TEXTS), model(2));
    let words = world.search("dreams of bonds");
    let meaning = world.by("meaning", "dreams of bonds", &model);
    let spread = |answer: &Answer, id: &str| {
        let scores: Vec<f64> = answer.hits().iter().map(|it| it.score).collect();
        let (low, high) = (scores.iter().fold(f64::MAX, |a, b| a.min(*b)), scores[0]);
        let own = answer.hits().iter().find(|it| it.id.as_ref() == id).map(|it| it.score);
        own.map_or(0.0, |it| (it - low) / (high - low))
    };
    assert_eq!(world.by("both", "dreams of bonds", &model).hits().len(), 7);
    for weight in [0.5, 0.0, 0.2, 1.0] {
        let args =
            [("mode", "both".into()), ("model", model.clone()), ("meaning_weight", weight.into())];
        let both = world.like("dreams of bonds", &args);
        for hit in both.hits() {
            let (words, meaning) = (spread(&words, &hit.id), spread(&meaning, &hit.id));
            let sum = (1.0 - weight) * words + weight * meaning;
            assert!((hit.score - sum).abs() < 1e-3, "{}: {} {sum}", hit.id, hit.score);
        }
        assert!(both.hits().windows(2).all(|it| it[0].score >= it[1].score));
    }
    // A word that no document has is not replaced by others.
    assert_eq!(world.by("both", "dreamz", &model).notices, [""; 0]);
}

#[test]
fn only_new_texts_are_encoded() {
    let record =
        |it: usize| format!("{{\"id\": \"{it}\", \"text\": \"the market {it} of cats\"}}\n");
    let lines = |range: std::ops::Range<usize>| range.map(record).collect::<String>();
    let world = World::with(&[("all.jsonl", &lines(0..200))]);
    let (one, other) = (model(2), model(3));
    assert_eq!(world.by("both", "cats", &one).encoded, 200);
    assert_eq!(world.by("meaning", "market", &one).encoded, 0);
    world.host.put(Path::new("all.jsonl"), lines(0..210).into_bytes());
    assert_eq!(world.by("both", "cats", &one).encoded, 10);
    // Equal texts have one vector, wherever they are.
    world.host.put(Path::new("copy.jsonl"), lines(5..15).into_bytes());
    assert_eq!(world.by("both", "cats", &one).encoded, 0);
    // Another model has other vectors, of another length.
    assert_eq!(world.by("both", "cats", &other).encoded, 210);
    assert_eq!(world.by("both", "cats", &one).encoded, 0);
    // An index that is made again does not lose them.
    for file in world.index_files(".store") {
        fs::write(file, b"{\"broken\"").unwrap();
    }
    let answer = world.by("both", "cats", &one);
    assert_eq!((answer.encoded, answer.notices.len()), (0, 1), "{:?}", answer.notices);
}

#[test]
fn an_edited_collection_is_searched_like_a_new_one() {
    let model = model(4);
    let mut rng = fastrand::Rng::with_seed(11);
    let words: Vec<&str> = TEXTS.iter().flat_map(|it| it.1.split(' ')).collect();
    let world = World::with(&TEXTS);
    for turn in 0..30 {
        let name = format!("{}.txt", rng.u8(b'a'..b'm'));
        if rng.u8(..4) == 0 {
            world.host.remove(&name);
        } else {
            let text: Vec<&str> =
                (0..rng.usize(..8)).map(|_| words[rng.usize(..words.len())]).collect();
            world.host.put(Path::new(&name), text.join(" ").into_bytes());
        }
        let query = words[rng.usize(..words.len())];
        let mode = if turn % 2 == 0 { "both" } else { "meaning" };
        let edited = world.by(mode, query, &model);
        if turn % 5 == 4 {
            let cache = world.cache();
            fs::rename(&cache, cache.with_extension("old")).unwrap();
            let fresh = world.by(mode, query, &model);
            assert_eq!(edited.scores(), fresh.scores(), "turn {turn}: {query}");
            fs::remove_dir_all(&cache).unwrap();
            fs::rename(cache.with_extension("old"), cache).unwrap();
        }
    }
}

#[test]
fn damaged_vectors_are_made_again() {
    let (world, model) = (World::with(&TEXTS), model(2));
    let whole = world.by("both", "stocks", &model);
    assert_eq!(whole.encoded, 7);
    let file = world.vectors().remove(0);
    let content = fs::read(&file).unwrap();
    for at in [0, 20, 61, 70, content.len() / 2, content.len() - 1] {
        let mut damaged = content.clone();
        damaged[at] ^= 1;
        fs::write(&file, damaged).unwrap();
        let answer = world.by("both", "stocks", &model);
        assert_eq!(answer.scores(), whole.scores(), "byte {at}");
        assert_eq!(answer.notices, ["vectors were damaged, so 7 texts are encoded again"]);
        assert_eq!(world.by("both", "stocks", &model).encoded, 0, "byte {at}");
    }
    for len in [0, 30, content.len() - 5] {
        fs::write(&file, &content[..len]).unwrap();
        let answer = world.by("both", "stocks", &model);
        assert_eq!((answer.scores(), answer.encoded), (whole.scores(), 7), "{len} bytes");
        assert_eq!(answer.notices, [""; 0], "{len} bytes are unfinished");
    }
    fs::remove_file(&file).unwrap();
    assert_eq!(world.by("both", "stocks", &model).scores(), whole.scores());
    // A folder where the file should be.
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let answer = world.by("both", "stocks", &model);
    assert_eq!(answer.scores(), whole.scores());
    assert!(answer.notices[0].starts_with("vectors cannot be stored: "), "{:?}", answer.notices);
}

#[test]
fn vectors_of_texts_that_are_gone_are_removed() {
    let (world, model) = (World::with(&[]), model(2));
    let mut sizes = Vec::new();
    for generation in 0..5 {
        let lines = (0..600)
            .map(|it| format!("{{\"id\": \"{it}\", \"text\": \"cat {generation} {it}\"}}\n"));
        world.host.put(Path::new("all.jsonl"), lines.collect::<String>().into_bytes());
        assert_eq!(world.by("meaning", "cats", &model).encoded, 600);
        sizes.push(fs::metadata(world.vectors().remove(0)).unwrap().len());
    }
    assert!(sizes[0] < sizes[1] && sizes[1] < sizes[2], "{sizes:?}");
    assert!(sizes[3] < sizes[1], "{sizes:?}");
    assert_eq!(world.by("meaning", "cats", &model).encoded, 0);
}

/// Cancels the call when 100 texts are encoded.
struct Stopping(CancellationToken);

impl Monitor for Stopping {
    fn progress(&self, what: &str, done: u64, _: Option<u64>) {
        if what == "encoding texts" && done >= 100 {
            self.0.cancel();
        }
    }

    fn notice(&self, _: &str) {}
}

/// So many records, each with another number.
fn cats(count: usize) -> String {
    let record = |it| format!("{{\"id\": \"{it}\", \"text\": \"cat {it}\"}}\n");
    (0..count).map(record).collect::<Vec<_>>().concat()
}

#[test]
fn a_stopped_search_keeps_what_it_encoded() {
    let lines = cats(300);
    let (world, model) = (World::with(&[("all.jsonl", &lines)]), model(2));
    world.search("cat");
    let cancel = CancellationToken::new();
    let monitor = Arc::new(Stopping(cancel.clone()));
    let cx = Cx::new("ctx_search", world.host.clone(), cancel, monitor, Meter::default());
    let args =
        [("mode", "meaning".into()), ("model", model.clone()), ("source", Value::Path(".".into()))];
    let err = decode::<Infer>("cat".into(), &args).run(&cx).unwrap_err();
    assert_eq!(err.kind, ErrorKind::Cancelled);
    let answer = world.by("meaning", "cat", &model);
    assert_eq!(answer.notices, [""; 0]);
    assert!((180..=200).contains(&answer.encoded), "{}", answer.encoded);
}

#[test]
fn searches_at_once_encode_each_text_once() {
    let lines = cats(200);
    let (world, model) = (World::with(&[("all.jsonl", &lines)]), model(2));
    let encoded: u64 = std::thread::scope(|scope| {
        let ask = || {
            let answer = world.by("both", "cat", &model);
            assert_eq!((answer.hits().len(), answer.notices.len()), (10, 0));
            answer.encoded
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|it| it.join().unwrap()).sum()
    });
    assert_eq!(encoded, 200);
}

#[test]
fn without_a_cache_all_texts_are_encoded_each_time() {
    let texts = TEXTS.iter().fold(TestHost::new(), |host, (path, text)| host.file(path, *text));
    let world = World::new(texts.failing("/cache", std::io::ErrorKind::PermissionDenied));
    let (stored, model) = (World::with(&TEXTS), model(2));
    for _ in 0..2 {
        let answer = world.by("both", "stocks", &model);
        assert_eq!(answer.scores(), stored.by("both", "stocks", &model).scores());
        assert_eq!((answer.encoded, answer.notices.len()), (7, 1), "{:?}", answer.notices);
    }
}

#[test]
fn conditions_order_and_counts_hold_by_meaning() {
    let lines = TEXTS
        .iter()
        .zip(2000..)
        .map(|((id, text), year)| {
            format!("{{\"id\": \"{id}\", \"text\": \"{text}\", \"year\": {year}}}\n")
        })
        .collect::<Vec<_>>()
        .concat();
    let (world, model) = (World::with(&[("all.jsonl", &lines)]), model(2));
    let how = |mode: &str| vec![("mode", Value::text(mode)), ("model", model.clone())];
    let before = |year: i64| {
        let below = Record::from_iter([(Text::from("below"), Value::Int(year))]);
        Value::Record(Record::from_iter([(Text::from("year"), Value::Record(below))]))
    };
    for mode in ["meaning", "both"] {
        let asked = world.like("stocks", &[&how(mode)[..], &[("where", before(2004))]].concat());
        let ids: BTreeSet<&str> = asked.ids().into_iter().collect();
        assert_eq!(ids, BTreeSet::from(["a.txt", "b.txt", "c.txt", "d.txt"]), "{mode}");
        assert_eq!(asked.ids()[0], "d.txt", "{mode}");
        let sorted = world.like("stocks", &[&how(mode)[..], &[("sort", "-year".into())]].concat());
        assert_eq!(sorted.ids()[..3], ["g.txt", "f.txt", "e.txt"], "{mode}");
        let none = world.like("stocks", &[&how(mode)[..], &[("where", before(1))]].concat());
        assert_eq!(none.ids(), [""; 0]);
        assert_eq!(none.notices, ["`where` excludes all 7 documents that match the query"]);
        let all =
            [&how(mode)[..], &[("field", "year".into()), ("source", Value::Path(".".into()))]];
        let cx = Cx::new(
            "x",
            world.host.clone(),
            CancellationToken::new(),
            Arc::<Watch>::default(),
            Meter::default(),
        );
        let counted = decode::<facets::Facets>("stocks".into(), &all.concat()).run(&cx).unwrap();
        assert_eq!(counted.as_record().unwrap().get("documents"), Some(&Value::Int(7)), "{mode}");
    }
    // Only the documents that fulfil the conditions are encoded.
    let other = World::with(&[("all.jsonl", &lines)]);
    let asked = other.like("stocks", &[&how("meaning")[..], &[("where", before(2002))]].concat());
    assert_eq!(asked.encoded, 2);
}

#[test]
fn wrong_models_and_modes_are_refused_before_documents_are_read() {
    let (world, model) = (World::with(&TEXTS), model(2));
    let error = |args: &[(&str, Value)]| {
        let answer = world.like("cats", args);
        assert_eq!(answer.indexed, 0);
        let (kind, message) = answer.error();
        (kind, message.to_owned())
    };
    let (kind, message) = error(&[("mode", "both".into())]);
    assert_eq!(kind, ErrorKind::InvalidInput);
    assert_eq!(message, "missing argument `model`, which `mode: \"both\"` needs");
    let nowhere = Value::Path("nowhere".into());
    let (kind, message) = error(&[("mode", "meaning".into()), ("model", nowhere)]);
    assert_eq!(kind, ErrorKind::NotFound);
    assert!(message.contains("nowhere/config.json"), "{message}");
    let (_, message) = error(&[("model", model.clone())]);
    assert_eq!(message, "`model` does nothing with `mode: \"words\"`");
    let both = [("mode", "both".into()), ("model", model.clone()), ("syntax", "query".into())];
    assert!(error(&both).1.contains("expected `syntax: \"words\"`"));
    let empty = world.by("both", "  ", &model);
    assert_eq!((empty.ids(), empty.encoded), (vec![], 0));
    assert_eq!(empty.notices, ["the query has no word to search for"]);
}

use svc_contract::{
    registry::{Compute, ErrorKind, Field, OpError, Trained},
    value::{AboutModel, Learnt, Model, Record, Value},
};

use super::{
    TaggedSentence, analyze::Infer, detect::DetectLanguage, learn::Learn, readability::Readability,
    spell::Spell, state::Knowledge,
};
use crate::testing::{cancelled, cx, decode};

fn sentence(words: &[&str], tags: &[&str]) -> TaggedSentence {
    let texts = |all: &[&str]| all.iter().map(|it| (*it).into()).collect();
    TaggedSentence { words: texts(words), tags: texts(tags) }
}

/// A small treebank.
fn treebank() -> Vec<TaggedSentence> {
    let nouns = ["cat", "dog", "bird", "house", "garden", "letter"];
    let verbs = ["sees", "finds", "likes", "wants"];
    let mut all = Vec::new();
    for (idx, noun) in nouns.iter().enumerate() {
        for verb in verbs {
            let other = nouns[(idx + 1) % nouns.len()];
            let words = ["the", noun, verb, "a", other, "."];
            all.push(sentence(&words, &["DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT"]));
        }
    }
    all.push(sentence(
        &["I", "do", "n't", "like", "it", "."],
        &["PRON", "AUX", "PART", "VERB", "PRON", "PUNCT"],
    ));
    all
}

fn learn(sentences: Vec<TaggedSentence>) -> Result<Value, OpError> {
    decode::<Learn>(sentences.encode(), &[]).run(&cx())
}

fn learnt() -> Value {
    learn(treebank()).unwrap()
}

fn analyzed(text: &str, args: &[(&str, Value)]) -> Record {
    let value = decode::<Infer>(text.into(), args).run(&cx()).unwrap();
    value.as_record().unwrap().clone()
}

fn column(of: &Record, list: &str, field: &str) -> Vec<String> {
    let list = of.get(list).unwrap().as_list().unwrap().clone();
    list.iter().map(|it| it.as_record().unwrap().get(field).unwrap().to_string()).collect()
}

/// Asserts that the offsets of a list are those of its texts, and returns the number of its items.
fn count_of_places(of: &Record, list: &str, text: &str) -> usize {
    let items = of.get(list).unwrap().as_list().unwrap().clone();
    let mut end = 0;
    for it in &items {
        let it = it.as_record().unwrap();
        let place = |name| usize::decode(it.get(name).unwrap().clone()).unwrap();
        assert_eq!(&text[place("start")..place("end")], it.get("text").unwrap().as_str().unwrap());
        assert!(end <= place("start") && place("start") < place("end"));
        end = place("end");
    }
    items.len()
}

fn error(value: Result<Value, OpError>) -> String {
    let err = value.unwrap_err();
    assert_eq!(err.kind, ErrorKind::InvalidInput);
    err.to_string()
}

#[test]
fn every_token_and_sentence_is_at_its_place() {
    for text in [
        "Dr. Smith paid $3.50, e.g. for tea. She left!",
        "# Title\n\n- One item. Two.\n\n```\nlet a = 1;\n```\n\n| a | b |\n|---|---|\n| c | d |",
        "Größe ist nötig. Das «Haus» steht – noch.",
        "東京は大きい。これは本です。",
        "مرحبا بالعالم. كيف حالك؟",
        "👨‍👩‍👧 👍🏽!! 🇩🇪 e\u{301}te\u{301} \u{200f}x\u{0}y",
        " \r\n\t ",
    ] {
        let found = analyzed(text, &[]);
        count_of_places(&found, "sentences", text);
        count_of_places(&found, "tokens", text);
    }
}

#[test]
fn all_words_of_a_text_are_tokens() {
    let text = "# Title\n\nA line\n\n- item\n\n```\ncode\n```\n\n| cell |";
    let words: Vec<String> = column(&analyzed(text, &[]), "tokens", "text");
    for word in ["Title", "line", "item", "code", "cell"] {
        assert!(words.iter().any(|it| it == word), "{word}: {words:?}");
    }
}

#[test]
fn stems_are_those_of_the_language() {
    let stems = |text: &str, code: &str| {
        column(&analyzed(text, &[("language", code.into())]), "tokens", "stem")
    };
    assert_eq!(stems("Running budgets", "en"), ["run", "budget"]);
    assert_eq!(stems("Häuser laufen", "de"), ["haus", "lauf"]);
    assert_eq!(stems("Põder läks", "et"), ["põder", "läks"]);
    assert_eq!(stems(&"a".repeat(200), "en"), ["a".repeat(200)]);
}

#[test]
fn tags_need_a_model_and_contractions_are_split_as_it_knows_them() {
    assert_eq!(column(&analyzed("the cat", &[]), "tokens", "pos"), ["null", "null"]);
    let model = learnt();
    let found = analyzed("The cow sees a house. They don't want it.", &[("model", model)]);
    let tags = column(&found, "tokens", "pos");
    assert_eq!(tags[..6], ["DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT"]);
    let words = column(&found, "tokens", "text");
    assert_eq!(words[6..9], ["They", "do", "n't"]);
    assert_eq!(column(&analyzed("don't", &[]), "tokens", "text"), ["don't"]);
}

#[test]
fn equal_sentences_and_seeds_give_equal_models() {
    let id = |seed: i64| {
        let value = decode::<Learn>(treebank().encode(), &[("seed", seed.into())]).run(&cx());
        Trained::<Knowledge>::decode(value.unwrap()).unwrap().model().id()
    };
    assert_eq!(id(1), id(1));
    let model = Trained::<Knowledge>::decode(learnt()).unwrap();
    let about = &model.model().content().unwrap().about;
    assert_eq!((about.rows, about.metrics.len()), (25, 1));
    assert!(about.metrics[0].value > 0.9, "{about:?}");
}

#[test]
fn a_model_comes_back_from_its_bytes() {
    let model = Trained::<Knowledge>::decode(learnt()).unwrap();
    let content = Learnt::from_bytes(&model.model().content().unwrap().to_bytes()).unwrap();
    let back = Value::Model(Model::new(content));
    let tags = |model| column(&analyzed("the cow sees it", &[("model", model)]), "tokens", "pos");
    assert_eq!(tags(back), tags(learnt()));
}

#[test]
fn models_that_are_damaged_or_of_another_component_are_refused() {
    let model = |component: &str, layout: u32, state: &[u8]| {
        let about = AboutModel {
            component: component.into(),
            version: 1,
            layout,
            rows: 1,
            metrics: Vec::new(),
        };
        Value::Model(Model::new(Learnt::new(about, state)))
    };
    let run = |model: Value| decode::<Infer>("a".into(), &[("model", model)]).run(&cx());
    let err = error(run(model("ctx_rerank", 1, b"")));
    assert!(err.contains("expected a model of `ctx_nlp`, found one of `ctx_rerank`"), "{err}");
    assert!(error(run(model("ctx_nlp", 1, b"\xff\x00"))).contains("is damaged"));
    let invalid = rmp_of(&[(7, vec![(200, 1)])]);
    assert!(
        error(run(model("ctx_nlp", 1, &invalid))).contains("the weights of its tags are invalid")
    );
    let err = run(model("ctx_nlp", 9, b"")).unwrap_err();
    assert_eq!(err.kind, ErrorKind::Unsupported);
}

/// A state with these weights, in the encoding of states.
fn rmp_of(weights: &[(u64, Vec<(u8, i32)>)]) -> Vec<u8> {
    // A map of two fields: `words`, an empty list, and `tagger`, a list of pairs.
    let mut bytes = vec![0x82, 0xa5];
    bytes.extend_from_slice(b"words\x90\xa6tagger");
    bytes.push(0x90 | u8::try_from(weights.len()).unwrap());
    for (feature, row) in weights {
        bytes.extend([0x92, u8::try_from(*feature).unwrap(), 0x91]);
        for (tag, weight) in row {
            bytes.extend([0x92, 0xcc, *tag, u8::try_from(*weight).unwrap()]);
        }
    }
    bytes
}

#[test]
fn sentences_that_teach_nothing_are_refused() {
    for (sentences, expected) in [
        (vec![], "learning needs words, and this has none"),
        (vec![sentence(&[], &[])], "learning needs words, and this has none"),
        (vec![sentence(&["a"], &["DET"])], "needs at least 10 tagged sentences, and this has 1"),
        (vec![sentence(&["a", "b"], &["DET"])], "a tag for each of 2 words in item 1, found 1"),
        (vec![sentence(&["a"], &["NN\n"])], "invalid tag `NN\\n` of word 1 in item 1"),
        (vec![sentence(&["a"], &["noun"])], "invalid tag `noun` of word 1 in item 1"),
        (vec![sentence(&["a", " "], &[])], "word 2 in item 1 is empty"),
    ] {
        let err = error(learn(sentences));
        assert!(err.contains(expected), "{err}");
    }
}

#[test]
fn words_without_tags_teach_spelling_only() {
    let model = learn(vec![sentence(&["Budgets", "are", "kept", ",", "2", "don’t"], &[])]).unwrap();
    assert_eq!(
        column(&analyzed("Budgets are", &[("model", model.clone())]), "tokens", "pos"),
        ["null", "null"]
    );
    assert_eq!(spelt("Budgetz are kept, don't 2nd", model), [("Budgetz".into(), "Budgets".into())]);
}

fn spelt(text: &str, model: Value) -> Vec<(String, String)> {
    let found = decode::<Spell>(text.into(), &[("model", model)]).run(&cx()).unwrap();
    let found = found.as_list().unwrap().clone();
    let of = |it: &Value| {
        let it = it.as_record().unwrap().clone();
        let span = it.get("span").unwrap().as_record().unwrap().clone();
        let place = |name| usize::decode(span.get(name).unwrap().clone()).unwrap();
        assert_eq!(
            &text[place("start")..place("end")],
            span.get("text").unwrap().as_str().unwrap()
        );
        (span.get("text").unwrap().to_string(), it.get("fix").unwrap().to_string())
    };
    found.iter().map(of).collect()
}

#[test]
fn names_code_and_addresses_are_not_misspelt() {
    let text = "The cat sees Zorblax. Zorblax likes it.\n\n```\nxqzt\n```\n\nFooBar, a/xqzt, \
        me@xqzt, x_qzt, v2x, HTTP and 東京 are known: the cat's.";
    let unknown: Vec<String> = spelt(text, learnt()).into_iter().map(|it| it.0).collect();
    assert_eq!(unknown, ["and", "are", "known"]);
}

#[test]
fn whole_addresses_and_code_are_not_misspelt() {
    for text in [
        "the cat sees https://xqzt.org/yzzt?qq=wwz-kkz, http://xqzt.org.",
        "the cat sees xqzt-yzzt@wwz.example and mailto:xqzt@yzzt.org",
        "the cat sees www.xqzt-yzzt.org, xqzt.org or docs/xqzt-yzzt-wwz/kkz",
        "the cat sees https and http",
        "the cat sees `xqzt yzzt` and ``wwz``, kkz(), xqzt::yzzt, main.rs and --xqzt-yzzt",
        r"the cat sees C:\xqzt\yzzt-wwz.txt and ~/.xqzt",
    ] {
        let unknown: Vec<String> = spelt(text, learnt()).into_iter().map(|it| it.0).collect();
        assert!(unknown.iter().all(|it| it == "and" || it == "or"), "{text}: {unknown:?}");
    }
    let text = "The cta sees https://xqzt.org. A cta `xqzt` (cta), cta/cta: cta.";
    let unknown = spelt(text, learnt());
    assert_eq!(unknown.len(), 4, "{unknown:?}");
}

#[test]
fn a_word_that_is_near_nothing_has_no_fix() {
    assert_eq!(spelt("the qqqqqqqq sees", learnt()), [("qqqqqqqq".into(), "null".into())]);
}

#[test]
fn languages_are_certain_or_unknown() {
    for (text, expected) in [
        ("The budget of a run is enforced while the stages are running.", "en"),
        ("Das Budget eines Laufs wird eingehalten, während die Stufen laufen.", "de"),
        ("Бюджет запуска соблюдается, пока выполняются его этапы.", "ru"),
        ("", "unknown"),
        ("Ok.", "unknown"),
        ("東京", "unknown"),
        ("42 ?! 👍", "unknown"),
        ("max_cost: 0.50", "unknown"),
    ] {
        let found = decode::<DetectLanguage>(text.into(), &[]).run(&cx()).unwrap();
        let found = found.as_record().unwrap().clone();
        assert_eq!(found.get("language").unwrap().as_str(), Some(expected), "{text}");
        let confidence = f64::decode(found.get("confidence").unwrap().clone()).unwrap();
        assert!((0.0..=1.0).contains(&confidence));
        assert_eq!(confidence > 0.0, expected != "unknown", "{text}");
    }
}

#[test]
fn other_languages_have_no_readability() {
    let text = "Das Budget eines Laufs wird eingehalten, während die Stufen laufen.";
    let err = decode::<Readability>(text.into(), &[]).run(&cx()).unwrap_err();
    assert_eq!(err.kind, ErrorKind::Unsupported);
    assert!(err.to_string().contains("`de`"), "{err}");
}

#[test]
fn hostile_texts_are_done() {
    let model = learnt();
    for text in [
        "a".repeat(1 << 20),
        "👍".repeat(1 << 16),
        "aя東ا ".repeat(1 << 14),
        "don't".repeat(1 << 14),
        "\u{301}".repeat(1 << 18),
        "|".repeat(1 << 18),
        ". ".repeat(1 << 16),
    ] {
        let found = analyzed(&text, &[("model", model.clone())]);
        assert!(count_of_places(&found, "sentences", &text) > 0);
        count_of_places(&found, "tokens", &text);
        spelt(&text, model.clone());
        assert!(decode::<DetectLanguage>(text.as_str().into(), &[]).run(&cx()).is_ok());
        drop(decode::<Readability>(text.as_str().into(), &[]).run(&cx()));
    }
}

#[test]
fn every_op_ends_when_it_is_cancelled() {
    let text = || Value::from("the cat sees a house. ".repeat(1_000).as_str());
    let model = || [("model", learnt())];
    let cancelled = cancelled();
    for result in [
        decode::<Infer>(text(), &model()).run(&cancelled),
        decode::<Spell>(text(), &model()).run(&cancelled),
        decode::<Readability>(text(), &[]).run(&cancelled),
        decode::<DetectLanguage>(text(), &[]).run(&cancelled),
        decode::<Learn>(treebank().encode(), &[]).run(&cancelled),
    ] {
        assert_eq!(result.unwrap_err().kind, ErrorKind::Cancelled);
    }
}

use super::*;
use crate::testing::{cancelled, cx};
use svc_contract::registry::{ErrorKind, Trained};

const TEXTS: [&str; 6] = [
    "Cats purr when they sleep.",
    "A sleeping cat purrs.",
    "Dogs bark at cats.",
    "Stocks fell on the market.",
    "The market of stocks and bonds.",
    "Bonds fell, too.",
];

const PLAN: Plan = Plan { dimensions: 16, weighting: 1.0, ngram: 1, seed: 1 };

fn learnt(texts: &[&str], plan: Plan) -> Latent {
    learn(texts.iter().map(Ok), plan, &cx()).unwrap().space
}

#[test]
fn words_that_occur_together_are_near() {
    let space = learnt(&TEXTS, Plan { dimensions: 2, ..PLAN });
    let near = |a: &str, b: &str| svc_encoder::dot(&space.vector(a), &space.vector(b));
    assert!(near("purrs", "sleep") > near("purrs", "bonds") + 0.3);
    assert!(near("bonds", "stocks") > near("bonds", "sleep") + 0.3);
    assert_eq!(space.vector("xylophone"), [0.0, 0.0]);
    assert_eq!(space.vector(""), [0.0, 0.0]);
}

#[test]
fn equal_seeds_learn_equal_models_and_their_files_hold_all() {
    let space = learnt(&TEXTS, PLAN);
    assert_eq!(space, learnt(&TEXTS, PLAN));
    let bytes = rmp(&space);
    assert_eq!(bytes, rmp(&learnt(&TEXTS, PLAN)));
    let model = Trained::learn(&space, 6, Vec::new()).unwrap();
    assert_eq!(*model.state().unwrap(), space);
}

/// The state of a model.
fn rmp(space: &Latent) -> Vec<u8> {
    let model = Trained::learn(space, 6, Vec::new()).unwrap();
    model.model().content().unwrap().state.to_vec()
}

#[test]
fn sequences_of_words_are_words() {
    let space = learnt(&["white house", "white paint on a house"], Plan { ngram: 2, ..PLAN });
    assert_eq!(space.words, ["hous", "paint", "paint hous", "white", "white hous", "white paint"]);
}

#[test]
fn odd_collections_are_learnt_or_refused() {
    for texts in [&[][..], &["", "  "], &["the of and"]] {
        let err = learn(texts.iter().map(Ok::<_, OpError>), PLAN, &cx()).err().unwrap();
        assert_eq!(err.kind, ErrorKind::InvalidInput, "{texts:?}");
    }
    // One text has one axis, and so have equal ones.
    assert_eq!(learnt(&["one cat"], PLAN).width(), 1);
    assert_eq!(learnt(&["one cat", "one cat", ""], PLAN).width(), 1);
    let long = "x".repeat(1 << 20);
    assert_eq!(learnt(&[&long, "cat"], PLAN).words, ["cat"]);
    let err = learn(TEXTS.iter().map(Ok::<_, OpError>), PLAN, &cancelled()).err().unwrap();
    assert_eq!(err.kind, ErrorKind::Cancelled);
}

#[test]
fn damaged_states_are_refused() {
    let good = Stored::from(learnt(&TEXTS, PLAN));
    let wrong = |change: &dyn Fn(&mut Stored)| {
        let mut changed = good.clone();
        change(&mut changed);
        Latent::try_from(changed).is_err()
    };
    assert!(Latent::try_from(good.clone()).is_ok());
    assert!(wrong(&|it| it.width += 1));
    assert!(wrong(&|it| it.width = 0));
    assert!(wrong(&|it| it.words.push_str("\nzzz")));
    assert!(wrong(&|it| it.places.0[0] = f32::NAN));
    assert!(wrong(&|it| it.rarity.0.clear()));
}

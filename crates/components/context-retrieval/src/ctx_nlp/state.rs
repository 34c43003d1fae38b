//! What the component learns: words with their counts, and the weights of a tagger.

use serde::{Deserialize, Serialize, Serializer};
use svc_contract::registry::{Example, State};
use svc_text::{
    spelling::Lexicon,
    tagger::{self, Tagger},
};

use super::{NAME, VERSION};

/// Words with their counts, and a tagger if there were tags.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Kept")]
pub(super) struct Knowledge {
    words: Lexicon,
    tagger: Option<Tagger>,
}

/// The layout of the state.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    words: Vec<(Box<str>, u64)>,
    tagger: Option<tagger::Stored>,
}

impl State for Knowledge {
    const COMPONENT: &'static str = NAME;
    const VERSION: u32 = VERSION;
    const LAYOUT: u32 = 1;
    const EXAMPLE: Example = Example::ok(
        "Learn, save, load",
        r#"let nouns = "ant bee cat dog eel fox gnu hen ibis jay" >> split(sep: " ")
let tagged = nouns >> each { { words: ["the", it, "sleeps"], tags: ["DET", "NOUN", "VERB"] } }
let loaded = tagged >> analyze.learn >> analyze.save(path: "words.svcm") >> analyze.load
"the cow sleeps" >> analyze(model: loaded) >> .tokens >> each { .pos }"#,
        r#"["DET","NOUN","VERB"]"#,
    );
}

impl Knowledge {
    pub(super) fn new(words: Lexicon, tagger: Option<Tagger>) -> Self {
        Self { words, tagger }
    }

    pub(super) fn words(&self) -> &Lexicon {
        &self.words
    }

    pub(super) fn tagger(&self) -> Option<&Tagger> {
        self.tagger.as_ref()
    }
}

impl Serialize for Knowledge {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let words = self.words.counts().to_vec();
        Kept { words, tagger: self.tagger.as_ref().map(Tagger::stored) }.serialize(serializer)
    }
}

impl TryFrom<Kept> for Knowledge {
    type Error = &'static str;

    fn try_from(kept: Kept) -> Result<Self, Self::Error> {
        let tagger = match &kept.tagger {
            Some(it) => Some(Tagger::of(it).ok_or("the weights of its tags are invalid")?),
            None => None,
        };
        Ok(Self { words: Lexicon::new(kept.words), tagger })
    }
}

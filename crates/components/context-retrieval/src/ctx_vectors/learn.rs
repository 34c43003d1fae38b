//! Learns a space of meaning from documents.

use svc_contract::{
    registry::{
        Compute, Cx, Example, Field as _, Items, Limits, Op, OpError, Scheme, State as _, Trained,
        documents::{self, Doc},
        params,
    },
    value::{Metric, Record, Value},
};

use crate::meaning::{
    latent::{self, Latent, Plan},
    titled,
};

params! {
    /// Learns from documents which words mean alike, as words that occur together do.
    ///
    /// Latent semantic analysis (Deerwester et al. 1990): the words of each document, weighted by
    /// (1 + ln tf) · idf and scaled to length 1, are a row of a matrix, and the model is its first
    /// singular vectors, by a randomised decomposition (Halko, Martinsson & Tropp 2011) that is
    /// the same for the same seed. Words are stems without stop words, in the language of each
    /// document. Of 50 documents or more, words that only one has are left out; the others, the most
    /// frequent first, as far as a model of 64 MiB has room: 45,000 for 256 dimensions.
    ///
    /// The model is for `vectors`, `by_meaning` and `search`, and knows only the words of these
    /// documents; a sentence encoder knows more of a language, and takes longer. Whether it helps
    /// depends on the collection. It has at most as many dimensions as there are documents.
    pub(super) struct Learn {
        /// The documents.
        docs: Items<Doc>,
        /// The dimensions of the vectors.
        #[range(16..=1_024)]
        dimensions: i64 = 256,
        /// The random start follows from it.
        seed: i64 = 1,
        /// How much more the first dimensions count than the last: 0 for all alike, 1 as much as they
        /// vary in the documents.
        #[tune]
        #[range(0.0..=1.0)]
        weighting: f64 = 1.0,
        /// The most words in sequence that count as one.
        #[tune]
        #[range(1..=3)]
        ngram: i64 = 1,
    }
}

impl Op for Learn {
    const NAME: &'static str = "learn";
    const YIELDS: Scheme = Trained::<Latent>::SCHEME;
    const LIMITS: Limits = Limits::UNTIMED;
    const SAYS: &'static [&'static str] = &[
        "latent semantic analysis of my documents",
        "learn which words mean alike",
        "train embeddings on a collection",
        "semantic vectors without a downloaded model",
        "truncated svd of a tf-idf matrix",
        "topic space of texts",
    ];
    const EXAMPLES: &'static [Example] = &[
        Latent::EXAMPLE,
        Example::err(
            "Documents without words",
            r#"[{ id: "a", title: "", path: "x", text: "..." }] >> vectors.learn"#,
            "expected documents with words, found none",
        ),
    ];
}

impl Compute for Learn {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let count = self.docs.0.iter().len();
        let docs: Vec<&Record> = documents::records(&self.docs.0).collect::<Result<_, _>>()?;
        let texts = docs.into_iter().map(|it| Ok(titled(text(it, "title"), text(it, "text"))));
        let plan = Plan {
            dimensions: usize::try_from(self.dimensions).unwrap_or_default(),
            weighting: self.weighting,
            ngram: usize::try_from(self.ngram).unwrap_or(1),
            seed: self.seed.cast_unsigned(),
        };
        let learnt = latent::learn(texts, plan, cx)?;
        let kept = Metric {
            name: "share of the squared weights kept".into(),
            value: learnt.kept,
            low: None,
            high: None,
            n: count as u64,
        };
        Ok(Trained::learn(&learnt.space, count, vec![kept])?.encode())
    }
}

fn text<'a>(doc: &'a Record, name: &str) -> &'a str {
    match doc.get(name) {
        Some(Value::Text(it)) => it,
        _ => "",
    }
}

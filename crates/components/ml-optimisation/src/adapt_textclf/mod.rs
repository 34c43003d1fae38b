//! Classes of texts, learnt from examples, with the words that decided.
//!
//! The methods are in `svc-learn`; here are the rows that are read, the model, and the results.

#[cfg(feature = "learn")]
mod learn;
mod state;
#[cfg(all(test, feature = "learn"))]
mod tests;

use svc_contract::{
    registry::{
        AnyRows, Bias, Cases, CheckCall, Component, Example, Field, Items, Limits, Max, Op, Scheme,
        State as _, Tool, Trained, check_columns, documents::Doc, load, needs, params, record,
        save,
    },
    value::Text,
};
#[cfg(feature = "learn")]
use svc_contract::{
    registry::{Compute, Cx, OpError},
    value::Value,
};

use state::TextClasses;

const NAME: &str = "adapt_textclf";
const VERSION: u32 = 1;

pub(super) const COMPONENT: Component = Component {
    name: NAME,
    cluster: "ml-optimisation",
    summary: "Learns classes of texts from examples, and says which words decided.",
    version: VERSION,
    bias: Bias::new("hashed n-grams, linear", &["single words and short phrases decide"])
        .judged_by(CASES),
    aliases: &[("classify", "infer")],
    ops: &[
        needs!("learn", compute::<Infer>()),
        needs!("learn", compute::<Uncertain>()),
        needs!("learn", compute::<Learn>()),
        save::<TextClasses>(),
        load::<TextClasses>(),
    ],
};

const CASES: Cases = Cases::new(include_str!("../../cases/adapt_textclf.jsonl"), &[]);

record! {
    /// A word or phrase that decided.
    struct Because {
        /// The word or phrase, in lower case.
        term: Text,
        /// What it adds to the score of the class.
        weight: f64,
    }
}

record! {
    /// The class of a text.
    struct TextClass {
        /// The class.
        label: Text,
        /// How probable it is, from 0 to 1.
        confidence: f64,
        /// The words and phrases that speak most for it, at most eight.
        because: Vec<Because>,
    }
}

params! {
    /// Learns classes of texts from rows with a text and its class.
    ///
    /// Features are words, phrases of up to `ngram` words, and pieces of words of up to `char_ngram` letters, weighted by how rare they are. A linear
    /// support vector machine and complement naive Bayes are compared by cross-validation with `folds` parts; the one with the better mean F1 of the classes is kept, and
    /// scores become probabilities by Platt's sigmoid on the held-out parts. The metrics of the model are those of the
    /// cross-validation: accuracy, mean F1, F1 of each class.
    ///
    /// Classes are texts, numbers or booleans; rows without a text or a class are left out, with a notice. At least two classes with two texts each, and at
    /// most 200,000 rows and 1,000 classes. The same rows, params and seed give the same model.
    struct Learn {
        /// The table: a list of records.
        rows: AnyRows,
        /// The column of the texts.
        text: Text,
        /// The column of the classes.
        label: Text,
        /// The number of parts of the cross-validation.
        #[range(2..=10)]
        folds: i64 = 5,
        /// The parts, and the order of learning, follow from it.
        seed: i64 = 1,
        /// The longest phrase, in words.
        #[tune]
        #[range(1..=5)]
        ngram: i64 = 2,
        /// The longest piece of a word, in letters; 0 for none.
        #[tune]
        #[range(0..=6)]
        char_ngram: i64 = 4,
        /// What a mistake costs the support vector machine: the larger, the closer it follows the examples.
        #[tune]
        #[range(0.01..=100.0)]
        cost: f64 = 1.0,
    }
}

impl Op for Learn {
    const NAME: &'static str = "learn";
    const YIELDS: Scheme = Trained::<TextClasses>::SCHEME;
    const CHECK: Option<CheckCall> = Some(|call| check_columns(call, "rows", &["text", "label"]));
    const LIMITS: Limits = Limits::UNTIMED;
    const TOOL: Option<Tool> = Some(Tool::builder("train_text_classifier"));
    const SAYS: &'static [&'static str] = &[
        "train a text classifier",
        "learn to file messages into categories",
        "train a spam filter on labelled texts",
        "teach it the topics of my tickets",
        "learn classes of texts from examples",
    ];
    const EXAMPLES: &'static [Example] = &[
        TextClasses::EXAMPLE,
        Example::err(
            "A single class",
            r#"range(0, 6) >> each { { body: "text ${it}", kind: "a" } } >> classify.learn(text: "body", label: "kind")"#,
            "expected at least two classes, found 1",
        ),
        Example::err(
            "A column that is not there",
            r#"[{ body: "x", kind: "a" }] >> classify.learn(text: "bodi", label: "kind")"#,
            "missing column `bodi`",
        ),
    ];
}

params! {
    /// Says which class a text belongs to, how probable that is, and which words decided.
    ///
    /// `because` has the words and phrases that speak most for the class; pieces of a word count as the word. A text without any known word gets the class that
    /// is chosen without evidence, with its probability.
    struct Infer {
        /// The text.
        text: Text,
        /// What `classify.learn` returned.
        model: Trained<TextClasses>,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = TextClass::SCHEME;
    const TOOL: Option<Tool> = Some(Tool::builder("classify_text"));
    const SAYS: &'static [&'static str] = &[
        "which category does a text belong to",
        "is this message spam",
        "classify a text with a trained model",
        "file tickets by topic",
        "which words decided the class of a text",
    ];
    const EXAMPLES: &'static [Example] = &[
        TextClasses::EXAMPLE,
        Example::err(
            "A model of another component",
            r#"let rows = range(1, 41) >> each { { size: it, kind: if it > 20 { "large" } else { "small" } } }
let model = rows >> adapt_automl.learn(target: "kind", max_models: 4)
"a text" >> classify(model: model)"#,
            "adapt_textclf",
        ),
    ];
}

params! {
    /// Returns the documents of whose class a model is least sure: those that are worth labelling next.
    ///
    /// Least sure first; equal ones in the order of the documents.
    struct Uncertain {
        /// The documents.
        docs: Items<Doc>,
        /// What `classify.learn` returned.
        model: Trained<TextClasses>,
        /// How many.
        #[range(1..=1_000)]
        n: i64 = 10,
    }
}

impl Op for Uncertain {
    const NAME: &'static str = "uncertain";
    const YIELDS: Scheme = Scheme::List(&Doc::SCHEME, Max::Arg("n"));
    const SAYS: &'static [&'static str] = &[
        "which documents should be labelled next",
        "active learning of a text classifier",
        "texts of whose category the model is unsure",
        "hard cases for manual labelling",
        "least certain predictions",
    ];
    const EXAMPLES: &'static [Example] = &[TextClasses::EXAMPLE];
}

#[cfg(feature = "learn")]
impl Compute for Learn {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        learn::learn(&self, cx)
    }
}

#[cfg(feature = "learn")]
impl Compute for Infer {
    fn run(self, _: &Cx) -> Result<Value, OpError> {
        const MOST_TERMS: usize = 8;
        let model = self.model.state()?;
        let found = model.0.classify(&self.text, MOST_TERMS);
        let because = found.because.into_iter();
        Ok(TextClass {
            label: model.0.labels[found.label].as_str().into(),
            confidence: found.confidence,
            because: because.map(|(term, weight)| Because { term: term.into(), weight }).collect(),
        }
        .encode())
    }
}

#[cfg(feature = "learn")]
impl Compute for Uncertain {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        use svc_contract::registry::documents::records;
        let model = self.model.state()?;
        let mut all: Vec<(f64, &Value)> = Vec::with_capacity(self.docs.0.len());
        for (record, doc) in records(&self.docs.0).zip(self.docs.0.iter()) {
            cx.check()?;
            let text = record?.get("text").and_then(Value::as_str).unwrap_or_default();
            all.push((model.0.classify(text, 0).confidence, doc));
        }
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let n = usize::try_from(self.n).unwrap_or(1);
        Ok(Value::List(all.into_iter().take(n).map(|it| it.1.clone()).collect()))
    }
}

//! What is learnt from texts.

use serde::{Deserialize, Serialize};
use svc_contract::registry::{Example, State};

/// The classes, the features that are known, and their weights.
#[cfg(feature = "learn")]
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TextClasses(pub svc_learn::textclf::Classifier);

/// A build without the library reads no model, but knows its type.
#[cfg(not(feature = "learn"))]
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TextClasses(());

impl State for TextClasses {
    const COMPONENT: &'static str = super::NAME;
    const VERSION: u32 = super::VERSION;
    const LAYOUT: u32 = 1;
    const EXAMPLE: Example = Example::ok(
        "Learn, save, load, classify, and ask for more labels",
        r#"let known = [
  { body: "win a free prize now", kind: "spam" }, { body: "free entry, win cash", kind: "spam" },
  { body: "claim your free prize", kind: "spam" }, { body: "cash prize waiting, call now", kind: "spam" },
  { body: "see you at lunch", kind: "ham" }, { body: "lunch at noon is fine", kind: "ham" },
  { body: "are you home tonight", kind: "ham" }, { body: "call me when you are home", kind: "ham" },
]
let model = known >> classify.learn(text: "body", label: "kind", folds: 2) >> adapt_textclf.save(path: "spam.svcm") >> adapt_textclf.load
let found = "a free cash prize" >> classify(model: model)
found.label"#,
        r#""spam""#,
    );
}

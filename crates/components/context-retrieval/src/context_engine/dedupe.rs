//! Removes near-duplicates.

use svc_contract::{
    registry::{
        Compute, Cx, Example, Field as _, Items, Max, Op, OpError, Scheme,
        documents::{self, Hit},
        params,
    },
    value::Value,
};
use svc_text::near::Known;

use super::text;

/// A few milliseconds of work.
pub(super) const BETWEEN_CHECKS: usize = 64;

params! {
    /// Removes hits whose text is nearly the same as that of an earlier one.
    ///
    /// Two texts are near-duplicates if their Jaccard similarity is at least `threshold`: the share of
    /// their shingles that both have. A shingle is three words in sequence, without case, accents and
    /// punctuation; in scripts without spaces, three pairs of neighbouring characters. `MinHash` with
    /// 128 permutations (Broder 1997) and bands finds the pairs, and the exact similarity decides.
    /// The first of several is kept, and a text without words only repeats an equal one.
    pub(super) struct Dedupe {
        /// The hits, in the order of preference.
        hits: Items<Hit>,
        /// The similarity from which a text repeats another one: 1 removes copies only.
        #[range(0.1..=1)]
        threshold: f64 = 0.8,
    }
}

impl Op for Dedupe {
    const NAME: &'static str = "dedupe";
    const YIELDS: Scheme = Scheme::List(&Hit::SCHEME, Max::Input);
    const SAYS: &'static [&'static str] = &[
        "remove near-duplicate documents",
        "drop passages that say the same",
        "fuzzy deduplication of search results",
        "minhash near duplicates",
        "texts that are almost identical only once",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A copy with other punctuation",
            r#"["A budget is kept.", "A budget is kept!", "The sky is blue."]
  >> each { { id: it, title: "", path: "", text: it, query: "", score: 1.0, snippet: "", start: 0, end: 0 } }
  >> dedupe >> each { .text }"#,
            r#"["A budget is kept.","The sky is blue."]"#,
        ),
        Example::ok("No hits", "[] >> dedupe", "[]"),
    ];
}

impl Compute for Dedupe {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let mut known = Known::new(self.threshold);
        let mut kept = Vec::new();
        for (idx, hit) in documents::records(&self.hits.0).enumerate() {
            if idx % BETWEEN_CHECKS == 0 {
                cx.check()?;
            }
            let hit = hit?;
            if known.add_unless_known(&text(hit, "text")).is_none() {
                kept.push(Value::Record(hit.clone()));
            }
        }
        Ok(Value::List(kept.into_iter().collect()))
    }
}

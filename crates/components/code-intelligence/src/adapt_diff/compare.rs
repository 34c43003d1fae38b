//! The differences of two texts.

use similar::{Algorithm, ChangeTag, TextDiff};
use svc_contract::{
    choices,
    registry::{Compute, Cx, Example, Field, Op, OpError, Scheme, params, record},
    value::{Text, Value},
};

use super::test_difference;

choices! {
    /// How equal lines are found.
    pub(super) enum Method {
        Histogram = "histogram",
        Myers = "myers",
        Patience = "patience",
    }
}

impl Method {
    fn algorithm(self) -> Algorithm {
        match self {
            Self::Histogram => Algorithm::Histogram,
            Self::Myers => Algorithm::Myers,
            Self::Patience => Algorithm::Patience,
        }
    }
}

record! {
    /// Two texts to compare.
    struct Texts {
        /// The text before.
        old: Text,
        /// The text after.
        new: Text,
    }
}

record! {
    /// The differences of two texts.
    struct Diff {
        /// Whether the texts are equal.
        equal: bool,
        /// The number of lines that only the new text has.
        added: i64,
        /// The number of lines that only the old text has.
        removed: i64,
        /// How alike the texts are, from 0 to 1: the part of all lines that is in both.
        ratio: f64,
        /// The differences as a unified diff, which `apply_patch` takes; empty if there are none.
        patch: Text,
    }
}

params! {
    /// Compares two texts line by line.
    ///
    /// The result counts added and removed lines, and has the differences as a unified diff with
    /// `context` lines around each. Texts with more than 20,000 lines between the first and the last
    /// change are an error of kind `invalid_input`.
    pub(super) struct Infer {
        /// The texts: `{ old: .., new: .. }`.
        texts: Texts,
        /// How equal lines are found; `patience` and `histogram` prefer rare lines.
        algorithm: Method = Method::Myers,
        /// The number of equal lines around each difference.
        #[range(0..=1_000)]
        context: i64 = 3,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Diff::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "differences between two texts",
        "what changed since the last version",
        "make a patch",
        "unified diff of two files",
        "compare drafts line by line",
        "compare the old and the new version",
        "which lines were added or removed, like git diff",
        "spot the difference between two texts",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A patch",
            r#"{ old: "a\nb\n", new: "a\nc\n" } >> diff >> .patch"#,
            r#""--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n""#,
        ),
        Example::ok(
            "Counted lines",
            r#"{ old: "a\nb\n", new: "a\n" } >> diff >> { added: .added, removed: .removed }"#,
            r#"{"added":0,"removed":1}"#,
        ),
    ];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let Texts { old, new } = self.texts;
        test_difference(&old, &new)?;
        cx.check()?;
        let diff = TextDiff::configure()
            .algorithm(self.algorithm.algorithm())
            .diff_lines(old.as_ref(), new.as_ref());
        let count = |tag| {
            let count = diff.iter_all_changes().filter(|it| it.tag() == tag).count();
            i64::try_from(count).unwrap_or(i64::MAX)
        };
        let context = usize::try_from(self.context).unwrap_or_default();
        let patch = diff.unified_diff().context_radius(context).header("old", "new").to_string();
        Ok(Diff {
            equal: old == new,
            added: count(ChangeTag::Insert),
            removed: count(ChangeTag::Delete),
            ratio: f64::from(diff.ratio()),
            patch: if old == new { "".into() } else { patch.into() },
        }
        .encode())
    }
}

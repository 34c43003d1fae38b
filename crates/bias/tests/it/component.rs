//! A component whose score follows from its params and its case, so that what is better is known.

use svc_bias::{Cases, Part};
use svc_contract::{
    registry::{Bias, Component, Example, Inline, Op, OpError, Scheme, inline, params},
    value::{Text, Value},
};

pub(crate) const TRAP: Component = Component {
    name: "trap",
    cluster: "testing",
    summary: "Scores itself.",
    version: 1,
    bias: Bias::new("a hill", &["the top is at one place"]),
    aliases: &[],
    ops: &[inline::<Infer>()],
};

params! {
    /// Returns a score from 0 to 1.
    struct Infer {
        /// What is asked; longer texts are harder.
        text: Text,
        /// Whether the case is one that a cheater does not know.
        hidden: bool = false,
        /// Better near .6.
        #[tune]
        #[range(0.0..=1.0)]
        honest: f64 = 0.2,
        /// Better on cases that are known, and much worse on others.
        #[tune]
        #[range(0.0..=1.0)]
        lure: f64 = 0.0,
        /// Fails if it is large.
        #[tune]
        #[range(0..=9)]
        risk: i64 = 0,
        /// Changes nothing.
        #[tune]
        idle: bool = false,
        /// Breaks down when words are spelt wrong.
        #[tune]
        #[range(0.0..=1.0)]
        brittle: f64 = 0.0,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Float;
    const SAYS: &'static [&'static str] = &["score a trap"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Inline for Infer {
    fn run(self) -> Result<Value, OpError> {
        let Self { text, hidden, honest, lure, risk, idle: _, brittle } = self;
        if risk > 5 {
            return Err(OpError::failed("too risky"));
        }
        // The same for a case in every evaluation, and different between cases.
        let seed = text.bytes().fold(7_u32, |sum, it| sum.wrapping_mul(31).wrapping_add(it.into()));
        let noise = f64::from(seed % 1000) / 1000.0 - 0.5;
        let mut score = 0.45 - (honest - 0.6).abs() * (0.5 + 0.4 * noise) + 0.2 * noise;
        score += if hidden { -0.6 * lure } else { 0.25 * lure };
        let is_plain = text
            .split(' ')
            .all(|it| it.chars().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit()))
            && text.starts_with("question number");
        score += if is_plain { 0.15 * brittle } else { -0.5 * brittle };
        #[expect(clippy::cast_precision_loss, reason = "a digit")]
        let risky = 0.01 * risk as f64;
        Ok(Value::Float((score + risky).clamp(0.0, 1.0)))
    }
}

/// Cases of which only the sealed ones are hidden under the first draw.
pub(crate) fn cases(count: usize, from: usize) -> String {
    let mut lines = String::new();
    let (mut found, mut at) = (0, from);
    while found < count {
        for hidden in [false, true] {
            let line = format!(
                "{{\"input\": {{\"text\": \"question number {at}\", \"hidden\": {hidden}}}, \"score\": \"value\"}}\n"
            );
            let own = Cases::read(&line).unwrap();
            let is_sealed = !own.part(Part::Sealed, "trap", 0).is_empty();
            if is_sealed == hidden && found < count {
                lines += &line;
                found += 1;
                break;
            }
        }
        at += 1;
    }
    lines
}

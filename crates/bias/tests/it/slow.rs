//! A component that gives better answers the longer it takes.

use std::{thread::sleep, time::Duration};

use svc_contract::registry::{
    Bias, Component, Example, Inline, Op, OpError, Scheme, inline, params,
};

use super::*;

const THOROUGH: Component = Component {
    name: "thorough",
    cluster: "testing",
    summary: "Scores itself.",
    version: 1,
    bias: Bias::new("more work is better", &["time does not count"]),
    aliases: &[],
    ops: &[inline::<Infer>()],
};

params! {
    /// Returns a score from 0 to 1.
    struct Infer {
        /// What is asked.
        text: svc_contract::value::Text,
        /// The more the better; above .5 it takes 8 ms.
        #[tune]
        #[range(0.0..=1.0)]
        work: f64 = 0.1,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Float;
    const SAYS: &'static [&'static str] = &["score the work"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Inline for Infer {
    fn run(self) -> Result<Value, OpError> {
        if self.work > 0.5 {
            sleep(Duration::from_millis(8));
        }
        Ok(Value::Float(
            0.2 + 0.6 * self.work
                + 0.001 * f64::from(u8::try_from(self.text.len() % 7).unwrap_or(0)),
        ))
    }
}

/// What could not be applied for its time is not proposed either.
#[tokio::test]
async fn what_takes_too_long_is_not_proposed() {
    let folder = tempfile::tempdir().unwrap();
    let case = |it: u32| format!(r#"{{"input": {{"text": "question {it}"}}, "score": "value"}}"#);
    let cases = (0..120).map(case).collect::<Vec<_>>().join("\n");
    let host = TestHost::new().file("cases/thorough.jsonl", cases);
    let engine = Engine::new(Registry::default(), Arc::new(host)).with(&[&THOROUGH]);
    let book = Book::open(folder.path(), engine.host()).unwrap();
    let work = Work::new(Arc::new(Biases::new(Arc::new(book), None)), engine);
    let config = config(r#"{"max_evaluations": 12}"#);
    let report = &mut |_: &Step| {};
    let (found, details) = work.evolve("thorough", None, &config, None, report).await.unwrap();
    let warned = details.warnings.iter().any(|it| it.contains("times as long as the active"));
    assert!(warned, "{:?}", details.warnings);
    let chosen = field(&found, "proposal.evolvable_params.work.value");
    assert!(matches!(chosen, Value::Float(it) if *it > 0.1 && *it <= 0.5), "{chosen:?}");
}

//! A language model as a proposer: it reads what the component does and what was tried, and names params.
//!
//! The answer is typed by the params themselves, so a value outside of its range never comes out of it. An
//! answer and what was spent are kept, so that an interrupted evolution that goes on neither asks nor pays
//! again.

use std::{fmt::Write as _, sync::Arc, time::Duration};

use svc_contract::value::{Money, Value, json};
use svc_engine::{CancellationToken, Engine};
use svc_store::book::{BiasResult, Book};
use svc_text::cut;

use crate::{
    cases::Case,
    knobs::{Changes, Knobs, record},
    value::{object, rounded},
};

/// The name of this proposer.
pub(crate) const NAME: &str = "model";

/// The longest time of one answer.
const TIME: Duration = Duration::from_mins(2);

/// The failures after which it is not asked any more.
const FAILURES: u32 = 2;

/// The results that it is shown: the best ones.
const SHOWN: usize = 12;

/// The letters that are shown of the input of a case, and of the expected result.
const LETTERS: [usize; 2] = [400, 300];

/// A model, and what may be spent on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// An alias, or `provider/model`.
    pub name: String,
    /// The most that all answers may cost together.
    pub max_cost: Money,
}

/// One that is asked during an evolution.
pub(crate) struct Adviser {
    /// The engine of the user: that of cases may not spend.
    pub engine: Engine,
    pub model: Model,
    /// Where answers are kept, and under which name.
    pub kept: (Arc<Book>, [u8; 32]),
    pub cancel: CancellationToken,
}

/// What the answers cost so far, and how often there was none.
#[derive(Clone, Copy, Default)]
pub(crate) struct Spent {
    pub cost: Money,
    failures: u32,
}

/// What a model is shown of an evolution.
pub(crate) struct Shown<'a> {
    pub knobs: &'a Knobs,
    pub active: &'a Changes,
    /// The results of candidates, as strategies see them.
    pub results: &'a [Value],
    /// Training cases that go worst, each with its score.
    pub worst: Vec<(f64, &'a Case)>,
}

impl Adviser {
    /// What was spent before an evolution was interrupted.
    pub(crate) fn spent(&self) -> Spent {
        let kept = self.kept.0.bias_result(self.key("", "spent")).ok().flatten();
        let nanos = kept.and_then(|it| it.parse().ok()).unwrap_or(0);
        Spent { cost: Money::from_nanos(nanos), failures: 0 }
    }

    /// Whether it is not asked any more: it fails, or nothing is left for it.
    pub(crate) fn is_over(&self, spent: &Spent) -> bool {
        spent.failures >= FAILURES || spent.cost >= self.model.max_cost
    }

    /// Candidates of the model, within a time; the error says why there are none.
    pub(crate) async fn candidates(
        &self,
        shown: &Shown<'_>,
        (count, time): (usize, Duration),
        spent: &mut Spent,
    ) -> Result<Vec<Changes>, String> {
        let prompt = shown.prompt(count);
        let answer = match self.known(&prompt) {
            Some(answer) => answer,
            None => {
                self.ask(shown.knobs, &prompt, (count, time), spent).await.inspect_err(|_| {
                    spent.failures += 1;
                })?
            }
        };
        let list = answer.as_list().cloned().unwrap_or_default();
        let read = list.iter().filter_map(|it| shown.knobs.read(it.as_record()?).ok());
        // With as few digits as those of other proposers.
        let short = |it: Changes| shown.knobs.changes(&shown.knobs.point(&it));
        Ok(read.take(count).map(short).collect())
    }

    async fn ask(
        &self,
        knobs: &Knobs,
        prompt: &str,
        (count, time): (usize, Duration),
        spent: &mut Spent,
    ) -> Result<Value, String> {
        let before = spent.cost;
        let left = self.model.max_cost.checked_sub(before).unwrap_or(Money::ZERO);
        // An answer that is interrupted counts as if it had cost all that is left.
        self.set(knobs, self.key("", "spent"), self.model.max_cost.nanos().to_string()).await?;
        let script = script(knobs, count);
        let request = self.engine.run(script.as_str());
        let ended = request
            .param("prompt", Value::Text(prompt.into()))
            .param("model", Value::Text(self.model.name.as_str().into()))
            .max_cost(left)
            .timeout(TIME.min(time))
            .cancelled_by(self.cancel.clone())
            .start()
            .await;
        let used = ended.as_ref().map_or_else(svc_engine::Error::usage, |it| it.usage).cost;
        spent.cost = before.checked_add(used).unwrap_or(self.model.max_cost);
        if let Ok(response) = &ended {
            self.set(knobs, self.key(prompt, "answer"), json::write(&response.value)).await?;
        }
        self.set(knobs, self.key("", "spent"), spent.cost.nanos().to_string()).await?;
        ended.map(|it| it.value).map_err(|err| err.to_string())
    }

    async fn set(&self, knobs: &Knobs, key: [u8; 32], text: String) -> Result<(), String> {
        let (at, component) = (self.engine.host().now(), knobs.component.name.to_owned());
        let result = BiasResult { key, component, at, result: text };
        self.kept.0.set_bias_result(result).await.map_err(|err| err.message)
    }

    /// What it answered to the same prompt before.
    fn known(&self, prompt: &str) -> Option<Value> {
        let text = self.kept.0.bias_result(self.key(prompt, "answer")).ok()??;
        json::read(&text).ok()
    }

    fn key(&self, prompt: &str, what: &str) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("svc 2026 key of an advice");
        hasher.update(&self.kept.1).update(what.as_bytes()).update(&[0]);
        *hasher.update(prompt.as_bytes()).finalize().as_bytes()
    }
}

/// The script that asks: the params are a type, so that the answer fits them.
fn script(knobs: &Knobs, count: usize) -> String {
    let mut fields = String::new();
    for param in knobs.component.evolvable() {
        let _ = writeln!(fields, "  {}: {},", param.name, param.scheme.required().show());
    }
    format!(
        "type Candidate = {{\n{fields}}}\n\n\
         param prompt: string\n\
         param model: string\n\n\
         prompt >> ask<[Candidate; max {count}]>(\n  \
           system: \"You tune the params of a component. You are given what it does, its params, what was tried, and \
         cases that go wrong. Name other params that you expect to score higher, each for a reason of its own.\",\n  \
           model: model,\n  max_tokens: 2000,\n)\n"
    )
}

impl Shown<'_> {
    fn prompt(&self, count: usize) -> String {
        let component = self.knobs.component;
        let params = component.evolvable().map(|it| {
            let default = it.default.map(svc_contract::registry::ParamDefault::value);
            object([
                ("name", it.name.into()),
                ("type", it.scheme.required().show().into()),
                ("means", it.doc.trim().into()),
                ("default", default.unwrap_or_default()),
            ])
        });
        let about = object([
            ("component", component.name.into()),
            ("does", component.summary.into()),
            ("method", component.bias.strategy.into()),
            ("params", Value::List(params.collect())),
            ("active", record(self.active)),
        ]);
        let mut best: Vec<&Value> = self.results.iter().collect();
        let gain = |it: &Value| {
            let gain = it.as_record().and_then(|it| it.get("gain"));
            gain.and_then(crate::value::number).unwrap_or(f64::NEG_INFINITY)
        };
        best.sort_by(|a, b| gain(b).total_cmp(&gain(a)));
        let mut text = format!("Component:\n{}\n\nTried so far:\n", json::write(&about));
        for it in best.into_iter().take(SHOWN) {
            let _ = writeln!(text, "{}", json::write(it));
        }
        text += "\nCases that go worst with the best params:\n";
        for (score, case) in &self.worst {
            let input = cut::start(&json::write(&case.asks.input()), LETTERS[0]);
            let expected = cut::start(&json::write(&case.expected), LETTERS[1]);
            let case = object([
                ("score", rounded(*score)),
                ("scored_by", case.score.name().into()),
                ("input", input.into()),
                ("expected", expected.into()),
            ]);
            let _ = writeln!(text, "{}", json::write(&case));
        }
        let _ = write!(text, "\nName {count} candidates.");
        text
    }
}

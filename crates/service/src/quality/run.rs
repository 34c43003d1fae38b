//! The quality of a stored run, from its journal.

use std::{collections::BTreeMap, time::Duration};

use svc_contract::{
    registry::{Effect, OpDef},
    store::{Node, NodeState, Run, RunId, Store},
    value::{Money, Text, Type, Value, json},
};
use svc_engine::Engine;
use svc_lang::plan::Plan;

use super::{
    Parts, Quality, accuracy, completeness, own_confidence, passages, passages::Passages, question,
    question_of, said::Said,
};
use svc_store::book::JobRow;

use crate::{Answer, Resolved, Service, jobs::NewWork};

/// The most results of calls that are read, and the most bytes of them.
const MOST_RESULTS: usize = 100;
const MOST_BYTES: usize = 16 << 20;

/// A run that takes no longer takes as long as expected: what is recorded takes time, too.
const AT_ONCE: Duration = Duration::from_secs(1);

/// What is known of a result besides its journal.
#[derive(Default)]
pub(crate) struct Rated {
    /// The question, if the params of the run do not have it.
    pub(crate) question: Option<Text>,
    /// The plan; otherwise it is made again from the stored script.
    pub(crate) plan: Option<Plan>,
}

/// The quality of the result of a stored run of the engine. Blocks.
pub(crate) fn of_stored(
    engine: &Engine,
    run: &RunId,
    result: &Value,
    known: Rated,
) -> Option<Quality> {
    // What cannot be read is not known.
    let store = engine.store()?.as_ref();
    let run = store.run(run.as_str()).ok()?;
    let nodes = store.nodes(&run.id).ok()?;
    let plan = known.plan.or_else(|| engine.resume(run.id.as_str()).ok()?.plan().ok());
    let params = json::read(&run.params).unwrap_or_default();
    let asked = params.as_record().and_then(question_of).cloned();
    let question = known.question.or(asked);
    let ty = plan.as_ref().and_then(result_type);
    let said = Said::of(result);
    let read = if said.claims.is_empty() {
        Passages::default()
    } else {
        read_by(engine, store, &nodes, &params)
    };
    let read: Vec<&str> = read.texts().collect();
    Quality::of(Parts {
        accuracy: accuracy::of(result, &said, &read),
        confidence: own_confidence(result).map(|it| it * at_first(&nodes)),
        completeness: completeness::of(result, ty, &said, question.as_deref(), items(&nodes)),
        efficiency: plan.as_ref().and_then(|it| efficiency(engine, it, &run, &nodes)),
    })
}

impl Rated {
    /// What the job of a run knows.
    pub(crate) fn of_job(row: &JobRow) -> Self {
        let input = NewWork::of(row).map(|it| it.args).unwrap_or_default();
        Self { question: question(|name| input.get(name)).cloned(), plan: None }
    }
}

impl Service {
    /// The quality of the result of a stored run of the caller. Blocks.
    pub fn quality(&self, run: &RunId, result: &Value) -> Option<Quality> {
        if let Some(Ok(answer)) = self.live(run.as_str()).and_then(|it| it.outcome()) {
            return answer.quality;
        }
        let job = self.jobs().ok().and_then(|it| it.of_run(self.owner(), run.as_str()).ok()?);
        let known = job.map(|it| Rated::of_job(&it)).unwrap_or_default();
        of_stored(self.kept()?, run, result, known)
    }
}

impl Answer {
    /// The answer with its quality, if its run is stored.
    pub(crate) async fn rated(mut self, engine: &Engine, resolved: Option<&Resolved>) -> Self {
        let Some(run) = self.run.clone() else { return self };
        let (engine, value, resolved) = (engine.clone(), self.value.clone(), resolved.cloned());
        let rate = move || {
            let known = match &resolved {
                Some(resolved) => resolved.rated(&engine)?,
                None => Rated::default(),
            };
            of_stored(&engine, &run, &value, known)
        };
        // Without it, the answer is still the answer.
        self.quality = tokio::task::spawn_blocking(rate).await.ok().flatten();
        self
    }
}

fn result_type(plan: &Plan) -> Option<&Type> {
    plan.program().main.as_ref().map(|it| &it.ty)
}

/// The passages that a run read: those of the last calls first, which have chosen from the others.
fn read_by(engine: &Engine, store: &dyn Store, nodes: &[Node], params: &Value) -> Passages {
    let mut read = Passages::default();
    let mut bytes = 0;
    let done = nodes.iter().rev().filter(|it| it.state == NodeState::Done);
    let is_read = |it: &&Node| !op_of(engine, it).is_some_and(passages::is_made);
    for node in done.filter(is_read).take(MOST_RESULTS) {
        if read.is_full() || bytes > MOST_BYTES {
            break;
        }
        let Some(text) = node.output.and_then(|it| store.text(it).ok()?) else { continue };
        bytes += text.len();
        let value = json::read(&text).unwrap_or_default();
        read.add(&value, op_of(engine, node).is_some_and(passages::reads));
    }
    read.add(params, false);
    read
}

fn op_of(engine: &Engine, node: &Node) -> Option<&'static OpDef> {
    engine.registry().find_op(&node.component, &node.op).map(|it| it.op)
}

/// The share of calls that succeeded at the first attempt; 1 without any.
fn at_first(nodes: &[Node]) -> f64 {
    let is_well = |it: &&Node| it.state == NodeState::Done && it.attempts <= 1;
    super::share(nodes.iter().filter(is_well).count(), nodes.len()).unwrap_or(1.0)
}

/// The items of `each` that were finished, and those that were begun, as far as calls show it: an item
/// whose last call failed is not finished.
fn items(nodes: &[Node]) -> Option<(usize, usize)> {
    let mut items = BTreeMap::new();
    for node in nodes {
        if let Some(item) = item_of(&node.path) {
            items.insert(item, node.state == NodeState::Done);
        }
    }
    let finished = items.values().filter(|it| **it).count();
    (!items.is_empty()).then_some((finished, items.len()))
}

/// The innermost item of an `each` that a call belongs to: `a/each[3]` of `a/each[3]/b`.
fn item_of(path: &str) -> Option<&str> {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    let mut prefixes = ends.filter_map(|end| path.get(..end));
    let is_item = |it: &&str| {
        let last = it.rsplit('/').next().unwrap_or_default();
        last.starts_with("each") && last.ends_with(']')
    };
    prefixes.rfind(is_item)
}

/// The expected cost, or else time, divided by what was used.
fn efficiency(engine: &Engine, plan: &Plan, run: &Run, nodes: &[Node]) -> Option<f64> {
    let envelope = plan.envelope();
    if let Some(expected) = envelope.cost.expected.filter(|it| *it > Money::ZERO) {
        return Some(ratio(expected.dollars(), run.used.cost.dollars()));
    }
    let expected = envelope.time.expected.filter(|it| !it.is_zero())?;
    let asks = |it: &&Node| op_of(engine, it).is_some_and(|it| it.effects.contains(&Effect::Asks));
    // How long a person takes says nothing.
    if nodes.iter().any(|it| asks(&it)) {
        return None;
    }
    let used = u64::try_from(run.ended?.saturating_sub(run.started)).ok()?;
    Some(ratio(expected.max(AT_ONCE).as_secs_f64(), Duration::from_millis(used).as_secs_f64()))
}

fn ratio(expected: f64, used: f64) -> f64 {
    if used > expected { expected / used } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use svc_contract::{registry::Usage, store::Args};

    use super::*;

    fn node(path: &str, state: NodeState, attempts: u32) -> Node {
        Node {
            run: RunId::new(0),
            path: path.to_owned(),
            key: [0; 32],
            component: "a".to_owned(),
            op: "infer".to_owned(),
            version: 1,
            state,
            attempts,
            started: 0,
            took: 0,
            used: Usage::default(),
            output: None,
            error: None,
            args: Args::None,
            input: None,
            born: 0,
            origin: None,
            about: String::new(),
            cause: None,
        }
    }

    #[test]
    fn calls_that_were_tried_again_or_failed_lower_the_confidence() {
        use NodeState::{Done, Failed};
        let shares = [(vec![], 1.0), (vec![(Done, 1), (Done, 0)], 1.0), (vec![(Done, 2)], 0.0)];
        for (calls, wanted) in shares {
            let nodes: Vec<Node> =
                calls.into_iter().map(|(it, tries)| node("a", it, tries)).collect();
            assert!((at_first(&nodes) - wanted).abs() < 1e-9, "{nodes:?}");
        }
        let nodes =
            [node("a", Done, 1), node("b", Done, 3), node("c", Failed, 1), node("d", Done, 1)];
        assert!((at_first(&nodes) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn an_item_is_finished_if_its_last_call_is() {
        use NodeState::{Done, Failed, Intended};
        let nodes = [
            node("search", Done, 1),
            node("each[0]/fetch", Failed, 1),
            node("each[0]/cached", Done, 1),
            node("each[1]/fetch", Failed, 1),
            node("each[2]/fetch", Intended, 1),
            node("each[3]/each[0]/ask", Done, 1),
            node("each[3]/each[1]/ask", Failed, 1),
        ];
        assert_eq!(items(&nodes), Some((2, 5)));
        assert_eq!(items(&nodes[..1]), None);
        assert_eq!(item_of("a/each[3]/b/c"), Some("a/each[3]"));
        assert_eq!(item_of("a/repeat[3]/b"), None);
    }

    #[test]
    fn what_is_used_beyond_the_expectation_lowers_the_efficiency() {
        for (expected, used, wanted) in [(2.0, 1.0, 1.0), (2.0, 0.0, 1.0), (1.0, 4.0, 0.25)] {
            assert!((ratio(expected, used) - wanted).abs() < 1e-9, "{expected} {used}");
        }
    }
}

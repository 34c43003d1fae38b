//! The four layers that a candidate passes before it is applied, each able to refuse it: its schema and
//! ranges, the contracts of the component, the principles, and cases that nothing has seen.

use std::sync::Arc;

use svc_contract::{
    registry::{Example, OpError},
    value::{Value, json},
};
use svc_engine::Engine;
use svc_store::book::{BiasRow, Change, Changing};

use crate::{
    biases::Biases,
    candidate::Record,
    cases::{Case, Cases, Part},
    evaluate::{Evaluator, cases_of},
    knobs::{Changes, Knobs, record, shown},
    principles::{Ground, PrincipleResult, calls_op, differing},
    stats::{Paired, level_of},
    value::{object, rounded, texts},
};

/// The names of the layers, in their order.
pub(crate) const LAYERS: [(&str, &str); 4] = [
    ("schema", "each field of the bias, each type and each range"),
    ("contracts", "the examples of the component, and calls that succeeded before"),
    ("principles", "the six principles, each measured on cases that are not sealed"),
    ("sealed", "cases that neither the search nor its choice has seen"),
];

/// The fewest sealed cases that decide anything.
pub(crate) const FEWEST_SEALED: usize = 30;

/// The level of all tests on one draw of sealed cases together.
const ALPHA: f64 = 0.05;

/// How far a candidate came.
#[derive(Clone, Debug)]
pub(crate) struct Verified {
    /// The layers that were passed.
    pub passed: usize,
    /// Why the next one refuses it.
    pub refused: Option<String>,
    pub changes: Option<Changes>,
    pub grounding: Vec<PrincipleResult>,
    pub warnings: Vec<String>,
    /// What each layer found.
    pub audits: Vec<(usize, bool, String)>,
}

/// What became of a candidate.
#[derive(Clone, Debug)]
pub(crate) struct Applied {
    pub is_done: bool,
    pub version: u64,
    pub verified: Verified,
}

impl Verified {
    fn new() -> Self {
        Self {
            passed: 0,
            refused: None,
            changes: None,
            grounding: Vec::new(),
            warnings: Vec::new(),
            audits: Vec::new(),
        }
    }

    fn pass(&mut self, why: String) {
        self.audits.push((self.passed, true, why));
        self.passed += 1;
    }

    fn refuse(mut self, why: String) -> Self {
        self.refused = Some(format!("{}: {why}", LAYERS[self.passed.min(3)].0));
        self.audits.push((self.passed, false, why));
        self
    }

    /// What each layer found, as a list of records.
    pub(crate) fn audits_value(&self) -> Value {
        let each = self.audits.iter().map(|(layer, passed, why)| {
            object([
                ("layer", LAYERS[*layer].0.into()),
                ("passed", (*passed).into()),
                ("detail", why.clone().into()),
            ])
        });
        Value::List(each.collect())
    }

    pub(crate) fn grounding_value(&self) -> Value {
        let results = self.grounding.iter().map(PrincipleResult::value);
        let overall = !self.grounding.is_empty() && self.grounding.iter().all(|it| it.passed);
        object([
            ("overall_passed", overall.into()),
            ("results", Value::List(results.collect())),
            ("warnings", texts(self.warnings.iter().map(String::as_str))),
        ])
    }
}

/// What a candidate is compared with.
pub(crate) struct Subject {
    pub(crate) evaluator: Evaluator,
    pub(crate) cases: Cases,
    pub(crate) row: BiasRow,
    pub(crate) active: Changes,
}

impl Subject {
    pub(crate) fn of(biases: &Biases, engine: &Engine, component: &str) -> Result<Self, OpError> {
        let knobs = Arc::new(Knobs::of(engine.registry(), component)?);
        let (row, active) = biases.active(&knobs)?;
        let evaluator = Evaluator::new(engine, knobs)?;
        let cases = cases_of(&evaluator)?;
        Ok(Self { evaluator, cases, row, active })
    }

    pub(crate) fn name(&self) -> &'static str {
        self.evaluator.knobs.component.name
    }

    /// The cases of a part under the current draw.
    pub(crate) fn part(&self, part: Part) -> Vec<&Case> {
        self.cases.part(part, self.name(), self.row.seal)
    }

    /// A warning if a candidate was made for another version than the active one.
    pub(crate) fn other_version(&self, candidate: &Record) -> Option<String> {
        let (made, active) = (candidate.version, self.row.active);
        (made != active && made != active + 1)
            .then(|| format!("the candidate is of version {made}, and version {active} is active"))
    }

    /// The cases that are not sealed.
    pub(crate) fn open(&self) -> Vec<&Case> {
        let mut all = self.part(Part::Train);
        all.extend(self.part(Part::Validation));
        all
    }
}

/// The layers that read nothing sealed and change nothing.
pub(crate) async fn verify(subject: &Subject, given: &Value) -> Result<Verified, OpError> {
    let mut verified = Verified::new();
    let read = match Record::read(given, &subject.evaluator.knobs) {
        Ok(read) => read,
        Err(err) => return Ok(verified.refuse(err.message)),
    };
    verified.warnings.extend(subject.other_version(&read));
    verified.changes = Some(read.changes.clone());
    if differing(&subject.active, &read.changes).is_empty() {
        return Ok(verified.refuse("the candidate is what is active already".to_owned()));
    }
    verified.pass(format!("{} is in the ranges of the component", shown(&read.changes)));
    match contracts(subject, &read.changes).await? {
        Ok(why) => verified.pass(why),
        Err(why) => return Ok(verified.refuse(why)),
    }
    let mut ground = Ground::new(&subject.evaluator, subject.open(), &subject.active, given);
    verified.grounding = ground.all().await?;
    let failed: Vec<String> = verified
        .grounding
        .iter()
        .filter(|it| !it.passed)
        .map(|it| format!("{}: {}", it.name, it.explanation))
        .collect();
    if failed.is_empty() {
        verified.pass("all six hold".to_owned());
        Ok(verified)
    } else {
        Ok(verified.refuse(failed.join("; ")))
    }
}

/// Verifies a candidate with all layers, and makes it the active version if it passes them.
pub(crate) async fn apply(
    biases: &Biases,
    subject: &Subject,
    given: &Value,
    summary: &str,
) -> Result<Applied, OpError> {
    let mut verified = verify(subject, given).await?;
    let name = subject.name();
    let active = subject.row.active;
    let Some(changes) = verified.changes.clone().filter(|_| verified.passed == 3) else {
        return refused(biases, subject, verified);
    };
    match sealed(biases, subject, &changes).await? {
        Ok(why) => verified.pass(why),
        Err(why) => return refused(biases, subject, verified.refuse(why)),
    }
    let changing = Changing {
        component: name.to_owned(),
        based_on: active,
        at: subject.evaluator.engine().host().now(),
        op: "apply",
        change: Change::Add { summary: summary.to_owned(), params: json::write(&record(&changes)) },
        detail: shown(&changes),
    };
    let changed = biases.change(changing).await?;
    let Some(version) = changed else {
        let why = format!(
            "version {active} of `{name}` was active, and something else was applied meanwhile"
        );
        verified.passed = 3;
        return refused(biases, subject, verified.refuse(why));
    };
    Ok(Applied { is_done: true, version, verified })
}

fn refused(biases: &Biases, subject: &Subject, verified: Verified) -> Result<Applied, OpError> {
    let why = verified.refused.clone().unwrap_or_default();
    biases.log(subject, "apply", "refused", &why)?;
    Ok(Applied { is_done: false, version: subject.row.active, verified })
}

/// The examples of the component under the candidate: each ends as before, and its result has the same
/// shape.
async fn contracts(
    subject: &Subject,
    changes: &Changes,
) -> Result<Result<String, String>, OpError> {
    let evaluator = &subject.evaluator;
    let examples = evaluator.knobs.component.ops.iter().flat_map(|it| it.examples);
    // Programs, the network and a changed environment are not there while cases run.
    let examples: Vec<&Example> =
        examples.filter(|it| it.answers.is_empty() && it.env.is_empty()).collect();
    for example in &examples {
        let old = evaluator.example(&subject.active, example).await?;
        let new = evaluator.example(changes, example).await?;
        let again = evaluator.example(changes, example).await?;
        let why = match (&old, &new) {
            (Ok(_), Err(why)) => Some(format!("fails: {why}")),
            (Err(_), Ok(_)) => Some("succeeds, and it should fail".to_owned()),
            (Ok(old), Ok(new)) if !has_shape_of(new, old) => {
                Some("has a result of another shape".to_owned())
            }
            _ if new != again => Some("gives another result each time".to_owned()),
            _ => None,
        };
        if let Some(why) = why {
            return Ok(Err(format!("the example \"{}\" {why}", example.title)));
        }
    }
    let open = subject.open();
    let calls: Vec<&Case> = open.iter().filter(|it| calls_op(it)).take(40).copied().collect();
    let old = evaluator.outcomes(&subject.active, &calls).await?;
    let new = evaluator.outcomes(changes, &calls).await?;
    for (case, (old, new)) in calls.iter().zip(old.iter().zip(&new)) {
        if let (Ok(_), Err(why)) = (&old.result, &new.result) {
            return Ok(Err(format!("the case `{}` fails: {why}", case.name)));
        }
    }
    Ok(Ok(format!("{} examples and {} calls end as before", examples.len(), calls.len())))
}

/// Whether a value has the kinds and fields of another one, and is not empty where that is not.
fn has_shape_of(new: &Value, old: &Value) -> bool {
    match (new, old) {
        (Value::List(new), Value::List(old)) => match (new.get(0), old.get(0)) {
            (Some(new), Some(old)) => has_shape_of(new, old),
            (None, Some(_)) => false,
            _ => true,
        },
        (Value::Record(new), Value::Record(old)) => {
            new.len() == old.len()
                && new.iter().zip(old.iter()).all(|((a, new), (b, old))| {
                    a == b && (new.is_null() || old.is_null() || has_shape_of(new, old))
                })
        }
        (Value::Text(new), Value::Text(old)) => !new.is_empty() || old.is_empty(),
        (new, old) => new.kind() == old.kind(),
    }
}

/// Whether a candidate is not worse than the active version on sealed cases. Each use of them counts before
/// they are read, and the more often they were used since they were drawn, the more must be shown.
async fn sealed(
    biases: &Biases,
    subject: &Subject,
    changes: &Changes,
) -> Result<Result<String, String>, OpError> {
    let cases = subject.part(Part::Sealed);
    let name = subject.name();
    if cases.len() < FEWEST_SEALED {
        return Ok(Err(format!(
            "`{name}` has {} sealed cases, and {FEWEST_SEALED} are needed: write more cases into \
             `cases/{name}.jsonl`",
            cases.len()
        )));
    }
    let now = subject.evaluator.engine().host().now();
    let attempt = biases.book().attempt_bias(name.to_owned(), now).await;
    let attempt = attempt.map_err(crate::biases::failed)?;
    let alpha = level_of(attempt, ALPHA);
    let active = subject.evaluator.scores(&subject.active, &cases).await?;
    let candidate = subject.evaluator.scores(changes, &cases).await?;
    let paired = Paired::of(&active.quality, &candidate.quality);
    let (lower, margin) = (paired.lower(alpha), subject.cases.margin);
    // Only whether it passes is reported: numbers would leak the sealed cases, attempt by attempt.
    if lower > -margin {
        Ok(Ok(format!("no worse by more than {margin} on {} sealed cases", cases.len())))
    } else {
        Ok(Err(format!(
            "it is not shown that it is not worse by more than {margin} on {} sealed cases (attempt \
             {attempt} at the level {alpha:.4})",
            cases.len()
        )))
    }
}

impl Evaluator {
    /// The result of an example under changed defaults.
    pub(crate) async fn example(
        &self,
        changes: &Changes,
        example: &Example,
    ) -> Result<Result<Value, String>, OpError> {
        let files = example.files.iter().map(|(path, content)| (*path, *content));
        let files: svc_contract::host::MemoryFiles = files.collect();
        let own = self.knobs.tuning(self.engine().registry(), changes)?;
        let engine = self.engine().clone().with_files(files);
        let engine = engine.clone().with_tuning(engine.tuning().clone().with(&own));
        let ended = engine.run(example.script).start().await;
        Ok(ended.map(|it| it.value).map_err(|err| err.to_string()))
    }
}

/// A margin and a count as a record, for the state of the layers.
pub(crate) fn status_of(subject: &Subject) -> Value {
    object([
        ("sealed", subject.part(Part::Sealed).len().into()),
        ("needed", FEWEST_SEALED.into()),
        ("margin", rounded(subject.cases.margin)),
        ("attempts", subject.row.attempts.into()),
    ])
}

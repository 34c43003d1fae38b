//! The work of the tools: each method answers one of them, in the words of the specification.

mod bundle;
mod cases;
pub(crate) mod measure;
mod records;

pub use cases::CaseCounts;

use std::{collections::BTreeSet, path::Path, sync::Arc};

use svc_contract::{
    host,
    registry::{Conflict, ErrorKind, OpError},
    value::{Value, json},
};
use svc_engine::{CancellationToken, Engine};
use svc_store::book::{BiasEntry, BiasScore, Change, Changing, Frontier};

use crate::{
    advice::Adviser,
    biases::{Biases, failed},
    candidate::Record,
    cases::Part,
    config::Config,
    evolve::{self, Evolved, Given, Progress, Weights, measured_value},
    guard,
    knobs::{Changes, Knobs, record, shown},
    layers::{self, FEWEST_SEALED, LAYERS, Subject, status_of},
    memory,
    observe::observed,
    principles::{Ground, Principle},
    strategy::{BUILT_IN, Strategy},
    value::{number, object, rounded, texts},
};

/// The warning of every answer.
pub const WARNING: &str = "experimental: tuning changes how components work, and may change itself";

/// The notes of an answer.
const RECALLED: usize = 5;

/// The entries of the log that are looked at for the version of a rated result.
const MOST_ENTRIES: usize = 10_000;

/// The largest file of a strategy.
const LARGEST: u64 = 256 << 10;

/// The biases, and the engine whose components they tune.
#[derive(Clone)]
pub struct Work {
    pub biases: Arc<Biases>,
    pub engine: Engine,
    pub cancel: CancellationToken,
}

impl Work {
    pub fn new(biases: Arc<Biases>, engine: Engine) -> Self {
        Self { biases, engine, cancel: CancellationToken::new() }
    }

    fn now(&self) -> i64 {
        self.engine.host().now()
    }

    fn knobs(&self, component: &str) -> Result<Arc<Knobs>, OpError> {
        Ok(Arc::new(Knobs::of(self.engine.registry(), component)?))
    }

    fn subject(&self, component: &str) -> Result<Subject, OpError> {
        let mut subject = Subject::of(&self.biases, &self.engine, component)?;
        subject.evaluator = subject.evaluator.cancelled_by(self.cancel.clone());
        Ok(subject)
    }

    /// The active bias of a component as a record.
    pub fn bias(&self, component: &str) -> Result<Value, OpError> {
        let knobs = self.knobs(component)?;
        let (row, changes) = self.biases.active(&knobs)?;
        Ok(Record { changes, version: row.active }.value(&knobs))
    }

    /// The active biases of all components with tunables.
    pub fn snapshot(&self) -> Result<Value, OpError> {
        let components = Knobs::tunable(self.engine.registry());
        let mut all = Vec::with_capacity(components.len());
        for component in &components {
            // A tunable of a type that cannot be searched has no bias.
            if Knobs::of(self.engine.registry(), component.name).is_ok() {
                all.push((component.name.into(), self.bias(component.name)?));
            }
        }
        let count = all.len();
        Ok(object([
            ("snapshot", Value::Record(all.into_iter().collect())),
            ("component_count", count.into()),
        ]))
    }

    /// The same as a table: each component with what differs from its defaults.
    pub fn overview(&self) -> Result<Value, OpError> {
        let mut rows = Vec::new();
        for component in Knobs::tunable(self.engine.registry()) {
            let Ok(subject) = self.subject(component.name) else { continue };
            let names = subject.evaluator.knobs.all.iter().map(|it| it.name);
            rows.push(object([
                ("component", component.name.into()),
                ("version", subject.row.active.into()),
                ("active", shown(&subject.active).into()),
                ("cases", subject.cases.all.len().into()),
                ("tunables", names.collect::<Vec<&str>>().join(", ").into()),
            ]));
        }
        Ok(Value::List(rows.into()))
    }

    /// Whether the log is as it was written.
    pub fn verify_log(&self) -> Result<Value, OpError> {
        match self.biases.book().verify_bias_log().map_err(failed)? {
            Ok(entries) => Ok(object([("holds", true.into()), ("entries", entries.into())])),
            Err(broken) => Err(OpError::failed(format!(
                "the log was changed: entry {}: {}",
                broken.no, broken.why
            ))),
        }
    }

    /// Keeps a note.
    pub fn remember(&self, text: &str, source: &str) -> Result<Value, OpError> {
        let kept = memory::remember(self.biases.book(), text, source, Vec::new(), self.now())?;
        Ok(object([("ingested", (!kept.1).into())]))
    }

    /// The notes that fit a question best.
    pub fn recall(&self, question: &str) -> Result<Value, OpError> {
        let how = memory::How::default();
        let found = memory::recall(self.biases.book(), question, RECALLED, how, self.now())?;
        let answer: Vec<&str> = found.iter().map(|it| it.note.text.as_str()).collect();
        Ok(object([
            ("answer", answer.join("\n").into()),
            ("sources", texts(found.iter().map(|it| it.note.source.as_str()))),
        ]))
    }

    /// Compares a trace with those that were observed before, and keeps it.
    pub async fn observe(&self, trace: Option<&Value>) -> Result<Value, OpError> {
        let known = self.biases.book().bias_traces().map_err(failed)?;
        let known: Vec<Value> = known.iter().filter_map(|it| json::read(it).ok()).collect();
        let Some(trace) = trace.filter(|it| !it.is_null()) else {
            let rows = self.biases.book().biases().map_err(failed)?;
            let tuned = rows.iter().filter(|it| it.active != 1).count();
            let situation =
                format!("{tuned} components are tuned, and {} traces are known", known.len());
            return Ok(observation(&situation, false, 1.0, ""));
        };
        measure::read(trace)?;
        let found = observed(&known, trace);
        let text = json::write_within(trace, false, 64 << 10)
            .ok_or_else(|| OpError::invalid_input("the trace is longer than 64KiB"))?;
        self.biases.book().add_bias_trace(self.now(), text.clone()).await.map_err(failed)?;
        let healed = self.score_live(trace).await?;
        let notes = memory::recall(
            self.biases.book(),
            &words_of(&text),
            1,
            memory::How::default(),
            self.now(),
        )?;
        let insight = notes.first().map(|it| it.note.text.clone()).unwrap_or_default();
        let mut situation = found.situation;
        for it in healed {
            situation = format!("{situation}; {it}");
        }
        Ok(observation(&situation, found.is_novel, found.confidence, &insight))
    }

    /// A trace with a score counts for the active versions of the components that it names. Returns what
    /// the guard has taken back because of it.
    async fn score_live(&self, trace: &Value) -> Result<Vec<String>, OpError> {
        let Some(record) = trace.as_record() else { return Ok(Vec::new()) };
        let score = record.get("quality_score").and_then(number);
        let Some(score) = score.filter(|it| (0.0..=1.0).contains(it)) else {
            return Ok(Vec::new());
        };
        let mut names = BTreeSet::new();
        names.extend(record.get("component").and_then(Value::as_str).map(str::to_owned));
        if let Some(list) = record.get("components").and_then(Value::as_list) {
            names.extend(list.iter().filter_map(|it| it.as_str().map(str::to_owned)));
        }
        let mut healed = Vec::new();
        for name in names {
            if let Ok(knobs) = self.knobs(&name) {
                healed.extend(self.add_score(&knobs, score, "trace").await?);
            }
        }
        Ok(healed)
    }

    /// Counts a score for the active version of a component. Returns what the guard has taken back
    /// because of it, in a sentence.
    pub async fn feedback(
        &self,
        component: &str,
        score: f64,
        source: &str,
    ) -> Result<Option<String>, OpError> {
        if !(0.0..=1.0).contains(&score) {
            return Err(OpError::invalid_input(format!("a score is from 0 to 1, found {score}")));
        }
        let knobs = self.knobs(component)?;
        self.add_score(&knobs, score, source).await
    }

    /// Counts the rating of a result for the components that made it, each in the version that was active
    /// when the work began. A source that rates again replaces its rating. Returns what the guard has taken
    /// back because of it.
    pub async fn rated(
        &self,
        components: &BTreeSet<String>,
        began: i64,
        score: f64,
        source: &str,
    ) -> Result<Vec<String>, OpError> {
        let mut healed = Vec::new();
        for name in components {
            let Ok(knobs) = self.knobs(name) else { continue };
            let component = knobs.component.name.to_owned();
            let version = self.version_of(&component, began)?;
            let (at, source) = (self.now(), source.to_owned());
            let score = BiasScore { component, version, at, score, source };
            let is_new = self.biases.book().set_bias_score(score).await.map_err(failed)?;
            let active = self.biases.book().bias(knobs.component.name).map_err(failed)?.active;
            // The guard looks once for each number of scores of the active version.
            if is_new && version == active {
                healed
                    .extend(guard::listen(&self.biases, &self.engine, knobs.component.name).await?);
            }
        }
        Ok(healed)
    }

    /// The version that was active at a time.
    fn version_of(&self, component: &str, at: i64) -> Result<u64, OpError> {
        let log = self.biases.book().bias_log(Some(component), None, MOST_ENTRIES);
        let log = log.map_err(failed)?;
        let is_change = |it: &&BiasEntry| it.at <= at && it.outcome == "done" && it.op != "cases";
        let change = log.iter().find(is_change);
        Ok(change.map_or(1, |it| it.version))
    }

    async fn add_score(
        &self,
        knobs: &Knobs,
        score: f64,
        source: &str,
    ) -> Result<Option<String>, OpError> {
        let component = knobs.component.name.to_owned();
        let version = self.biases.book().bias(&component).map_err(failed)?.active;
        let (at, source) = (self.now(), source.to_owned());
        let score = BiasScore { component, version, at, score, source };
        self.biases.book().add_bias_score(score).await.map_err(failed)?;
        guard::listen(&self.biases, &self.engine, knobs.component.name).await
    }

    /// What is known of a component.
    pub fn understand(&self, component: &str) -> Result<Value, OpError> {
        let subject = self.subject(component)?;
        let own = subject.evaluator.knobs.component;
        let contract = |op: &svc_contract::registry::OpDef| {
            let params = op.params.iter().map(svc_contract::registry::Param::signature);
            let errors = op.errors.iter().map(|it| it.name());
            let effects: Vec<String> = op.effects.iter().map(ToString::to_string).collect();
            let all = object([
                ("params", texts(params)),
                ("result", op.yields.show().into()),
                ("errors", texts(errors)),
                ("effects", texts(effects)),
                ("examples", op.examples.len().into()),
            ]);
            (op.name.into(), all)
        };
        let contracts = Value::Record(own.ops.iter().map(contract).collect());
        let sizes = [Part::Train, Part::Validation, Part::Sealed].map(|it| subject.part(it).len());
        let log = self.biases.book().bias_log(Some(own.name), None, 1).map_err(failed)?;
        let last = log.first().map_or(Value::Null, |it| format!("{} {}", it.op, it.outcome).into());
        let verification = object([
            ("layers", texts(LAYERS.iter().map(|it| it.0))),
            ("training_cases", sizes[0].into()),
            ("validation_cases", sizes[1].into()),
            ("sealed", status_of(&subject)),
            ("last", last),
        ]);
        let domain = object([
            ("summary", own.summary.into()),
            ("cluster", own.cluster.into()),
            ("strategy", own.bias.strategy.into()),
            ("assumptions", texts(own.bias.assumptions.iter().copied())),
            ("evolvable_params", texts(subject.evaluator.knobs.all.iter().map(|it| it.name))),
            ("active", shown(&subject.active).into()),
        ]);
        let notes =
            memory::recall(self.biases.book(), own.name, 3, memory::How::default(), self.now())?;
        let patterns: Vec<&str> = notes.iter().map(|it| it.note.text.as_str()).collect();
        Ok(object([
            ("contracts", contracts),
            ("verification", verification),
            ("domain_spec", domain),
            ("memory_patterns", patterns.join("\n").into()),
        ]))
    }

    /// Searches for better params of a component, and keeps the frontier. Changes nothing else.
    pub async fn evolve(
        &self,
        component: &str,
        trace: Option<&Value>,
        config: &Config,
        weights: Option<Weights>,
        progress: Progress<'_>,
    ) -> Result<(Value, Evolved), OpError> {
        let mut subject = self.subject(component)?;
        let strategy = self.strategy(&config.strategy)?;
        let book = self.biases.book().clone();
        let name = evolve::name_of(&subject, config);
        let adviser = config.model.clone().map(|model| Adviser {
            engine: self.engine.clone(),
            model,
            kept: (book.clone(), name),
            cancel: self.cancel.clone(),
        });
        subject.evaluator = subject.evaluator.keeping(book, name);
        let given = Given {
            evaluator: &subject.evaluator,
            cases: &subject.cases,
            draw: subject.row.seal,
            active: &subject.active,
            strategy: &strategy,
            config,
            weights,
            trace,
            adviser,
        };
        let evolved = evolve::evolve(&given, progress).await?;
        self.keep(&subject, &evolved).await?;
        Ok((answer(&subject, &evolved), evolved))
    }

    async fn keep(&self, subject: &Subject, evolved: &Evolved) -> Result<(), OpError> {
        let book = self.biases.book();
        let name = subject.name();
        let frontier = evolved.frontier.iter().map(|(it, score)| {
            let mut measured = measured_value(it);
            if let Value::Record(record) = &measured {
                let all = record.iter().map(|(name, it)| (name.clone(), it.clone()));
                let all = all.chain([("score".into(), rounded(*score))]);
                measured = Value::Record(all.collect());
            }
            Frontier { params: json::write(&record(&it.changes)), score: json::write(&measured) }
        });
        book.set_bias_frontier(name.to_owned(), frontier.collect()).await.map_err(failed)?;
        let outcome = if evolved.is_better { "proposed" } else { "nothing better" };
        let detail = format!(
            "{}: {:.4} instead of {:.4}, after {:.1} evaluations{}",
            shown(&evolved.proposal),
            evolved.after,
            evolved.before,
            evolved.evaluations,
            evolved.paid()
        );
        self.biases.log(subject, "evolve", outcome, &detail)?;
        let note = format!("Evolution of {name}: {outcome}. {detail}");
        memory::remember(book, &note, "evolution", vec![name.to_owned()], self.now())?;
        // From here on, an evolution begins again.
        book.drop_bias_results(name.to_owned()).await.map_err(failed)
    }

    /// A strategy that comes with this program, or one in a file.
    pub fn strategy(&self, name: &str) -> Result<Strategy, OpError> {
        if let Some(found) = Strategy::built_in(name) {
            return found;
        }
        if Path::new(name).extension().is_none_or(|it| it != "rhai") {
            let names: Vec<&str> = BUILT_IN.iter().map(|it| it.0).collect();
            return Err(OpError::not_found(format!("unknown strategy `{name}`"))
                .help(format!("the strategies are {}; a file ends in `.rhai`", names.join(", "))));
        }
        let guarded = self.engine.policy().guard(self.engine.shared_host());
        let bytes = host::read(&*guarded, Path::new(name), LARGEST).map_err(|err| {
            let kind = match err.kind() {
                std::io::ErrorKind::NotFound => ErrorKind::NotFound,
                std::io::ErrorKind::PermissionDenied => ErrorKind::Denied,
                _ => ErrorKind::Failed,
            };
            OpError::new(kind, format!("cannot read the strategy `{name}`: {err}"))
        })?;
        let code = String::from_utf8(bytes)
            .map_err(|_| OpError::invalid_input(format!("the strategy `{name}` is not UTF-8")))?;
        Strategy::new(name, &code)
    }

    /// Verifies a candidate and makes it the active version.
    pub async fn apply(&self, component: &str, candidate: &Value) -> Result<Value, OpError> {
        let subject = self.subject(component)?;
        let summary = Record::read(candidate, &subject.evaluator.knobs)
            .map_or_else(|_| String::new(), |it| shown(&it.changes));
        let applied = layers::apply(&self.biases, &subject, candidate, &summary).await?;
        let note = match &applied.verified.refused {
            Some(why) => format!("Refused for {component}: {summary}. {why}"),
            None => format!("Applied to {component} as version {}: {summary}.", applied.version),
        };
        let note: String = note.chars().take(4_000).collect();
        memory::remember(
            self.biases.book(),
            &note,
            "apply",
            vec![component.to_owned()],
            self.now(),
        )?;
        let health = object([
            ("status", if applied.is_done { "guarded" } else { "unchanged" }.into()),
            ("version", applied.version.into()),
            ("refused", applied.verified.refused.clone().map_or(Value::Null, Value::from)),
        ]);
        let report = object([
            ("audits", applied.verified.audits_value()),
            ("heals", Value::List(Vec::new().into())),
            ("health", health),
        ]);
        Ok(object([
            ("applied", applied.is_done.into()),
            ("version", applied.version.into()),
            ("safety_layers_passed", applied.verified.passed.into()),
            ("healing_report", report),
        ]))
    }

    /// Returns to an earlier version: a negative number counts back from the active one.
    pub async fn rollback(&self, component: &str, version: i64) -> Result<Value, OpError> {
        let knobs = self.knobs(component)?;
        let name = knobs.component.name;
        let row = self.biases.book().bias(name).map_err(failed)?;
        let to = self.version_at(name, row.active, version)?;
        if to == row.active {
            return Err(OpError::invalid_input(format!(
                "version {to} of `{name}` is active already"
            )));
        }
        let changing = Changing {
            component: name.to_owned(),
            based_on: row.active,
            at: self.now(),
            op: "rollback",
            change: Change::Return { to },
            detail: format!("from version {}", row.active),
        };
        let changed = self.biases.change(changing).await?;
        let version = changed.ok_or_else(|| {
            OpError::failed(format!("`{name}` was changed by another process meanwhile"))
                .because(Conflict)
                .help("look at its history, and try again")
        })?;
        let changes = self.biases.changes_of(&knobs, version)?;
        let snapshot = Record { changes, version }.value(&knobs);
        Ok(object([("version", version.into()), ("snapshot", snapshot)]))
    }

    /// The number of a version; a negative one follows the versions that were active before.
    fn version_at(&self, name: &str, active: u64, version: i64) -> Result<u64, OpError> {
        if version >= 0 {
            let wanted = version.cast_unsigned();
            let found = self.biases.book().bias_version(name, wanted).map_err(failed)?;
            if wanted == 1 || found.is_some() {
                return Ok(wanted);
            }
            return Err(OpError::not_found(format!("`{name}` has no version {version}"))
                .help(format!("`svc bias history {name}` lists its versions")));
        }
        let mut at = active;
        for _ in 0..version.unsigned_abs().min(1_000_000) {
            let found = self.biases.book().bias_version(name, at).map_err(failed)?;
            at = found.and_then(|it| it.parent).ok_or_else(|| {
                OpError::not_found(format!("`{name}` has no version before version {at}"))
                    .help(format!("`svc bias history {name}` lists its versions"))
            })?;
        }
        Ok(at)
    }

    /// Whether the principles hold for a candidate.
    pub async fn ground_check(&self, component: &str, candidate: &Value) -> Result<Value, OpError> {
        let subject = self.subject(component)?;
        let mut ground =
            Ground::new(&subject.evaluator, subject.open(), &subject.active, candidate);
        let results = ground.all().await?;
        let passed = results.iter().all(|it| it.passed);
        let mut warnings = few_cases(&subject);
        let read = Record::read(candidate, &subject.evaluator.knobs).ok();
        warnings.extend(read.and_then(|it| subject.other_version(&it)));
        Ok(object([
            ("overall_passed", passed.into()),
            ("results", Value::List(results.iter().map(crate::PrincipleResult::value).collect())),
            ("warnings", texts(warnings)),
        ]))
    }

    /// Whether one principle holds for a candidate.
    pub async fn check_principle(
        &self,
        principle: &str,
        component: &str,
        candidate: &Value,
    ) -> Result<Value, OpError> {
        let principle = Principle::named(principle)?;
        let subject = self.subject(component)?;
        let mut ground =
            Ground::new(&subject.evaluator, subject.open(), &subject.active, candidate);
        Ok(ground.check(principle).await?.value())
    }

    /// What applying a candidate would find, without reading sealed cases and without effect.
    pub async fn validate(&self, component: &str, candidate: &Value) -> Result<Value, OpError> {
        let subject = self.subject(component)?;
        let verified = layers::verify(&subject, candidate).await?;
        let mut warnings: Vec<String> = verified.warnings.clone();
        warnings.extend(verified.refused.clone());
        warnings.extend(few_cases(&subject));
        if verified.passed == 3 {
            warnings.push("sealed cases are only read when the candidate is applied".to_owned());
        }
        Ok(object([
            ("valid", (verified.passed == 3).into()),
            ("safety_layers_passed", verified.passed.into()),
            ("grounding_report", verified.grounding_value()),
            ("warnings", texts(warnings)),
        ]))
    }

    /// Looks after what was applied.
    pub async fn self_heal(&self, component: Option<&str>) -> Result<Value, OpError> {
        let healing = guard::heal(&self.biases, &self.engine, component).await?;
        let auto_rollback = healing.has_rolled_back();
        let health = healing.health.into_iter().map(|(name, it)| (name.into(), it));
        Ok(object([
            ("audits", Value::List(healing.audits.into())),
            ("heals", Value::List(healing.heals.into())),
            ("health", Value::Record(health.collect())),
            ("auto_rollback", auto_rollback.into()),
        ]))
    }
}

/// The answer of an evolution.
fn answer(subject: &Subject, evolved: &Evolved) -> Value {
    let knobs = &subject.evaluator.knobs;
    let version = subject.row.active + u64::from(evolved.is_better);
    let proposal = Record { changes: evolved.proposal.clone(), version }.value(knobs);
    let frontier = evolved.frontier.iter().map(|(it, score)| {
        let version = version_of(&it.changes, (subject.row.active, &subject.active));
        let bias = Record { changes: it.changes.clone(), version }.value(knobs);
        object([("bias", bias), ("score", rounded(*score))])
    });
    object([
        ("proposal", proposal),
        ("frontier", Value::List(frontier.collect())),
        ("version", version.into()),
        ("best_score", rounded(evolved.best_score)),
    ])
}

/// The version of a candidate: the active one, or the one that it would have if it were applied to that.
fn version_of(changes: &Changes, (active, active_changes): (u64, &Changes)) -> u64 {
    active + u64::from(changes != active_changes)
}

fn observation(situation: &str, is_novel: bool, confidence: f64, insight: &str) -> Value {
    object([
        ("situation", situation.into()),
        ("is_novel", is_novel.into()),
        ("confidence", rounded(confidence)),
        ("memory_insight", insight.into()),
    ])
}

/// What is missing for decisions about a component.
fn few_cases(subject: &Subject) -> Vec<String> {
    let sealed = subject.part(Part::Sealed).len();
    let name = subject.name();
    if sealed >= FEWEST_SEALED {
        return Vec::new();
    }
    vec![format!(
        "`{name}` has {sealed} sealed cases, and {FEWEST_SEALED} are needed to apply a candidate"
    )]
}

/// The words of a JSON text.
fn words_of(text: &str) -> String {
    let words = text.split(|it: char| !it.is_alphanumeric() && it != '_');
    words.filter(|it| it.len() > 2).take(60).collect::<Vec<&str>>().join(" ")
}

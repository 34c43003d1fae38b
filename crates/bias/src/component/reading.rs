//! The tools that change nothing, or only what is remembered.

use svc_contract::{
    registry::{Compute, Cx, Example, Io, OpError, params, record},
    value::{Text, Value, times},
};

use super::{READS, Scored, WRITES, declare, outside, shaped, work};
use crate::{value::object, work::Work};

record! {
    /// The biases of all components.
    struct Biases {
        /// Each component with its bias.
        snapshot: Value,
        /// How many there are.
        component_count: i64,
    }
}

params! {
    /// Shows the active bias of every component with tunables: its strategy, what it assumes, its params
    /// with their values and ranges, and its version.
    pub(super) struct Snapshot {}
}

declare!(Snapshot = "snapshot", "bias_snapshot" -> Biases, READS, [
    "which components can tune themselves",
    "the current biases of all components",
    "show every tunable with its active value",
], outside!("adapt_bias.snapshot()"));

impl Compute for Snapshot {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        shaped::<Biases>(work(cx)?.snapshot()?)
    }
}

record! {
    /// What a trace is like.
    struct Observation {
        /// What is the case, in a sentence.
        situation: Text,
        /// Whether it is unlike known traces.
        is_novel: bool,
        /// How sure that is, from 0 to 1.
        confidence: f64,
        /// What is remembered of such situations; empty if nothing is.
        memory_insight: Text,
    }
}

params! {
    /// Says whether a trace of a workflow is novel or like known ones, and keeps it.
    ///
    /// A trace is a record of numbers and names, such as `quality_score`, `latency`, `cost` and
    /// `components`. A `quality_score` from 0 to 1 counts for the active versions of the components that
    /// it names, and a guard may return to an earlier version because of it. Without a trace, the state of
    /// the tuning is reported.
    pub(super) struct Observe {
        /// The trace.
        workflow_trace: Option<Value> = None,
    }
}

declare!(Observe = "observe", "bias_observe" -> Observation, WRITES, [
    "is this workflow trace unusual",
    "is this situation novel or known",
    "observe how a workflow went",
], outside!("adapt_bias.observe()"));

impl Io for Observe {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let work = work(cx)?;
        shaped::<Observation>(work.observe(self.workflow_trace.as_ref()).await?)
    }
}

record! {
    /// What is known of a component.
    struct Understanding {
        /// Each op with its params, its result, its errors and its effects.
        contracts: Value,
        /// How changes are verified: the layers, and the numbers of cases.
        verification: Value,
        /// What it is for, how it works and what it assumes.
        domain_spec: Value,
        /// What is remembered of it.
        memory_patterns: Text,
    }
}

params! {
    /// Shows what is known of a component that can be tuned: its contracts, how changes are verified, what
    /// it is for, and what is remembered of it.
    pub(super) struct Understand {
        /// The component.
        target_component: Text,
    }
}

declare!(Understand = "understand", "bias_understand" -> Understanding, READS, [
    "what is known about a tunable component",
    "contracts and verification of a component before tuning it",
    "understand the bias of a component",
], outside!(r#"adapt_bias.understand("ctx_search")"#));

impl Compute for Understand {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        shaped::<Understanding>(work(cx)?.understand(&self.target_component)?)
    }
}

record! {
    /// How well something does.
    struct Evaluation {
        /// A score from 0 to 1, its interval, and what was measured.
        speed: Value,
        /// The same of the cost.
        cost: Value,
        /// The same of the quality.
        quality: Value,
        /// Its rank among what is known, from 1, and how many are better in everything.
        pareto: Value,
    }
}

params! {
    /// Scores a trace of a workflow by speed, cost and quality, each with its interval at 95 %, and ranks
    /// it among known traces of the same workflow.
    ///
    /// A trace has `quality_score`, `latency` in seconds or `cost`; several measurements are in `runs`. A
    /// trace with only the name of a `component` has the cases of this component run three times.
    pub(super) struct Evaluate {
        /// The trace.
        workflow_trace: Value,
        /// How much `speed`, `cost` and `quality` count; equally by default.
        weights: Option<Value> = None,
    }
}

declare!(Evaluate = "evaluate", "bias_evaluate" -> Evaluation, READS, [
    "score a workflow by speed cost and quality",
    "pareto rank of a workflow trace",
    "evaluate how well a tuned component does",
], outside!(r#"adapt_bias.evaluate(parse_json("{\"latency\": 1.2}"))"#));

impl Io for Evaluate {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let work = work(cx)?;
        let found = work.evaluate(&self.workflow_trace, self.weights.as_ref()).await?;
        shaped::<Evaluation>(found)
    }
}

record! {
    /// Whether a principle holds.
    struct PrincipleFound {
        /// The principle.
        name: Text,
        /// Whether it holds.
        passed: bool,
        /// How sure that is, from 0 to 1.
        confidence: f64,
        /// What was measured.
        explanation: Text,
    }
}

record! {
    /// Whether the principles hold.
    struct Grounding {
        /// Whether all do.
        overall_passed: bool,
        /// Each of them.
        results: Vec<PrincipleFound>,
        /// What is missing.
        warnings: Vec<Text>,
    }
}

params! {
    /// Measures whether the six principles hold for a candidate.
    pub(super) struct GroundCheck {
        /// The candidate: a whole bias.
        bias_candidate: Value,
        /// The component.
        target_component: Text,
    }
}

declare!(GroundCheck = "ground_check", "bias_ground_check" -> Grounding, READS, [
    "check a bias candidate against the principles",
    "do the six principles hold for a change of params",
    "ground check of a tuning",
], outside!(r#"adapt_bias.ground_check(parse_json("{}"), target_component: "ctx_search")"#));

impl Io for GroundCheck {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let work = work(cx)?;
        shaped::<Grounding>(work.ground_check(&self.target_component, &self.bias_candidate).await?)
    }
}

record! {
    /// A version of a bias.
    struct BiasVersion {
        /// Its number.
        version: i64,
        /// When it was made.
        timestamp: Text,
        /// What it changes.
        summary: Text,
    }
}

record! {
    /// The versions of a bias.
    struct History {
        /// The latest first.
        history: Vec<BiasVersion>,
    }
}

params! {
    /// Lists the versions of the bias of a component, the latest first.
    pub(super) struct ListHistory {
        /// The component.
        target_component: Text,
        /// The most versions.
        #[range(1..=10000)]
        limit: i64 = 20,
    }
}

declare!(ListHistory = "list_history", "bias_list_history" -> History, READS, [
    "versions of the bias of a component",
    "how was a component tuned before",
    "history of a tuned component",
], outside!(r#"adapt_bias.list_history("ctx_search")"#));

impl Compute for ListHistory {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let limit = usize::try_from(self.limit).unwrap_or(1);
        let history = work(cx)?.history(&self.target_component, limit)?;
        shaped::<History>(object([("history", history)]))
    }
}

record! {
    /// Candidates that no other one beats.
    struct Front {
        /// The best first.
        frontier: Vec<Scored>,
    }
}

params! {
    /// Shows the candidates of the last evolution of a component that no other one beats in quality, speed
    /// and cost.
    pub(super) struct GetFrontier {
        /// The component.
        target_component: Text,
    }
}

declare!(GetFrontier = "get_frontier", "bias_get_frontier" -> Front, READS, [
    "pareto front of bias candidates",
    "best candidates of an evolution",
    "trade-offs between quality and speed of a tuned component",
], outside!(r#"adapt_bias.get_frontier("ctx_search")"#));

impl Compute for GetFrontier {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let frontier = work(cx)?.frontier(&self.target_component)?;
        shaped::<Front>(object([("frontier", frontier)]))
    }
}

record! {
    /// How two versions differ.
    struct Difference {
        /// Each param that differs, with both values.
        diff: Value,
        /// The first bias.
        a: Value,
        /// The second bias.
        b: Value,
    }
}

params! {
    /// Compares two versions of the bias of a component, param by param.
    pub(super) struct Compare {
        /// The component.
        target_component: Text,
        /// The first version; -1 is the one before the active one.
        version_a: i64,
        /// The second version.
        version_b: i64,
    }
}

declare!(Compare = "compare", "bias_compare" -> Difference, READS, [
    "difference between two versions of a bias",
    "which params did a tuning change",
    "compare bias versions",
], outside!(r#"adapt_bias.compare("ctx_search", version_a: 1, version_b: 2)"#));

impl Compute for Compare {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let Self { target_component, version_a, version_b } = self;
        shaped::<Difference>(work(cx)?.compare(&target_component, version_a, version_b)?)
    }
}

record! {
    /// The principles.
    struct Principles {
        /// Each with what it measures.
        principles: Value,
    }
}

params! {
    /// Lists the six principles that a change must satisfy, with what each of them measures.
    pub(super) struct ListPrinciples {}
}

declare!(ListPrinciples = "list_principles", "bias_list_principles" -> Principles, &[], [
    "what are the six principles of bias evolution",
    "principles that a tuning must satisfy",
    "list the principles with their meaning",
], &[Example::ok(
    "The first one",
    r#"adapt_bias.list_principles() >> .principles >> to_json >> contains(item: "antifragility")"#,
    "true",
)]);

impl Compute for ListPrinciples {
    fn run(self, _: &Cx) -> Result<Value, OpError> {
        shaped::<Principles>(Work::principles())
    }
}

params! {
    /// Measures whether one principle holds for a candidate.
    pub(super) struct CheckPrinciple {
        /// The principle, such as `antifragility`.
        principle: Text,
        /// The component.
        target_component: Text,
        /// The candidate: a whole bias.
        bias_candidate: Value,
    }
}

declare!(CheckPrinciple = "check_principle", "bias_check_principle" -> PrincipleFound, READS, [
    "does one principle hold for a candidate",
    "check antifragility of a bias",
    "measure a single principle of a tuning",
], outside!(r#"adapt_bias.check_principle("autopoiesis", target_component: "ctx_search", bias_candidate: parse_json("{}"))"#));

impl Io for CheckPrinciple {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let Self { principle, target_component, bias_candidate } = self;
        let work = work(cx)?;
        let found = work.check_principle(&principle, &target_component, &bias_candidate).await?;
        shaped::<PrincipleFound>(found)
    }
}

record! {
    /// A safety layer.
    struct Layer {
        /// Its name.
        name: Text,
        /// Whether it can decide.
        available: bool,
        /// What it looks at.
        status: Text,
    }
}

record! {
    /// The safety layers.
    struct Layers {
        /// In their order.
        layers: Vec<Layer>,
        /// How many a candidate must pass.
        required: i64,
    }
}

params! {
    /// Shows the four safety layers that a candidate must pass before it is applied.
    pub(super) struct SafetyStatus {}
}

declare!(SafetyStatus = "safety_status", "bias_safety_status" -> Layers, READS, [
    "which safety layers guard the tuning",
    "are the safety layers of bias evolution available",
    "safety status of self-tuning",
], outside!("adapt_bias.safety_status()"));

impl Compute for SafetyStatus {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        shaped::<Layers>(work(cx)?.safety_status()?)
    }
}

record! {
    /// What applying a candidate would find.
    struct Validation {
        /// Whether all layers that can be asked without effect accept it.
        valid: bool,
        /// How many layers it passed.
        safety_layers_passed: i64,
        /// What the principles found.
        grounding_report: Value,
        /// Why it was refused, and what is missing.
        warnings: Vec<Text>,
    }
}

params! {
    /// Verifies a candidate as `apply` does, without effect and without reading sealed cases: of the four
    /// layers, three are asked.
    pub(super) struct ValidateCandidate {
        /// The candidate: a whole bias.
        bias_candidate: Value,
        /// The component.
        target_component: Text,
    }
}

declare!(ValidateCandidate = "validate_candidate", "bias_validate_candidate" -> Validation, READS, [
    "would a bias candidate be accepted",
    "dry run of applying a tuning",
    "validate a bias without applying it",
], outside!(r#"adapt_bias.validate_candidate(parse_json("{}"), target_component: "ctx_search")"#));

impl Io for ValidateCandidate {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let work = work(cx)?;
        let found = work.validate(&self.target_component, &self.bias_candidate).await?;
        shaped::<Validation>(found)
    }
}

record! {
    /// What was counted.
    struct Counted {
        /// Changes that were asked for.
        total_mutations: i64,
        /// Those that were applied.
        successful: i64,
        /// Those that a layer refused.
        rejected: i64,
        /// How often an earlier version became active again.
        rollbacks: i64,
        /// The mean share of the layers that candidates passed.
        avg_safety_score: f64,
    }
}

params! {
    /// Counts the changes of biases, those that were refused and those that were taken back.
    pub(super) struct Metrics {
        /// Only those of one component.
        target_component: Option<Text> = None,
    }
}

declare!(Metrics = "metrics", "bias_metrics" -> Counted, READS, [
    "how many tunings were applied or rolled back",
    "metrics of bias evolution",
    "count rejected mutations",
], outside!("adapt_bias.metrics()"));

impl Compute for Metrics {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        shaped::<Counted>(work(cx)?.metrics(self.target_component.as_deref())?)
    }
}

record! {
    /// An entry of the log.
    struct AuditEntry {
        /// When it was.
        timestamp: Text,
        /// The component.
        component: Text,
        /// What was done.
        op: Text,
        /// The version that was active afterwards.
        version: i64,
        /// What became of it.
        outcome: Text,
    }
}

record! {
    /// Entries of the log.
    struct AuditEntries {
        /// The latest first.
        entries: Vec<AuditEntry>,
    }
}

params! {
    /// Lists what was done to biases, the latest first.
    pub(super) struct AuditLog {
        /// Only of one component.
        target_component: Option<Text> = None,
        /// The most entries.
        #[range(1..=10000)]
        limit: i64 = 50,
        /// Only since this time, as `2026-11-27T00:00:00Z`.
        since: Option<Text> = None,
    }
}

declare!(AuditLog = "audit_log", "bias_audit_log" -> AuditEntries, READS, [
    "who changed which bias and when",
    "audit log of tunings",
    "what was done to the params of components",
], outside!("adapt_bias.audit_log()"));

impl Compute for AuditLog {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let since = self.since.as_deref().map(millis).transpose()?;
        let limit = usize::try_from(self.limit).unwrap_or(1);
        let entries = work(cx)?.audit_log(self.target_component.as_deref(), limit, since)?;
        shaped::<AuditEntries>(object([("entries", entries)]))
    }
}

/// Milliseconds since 1970 of a time.
fn millis(text: &str) -> Result<i64, OpError> {
    let time = times::parse_time(text).ok_or_else(|| {
        OpError::invalid_input(format!("`{text}` is not a time")).help("write 2026-11-27T00:00:00Z")
    })?;
    Ok(time.as_millisecond())
}

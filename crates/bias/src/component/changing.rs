//! The tools that change what is active, or search for it.
#![expect(clippy::struct_field_names, reason = "the names of the specification")]

use svc_contract::{
    registry::{Cx, Io, OpError, params, record},
    value::{Record, Text, Value},
};

use super::{Scored, WRITES, confirm, declare, field, outside, shaped, work};
use crate::{
    config::Config,
    evolve::{Step, Weights},
    value::object,
    work::{Work, measure},
};

record! {
    /// What an evolution found.
    struct Evolution {
        /// The bias that is proposed; the active one if nothing better was found.
        proposal: Value,
        /// The candidates that no other one beats in quality, speed and cost on the training cases, the
        /// best first. The proposal, which is the best on validation cases as well, may not be one.
        frontier: Vec<Scored>,
        /// The version that the proposal would have.
        version: i64,
        /// The score of the proposal on training and validation cases, which cannot be compared with
        /// scores of the frontier.
        best_score: f64,
    }
}

params! {
    /// Searches for better params of a component, by a debate of proposers on its training cases. Nothing
    /// is applied.
    ///
    /// The settings are `max_iterations`, `max_evaluations`, `max_seconds`, `seed` and `strategy`: the name
    /// of a strategy, or a file that ends in `.rhai`. An evolution that is stopped goes on where it was
    /// when it is started again with the same settings.
    pub(super) struct Evolve {
        /// The component.
        target_component: Text,
        /// How a workflow with it went.
        workflow_trace: Option<Value> = None,
        /// Settings that differ from those of `get_config`.
        evolution_config: Option<Value> = None,
        /// How much `speed`, `cost` and `quality` count; only the quality by default.
        weights: Option<Value> = None,
        /// The token of the server.
        #[masked]
        confirm_token: Text,
    }
}

declare!(Evolve = "evolve", "bias_evolve" -> Evolution, WRITES, [
    "tune a component on its cases",
    "search better params for a component",
    "evolve the bias of a component",
], outside!(r#"adapt_bias.evolve("ctx_search", confirm_token: "x")"#));

impl Io for Evolve {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let work = work(cx)?;
        confirm(cx, &work, Some(&self.confirm_token))?;
        let config = work.biases.config().with(self.evolution_config.as_ref())?;
        let weights = weights_of(self.weights.as_ref())?;
        let trace = self.workflow_trace.as_ref().filter(|it| !it.is_null());
        trace.map(measure::read).transpose()?;
        let found = evolved(&work, cx, &self.target_component, trace, &config, weights).await?;
        shaped::<Evolution>(found)
    }
}

/// Weights are only there if the caller gave some.
fn weights_of(given: Option<&Value>) -> Result<Option<Weights>, OpError> {
    let given = given.filter(|it| !it.is_null());
    given.map(|it| Weights::QUALITY.with(Some(it))).transpose()
}

async fn evolved(
    work: &Work,
    cx: &Cx,
    component: &str,
    trace: Option<&Value>,
    config: &Config,
    weights: Option<Weights>,
) -> Result<Value, OpError> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    let mut report = |step: &Step| {
        cx.progress("evaluations", step.evaluations as u64, Some(step.most));
    };
    let (answer, evolved) = work.evolve(component, trace, config, weights, &mut report).await?;
    evolved.warnings.iter().for_each(|it| cx.notice(it));
    Ok(answer)
}

record! {
    /// What became of a candidate.
    struct Applied {
        /// Whether it is active now.
        applied: bool,
        /// The version that is active.
        version: i64,
        /// How many of the four layers it passed.
        safety_layers_passed: i64,
        /// What each layer found, and why the candidate was refused.
        healing_report: Value,
    }
}

params! {
    /// Verifies a candidate with four safety layers, and makes it the active bias of a component if it
    /// passes them all. A guard is armed, which returns to the version before if the new one turns out to
    /// be worse.
    pub(super) struct Apply {
        /// The candidate: a whole bias, as `evolve` proposes one.
        bias_candidate: Value,
        /// The component.
        target_component: Text,
        /// The token of the server.
        #[masked]
        confirm_token: Text,
    }
}

declare!(Apply = "apply", "bias_apply" -> Applied, WRITES, [
    "make a bias candidate active",
    "apply a tuning to a component",
    "use the proposed params from now on",
], outside!(r#"adapt_bias.apply(parse_json("{}"), target_component: "ctx_search", confirm_token: "x")"#));

impl Io for Apply {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let work = work(cx)?;
        confirm(cx, &work, Some(&self.confirm_token))?;
        shaped::<Applied>(work.apply(&self.target_component, &self.bias_candidate).await?)
    }
}

record! {
    /// What is active after a rollback.
    struct RolledBack {
        /// The version.
        version: i64,
        /// The bias.
        snapshot: Value,
    }
}

params! {
    /// Returns to an earlier version of the bias of a component.
    pub(super) struct Rollback {
        /// The component.
        target_component: Text,
        /// The version; -1 is the one that was active before.
        rollback_version: i64 = -1,
        /// The token of the server.
        #[masked]
        confirm_token: Text,
    }
}

declare!(Rollback = "rollback", "bias_rollback" -> RolledBack, WRITES, [
    "undo the tuning of a component",
    "return to an earlier bias version",
    "roll a component back to its defaults",
], outside!(r#"adapt_bias.rollback("ctx_search", confirm_token: "x")"#));

impl Io for Rollback {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let work = work(cx)?;
        confirm(cx, &work, Some(&self.confirm_token))?;
        shaped::<RolledBack>(work.rollback(&self.target_component, self.rollback_version).await?)
    }
}

record! {
    /// What was looked at, and what was taken back.
    struct Healed {
        /// The checks.
        audits: Vec<Value>,
        /// The components that returned to an earlier version.
        heals: Vec<Value>,
        /// The state of each component that was ever changed.
        health: Value,
        /// Whether anything was taken back.
        auto_rollback: bool,
    }
}

params! {
    /// Compares applied biases with the versions before, on cases and on the scores of users, and returns
    /// to the version before where the new one is significantly worse.
    pub(super) struct SelfHeal {
        /// Only one component.
        target_component: Option<Text> = None,
    }
}

declare!(SelfHeal = "self_heal", "bias_self_heal" -> Healed, WRITES, [
    "take tunings back that made things worse",
    "health of tuned components",
    "self-heal the biases",
], outside!("adapt_bias.self_heal()"));

impl Io for SelfHeal {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let work = work(cx)?;
        shaped::<Healed>(work.self_heal(self.target_component.as_deref()).await?)
    }
}

record! {
    /// What evolutions found.
    struct Evolutions {
        /// Each component with its proposal and the version that it would have.
        results: Value,
    }
}

params! {
    /// Searches for better params of several components, one after the other. Nothing is applied.
    pub(super) struct EvolveBatch {
        /// The components.
        components: Vec<Text>,
        /// Settings that differ from those of `get_config`.
        evolution_config: Option<Value> = None,
        /// How much `speed`, `cost` and `quality` count; only the quality by default.
        weights: Option<Value> = None,
        /// The token of the server.
        #[masked]
        confirm_token: Option<Text> = None,
    }
}

declare!(EvolveBatch = "evolve_batch", "bias_evolve_batch" -> Evolutions, WRITES, [
    "tune several components",
    "evolve the biases of a list of components",
    "search better params for many components",
], outside!(r#"adapt_bias.evolve_batch(["ctx_search"], confirm_token: "x")"#));

impl Io for EvolveBatch {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let work = work(cx)?;
        confirm(cx, &work, self.confirm_token.as_deref())?;
        let config = work.biases.config().with(self.evolution_config.as_ref())?;
        let weights = weights_of(self.weights.as_ref())?;
        let mut results: Vec<(Text, Value)> = Vec::new();
        for component in &self.components {
            let found = evolved(&work, cx, component, None, &config, weights).await?;
            let result = object([
                ("proposal", field(&found, "proposal")),
                ("version", field(&found, "version")),
            ]);
            results.push((component.clone(), result));
        }
        let results: Record = results.into_iter().collect();
        shaped::<Evolutions>(object([("results", Value::Record(results))]))
    }
}

record! {
    /// What became of a bundle.
    struct Imported {
        /// Whether its bias is active now.
        imported: bool,
        /// The version that is active.
        version: i64,
        /// Why it was refused, and what to know of it.
        warnings: Vec<Text>,
    }
}

params! {
    /// Makes the bias of an exported bundle active, after the same safety layers as `apply`.
    pub(super) struct Import {
        /// The bundle.
        bundle: Value,
        /// Whether the safety layers are asked; without them, only the guard looks after it.
        validate: bool = true,
        /// The token of the server.
        #[masked]
        confirm_token: Option<Text> = None,
    }
}

declare!(Import = "import", "bias_import" -> Imported, WRITES, [
    "import a bias bundle",
    "take the tuning of another service",
    "load exported params of a component",
], outside!(r#"adapt_bias.import(parse_json("{}"), confirm_token: "x")"#));

impl Io for Import {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let work = work(cx)?;
        confirm(cx, &work, self.confirm_token.as_deref())?;
        shaped::<Imported>(work.import(&self.bundle, self.validate).await?)
    }
}

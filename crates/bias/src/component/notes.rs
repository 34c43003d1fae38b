//! The tools for what is remembered, for settings, and for bundles.

use svc_contract::{
    registry::{Compute, Cx, OpError, params, record},
    value::{Text, Value},
};

use super::{READS, WRITES, confirm, declare, outside, shaped, work};
use crate::value::object;

record! {
    /// What is remembered.
    struct Remembered {
        /// The notes that fit best, one a line; empty if none does.
        answer: Text,
        /// Where each of them comes from.
        sources: Vec<Text>,
    }
}

params! {
    /// Searches the notes of people and of evolutions.
    pub(super) struct MemoryQuery {
        /// The question.
        #[filled]
        question: Text,
    }
}

declare!(MemoryQuery = "memory_query", "bias_memory_query" -> Remembered, WRITES, [
    "what do we remember about tuning a component",
    "ask the memory of bias evolution",
    "which tunings were tried before",
], outside!(r#"adapt_bias.memory_query("what helped ctx_search?")"#));

impl Compute for MemoryQuery {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        shaped::<Remembered>(work(cx)?.recall(&self.question)?)
    }
}

record! {
    /// Whether a note was kept.
    struct Ingested {
        /// Whether it is new; the same note is kept once.
        ingested: bool,
    }
}

params! {
    /// Keeps a note for later evolutions.
    pub(super) struct MemoryIngest {
        /// The note.
        #[filled]
        text: Text,
        /// Where it comes from.
        source: Text = "manual".into(),
    }
}

declare!(MemoryIngest = "memory_ingest", "bias_memory_ingest" -> Ingested, WRITES, [
    "remember a note about tuning",
    "add to the memory of bias evolution",
    "keep what was learnt about params",
], outside!(r#"adapt_bias.memory_ingest("a lower b helps with long documents")"#));

impl Compute for MemoryIngest {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        shaped::<Ingested>(work(cx)?.remember(&self.text, &self.source)?)
    }
}

record! {
    /// How evolutions work.
    struct BiasEvolutionConfig {
        /// The most rounds of proposals.
        max_iterations: i64,
        /// The most evaluations: one is a candidate on all training cases.
        max_evaluations: i64,
        /// The longest time in seconds.
        max_seconds: f64,
        /// What random choices begin with.
        seed: i64,
        /// The strategy.
        strategy: Text,
    }
}

params! {
    /// Shows the settings of evolutions.
    pub(super) struct GetConfig {}
}

declare!(GetConfig = "get_config", "bias_get_config" -> BiasEvolutionConfig, READS, [
    "settings of bias evolution",
    "how many iterations does an evolution have",
    "budget and strategy of evolutions",
], outside!("adapt_bias.get_config()"));

impl Compute for GetConfig {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        shaped::<BiasEvolutionConfig>(work(cx)?.biases.config().value())
    }
}

record! {
    /// The settings after a change.
    struct Updated {
        /// Whether they were changed.
        updated: bool,
        /// All settings.
        config: BiasEvolutionConfig,
    }
}

params! {
    /// Changes settings of evolutions until the server ends. Those that are not given stay.
    pub(super) struct UpdateConfig {
        /// The settings that change.
        config: Value,
        /// The token of the server.
        #[masked]
        confirm_token: Option<Text> = None,
    }
}

declare!(UpdateConfig = "update_config", "bias_update_config" -> Updated, WRITES, [
    "change the settings of bias evolution",
    "set the budget of evolutions",
    "use another strategy for evolutions",
], outside!(r#"adapt_bias.update_config(parse_json("{}"), confirm_token: "x")"#));

impl Compute for UpdateConfig {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let work = work(cx)?;
        confirm(cx, &work, self.confirm_token.as_deref())?;
        let before = work.biases.config();
        let config = before.clone().with(Some(&self.config))?;
        work.strategy(&config.strategy)?;
        let is_updated = config != before;
        work.biases.set_config(config.clone());
        shaped::<Updated>(object([("updated", is_updated.into()), ("config", config.value())]))
    }
}

record! {
    /// A bias that another service can import.
    struct Bundle {
        /// The component.
        component: Text,
        /// The active bias.
        current_bias: Value,
        /// Its versions, if they are wanted.
        history: Option<Vec<Value>>,
        /// The hash of all of it.
        hash: Text,
    }
}

params! {
    /// Exports the active bias of a component as a bundle.
    pub(super) struct Export {
        /// The component.
        target_component: Text,
        /// Whether its versions are in it.
        include_history: bool = false,
    }
}

declare!(Export = "export", "bias_export" -> Bundle, READS, [
    "export the bias of a component",
    "take a tuning to another service",
    "bundle of tuned params",
], outside!(r#"adapt_bias.export("ctx_search")"#));

impl Compute for Export {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        shaped::<Bundle>(work(cx)?.export(&self.target_component, self.include_history)?)
    }
}

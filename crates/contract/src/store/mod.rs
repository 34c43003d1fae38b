//! The store of runs as a trait: the journal of runs, and earlier results.
//!
//! A store holds rows: a [`Run`] with its [`Node`]s, their [`Attempt`]s and [`Payment`]s. Contents
//! are identified by their hash and stored once ([`Blob`]). Rows are written as [`Entry`]s.

use std::{fmt, pin::Pin};

use crate::value::{ModelId, Written};

mod error;
mod history;
mod id;
mod payment;
mod rows;

pub use error::{StoreError, StoreErrorKind};
pub use history::{History, Spread};
pub use id::RunId;
pub use payment::Payment;
pub use rows::{Args, Attempt, Blob, End, Entry, Hash, ModelRow, Node, NodeState, Run, RunState};

type Result<T> = std::result::Result<T, StoreError>;

/// The result of a commit, once it is known.
pub type Committed = Pin<Box<dyn Future<Output = Result<()>> + Send>>;

/// The exclusive right to work on a run, until dropped.
pub trait Claim: fmt::Debug + Send + Sync {
    fn run(&self) -> &RunId;
}

/// Selects the runs to list, latest first.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// All if `None`.
    pub limit: Option<usize>,
    /// Only runs of this script.
    pub script: Option<String>,
    /// Only runs before this one.
    pub before: Option<RunId>,
}

/// The store of runs, as the engine uses it.
///
/// Every answer reflects the state committed at the time of the query; all queries block. Writing
/// blocks only while too many entries are pending: the futures of [`Store::commit`] and
/// [`Store::flush`] wait for the disk.
///
/// **Invariant:** everything that a commit acknowledged is read back, after a crash of the
/// process and after a power cut, if the store [is durable](Store::is_durable); or the store
/// reports that it is damaged. It never loses data silently.
pub trait Store: fmt::Debug + Send + Sync {
    /// Queues an entry to be written soon, together with others. An error belongs to an earlier
    /// entry, or means that nothing can be written at present; then this entry is not accepted.
    fn append(&self, entry: Entry) -> Result<()>;

    /// Writes an entry, and all that were appended before. It is durable once the future
    /// resolves. The entry is written even if the future is dropped.
    fn commit(&self, entry: Entry) -> Committed;

    /// Writes all appended entries. They are durable once the future resolves.
    fn flush(&self) -> Committed;

    /// Whether commits outlive the process; false for a store in memory.
    fn is_durable(&self) -> bool;

    /// The problems of the stored data, if they can be found quickly; `None` if that takes long, or
    /// is not possible. By default it is not.
    fn problems(&self) -> Result<Option<Vec<String>>> {
        Ok(None)
    }

    /// Creates the name of a run that begins `now`, in milliseconds since 1970. Later runs sort
    /// later, even if the clock was set back meanwhile.
    fn new_id(&self, now: i64) -> RunId;

    /// Whether the run is in the store, and the store is still at its place.
    fn keeps(&self, run: &RunId) -> bool;

    /// Claims a run. Only one process can hold the claim, and one part of this process.
    fn claim(&self, run: &RunId) -> Result<Box<dyn Claim>>;

    /// Lists runs, the latest first.
    fn runs(&self, filter: &Filter) -> Result<Vec<Run>>;

    /// The run of that name, of a unique prefix of it, or the latest run for `last`.
    fn run(&self, name: &str) -> Result<Run>;

    /// The id of the model with this name.
    fn model_named(&self, name: &str) -> Result<Option<ModelId>>;

    /// The names and texts of the files that a run's script imports.
    fn imports(&self, run: &RunId) -> Result<Vec<(String, Hash)>>;

    /// Every node of a run, in the order in which they were first written.
    fn nodes(&self, run: &RunId) -> Result<Vec<Node>>;

    /// One node of a run by its path.
    fn node(&self, run: &RunId, path: &str) -> Result<Option<Node>>;

    /// The nodes that finished under a key in other runs than `but`: nodes at the same place
    /// first, then the latest ones.
    fn done(&self, key: [u8; 32], path: &str, but: &RunId) -> Result<Vec<Node>>;

    /// The attempts of a node that had several, in order. A node with a single attempt contains
    /// all its facts.
    fn attempts(&self, run: &RunId, path: &str) -> Result<Vec<Attempt>>;

    /// The attempts of all nodes of a run, with the paths of their nodes, in order.
    fn all_attempts(&self, run: &RunId) -> Result<Vec<(String, Attempt)>>;

    /// The payments of a run, including those taken over from the run that it resumes.
    fn payments(&self, run: &RunId) -> Result<Vec<Payment>>;

    /// The usage of an operation, over its latest thousand finished nodes.
    fn history(&self, component: &str, op: &str) -> Result<History>;

    /// A content by its hash. The content is compared with its hash.
    fn blob(&self, hash: Hash) -> Result<Option<Vec<u8>>>;

    /// A value, as it was recorded.
    fn written(&self, hash: Hash) -> Result<Option<Written>> {
        let Some(bytes) = self.blob(hash)? else { return Ok(None) };
        let damaged = || StoreError::corrupt(format_args!("the content {hash} is not valid UTF-8"));
        Written::from_bytes(bytes).ok_or_else(damaged).map(Some)
    }

    /// A content that is text, such as a script; that of a value is its JSON.
    fn text(&self, hash: Hash) -> Result<Option<String>> {
        let Some(written) = self.written(hash)? else { return Ok(None) };
        let damaged = || StoreError::corrupt(format_args!("the content {hash} cannot be read"));
        written.into_json().ok_or_else(damaged).map(Some)
    }

    /// The arguments of a node as a record in JSON.
    fn arguments(&self, node: &Node) -> Result<String> {
        let missing = |hash| StoreError::not_found(format!("the content {hash} is missing"));
        let text = |hash| self.text(hash)?.ok_or_else(|| missing(hash));
        let others = match &node.args {
            Args::None => "{}".to_owned(),
            Args::Here(json) => json.clone(),
            Args::Blob(hash) => text(*hash)?,
        };
        let Some(hash) = node.input else { return Ok(others) };
        let about: serde_json::Value = serde_json::from_str(&node.about).unwrap_or_default();
        let Some(name) = about["input"].as_str() else { return Ok(others) };
        let comma = if others == "{}" { "" } else { "," };
        let others = others.strip_prefix('{').unwrap_or("}");
        Ok(format!("{{\"{name}\":{}{comma}{others}", text(hash)?))
    }

    /// Every call of a run with everything that was ever paid for it: failed attempts, repeated
    /// ones, and those with an unknown outcome.
    fn calls(&self, run: &RunId) -> Result<Vec<Node>> {
        Ok(payment::calls(self.nodes(run)?, self.payments(run)?))
    }
}

//! The written and read rows: runs, nodes, attempts and contents.

use std::{fmt, sync::Arc};

use serde_json::{Value as Json, json};

use super::{error::StoreError, id::RunId, payment::Payment};
use crate::{
    registry::Usage,
    value::{Learnt, ModelId},
};

/// The BLAKE3 hash that identifies a content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash(pub [u8; 32]);

/// A content with its hash. Equal contents are stored once.
#[derive(Clone, PartialEq, Eq)]
pub struct Blob {
    hash: Hash,
    data: Arc<[u8]>,
}

/// One execution of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub id: RunId,
    /// The name of the script: a path, or a placeholder.
    pub script: String,
    /// The text of the script.
    pub text: Hash,
    /// The folder that relative paths start from.
    pub folder: String,
    /// The params as JSON, secrets only as names.
    pub params: String,
    /// The bounds and caps as JSON.
    pub bounds: String,
    /// The version of svc that ran it.
    pub version: String,
    pub state: RunState,
    /// Milliseconds since 1970.
    pub started: i64,
    pub ended: Option<i64>,
    pub used: Usage,
    pub value: Option<Hash>,
    /// The failure as JSON.
    pub error: Option<String>,
    /// The run whose results it takes over, because it resumes that run with another script.
    pub origin: Option<RunId>,
    /// The price tables and the tunings, as JSON.
    pub about: String,
}

/// The name of the mark in [`Run::about`].
const PARTIAL: &str = "partial";

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    Running,
    Ok,
    Failed,
    Cancelled,
    /// It has no end, and is not claimed. Never written.
    Died,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    pub run: RunId,
    pub state: RunState,
    /// Milliseconds since 1970.
    pub at: i64,
    pub used: Usage,
    pub value: Option<Blob>,
    /// The failure as JSON.
    pub error: Option<String>,
}

/// One stage of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub run: RunId,
    /// Its place, as `found/web/search` or `each[3]/summary`.
    pub path: String,
    /// The hash of everything that determines its output. Never of an attempt, nor an order.
    pub key: [u8; 32],
    pub component: String,
    pub op: String,
    pub version: u32,
    pub state: NodeState,
    pub attempts: u32,
    /// Milliseconds since 1970.
    pub started: i64,
    /// Microseconds.
    pub took: u64,
    /// Its usage in this run; zero if its value is from another one.
    pub used: Usage,
    pub output: Option<Hash>,
    /// The failure as JSON.
    pub error: Option<String>,
    /// The arguments, without an input that is stored separately.
    pub args: Args,
    /// The input, if it is long.
    pub input: Option<Hash>,
    /// The time at which its value was computed, in milliseconds since 1970.
    pub born: i64,
    /// The run that computed the value, if it is another one.
    pub origin: Option<RunId>,
    /// Further facts that determined the call, as JSON.
    pub about: String,
    /// The reason why the call was made although an earlier run had made it, as JSON.
    pub cause: Option<String>,
}

/// The state of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeState {
    /// It was started, and may have had its effect.
    Intended,
    Done,
    Failed,
}

/// The arguments of a node as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Args {
    #[default]
    None,
    Here(String),
    /// Long arguments are a separate content.
    Blob(Hash),
}

/// One attempt of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Counts from 1.
    pub number: u32,
    /// Milliseconds since 1970.
    pub started: i64,
    /// Microseconds.
    pub took: u64,
    pub used: Usage,
    /// The failure as JSON.
    pub error: Option<String>,
}

/// One write operation.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A run begins or resumes: its earlier row is replaced. With the text of its script, and
    /// the names and texts of imported files.
    Run { run: Box<Run>, text: Blob, imports: Vec<(String, Blob)> },
    /// A run ends.
    End(Box<End>),
    /// A node, with the contents that it refers to, and its attempts if there were several. Its
    /// earlier row is replaced.
    Node { node: Box<Node>, blobs: Vec<Blob>, tries: Vec<Attempt> },
    /// The maximum usage of an attempt.
    Payment(Box<Payment>),
    /// The actual usage of an attempt.
    Settled { run: RunId, number: u64, used: Usage },
    /// A run learnt or uses a model, with its content.
    Model { run: RunId, model: ModelRow, content: Blob },
    /// A name for a model, or its removal.
    ModelName { name: String, model: Option<(ModelRow, Blob)> },
    /// All payments that a run takes over from another one, replacing earlier ones.
    TakenOver { run: RunId, payments: Vec<Payment> },
}

/// A model, without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRow {
    pub id: ModelId,
    /// What it is, as JSON.
    pub about: String,
}

impl ModelRow {
    pub fn of(content: &Learnt) -> Self {
        let about = serde_json::to_string(&content.about).unwrap_or_default();
        Self { id: content.id(), about }
    }
}

impl Hash {
    pub fn of(data: &[u8]) -> Self {
        Self(blake3::hash(data).into())
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Blob {
    pub fn new(data: impl Into<Arc<[u8]>>) -> Self {
        let data = data.into();
        Self { hash: Hash::of(&data), data }
    }

    pub fn hash(&self) -> Hash {
        self.hash
    }

    pub fn data(&self) -> &[u8] {
        &self.data
    }
}

/// Does not show the content, which may be long.
impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} bytes)", self.hash, self.data.len())
    }
}

impl Run {
    /// Whether records of the run are lost, so that resuming it could repeat calls.
    pub fn is_partial(&self) -> bool {
        let about: Json = serde_json::from_str(&self.about).unwrap_or_default();
        about[PARTIAL] == true
    }

    /// Marks that records of the run are lost.
    pub fn mark_partial(&mut self) {
        let mut about: Json = serde_json::from_str(&self.about).unwrap_or_default();
        if !about.is_object() {
            about = json!({});
        }
        about[PARTIAL] = true.into();
        self.about = about.to_string();
    }
}

impl RunState {
    /// The stored and displayed name of the state.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Died => "died",
        }
    }

    /// The state of that name.
    pub fn read(word: &str) -> Result<Self, StoreError> {
        let all = [Self::Running, Self::Ok, Self::Failed, Self::Cancelled];
        let found = all.into_iter().find(|it| it.word() == word);
        found.ok_or_else(|| StoreError::corrupt(format_args!("a run cannot be `{word}`")))
    }
}

impl NodeState {
    /// The stored and displayed name of the state.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Intended => "intended",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    /// The state of that name.
    pub fn read(word: &str) -> Result<Self, StoreError> {
        let all = [Self::Intended, Self::Done, Self::Failed];
        let found = all.into_iter().find(|it| it.word() == word);
        found.ok_or_else(|| StoreError::corrupt(format_args!("a node cannot be `{word}`")))
    }
}

impl Args {
    /// Longer arguments are a separate content.
    const LONGEST_HERE: usize = 1024;

    /// Stores arguments inline; long ones are added to `blobs`.
    pub fn of(json: String, blobs: &mut Vec<Blob>) -> Self {
        if json.len() <= Self::LONGEST_HERE {
            return Self::Here(json);
        }
        let blob = Blob::new(json.into_bytes());
        let hash = blob.hash();
        blobs.push(blob);
        Self::Blob(hash)
    }
}

impl Entry {
    /// The approximate memory use of a queued entry, in bytes.
    pub fn weight(&self) -> usize {
        const ROW: usize = 512;
        let len = |it: &Blob| it.data.len();
        ROW + match self {
            Self::Run { text, imports, .. } => {
                len(text) + imports.iter().map(|(_, it)| len(it)).sum::<usize>()
            }
            Self::End(end) => end.value.as_ref().map_or(0, len),
            Self::Node { blobs, tries, .. } => {
                blobs.iter().map(len).sum::<usize>() + tries.len() * ROW
            }
            Self::Model { content, .. } => len(content),
            Self::ModelName { model, .. } => model.as_ref().map_or(0, |(_, it)| len(it)),
            Self::Payment(_) | Self::Settled { .. } => 0,
            Self::TakenOver { payments, .. } => payments.len() * ROW,
        }
    }
}

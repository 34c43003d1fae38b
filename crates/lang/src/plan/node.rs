//! One vertex of a plan, as it is shown.

use svc_contract::value::{Text, Type};

use super::{EffectUse, Envelope, Verdict};
use crate::diag::{Source, Span};

/// One vertex of the plan.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its stable name: `found/web/search`, `each[]/summary`. Bounds around several nodes
    /// have none.
    pub path: String,
    /// What the script calls it: `search`, `parallel`, `each`.
    pub name: String,
    /// The op's canonical name; blocks have none.
    pub op: Option<String>,
    /// `inline`, `compute` or `io`; blocks have none.
    pub cost_class: Option<&'static str>,
    pub ty: Type,
    /// The nodes whose results it uses.
    pub needs: Vec<usize>,
    /// The inputs of the script that it uses without another node between.
    pub inputs: Vec<Text>,
    /// How many blocks it stands in.
    pub depth: usize,
    /// The block that it stands in, if any; it comes before it.
    pub parent: Option<usize>,
    pub effects: Vec<EffectUse>,
    /// The bounds that hold for it alone, its own defaults among them.
    pub bounds: Vec<(&'static str, String)>,
    /// What it takes, all that stands in it included, however often that runs.
    pub envelope: Envelope,
    /// What is known of the bounds that the script wrote for it.
    pub verdicts: Vec<Verdict>,
    /// What has to be there before anything behind it can start: `all items`, `all branches`.
    pub barrier: Option<&'static str>,
    /// Further remarks: what is not retried, which price is unknown.
    pub notes: Vec<String>,
    pub span: Span,
    /// The text that the span is a part of: a flow may stand in another file.
    pub source: Source,
}

//! One node of a plan, as shown.

use svc_contract::value::{Text, Type};

use super::{EffectUse, Envelope, Verdict};
use crate::diag::{Source, Span};

/// One node of the plan.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its stable name: `found/web/search`, `each[]/summary`. Bounds around several nodes
    /// have none.
    pub path: String,
    /// Its name in the script: `search`, `parallel`, `each`.
    pub name: String,
    /// The canonical name of the op; blocks have none.
    pub op: Option<String>,
    /// `inline`, `compute` or `io`; blocks have none.
    pub cost_class: Option<&'static str>,
    pub ty: Type,
    /// The nodes whose results it uses.
    pub needs: Vec<usize>,
    /// The inputs of the script that it uses directly.
    pub inputs: Vec<Text>,
    /// The number of blocks around it.
    pub depth: usize,
    /// The block around it, if any, which has a smaller index.
    pub parent: Option<usize>,
    pub effects: Vec<EffectUse>,
    /// The bounds that apply to it alone, including its defaults.
    pub bounds: Vec<(&'static str, String)>,
    /// Its estimate, including everything inside it, however often that runs.
    pub envelope: Envelope,
    /// The verdicts on the bounds that the script sets for it.
    pub verdicts: Vec<Verdict>,
    /// What stages after it wait for: `all items`, `all branches`.
    pub barrier: Option<&'static str>,
    /// Further remarks, such as calls that are not retried or unknown prices.
    pub notes: Vec<String>,
    pub span: Span,
    /// The text that the span refers to: a flow may be in another file.
    pub source: Source,
}

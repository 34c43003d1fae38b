//! The component `adapt_bias`: the tools by which components are tuned.

mod changing;
mod notes;
mod reading;

use std::sync::Arc;

use svc_contract::{
    registry::{
        Bias, Component, Cx, Effect, ErrorKind, MASK, MaskedValues, OpError, Scope, compute, io,
        record,
    },
    value::Value,
};
use svc_engine::Engine;

use crate::{biases::Biases, work::Work};

pub const COMPONENT: Component = Component {
    name: "adapt_bias",
    cluster: "self-optimisation",
    summary: "Inspects, proposes, verifies, applies and rolls back tunable params of components.",
    version: 1,
    bias: Bias::new(
        "proposers that argue with measured evidence",
        &["cases are like what comes", "a component does the same with the same params"],
    ),
    aliases: &[],
    ops: &[
        compute::<reading::Snapshot>(),
        io::<reading::Observe>(),
        compute::<reading::Understand>(),
        io::<reading::Evaluate>(),
        io::<changing::Evolve>(),
        io::<changing::Apply>(),
        io::<changing::Rollback>(),
        io::<reading::GroundCheck>(),
        io::<changing::SelfHeal>(),
        compute::<reading::ListHistory>(),
        compute::<reading::GetFrontier>(),
        compute::<reading::Compare>(),
        compute::<reading::ListPrinciples>(),
        io::<reading::CheckPrinciple>(),
        compute::<reading::SafetyStatus>(),
        io::<reading::ValidateCandidate>(),
        compute::<notes::MemoryQuery>(),
        compute::<notes::MemoryIngest>(),
        compute::<reading::Metrics>(),
        compute::<reading::AuditLog>(),
        io::<changing::EvolveBatch>(),
        compute::<notes::GetConfig>(),
        compute::<notes::UpdateConfig>(),
        compute::<notes::Export>(),
        io::<changing::Import>(),
    ],
};

record! {
    /// A candidate with its score.
    pub(super) struct Scored {
        /// The bias.
        bias: Value,
        /// Its weighted score.
        score: f64,
    }
}

const READS: &[Effect] = &[Effect::Reads(Scope::Named("bias"))];
const WRITES: &[Effect] = &[Effect::Writes { scope: Scope::Named("bias"), idempotent: true }];

const ERRORS: &[ErrorKind] = &[
    ErrorKind::NotFound,
    ErrorKind::InvalidInput,
    ErrorKind::InvalidOutput,
    ErrorKind::Denied,
    ErrorKind::Unsupported,
    ErrorKind::Exhausted,
    ErrorKind::Failed,
];

/// The work of a call.
fn work(cx: &Cx) -> Result<Work, OpError> {
    let biases = cx.lent::<Biases>().map_err(|_| {
        OpError::new(ErrorKind::Unsupported, "no biases are kept here")
            .help("a server keeps them, and `svc bias` does")
    })?;
    let catalog: Arc<dyn std::any::Any + Send + Sync> = cx.catalog()?;
    let engine = catalog.downcast::<Engine>();
    let engine = engine.map_err(|_| OpError::bug("no engine runs this call"))?;
    let mut work = Work::new(biases, engine.as_ref().clone());
    work.cancel = cx.cancel.clone();
    Ok(work)
}

/// Tests the token of a call, whose script may have a mask in its place.
fn confirm(cx: &Cx, work: &Work, given: Option<&str>) -> Result<(), OpError> {
    let masked = given.filter(|it| *it == MASK).and_then(|_| cx.lent::<MaskedValues>().ok());
    let own = masked.as_ref().and_then(|it| it.0.get("confirm_token")?.as_str());
    work.biases.confirm(own.or(given))
}

/// A record as the result of an op: its fields are those of the tool.
fn field(value: &Value, name: &str) -> Value {
    value.as_record().and_then(|it| it.get(name)).cloned().unwrap_or_default()
}

/// The error example of an op that needs a server.
macro_rules! outside {
    ($script:literal) => {
        &[svc_contract::registry::Example::err(
            "Outside of a server nothing is kept",
            $script,
            "no biases are kept here",
        )]
    };
}
use outside;

/// What an op declares: its name, its tool, its result, its effects, its phrasings, and an example.
macro_rules! declare {
    ($op:ident = $name:literal, $tool:literal -> $yields:ty, $effects:expr, [$($says:literal),+ $(,)?], $examples:expr) => {
        impl svc_contract::registry::Op for $op {
            const NAME: &'static str = $name;
            const YIELDS: svc_contract::registry::Scheme =
                <$yields as svc_contract::registry::Field>::SCHEME;
            const EFFECTS: &'static [svc_contract::registry::Effect] = $effects;
            const ERRORS: &'static [svc_contract::registry::ErrorKind] = super::ERRORS;
            const SAYS: &'static [&'static str] = &[$($says),+];
            const TOOL: Option<svc_contract::registry::Tool> =
                Some(svc_contract::registry::Tool::bias($tool));
            const LIMITS: svc_contract::registry::Limits = svc_contract::registry::Limits::UNTIMED;
            const EXAMPLES: &'static [svc_contract::registry::Example] = $examples;
        }
    };
}
use declare;

/// A record with the fields of a declared type, and no others.
fn shaped<R: svc_contract::registry::Field>(value: Value) -> Result<Value, OpError> {
    let read = R::decode(value).ok_or_else(|| OpError::bug("a result without its fields"))?;
    Ok(read.encode())
}

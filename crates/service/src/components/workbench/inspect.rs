//! The calls of a job.

use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field as _, Op, OpError, Scheme, Tool, params,
        record,
    },
    store::{Node, NodeState, StoreErrorKind},
    value::{Text, Value},
};

use super::{Bench, READS, outside};
use crate::Fault;

record! {
    /// A call of a job.
    struct NodeView {
        /// Its place in the script.
        path: String,
        /// The op.
        op: String,
        /// `done`, `failed` or `begun`.
        state: String,
        /// Its time in milliseconds.
        ms: f64,
        /// Its cost in dollars.
        cost: f64,
        /// Its attempts.
        attempts: i64,
        /// Why it failed.
        error: Option<String>,
    }
}

record! {
    /// The calls of a job.
    struct Inspected {
        /// The job.
        job_id: String,
        /// The version.
        version: i64,
        /// The run.
        run_id: String,
        /// The calls, in the order in which they were made.
        nodes: Vec<NodeView>,
    }
}

params! {
    /// Shows the calls of a job: their times, costs, attempts and errors.
    pub(super) struct Inspect {
        /// The job.
        job_id: Text,
        /// A version; the latest one if it is left out.
        version: Option<u32> = None,
    }
}

impl Op for Inspect {
    const NAME: &'static str = "inspect";
    const YIELDS: Scheme = Inspected::SCHEME;
    const EFFECTS: &'static [Effect] = READS;
    const SAYS: &'static [&'static str] =
        &["which step of a job failed", "what a job cost by step", "look inside a job"];
    const TOOL: Option<Tool> = Some(Tool::researcher("job_workbench_inspect"));
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Unsupported, ErrorKind::Failed];
    const EXAMPLES: &'static [Example] = outside!(r#"workbench.inspect("job_1")"#);
}

impl Compute for Inspect {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let bench = cx.lent::<Bench>()?;
        let jobs = bench.jobs()?;
        let row = jobs.job(&bench.owner, &self.job_id, self.version)?;
        let nodes = match jobs.runs().calls(&row.run) {
            Ok(nodes) => nodes,
            // It has not begun.
            Err(err) if err.kind == StoreErrorKind::NotFound => Vec::new(),
            Err(err) => return Err(Fault::from(err).into()),
        };
        Ok(Inspected {
            job_id: row.id,
            version: row.version.into(),
            run_id: row.run.to_string(),
            nodes: nodes.into_iter().map(view).collect(),
        }
        .encode())
    }
}

fn view(node: Node) -> NodeView {
    #[expect(clippy::cast_precision_loss, reason = "times are shown rounded")]
    let ms = node.took as f64 / 1000.0;
    NodeView {
        op: format!("{}.{}", node.component, node.op),
        state: word(node.state).to_owned(),
        ms,
        cost: node.used.cost.dollars(),
        attempts: node.attempts.into(),
        error: node.error.as_deref().map(message),
        path: node.path,
    }
}

fn word(state: NodeState) -> &'static str {
    match state {
        NodeState::Done => "done",
        NodeState::Failed => "failed",
        NodeState::Intended => "begun",
    }
}

/// The message of a failure in JSON.
fn message(error: &str) -> String {
    let read = svc_contract::value::json::read(error).ok();
    let of = read.as_ref().and_then(Value::as_record).and_then(|it| it.get("message"));
    of.and_then(Value::as_str).unwrap_or(error).to_owned()
}

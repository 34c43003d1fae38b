//! What is sent about a job.

use std::sync::Arc;

use svc_contract::{
    registry::Field as _,
    value::{Text, Value, json},
};
use svc_store::book::{DeliveryRow, JobRow};

use crate::{
    Fault,
    components::{time, workbench::Bench},
};

/// The largest body; a larger result is left out.
const LARGEST: usize = 1 << 20;

/// The body: the type of the event, its time, and the job as its owner sees it. Blocks.
pub(super) fn body(
    bench: &Arc<Bench>,
    job: &JobRow,
    delivery: &DeliveryRow,
) -> Result<String, Fault> {
    let data = bench.reported(job, delivery.event)?;
    let text = json::write(&message(delivery, data.clone()));
    if text.len() <= LARGEST {
        return Ok(text);
    }
    let small = without(data, &["result", "inputs"]);
    Ok(json::write(&message(delivery, small)))
}

fn message(delivery: &DeliveryRow, data: Value) -> Value {
    let event = format!("job.{}", delivery.event.name());
    let fields =
        [("type", event.into()), ("timestamp", time(delivery.at).encode()), ("data", data)];
    Value::Record(fields.into_iter().map(|(name, it)| (Text::from(name), it)).collect())
}

/// The job without its large fields, and their names.
fn without(data: Value, names: &[&str]) -> Value {
    let Value::Record(of) = data else { return data };
    let kept = of.iter().map(|(name, it)| {
        let it = if names.contains(&name.as_ref()) { Value::Null } else { it.clone() };
        (name.clone(), it)
    });
    let left_out: Vec<Value> = names.iter().map(|it| Value::from(*it)).collect();
    Value::Record(kept.chain([("left_out".into(), left_out.into())]).collect())
}

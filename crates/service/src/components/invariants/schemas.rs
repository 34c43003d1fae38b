//! Params and their schemas.

use svc_contract::{
    registry::{ErrorKind, OpError, OpRef, Param},
    value::{Type, Value},
};
use svc_engine::{
    Error,
    blocks::{ComponentRegistry, PipelineStep},
};
use svc_lang::diag::{Code, Problem};

use super::{
    generate,
    system::{Depth, System},
    table::Looked,
};

/// Every default of a param has the type and the range of the param.
pub(super) fn defaults(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    let mut looked = Looked::new("defaults");
    for op in system.ops() {
        (depth.look)()?;
        for param in op.op.params {
            let Some(default) = param.default else { continue };
            looked.case(format!("{op}.{}", param.name), misfit(param, &default.value()));
        }
    }
    Ok(looked)
}

fn misfit(param: &Param, value: &Value) -> Option<String> {
    let ty = param.scheme.plain();
    if matches!(ty, Type::Unknown) || param.scheme.takes_flows() {
        return None;
    }
    let wrong = || Some(format!("expected {}, found {value}", param.scheme.show()));
    if value.clone().cast(&ty).is_err() {
        return wrong();
    }
    let number = |it: &Value| match it {
        #[expect(clippy::cast_precision_loss, reason = "ranges are small constants")]
        Value::Int(it) => Some(*it as f64),
        Value::Float(it) => Some(*it),
        _ => None,
    };
    let (low, high) = param.scheme.range()?;
    let (low, high, value) = (number(&low)?, number(&high)?, number(value)?);
    if (low..=high).contains(&value) { None } else { wrong() }
}

/// What the schema of a tool allows is accepted, and what it does not name is refused.
pub(super) fn agree(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    let mut looked = Looked::new("generated calls");
    let mut random = fastrand::Rng::with_seed(depth.seed);
    // A model is named by its id, and a flow by its name: a schema does not say which there are.
    let names_others = |it: &OpRef| it.op.takes_model() || it.op.takes_flows();
    let is_open = |it: &OpRef| it.op.tool.is_some() && it.op.lacks().is_none();
    for op in system.ops().filter(|it| is_open(it) && !names_others(it)) {
        (depth.look)()?;
        let Some(schema) = (system.mechanisms.input_schema)(*op.op.params) else { continue };
        let Some(of) = schema.as_record() else {
            looked.case(op.to_string(), Some("expected a schema of an object".to_owned()));
            continue;
        };
        for _ in 0..depth.rounds {
            let args = generate::object(of, &mut random);
            let call = |args: &[(String, Value)]| accepts(system, op, args);
            let given: Vec<(String, Value)> =
                args.iter().map(|(name, it)| (name.to_string(), it.clone())).collect();
            let shown = Value::Record(args.clone());
            let refused = call(&given).err();
            let found = refused.map(|why| format!("expected {shown} to be accepted, found: {why}"));
            looked.case(op.to_string(), found);
        }
        looked.case(op.to_string(), too_much(system, op, of, &mut random));
        looked.case(op.to_string(), too_little(system, op, of, &mut random));
    }
    Ok(looked)
}

/// A field that the schema does not have is refused.
fn too_much(
    system: &System,
    op: OpRef,
    of: &svc_contract::value::Record,
    random: &mut fastrand::Rng,
) -> Option<String> {
    const EXTRA: &str = "no_such_param";
    let args = generate::object(of, random);
    let given = args.iter().map(|(name, it)| (name.to_string(), it.clone()));
    let given: Vec<_> = given.chain([(EXTRA.to_owned(), Value::Int(1))]).collect();
    let is_accepted = accepts(system, op, &given).is_ok();
    is_accepted.then(|| format!("expected `{EXTRA}` to be refused, found that it is accepted"))
}

/// A call without a field that the schema requires is refused.
fn too_little(
    system: &System,
    op: OpRef,
    of: &svc_contract::value::Record,
    random: &mut fastrand::Rng,
) -> Option<String> {
    let lacking = generate::strings(of.get("required")).into_iter().next()?;
    let args = generate::object(of, random);
    let given = args.iter().map(|(name, it)| (name.to_string(), it.clone()));
    let given: Vec<_> = given.filter(|it| it.0 != lacking).collect();
    let is_accepted = accepts(system, op, &given).is_ok();
    is_accepted.then(|| format!("expected `{lacking}` to be required, found that it is not"))
}

/// Whether the arguments of a call fit its op. A call may be impossible for other reasons, such as a
/// model that is not configured.
fn accepts(system: &System, op: OpRef, args: &[(String, Value)]) -> Result<(), String> {
    let mut step = PipelineStep::new(op.component.name, op.op.name);
    step.params = args.iter().cloned().collect();
    let registry = ComponentRegistry::new(system.engine.clone());
    let steps = registry.step(step).map_err(|it| it.to_string())?;
    let planned = steps.request(&system.engine).plan();
    // What a text says, such as an address, is not in a schema.
    let is_content = |it: &Problem| it.code == Code::E231;
    let error = planned.err().filter(|it| match it {
        Error::Check(report) => !report.problems.iter().filter(|it| it.is_error()).all(is_content),
        _ => true,
    });
    let error = error.map(|it| steps.failure(&system.engine, it));
    match error {
        Some(error) if error.kind == ErrorKind::InvalidInput => Err(error.to_string()),
        _ => Ok(()),
    }
}

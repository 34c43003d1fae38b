//! One op of a component.

use svc_contract::{
    registry::{Field as _, Param, Params as _, params, record},
    value::{Text, Value},
};
use svc_engine::blocks::PipelineStep;
use svc_service::{
    Answer, Bounds, Call, Fault, Work,
    decode::{self, AnyFields},
    quality::Quality,
    tools,
};

use super::{
    Input, Reply, Rest,
    route::{Access, Answers, Body, Handle, Method, Route},
    with_ok,
};

params! {
    struct InvokeRequest {
        /// The op.
        op: Text,
        /// The arguments by the names of the params.
        params: AnyFields = AnyFields::none(),
    }
}

record! {
    /// The result of an operation.
    struct Invoked {
        /// The result itself.
        result: Value,
        /// The confidence that the result states, if it does.
        confidence: Option<f64>,
        /// How good the result is, if anything is known of that.
        quality: Option<Quality>,
    }
}

/// The fields of the body.
pub(super) const REQUEST: &[Param] = InvokeRequest::PARAMS;

/// What a call of an op may end with.
pub(super) const STATUSES: &[u16] = &[402, 403, 404, 499, 502, 503, 504];

pub(super) fn routes() -> Vec<Route> {
    vec![Route {
        method: Method::Post,
        path: "/invoke/{component}",
        tag: "calls",
        summary: "Calls an op of a component.",
        access: Access::Key,
        query: &[],
        body: Some(Body::Fields(REQUEST)),
        reply: || tools::output_schema(Invoked::SCHEME),
        statuses: STATUSES,
        tool: None,
        answers: Answers::Object,
        handle: Handle::Io(|rest, input| Box::pin(invoke(rest, input))),
    }]
}

async fn invoke(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let answer = answer(rest, &input, input.part(0)).await?;
    let confidence = answer.confidence();
    let invoked = Invoked { result: answer.value, confidence, quality: answer.quality };
    let reply = without_null(without_null(invoked.encode(), "confidence"), "quality");
    Ok(Reply::ok(with_ok(reply)))
}

/// The answer of the op that a body names.
pub(super) async fn answer(rest: &Rest, input: &Input, component: &str) -> Result<Answer, Fault> {
    let asked: InvokeRequest = decode::decode(renamed(input.object()?))?;
    let mut step = PipelineStep::new(component, asked.op.as_ref());
    step.params = asked.params.args();
    rest.service.call(Call { work: Work::Op(step), bounds: Bounds::default() }).await
}

/// `operation` is another name of `op`.
pub(super) fn renamed(mut args: svc_service::Args) -> svc_service::Args {
    if !args.contains_key("op")
        && let Some(op) = args.remove("operation")
    {
        args.insert("op".to_owned(), op);
    }
    args
}

/// The record without a field that is null.
pub(super) fn without_null(value: Value, name: &str) -> Value {
    let Value::Record(of) = value else { return value };
    let kept = of.iter().filter(|(it, value)| it.as_ref() != name || !value.is_null());
    Value::Record(kept.map(|(name, it)| (name.clone(), it.clone())).collect())
}

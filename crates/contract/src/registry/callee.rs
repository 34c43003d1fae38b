//! Flows as arguments: how an op takes one, and how it calls it.

use tokio::sync::{mpsc, oneshot};

use super::{Cx, Field, Max, OpError, Scheme};
use crate::value::{FlowRef, Text, Value};

/// A flow or component that an op takes as an argument, from an `A` to a `B`.
#[derive(Clone, Debug)]
pub struct Callee<const A: char, const B: char>(FlowRef);

impl<const A: char, const B: char> Field for Callee<A, B> {
    // Ops with a flow argument call it once for each item of their input.
    const SCHEME: Scheme = Scheme::Flow(&Scheme::Var(A), &Scheme::Var(B), Max::Input);

    fn decode(value: Value) -> Option<Self> {
        flow(value).map(Self)
    }

    fn encode(self) -> Value {
        Value::Flow(self.0)
    }
}

fn flow(value: Value) -> Option<FlowRef> {
    match value {
        Value::Flow(it) => Some(it),
        _ => None,
    }
}

/// A flow or component from text to text, such as a language model. Ops with such an argument
/// call it at most as often as their `rounds` argument.
#[derive(Clone, Debug)]
pub struct Writer(FlowRef);

impl Field for Writer {
    const SCHEME: Scheme = Scheme::Flow(&Scheme::Text, &Scheme::Text, Max::Arg("rounds"));

    fn decode(value: Value) -> Option<Self> {
        flow(value).map(Self)
    }

    fn encode(self) -> Value {
        Value::Flow(self.0)
    }
}

/// A call of a flow by an op, and the channel for its result.
#[derive(Debug)]
pub struct FlowCall {
    pub flow: FlowRef,
    pub input: Value,
    pub reply: oneshot::Sender<Result<Value, OpError>>,
}

/// The channel by which the run receives calls of flows.
pub type FlowCalls = mpsc::UnboundedSender<FlowCall>;

impl Cx {
    /// Calls a flow argument, within the bounds of the op's own call.
    pub async fn call<const A: char, const B: char>(
        &self,
        flow: &Callee<A, B>,
        input: Value,
    ) -> Result<Value, OpError> {
        self.call_flow(&flow.0, input).await
    }

    /// Passes a text to a flow argument, and returns the resulting text.
    pub async fn write(&self, writer: &Writer, prompt: &str) -> Result<Text, OpError> {
        let written = self.call_flow(&writer.0, Value::text(prompt)).await?;
        Text::decode(written).ok_or_else(|| OpError::bug("a writer did not return text"))
    }

    async fn call_flow(&self, flow: &FlowRef, input: Value) -> Result<Value, OpError> {
        let (reply, answer) = oneshot::channel();
        let call = FlowCall { flow: flow.clone(), input, reply };
        let no_run = || OpError::bug("cannot call a flow: the op was called outside of a run");
        let calls = self.flow_calls().ok_or_else(no_run)?;
        calls.send(call).map_err(|_| OpError::cancelled())?;
        answer.await.unwrap_or_else(|_| Err(OpError::cancelled()))
    }
}

//! Flows as arguments: how an op takes one, and how it calls it.

use std::{cell::Cell, fmt, marker::PhantomData, sync::Arc};

use tokio::sync::{mpsc, oneshot};

use super::{Field, Max, OpDef, OpError, Param, Scheme};
use crate::value::{FlowRef, Text, ToolFacts, Value};

/// A flow or component that an op takes as an argument and calls, from an `A` to a `B`:
/// `Flow<String, f64>` is a `flow<string -> float>`.
///
/// The check compares both types. For a flow between types that only the script knows, they are
/// variables: `Flow<Var<'A'>, Var<'B'>>`, with a further parameter that contains a `Var<'A'>`.
///
/// An op may call it once for each item of its input, which must be a list; an op made of a
/// closure may declare another number with `ClosureOp::calls`. Only an io op can call it. An op
/// that keeps the flow takes a [`Callback`](super::Callback).
pub struct Flow<A, B> {
    flow: FlowRef,
    types: PhantomData<fn(A) -> B>,
}

impl<A, B> Flow<A, B> {
    /// The name of the flow in the script.
    pub fn name(&self) -> &str {
        self.flow.name()
    }
}

impl<A: Field, B: Field> Flow<A, B> {
    /// Calls the flow, within the bounds of the op's own call.
    ///
    /// Returns the error of the call, which an op may handle; and an error if the op calls the flow
    /// more often than it declares.
    pub async fn call(&self, input: A) -> Result<B, OpError> {
        let result = called(&self.flow, input.encode()).await?;
        let kind = result.kind();
        B::decode(result).ok_or_else(|| {
            let (wanted, name) = (B::SCHEME.show(), self.name());
            OpError::invalid_input(format!("expected {wanted} from `{name}`, found {kind}"))
        })
    }
}

impl<A, B> Clone for Flow<A, B> {
    fn clone(&self) -> Self {
        Self { flow: self.flow.clone(), types: PhantomData }
    }
}

impl<A, B> fmt::Debug for Flow<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Flow({})", self.name())
    }
}

impl<A: Field, B: Field> Field for Flow<A, B> {
    const SCHEME: Scheme = Scheme::Flow(&A::SCHEME, &B::SCHEME, Max::Input);

    fn decode(value: Value) -> Option<Self> {
        flow(value).map(|flow| Self { flow, types: PhantomData })
    }

    fn encode(self) -> Value {
        Value::Flow(self.flow)
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

impl Writer {
    /// Passes a text to the flow, and returns the resulting text.
    pub async fn write(&self, prompt: &str) -> Result<Text, OpError> {
        let written = called(&self.0, Value::text(prompt)).await?;
        Text::decode(written).ok_or_else(|| OpError::bug("a writer did not return text"))
    }
}

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

/// A flow of the script, and the run that evaluates its calls.
struct Callable {
    flow: FlowRef,
    calls: FlowCalls,
}

impl OpDef {
    /// Replaces the flows that the op calls by ones whose calls are sent to `calls`.
    pub fn connect(&self, args: &mut [Value], calls: &FlowCalls) {
        for (param, arg) in self.params.iter().zip(args) {
            if !matches!(param.scheme.flow(), Some((_, _, Max::Never))) {
                *arg = connected(std::mem::take(arg), calls);
            }
        }
    }
}

fn connected(arg: Value, calls: &FlowCalls) -> Value {
    match arg {
        Value::Flow(flow) => {
            let callable = Callable { flow: flow.clone(), calls: calls.clone() };
            Value::Flow(flow.with_object(Arc::new(callable)))
        }
        Value::List(items) if items.iter().any(|it| matches!(it, Value::Flow(_))) => {
            let items: Vec<Value> = items.iter().map(|it| connected(it.clone(), calls)).collect();
            items.into()
        }
        other => other,
    }
}

impl Value {
    /// The flows of an argument: it is one, or a list of tools.
    pub fn flows(&self) -> Vec<FlowRef> {
        match self {
            Self::Flow(flow) => vec![flow.clone()],
            // A list of anything else has none.
            Self::List(items) if matches!(items.get(0), Some(Self::Flow(_))) => {
                items.iter().flat_map(Self::flows).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// A flow or component that an op lets a language model call.
#[derive(Clone, Debug)]
pub struct ToolRef(FlowRef);

impl ToolRef {
    /// What the model needs to know.
    pub fn facts(&self) -> Option<&ToolFacts> {
        self.0.facts()
    }

    /// The name that the script uses for it.
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// Calls it with an object of arguments, which are tested. The result may be any value.
    pub async fn call(&self, args: Value) -> Result<Value, OpError> {
        called(&self.0, args).await
    }
}

/// A list of tools. An op with such a param declares [`Scheme::Tools`] in a type of its own.
pub fn tools_of(value: Value) -> Option<Vec<ToolRef>> {
    let Value::List(items) = value else { return None };
    let tool = |it: &Value| match it {
        Value::Flow(flow) if flow.facts().is_some() => Some(ToolRef(flow.clone())),
        _ => None,
    };
    items.iter().map(tool).collect()
}

/// The flow that cannot be called, as no other parameter has a value of the type that it takes, and
/// the variable of that type.
pub(super) fn unbound_flow(params: &[Param]) -> Option<(&Param, char)> {
    let unbound = |it: &Param| it.scheme.flow()?.0.unbound_variable(params);
    params.iter().find_map(|it| Some((it, unbound(it)?)))
}

impl Scheme {
    /// A variable of this type that no value of the parameters determines: neither a value that they
    /// contain, nor the result of a flow.
    pub(super) fn unbound_variable(self, params: &[Param]) -> Option<char> {
        let found = Cell::new(None);
        self.any_variable(&|letter| {
            let is_bound = params.iter().any(|it| match it.scheme.flow() {
                Some((_, gives, _)) => gives.has_variable(letter),
                None => it.scheme.has_variable(letter),
            });
            if !is_bound {
                found.set(Some(letter));
            }
            !is_bound
        });
        found.get()
    }
}

/// Sends a call to the run, and waits for its result.
async fn called(flow: &FlowRef, input: Value) -> Result<Value, OpError> {
    let callable = flow.downcast::<Callable>().ok_or_else(|| {
        OpError::bug(format!("cannot call `{}`: the op was called outside of a run", flow.name()))
    })?;
    let (reply, answer) = oneshot::channel();
    let call = FlowCall { flow: callable.flow.clone(), input, reply };
    callable.calls.send(call).map_err(|_| OpError::cancelled())?;
    drop(callable);
    answer.await.unwrap_or_else(|_| Err(OpError::cancelled()))
}

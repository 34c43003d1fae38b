//! Flows that an op keeps, for the program to call later.

use std::{fmt, marker::PhantomData};

use super::{Field, Max, Scheme};
use crate::value::{FlowRef, Value};

/// A flow or component that an op takes as an argument and keeps: the program calls it later, by
/// `Engine::call`, each time as a run of its own. The op itself cannot call it.
///
/// `A` and `B` are its input and its result, such as `Callback<Customer, String>` for a
/// `flow<Customer -> string>`. It holds what the flow is made of and nothing of the run, so it
/// may outlive the run, its engine and its plan.
pub struct Callback<A, B> {
    flow: FlowRef,
    types: PhantomData<fn(A) -> B>,
}

impl<A, B> Callback<A, B> {
    /// The name of the flow in the script.
    pub fn name(&self) -> &str {
        self.flow.name()
    }

    /// The flow, for the engine.
    pub fn flow(&self) -> &FlowRef {
        &self.flow
    }
}

impl<A, B> Clone for Callback<A, B> {
    fn clone(&self) -> Self {
        Self { flow: self.flow.clone(), types: PhantomData }
    }
}

impl<A, B> fmt::Debug for Callback<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Callback({})", self.name())
    }
}

impl<A: Field, B: Field> Field for Callback<A, B> {
    const SCHEME: Scheme = Scheme::Flow(&A::SCHEME, &B::SCHEME, Max::Never);

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::Flow(flow) => Some(Self { flow, types: PhantomData }),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        Value::Flow(self.flow)
    }
}

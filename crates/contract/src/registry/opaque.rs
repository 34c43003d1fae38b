//! Values of the embedding program, which scripts pass from op to op.

use std::{fmt, ops::Deref, sync::Arc};

use super::{Field, Scheme};
use crate::value::{OpaqueRef, OpaqueType, Value};

/// A type of the embedding program whose values scripts pass on.
pub trait OpaqueDef: Send + Sync + 'static {
    /// The name of the type in scripts, such as `Session`.
    const NAME: &'static str;
}

/// A value of the embedding program, as the input, a param or the result of an op made of a
/// closure.
///
/// Scripts can hold such a value in variables, lists and records, and pass it to flows and ops;
/// everything that looks into it is an error of the check. It has no form in JSON and is equal
/// only to itself.
pub struct Opaque<T>(Arc<T>);

impl<T> Opaque<T> {
    pub fn new(it: T) -> Self {
        Self(Arc::new(it))
    }

    /// The shared value.
    pub fn into_inner(self) -> Arc<T> {
        self.0
    }
}

impl<T> Clone for Opaque<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Deref for Opaque<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> From<Arc<T>> for Opaque<T> {
    fn from(it: Arc<T>) -> Self {
        Self(it)
    }
}

impl<T: OpaqueDef> From<Opaque<T>> for Value {
    fn from(it: Opaque<T>) -> Self {
        it.encode()
    }
}

impl<T: OpaqueDef> fmt::Debug for Opaque<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", T::NAME)
    }
}

impl<T: OpaqueDef> Field for Opaque<T> {
    const SCHEME: Scheme = Scheme::Opaque(OpaqueType::of::<T>(T::NAME));

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::Opaque(it) => it.downcast().map(Self),
            _ => None,
        }
    }

    fn encode(self) -> Value {
        Value::Opaque(OpaqueRef::new(T::NAME, self.0))
    }
}

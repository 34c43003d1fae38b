//! A component whose declaration is constant data already, made at run time: the operations of a
//! document.

use std::sync::Arc;

use super::{Code, names::kept, stored};
use crate::registry::{Body, BoxFuture, Component, Cx, Lent, OpError, Param, Registry};
use crate::value::Value;

/// What an op of such a component does with its arguments, in the order of its parameters.
pub type OpCode = Arc<dyn Fn(Cx, Vec<Value>) -> BoxFuture + Send + Sync>;

/// A declared component, and the code of its ops: one for each, with the body [`called_io`].
#[derive(Clone)]
pub struct ReadyComponent {
    pub component: &'static Component,
    pub code: Vec<(&'static str, OpCode)>,
}

/// The body of an op whose code an engine has.
pub const fn called_io() -> Body {
    Body::Io(stored::io)
}

impl Registry {
    /// Adds a component that was made at run time.
    ///
    /// Returns this registry with its declaration, and `lent` with its code; an error if its name
    /// is taken by anything but an earlier one.
    pub fn with_ready(
        self,
        mut lent: Lent,
        ready: &ReadyComponent,
    ) -> Result<(Self, Lent), OpError> {
        let name = ready.component.name;
        if let Some(other) = self.find(name)
            && other.component().cluster != ready.component.cluster
        {
            let other = other.component().name;
            let message = format!("cannot add `{name}`: it is a name of the component `{other}`");
            return Err(OpError::invalid_input(message).help("choose another name"));
        }
        for (op, code) in &ready.code {
            let code = code.clone();
            let code = move |cx: Cx, _: &[Param], args: &mut [Value]| -> BoxFuture {
                code(cx, args.iter_mut().map(std::mem::take).collect())
            };
            lent = lent.with_closures(|it| it.add(name, kept(op), Code::Io(Arc::new(code))));
        }
        Ok((self.with(&[ready.component]), lent))
    }
}

impl std::fmt::Debug for ReadyComponent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ReadyComponent").field(&self.component.name).finish()
    }
}

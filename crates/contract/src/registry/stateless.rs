//! The ops of every component: to learn, to save its state, to load it.
//!
//! A component without state refuses to learn, and saves and loads an empty state.

use std::path::PathBuf;

use super::{
    Compute, Cx, Effect, ErrorKind, Field, Items, Op, OpDef, OpError, Scheme, Scope, Var, compute,
    params,
};
use crate::{
    host,
    value::{Value, json},
};

/// The ops that a component has by default.
pub(super) const OPS: &[OpDef] = &[compute::<Learn>(), compute::<Save>(), compute::<Load>()];

params! {
    /// Learns from data. A component without state refuses.
    struct Learn {
        /// The data to learn from.
        data: Items<Var<'T'>>,
    }
}

impl Op for Learn {
    const NAME: &'static str = "learn";
    const YIELDS: Scheme = Scheme::Never;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unsupported];
    const SAYS: &'static [&'static str] =
        &["train on my data", "teach a component from examples", "let it learn from past cases"];
    const EXAMPLES: &'static [super::Example] = &[];
}

impl Compute for Learn {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let (name, given) = (cx.component, self.data.0.len());
        let message = format!("`{name}` keeps no state, so it cannot learn from {given} items");
        Err(OpError::new(ErrorKind::Unsupported, message))
    }
}

params! {
    /// Saves the component's state to a file and returns its path.
    struct Save {
        /// The file to write.
        path: PathBuf,
    }
}

impl Op for Save {
    const NAME: &'static str = "save";
    const YIELDS: Scheme = Scheme::Path;
    const EFFECTS: &'static [Effect] =
        &[Effect::Writes { scope: Scope::Path("path"), idempotent: true }];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Denied, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "save what a component has learnt",
        "store the state of a component in a file",
        "keep a trained component for later",
    ];
    const EXAMPLES: &'static [super::Example] = &[];
}

impl Compute for Save {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let state = format!("{}\n", json::write(&empty_state(cx.component)));
        cx.host()
            .write(&self.path, state.as_bytes())
            .map_err(|err| OpError::io(err, &self.path))?;
        Ok(self.path.encode())
    }
}

params! {
    /// Loads the component's state from a file that `save` wrote, and returns its path.
    struct Load {
        /// The file to read.
        path: PathBuf,
    }
}

impl Op for Load {
    const NAME: &'static str = "load";
    const YIELDS: Scheme = Scheme::Path;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("path"))];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "load what a component has learnt",
        "restore the state of a component from a file",
        "bring back a trained component",
    ];
    const EXAMPLES: &'static [super::Example] = &[];
}

impl Compute for Load {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        const LARGEST: u64 = 1 << 20;
        let bytes = host::read(cx.host(), &self.path, LARGEST)
            .map_err(|err| OpError::io(err, &self.path))?;
        let text = String::from_utf8_lossy(&bytes);
        if json::read(&text).is_ok_and(|it| it == empty_state(cx.component)) {
            return Ok(self.path.encode());
        }
        let (path, name) = (self.path.display(), cx.component);
        Err(OpError::invalid_input(format!("`{path}` is not a saved state of `{name}`")))
    }
}

fn empty_state(component: &str) -> Value {
    Value::Record(
        [("component".into(), component.into()), ("state".into(), Value::Null)]
            .into_iter()
            .collect(),
    )
}

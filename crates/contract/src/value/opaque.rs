//! Values that a script can hold and pass on, but not inspect: secrets and flows.

use std::{any::Any, fmt, sync::Arc};

use super::Text;

/// A text that must not be shown. [`Secret::reveal`] returns it; all output of values shows
/// stars.
#[derive(Clone)]
pub struct Secret(Text);

impl Secret {
    pub fn new(text: impl Into<Text>) -> Self {
        Self(text.into())
    }

    /// The text itself, for the one call that sends it to its destination.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

/// A flow or component as an argument. Only the run knows its content.
#[derive(Clone)]
pub struct FlowRef(Arc<Named>);

struct Named {
    name: Text,
    flow: Arc<dyn Any + Send + Sync>,
}

impl FlowRef {
    pub fn new(name: impl Into<Text>, flow: Arc<dyn Any + Send + Sync>) -> Self {
        Self(Arc::new(Named { name: name.into(), flow }))
    }

    /// The name that the script uses for it.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Whether both are the same value, and not only flows of the same name.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The referenced object, for its creator.
    pub fn downcast<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.0.flow.clone().downcast().ok()
    }
}

impl fmt::Display for FlowRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the flow `{}`", self.name())
    }
}

impl fmt::Debug for FlowRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FlowRef({})", self.name())
    }
}

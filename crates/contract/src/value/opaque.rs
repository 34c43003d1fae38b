//! Values that a script can hold and pass on, but not inspect: secrets, flows, and values of the
//! embedding program.

use std::{
    any::{Any, TypeId},
    fmt,
    sync::Arc,
};

use super::{Text, Value};

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

    /// Returns `text` with stars in place of the secret. A short one is a placeholder, such
    /// as the key `none` or `ollama` of a local server, and is a word of other texts.
    pub fn hidden_in(&self, text: &str) -> String {
        const SHORTEST: usize = 8;
        if self.0.len() < SHORTEST { text.to_owned() } else { text.replace(&*self.0, "***") }
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
    tool: Option<Arc<ToolFacts>>,
}

/// What a language model needs to know to call a flow or component.
#[derive(Debug)]
pub struct ToolFacts {
    /// The name that the model uses: letters, digits and underscores.
    pub name: Text,
    pub doc: String,
    /// The JSON Schema of its arguments, an object.
    pub params: Value,
}

impl FlowRef {
    pub fn new(name: impl Into<Text>, flow: Arc<dyn Any + Send + Sync>) -> Self {
        Self(Arc::new(Named { name: name.into(), flow, tool: None }))
    }

    /// A flow that a language model may call, with one object of arguments.
    pub fn tool(
        name: impl Into<Text>,
        flow: Arc<dyn Any + Send + Sync>,
        tool: Arc<ToolFacts>,
    ) -> Self {
        Self(Arc::new(Named { name: name.into(), flow, tool: Some(tool) }))
    }

    /// The same name and facts for another object.
    #[must_use]
    pub fn with_object(&self, flow: Arc<dyn Any + Send + Sync>) -> Self {
        Self(Arc::new(Named { name: self.0.name.clone(), flow, tool: self.0.tool.clone() }))
    }

    /// The facts of a tool, if it is one.
    pub fn facts(&self) -> Option<&ToolFacts> {
        self.0.tool.as_deref()
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

/// A type of the embedding program: its name in scripts, and the type itself. Types of one name
/// differ if they are other types in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpaqueType {
    pub name: &'static str,
    id: TypeId,
}

impl OpaqueType {
    pub const fn of<T: Any>(name: &'static str) -> Self {
        Self { name, id: TypeId::of::<T>() }
    }
}

impl fmt::Display for OpaqueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A value of the embedding program. It is shared, and equal only to itself.
#[derive(Clone)]
pub struct OpaqueRef(Arc<Foreign>);

struct Foreign {
    ty: OpaqueType,
    it: Arc<dyn Any + Send + Sync>,
}

impl OpaqueRef {
    pub fn new<T: Any + Send + Sync>(name: &'static str, it: Arc<T>) -> Self {
        Self(Arc::new(Foreign { ty: OpaqueType::of::<T>(name), it }))
    }

    pub fn ty(&self) -> OpaqueType {
        self.0.ty
    }

    /// The value, if it is of this type in Rust.
    pub fn downcast<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.0.it.clone().downcast().ok()
    }

    /// Whether both are the same value of the program.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0.it, &other.0.it)
    }
}

impl fmt::Display for OpaqueRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.0.ty)
    }
}

impl fmt::Debug for OpaqueRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

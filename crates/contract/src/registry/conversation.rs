//! A conversation with a language model that may call tools: what the one who asks and the one who
//! answers know of it.

use crate::{
    record,
    value::{Text, Value, json},
};

/// What a provider adds to a message, a call or a tool, in tokens.
const PER_PART: usize = 64;

record! {
    /// A message of a conversation.
    pub struct Message {
        /// Who says it: `user`, `assistant`, or `tool` for the result of a call.
        role: Text,
        /// Its text; of a tool, the result as JSON, or the error.
        text: Text,
        /// The calls that the model asks for.
        calls: Vec<ToolCall>,
        /// Of a tool: the id of the call.
        id: Option<Text>,
    }
}

record! {
    /// A call that a model asks for.
    pub struct ToolCall {
        /// Identifies it among the calls of its message.
        id: Text,
        /// The name of the tool.
        tool: Text,
        /// The arguments: an object, or the text of the model if it is not JSON.
        args: Value,
    }
}

record! {
    /// A tool as a model sees it.
    pub struct Function {
        /// Letters, digits, `_` and `-`.
        name: Text,
        /// What it does.
        doc: Text,
        /// The JSON Schema of its arguments, an object.
        params: Value,
    }
}

record! {
    /// The next step of a model.
    pub struct Step {
        /// What it says.
        text: Text,
        /// The calls that it asks for; without any, it has finished.
        calls: Vec<ToolCall>,
    }
}

impl Message {
    /// What a person says.
    pub fn user(text: impl Into<Text>) -> Self {
        Self { role: "user".into(), text: text.into(), calls: Vec::new(), id: None }
    }

    /// What the model says.
    pub fn assistant(step: Step) -> Self {
        Self { role: "assistant".into(), text: step.text, calls: step.calls, id: None }
    }

    /// What a call returned.
    pub fn result(id: Text, text: impl Into<Text>) -> Self {
        Self { role: "tool".into(), text: text.into(), calls: Vec::new(), id: Some(id) }
    }

    /// Its length, with what a provider adds for its roles and separators.
    pub fn bytes(&self) -> usize {
        let calls = self.calls.iter().map(|it| PER_PART + it.tool.len() + written(&it.args));
        PER_PART + self.text.len() + calls.sum::<usize>()
    }
}

impl Function {
    /// Its length, with what a provider adds to a tool.
    pub fn bytes(&self) -> usize {
        PER_PART + self.name.len() + self.doc.len() + written(&self.params)
    }
}

/// The length of a value as JSON.
fn written(value: &Value) -> usize {
    json::write(value).len()
}

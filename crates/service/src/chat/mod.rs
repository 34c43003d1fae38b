//! Served scripts as models of a chat: which scripts can answer a conversation, what they get of it, and
//! what in their result is the answer.
//!
//! No protocol is known here: a base reads its requests as a [`Conversation`].

mod fit;

use svc_contract::value::{Record, Text, Type, Value, json};
use svc_lang::check::Input;

use crate::{Args, Fault, Served};

pub use fit::SchemaMisfit;

/// The param that gets all messages, that of the system messages, and that of the tools.
const MESSAGES: &str = "messages";
const SYSTEM: &str = "system";
const TOOLS: &str = "tools";

/// The fields of a result that are its text, the first one that is there.
const TEXTS: [&str; 3] = ["answer", "text", "content"];

/// The field of a result with the calls that the caller is to make.
const CALLS: &str = "tool_calls";

/// The chat signature of a script: which of its params get what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatSignature {
    asks: Asks,
    has_system: bool,
    has_tools: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Asks {
    /// It gets all messages.
    Messages,
    /// This param gets the last message of the user.
    Question(Text),
}

/// What was said.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    pub messages: Vec<Message>,
    /// The tools that the caller offers.
    pub tools: Option<Value>,
}

/// A message of a conversation.
#[derive(Clone, Debug)]
pub struct Message {
    pub role: Speaker,
    pub text: Text,
    /// All its fields, with its text as `content`.
    pub whole: Record,
}

/// Who said it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// Instructions of the program around.
    System,
    User,
    Assistant,
    /// The result of a call that the script asked for.
    Tool,
}

/// The form in which a result is wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ChatFormat {
    #[default]
    Text,
    /// Any JSON object.
    Object,
    /// JSON that fits a schema.
    Schema(Value),
}

/// A call that the caller is to make.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    pub id: Option<Text>,
    pub name: Text,
    pub arguments: Value,
}

impl ChatSignature {
    /// The chat signature of a script, or why it has none.
    pub fn of(script: &Served) -> Result<Self, String> {
        Self::of_inputs(&script.plan.program().inputs)
    }

    fn of_inputs(inputs: &[Input]) -> Result<Self, String> {
        let given: Vec<&Input> = inputs.iter().filter(|it| !it.is_secret()).collect();
        let has = |name: &str, example: &Value| {
            given.iter().any(|it| it.name.as_ref() == name && example.clone().cast(&it.ty).is_ok())
        };
        let messages = Value::from(vec![Value::Record(message("user", "hello"))]);
        let has_messages = has(MESSAGES, &messages);
        let mut required = given.iter().filter(|it| it.is_required());
        let asks = match (has_messages, required.next(), required.next()) {
            (true, None, _) => Asks::Messages,
            (true, Some(it), None) if it.name.as_ref() == MESSAGES => Asks::Messages,
            (false, Some(it), None) if it.ty == Type::Text => Asks::Question(it.name.clone()),
            (false, Some(it), None) => {
                return Err(format!("its required param `{}` is not a text", it.name));
            }
            (false, None, _) => return Err("it has no required param that is a text".to_owned()),
            _ => return Err("it has other required params than its question".to_owned()),
        };
        let is_other = asks != Asks::Question(SYSTEM.into());
        let has_system = is_other && has(SYSTEM, &Value::from("be brief"));
        let tools =
            Value::from(vec![Value::Record([("type".into(), "x".into())].into_iter().collect())]);
        Ok(Self { asks, has_system, has_tools: has(TOOLS, &tools) })
    }

    /// Whether it gets the tools that a caller offers.
    pub fn takes_tools(&self) -> bool {
        self.has_tools
    }

    /// Whether it gets a message of a conversation.
    pub fn sees(&self, conversation: &Conversation, idx: usize) -> bool {
        let role = conversation.messages.get(idx).map(|it| it.role);
        match (&self.asks, role) {
            (Asks::Messages, _) => true,
            (_, Some(Speaker::System)) => self.has_system,
            _ => conversation.question().is_some_and(|(last, _)| last == idx),
        }
    }

    /// The arguments of the script; a fault of the field `messages` if nothing is asked.
    pub fn args(&self, conversation: &Conversation) -> Result<Args, Fault> {
        let mut args = Args::new();
        match &self.asks {
            Asks::Messages => {
                let all = conversation.messages.iter().map(|it| Value::Record(it.whole.clone()));
                args.insert(MESSAGES.to_owned(), all.collect::<Vec<_>>().into());
            }
            Asks::Question(param) => {
                let (_, message) = conversation.question().ok_or_else(|| {
                    Fault::field(MESSAGES, "expected a message of the user, found none")
                })?;
                args.insert(param.to_string(), message.text.clone().into());
            }
        }
        let system = conversation.system().filter(|_| self.has_system);
        if let Some(system) = system {
            args.insert(SYSTEM.to_owned(), system.into());
        }
        if let Some(tools) = conversation.tools.clone().filter(|_| self.has_tools) {
            args.insert(TOOLS.to_owned(), tools);
        }
        Ok(args)
    }
}

impl Conversation {
    /// The last message of the user, with its index.
    fn question(&self) -> Option<(usize, &Message)> {
        self.messages.iter().enumerate().rev().find(|(_, it)| it.role == Speaker::User)
    }

    /// The instructions, as one text.
    fn system(&self) -> Option<String> {
        let all = self.messages.iter().filter(|it| it.role == Speaker::System);
        let texts: Vec<&str> = all.map(|it| it.text.as_ref()).collect();
        (!texts.is_empty()).then(|| texts.join("\n\n"))
    }
}

impl ChatFormat {
    /// Whether every result of a script has this form, or the first place where one may not.
    pub fn test(&self, script: &Served) -> Result<(), SchemaMisfit> {
        match self {
            Self::Text => Ok(()),
            Self::Object => fit::test(&script.output_schema, &any_object()),
            Self::Schema(wanted) => fit::test(&script.output_schema, wanted),
        }
    }

    /// A result in this form.
    pub fn write(&self, result: &Value) -> String {
        match self {
            Self::Text => text_of(result),
            Self::Object | Self::Schema(_) => json::write(result),
        }
    }
}

/// The calls that a result asks its caller to make: its field `tool_calls`, if that is a list of
/// records with a name.
pub fn tool_calls(result: &Value) -> Vec<ToolCall> {
    let Some(Value::List(calls)) = result.as_record().and_then(|it| it.get(CALLS)) else {
        return Vec::new();
    };
    let text = |it: &Record, name: &str| it.get(name).and_then(Value::as_str).map(Text::from);
    let calls = calls.iter().map(|it| {
        let call = it.as_record()?;
        let arguments = call.get("arguments").cloned().unwrap_or_default();
        Some(ToolCall { id: text(call, "id"), name: text(call, "name")?, arguments })
    });
    calls.collect::<Option<_>>().unwrap_or_default()
}

/// The text of a result; JSON if it has none.
fn text_of(result: &Value) -> String {
    let of_field =
        |it: &Record| TEXTS.iter().find_map(|name| it.get(name)?.as_str().map(str::to_owned));
    match result {
        Value::Text(text) => text.to_string(),
        Value::Record(of) => of_field(of).unwrap_or_else(|| json::write(result)),
        _ => json::write(result),
    }
}

/// The fields of a message.
fn message(role: &str, text: &str) -> Record {
    [("role".into(), role.into()), ("content".into(), text.into())].into_iter().collect()
}

/// The schema of any object.
fn any_object() -> Value {
    Value::Record([("type".into(), "object".into())].into_iter().collect())
}

#[cfg(test)]
mod tests;

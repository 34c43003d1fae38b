//! The tools of an agent: how a model sees them, and calls of them.

use std::fmt::Write as _;

use svc_contract::{
    registry::{
        Near, OpError, ToolRef,
        conversation::{Function, ToolCall},
        near,
    },
    value::{
        Text, Type, Value, json,
        schema::{self, Ranges},
    },
};

/// The tool by which a model gives a result of a type.
pub(super) const ANSWER: &str = "answer";

/// The field of a result that is not a record.
const VALUE: &str = "value";

/// The tools, and the type of the result.
pub(super) struct Toolbox<'a> {
    tools: Vec<ToolRef>,
    wanted: Option<&'a Type>,
}

impl<'a> Toolbox<'a> {
    pub(super) fn new(tools: Vec<ToolRef>, wanted: Option<&'a Type>) -> Result<Self, OpError> {
        let is_taken = |it: &ToolRef| it.facts().is_some_and(|it| it.name.as_ref() == ANSWER);
        if wanted.is_some() && tools.iter().any(is_taken) {
            let message = format!("a tool is named `{ANSWER}`, as the one that gives the result");
            return Err(OpError::invalid_input(message).help("call it in a flow of another name"));
        }
        Ok(Self { tools, wanted })
    }

    /// The type of the result, if it is not text.
    pub(super) fn wanted(&self) -> Option<&'a Type> {
        self.wanted
    }

    /// The tools as a model sees them.
    pub(super) fn functions(&self) -> Result<Vec<Function>, OpError> {
        let own = self.tools.iter().filter_map(ToolRef::facts).map(|it| Function {
            name: it.name.clone(),
            doc: it.doc.as_str().into(),
            params: it.params.clone(),
        });
        let mut all: Vec<Function> = own.collect();
        if let Some(wanted) = self.wanted {
            let schema = schema::of(wanted, Ranges::Described)
                .map_err(|part| OpError::bug(format!("the check accepted {part}")))?;
            let params = match wanted {
                Type::Record(_) => schema,
                _ => schema::object([(VALUE.into(), schema)].into_iter().collect()),
            };
            let doc = "Gives the result of the task, and ends it.";
            all.push(Function { name: ANSWER.into(), doc: doc.into(), params });
        }
        Ok(all)
    }

    /// Makes a call that a model asks for, and returns the text of its result, or why there is
    /// none.
    pub(super) async fn call(&self, call: &ToolCall) -> Result<Text, OpError> {
        let tool = self.named(&call.tool)?;
        let value = tool.call(tested(tool, &call.args)?).await?;
        Ok(match value {
            Value::Text(text) => text,
            other => json::write(&other).into(),
        })
    }

    fn named(&self, name: &str) -> Result<&ToolRef, OpError> {
        let facts = |it: &'_ ToolRef| it.facts().map(|it| it.name.to_string());
        let found = self.tools.iter().find(|it| facts(it).is_some_and(|it| it == name));
        found.ok_or_else(|| {
            let names: Vec<String> = self.tools.iter().filter_map(facts).collect();
            unknown("tool", name, &names)
        })
    }
}

/// The result in a call of [`ANSWER`], or why it is none.
pub(super) fn result(wanted: &Type, args: &Value) -> Result<Value, String> {
    let value = match (wanted, args) {
        (Type::Record(_), args) => args.clone(),
        (_, Value::Record(of)) if of.has(VALUE) => of.get(VALUE).cloned().unwrap_or_default(),
        (_, args) => {
            return Err(format!("expected an object with `{VALUE}`, found {}", args.kind()));
        }
    };
    value.cast(wanted).map_err(|it| it.to_string())
}

/// The arguments, if they are an object and the tool has params of these names. Their types are
/// tested by the call.
fn tested(tool: &ToolRef, args: &Value) -> Result<Value, OpError> {
    let Value::Record(given) = args else {
        let message = format!("expected an object of arguments, found {}", args.kind());
        return Err(OpError::invalid_input(message));
    };
    let params = tool.facts().and_then(|it| it.params.as_record()?.get("properties")?.as_record());
    let known: Vec<String> =
        params.iter().flat_map(|it| it.names().iter()).map(ToString::to_string).collect();
    let is_unknown = |it: &&Text| !known.iter().any(|known| known == it.as_ref());
    match given.names().iter().find(is_unknown) {
        Some(name) => Err(unknown("argument", name, &known)),
        None => Ok(args.clone()),
    }
}

fn unknown(what: &str, name: &str, known: &[String]) -> OpError {
    let mut message = format!("unknown {what} `{name}`");
    // Writing to a string cannot fail.
    let _ = match near(name, known.iter().map(String::as_str)) {
        Some(Near { name: near, .. }) => write!(message, "; did you mean `{near}`?"),
        None if known.is_empty() => write!(message, ": there are none"),
        None => write!(message, "; there are {}", known.join(", ")),
    };
    OpError::invalid_input(message)
}

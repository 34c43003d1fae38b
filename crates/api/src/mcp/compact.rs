//! The short list: six tools that lead to all others, for clients that read every definition into
//! their prompt.

use std::sync::Arc;

use svc_contract::value::Value;
use svc_service::{Args, Fault, tools::Hints};

use super::{Definition, Definitions};
use crate::rest::{Rest, object};

/// The tools of the short list that the full one has as well.
const SHARED: [&str; 4] =
    ["svc_first_call_help_tool", "guide_find_tool", "system_status", "job_get_result"];

/// The tool that calls any other one.
pub const CALL_TOOL: &str = "call_tool";

/// The tool that returns whole definitions.
pub const DESCRIBE_TOOLS: &str = "describe_tools";

const DESCRIBES: &str =
    "Whole definitions of tools, with the schemas of their arguments and results.";
const CALLS: &str = "Calls a tool or a script by its name, with its arguments.";

/// The most definitions of an answer.
const MOST_DESCRIBED: usize = 20;

/// The short list.
pub struct Compact;

impl Compact {
    /// The definitions of the short list that the caller may call.
    pub fn of_caller(all: &Definitions, rest: &Rest) -> Vec<Arc<Definition>> {
        let own = all.of_caller(rest);
        let find = |name: &&str| own.iter().find(|it| it.name == **name).cloned();
        SHARED.iter().filter_map(find).chain([Arc::new(describe()), Arc::new(call())]).collect()
    }

    /// The tool and its arguments that a call of `call_tool` names.
    pub fn called(args: &Args) -> Result<(String, Args), Fault> {
        test_names(args, &["name", "arguments"])?;
        let name = match args.get("name") {
            Some(Value::Text(it)) if !it.is_empty() => it.to_string(),
            Some(_) => return Err(Fault::field("name", "expected the name of a tool")),
            None => return Err(Fault::field("name", "missing the name of a tool")),
        };
        let args = match args.get("arguments") {
            None | Some(Value::Null) => Args::new(),
            Some(Value::Record(of)) => {
                of.iter().map(|(name, it)| (name.to_string(), it.clone())).collect()
            }
            Some(_) => return Err(Fault::field("arguments", "expected an object")),
        };
        Ok((name, args))
    }

    /// The result of a call of `describe_tools`.
    pub fn described(args: &Args, rest: &Rest) -> Result<Value, Fault> {
        test_names(args, &["names"])?;
        let wrong = || Fault::field("names", "expected a list of names of tools");
        let Some(Value::List(names)) = args.get("names") else { return Err(wrong()) };
        if names.len() > MOST_DESCRIBED {
            let message = format!("expected at most {MOST_DESCRIBED} names");
            return Err(Fault::field("names", message));
        }
        let mut found = Vec::new();
        let mut unknown = Vec::new();
        for name in names {
            let name = name.as_str().ok_or_else(wrong)?;
            match Definitions::whole(name, rest) {
                Some(it) => found.push(object([
                    ("name", it.name.into()),
                    ("description", it.description.into()),
                    ("input_schema", it.input_schema),
                    ("output_schema", it.output_schema),
                ])),
                None => unknown.push(Value::from(name)),
            }
        }
        Ok(object([("tools", found.into()), ("unknown", unknown.into())]))
    }
}

fn test_names(args: &Args, known: &[&str]) -> Result<(), Fault> {
    match args.keys().find(|it| !known.contains(&it.as_str())) {
        Some(other) => {
            let known = known.join(", ");
            Err(Fault::field(other.clone(), format!("unknown argument; known are {known}")))
        }
        None => Ok(()),
    }
}

const READS: Hints =
    Hints { read_only: true, destructive: false, idempotent: true, open_world: false };
const ANY: Hints =
    Hints { read_only: false, destructive: true, idempotent: false, open_world: true };

fn describe() -> Definition {
    let names = object([
        ("type", "array".into()),
        ("items", object([("type", "string".into())])),
        ("maxItems", i64::try_from(MOST_DESCRIBED).unwrap_or(20).into()),
    ]);
    Definition {
        name: DESCRIBE_TOOLS.to_owned(),
        description: DESCRIBES.to_owned(),
        brief: DESCRIBES.to_owned(),
        input_schema: closed(object([("names", names)]), vec!["names".into()]),
        output_schema: object([("type", "object".into())]),
        hints: READS,
        meta: object([]),
        spare: Vec::new(),
    }
}

fn call() -> Definition {
    let properties = object([
        ("name", object([("type", "string".into())])),
        ("arguments", object([("type", "object".into())])),
    ]);
    Definition {
        name: CALL_TOOL.to_owned(),
        description: CALLS.to_owned(),
        brief: CALLS.to_owned(),
        input_schema: closed(properties, vec!["name".into()]),
        output_schema: object([("type", "object".into())]),
        hints: ANY,
        meta: object([]),
        spare: Vec::new(),
    }
}

fn closed(properties: Value, required: Vec<Value>) -> Value {
    object([
        ("type", "object".into()),
        ("properties", properties),
        ("required", required.into()),
        ("additionalProperties", false.into()),
    ])
}

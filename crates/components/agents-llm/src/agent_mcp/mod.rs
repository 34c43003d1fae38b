//! Tools of MCP servers whose address a script knows only when it runs.
//!
//! Servers of a project are components of their own, with typed ops that are checked before anything
//! runs. These ops are for an address that was found or given: a tool is a text here, its arguments and
//! its result are JSON. No program is started: servers that are programs need the settings of a project
//! and the consent of its user.

use svc_contract::{
    record,
    registry::{Bias, Component, Effect, ErrorKind, OpError, Scope, io},
    value::{Secret, Text, Value, json},
};
use svc_mcp::{Server, Tool};

mod call;
mod connect;
mod drift;
mod list;

pub(super) const COMPONENT: Component = Component {
    name: "agent_mcp",
    cluster: "agents-llm",
    summary: "Uses the tools of MCP servers by their addresses.",
    version: 1,
    bias: Bias::new(
        "one connection to each server for the whole run",
        &[
            "the server speaks MCP over HTTP",
            "the address is on the public internet, or the user allowed it with its port",
            "what a server says of its tools is not trusted: each call may write",
        ],
    ),
    aliases: &[
        ("mcp_call", "infer"),
        ("mcp_connect", "connect"),
        ("mcp_tools", "tools"),
        ("mcp_drift", "drift"),
    ],
    ops: &[
        io::<call::Infer>(),
        io::<connect::Connect>(),
        io::<list::Tools>(),
        io::<drift::Drift>(),
    ],
};

const READS: &[Effect] = &[Effect::Reads(Scope::Web("server"))];

record! {
    /// A tool, as its server describes it.
    struct ToolInfo {
        /// Its name.
        name: Text,
        /// What it does, in the words of the server.
        doc: Text,
        /// The JSON Schema of its arguments.
        input: Value,
        /// The JSON Schema of its result; null if the server gives none.
        output: Value,
        /// Changes with the schemas.
        fingerprint: Text,
    }
}

/// The server at an address.
fn server(address: &str, token: Option<&Secret>) -> Result<Server, OpError> {
    Server::at(address, token)
}

/// A tool as scripts see it.
fn info(tool: Tool) -> Result<ToolInfo, OpError> {
    Ok(ToolInfo {
        fingerprint: tool.fingerprint().into(),
        name: tool.name.into(),
        doc: tool.description.into(),
        input: value(&tool.input)?,
        output: tool.output.as_ref().map_or(Ok(Value::Null), value)?,
    })
}

/// JSON of a server as a value.
fn value(of: &serde_json::Value) -> Result<Value, OpError> {
    json::read(&of.to_string())
        .map_err(|err| OpError::new(ErrorKind::InvalidOutput, format!("the server sent {err}")))
}

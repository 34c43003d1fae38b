//! `mcp_call`: one tool, by its name.

use svc_contract::{
    registry::{
        CallEffects, Cx, DecideEffects, Effect, ErrorKind, Example, Field, Generic, Io, KnownArgs,
        Limits, Op, OpError, Scheme, Scope, params,
    },
    value::{Secret, Text, Value, json},
};
use svc_mcp::Pool;

use super::{server, value};

params! {
    /// Calls a tool of an MCP server, and returns its result.
    ///
    /// The result is its structured content; else its text, or the list of what it contains.
    /// `mcp_call<T>` also checks that it is a `T`. An error that the tool reports is `failed`. A call may
    /// change something at the server, unless `idempotent` is true it is not repeated.
    ///
    /// `svc mcp add` makes typed ops of the tools of a server that is known before.
    pub(super) struct Infer {
        /// The arguments of the tool: a record, or an object of JSON.
        arguments: Arguments,
        /// The address of the server, with `http://` or `https://`.
        server: Text,
        /// The name of the tool, as `mcp_tools` shows it.
        tool: Text,
        /// The fingerprint that `mcp_tools` has shown: a tool whose schemas changed since is not called.
        fingerprint: Option<Text> = None,
        /// The secret for authorization, sent as `Authorization: Bearer ..`.
        token: Option<Secret> = None,
        /// Whether calling it a second time changes nothing further.
        idempotent: bool = false,
    }
}

/// A record, a map, or JSON that is an object.
struct Arguments(Value);

impl Field for Arguments {
    const SCHEME: Scheme = Scheme::OneOf(&[
        Scheme::Record("record", &[]),
        Scheme::Map(&Scheme::Var('A')),
        Scheme::Json,
    ]);

    fn decode(value: Value) -> Option<Self> {
        Some(Self(value))
    }

    fn encode(self) -> Value {
        self.0
    }
}

const WRITES: &[Effect] = &[Effect::Writes { scope: Scope::Web("server"), idempotent: false }];

/// A call writes; the script may say that it can be repeated.
const DECIDE: Option<DecideEffects> = Some(|args: &KnownArgs<'_, '_>| {
    let is_idempotent = matches!(args.get("idempotent")?, Value::Bool(true));
    Some(CallEffects { effects: WRITES, is_idempotent })
});

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Json;
    const GENERIC: Generic = Generic::Tested;
    const EFFECTS: &'static [Effect] = WRITES;
    const DECIDE: Option<DecideEffects> = DECIDE;
    const ERRORS: &'static [ErrorKind] = ErrorKind::OF_SERVERS;
    const LIMITS: Limits = Limits::DEFAULT;
    const SAYS: &'static [&'static str] =
        &["call a tool of an mcp server", "use a remote mcp tool by name", "mcp client"];
    const EXAMPLES: &'static [Example] = &[
        Example::err(
            "An address without a scheme",
            r#"mcp_call({ city: "Oslo" }, server: "mcp.example", tool: "weather")"#,
            "invalid address `mcp.example`",
        ),
        Example::err(
            "A server on this machine, which needs the user's permission",
            r#"mcp_call({ city: "Oslo" }, server: "http://127.0.0.1:8080/mcp", tool: "weather")"#,
            "`127.0.0.1` is this machine",
        ),
    ];
}

impl Io for Infer {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let server = server(&self.server, self.token.as_ref())?;
        let arguments = arguments(&self.arguments.0)?;
        let tool = (self.tool.as_ref(), self.fingerprint.as_deref());
        let called = cx.of_run::<Pool>().call(cx, &server, &|| Ok(()), tool, arguments).await?;
        value(&called.value())
    }
}

fn arguments(given: &Value) -> Result<serde_json::Map<String, serde_json::Value>, OpError> {
    let wrong = || {
        let message = format!("expected a record of arguments, found {}", given.kind());
        OpError::invalid_input(message)
    };
    if !matches!(given, Value::Record(_)) {
        return Err(wrong());
    }
    serde_json::from_str(&json::write(given)).map_err(|_| wrong())
}
